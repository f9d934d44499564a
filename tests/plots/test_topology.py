"""Pictures of networks of switches."""

import fairlane
import pytest
from fairlane.show.plots.options import PlotError
from fairlane.show.plots.topology import layout


def run(tmp_path, network):
    flow = {"algorithm": "dctcp", "traffic": {"matrix": "permutation"}}
    return fairlane.run({"duration": "5ms", "network": network, "flows": [flow]}, results=tmp_path, progress=False)


def test_a_picture_of_tiers_and_of_a_graph(tmp_path):
    fabric = {"topology": "leaf-spine", "leaves": 2, "spines": 2, "hosts": 3, "rate": "1gbit"}
    edges = [{"ends": ends, "rate": "1gbit"} for ends in (["a", "b"], ["b", "c"], ["c", "a"], ["c", "d"])]
    for name, network, node in (
        ("tiers", fabric, "spine-2"),
        ("graph", {"topology": "graph", "edges": edges}, "host-d"),
    ):
        results = run(tmp_path / name, network)
        assert results.plot("topology", tmp_path / f"{name}.png").stat().st_size > 8_000
        svg = results.plot("topology").svg
        assert all(f"<!-- {text} -->" in svg for text in (node, "utilisation, %"))


def test_hosts_are_below_and_switches_above():
    made = layout([("h1", "l1"), ("h2", "l2"), ("l1", "s1"), ("l2", "s1"), ("l1", "s2"), ("l2", "s2")])
    assert {node: y for node, (_, y) in made.items()} == {"h1": 0, "h2": 0, "l1": 1, "l2": 1, "s1": 2, "s2": 2}


def test_other_networks_have_no_such_picture(pairs, tmp_path):
    with pytest.raises(PlotError, match="switches"):
        pairs.plot("topology", tmp_path / "picture.png")
