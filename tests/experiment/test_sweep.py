"""The sweep of an experiment is read separately."""

import pytest
from fairlane.files import data_folder
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load, load_sweep


@pytest.mark.parametrize("name", ["elephants2023/fifo", "fiftyshades2019/ack-compression", "modestbbr/pairs"])
def test_it_equals_the_whole_file(name):
    path = data_folder("studies") / f"{name}.toml"
    whole, sweep = load(path), load_sweep(path)
    assert sweep.axes == whole.axes
    assert list(sweep.points) == [point.axes for point in whole.points]


def test_an_axis_without_values_is_named(tmp_path):
    path = tmp_path / "empty.toml"
    path.write_text('[sweep]\n"network.rate" = []\n')
    with pytest.raises(ExperimentError, match=r"network\.rate"):
        load_sweep(path)


LINE = {"rate": "50mbit", "rtt": "30ms", "buffer": "1bdp"}


def both(network, key="network.*.queue", **sweep):
    return load(
        {
            "duration": "1s",
            "network": network,
            "flows": [{"algorithm": "cubic"}],
            "sweep": {key: ["fifo", "pie"]} | sweep,
        }
    )


def test_both_directions_of_a_network_are_one_axis():
    loaded = both(LINE | {"reverse": {"rate": "10mbit", "buffer": "1bdp"}})
    assert [axis.name for axis in loaded.axes] == ["queue"]
    kinds = [[link["queue"]["kind"] for link in one.point.scenario["links"][:2]] for one in loaded.points]
    assert kinds == [["fifo", "fifo"], ["pie", "pie"]]
    assert len(both(LINE | {"reverse": {"buffer": "1bdp"}}, **{"network.reverse.rate": ["5mbit", "9mbit"]}).points) == 4


@pytest.mark.parametrize(
    ("network", "text"),
    [
        (LINE, "network.reverse has no rate"),
        ({"links": [{"name": "a", "rate": "5mbit"}]}, "name the links"),
        ({"kind": "wifi", "standard": "ac"}, "name the links"),
    ],
)
def test_a_network_without_two_directions_says_so(network, text):
    with pytest.raises(ExperimentError, match=text):
        both(network)
