"""Networks of switches: links, paths, traffic matrices, and what is wrong with them."""

import random
from collections import Counter

import pytest
from fairlane import simulate
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load
from fairlane.scenario.topology import routes
from fairlane.scenario.topology.routes import Routes

LEAF_SPINE = {"topology": "leaf-spine", "leaves": 2, "spines": 4, "hosts": 4, "rate": "10gbit"}
GRAPH = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="r"/>
<key attr.name="label" attr.type="string" for="node" id="l"/>
<key attr.name="Latitude" attr.type="double" for="node" id="y"/>
<key attr.name="Longitude" attr.type="double" for="node" id="x"/>
<graph edgedefault="undirected">
<node id="0"><data key="l">Bern</data><data key="y">46.95</data><data key="x">7.45</data></node>
<node id="1"><data key="l">New York</data><data key="y">40.71</data><data key="x">-74.01</data></node>
<edge source="0" target="1"><data key="r">1e9</data></edge>
</graph></graphml>"""


def scenario(network, *flows, **more):
    flows = [{"algorithm": "dctcp", **flow} for flow in flows]
    (point,) = load({"duration": "4ms", "network": network, "flows": flows, **more}).points
    return point.point.repeat(0)


def problem(network, *flows):
    with pytest.raises(ExperimentError) as error:
        scenario(network, *flows)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_flow_crosses_its_leaf_a_spine_and_the_other_leaf():
    made = scenario(LEAF_SPINE, {"source": "host-1", "destination": "host-8", "count": 100})
    assert len(made["links"]) == 2 * (2 * 4 + 8)
    spines = Counter(flow["forward"][1] for flow in made["flows"])
    assert set(spines) == {f"leaf-1->spine-{number}" for number in range(1, 5)}
    assert min(spines.values()) >= 10, "the hash uses all equal paths"
    first = made["flows"][0]
    assert (first["forward"][0], first["forward"][-1]) == ("host-1->leaf-1", "leaf-2->host-8")
    assert (first["reverse"][0], first["reverse"][-1]) == ("host-8->leaf-2", "leaf-1->host-1")


def test_the_kinds_have_the_hosts_and_links_of_their_papers():
    fat_tree = scenario({"topology": "fat-tree", "ports": 4, "rate": "1gbit"}, {"traffic": {"matrix": "permutation"}})
    assert (len(fat_tree["flows"]), len(fat_tree["links"])) == (16, 2 * (16 + 16 + 16))
    access = {"topology": "access", "subscribers": 5, "rate": "50mbit", "up": {"rate": "10mbit"}}
    made = scenario({**access, "uplink": {"rate": "1gbit", "delay": "9us"}}, {"traffic": {"matrix": "all-to-all"}})
    rates = {link["name"]: link.get("rate_bps") for link in made["links"]}
    assert [rates[f"aggregation->{end}"] for end in ("core", "subscriber-1")] == [10**9, 5 * 10**7]
    assert (rates["subscriber-1->aggregation"], rates["server->core"]) == (10**7, None)
    assert [flow["forward"][-1] for flow in made["flows"]] == [f"aggregation->subscriber-{i}" for i in range(1, 6)]


def test_matrices():
    def pairs(**traffic):
        made = scenario(LEAF_SPINE, {"traffic": traffic})["flows"]
        return [(flow["forward"][0].split("->")[0], flow["forward"][-1].split("->")[1]) for flow in made]

    everyone = pairs(matrix="all-to-all")
    assert len(set(everyone)) == len(everyone) == 8 * 7
    permutation = pairs(matrix="permutation")
    assert len({one for one, _ in permutation}) == len({two for _, two in permutation}) == len(permutation) == 8
    assert {two for _, two in pairs(matrix="incast", senders=5, receiver="host-3")} == {"host-3"}
    assert len(pairs(matrix="incast", senders=5, receiver="host-3")) == 5


def test_a_load_is_that_of_the_busiest_link():
    traffic = {"matrix": "all-to-all", "load": "60%", "sizes": {"kind": "fixed", "bytes": "10kB"}}
    made = scenario(LEAF_SPINE, {"traffic": traffic, "count": 2}, duration="20ms")
    assert len(made["flows"]) == 2 * 8 * 7
    rates = [flow["workload"]["rate_per_s"] for flow in made["flows"]]
    assert sum(rates) * 80_000 == pytest.approx(8 * 0.6 * 1e10)  # each host sends at 6 Gbit/s
    result = simulate(made)
    arrived_bits = 8 * sum(flow["bytes_delivered"] for flow in result["flows"])
    assert arrived_bits / (8 * 1e10 * 20e-3) == pytest.approx(0.6, rel=0.04)  # 12,000 transfers vary by 1 %
    links = {link["name"]: link for link in result["links"]}
    used = [links[f"leaf-{1 + host // 4}->host-{host + 1}"]["utilisation"] for host in range(8)]
    assert 0.6 < sum(used) / 8 < 0.7, "headers, handshakes and ACKs come on top"


def test_hot_spots_get_their_share():
    traffic = {"matrix": "hot-spots", "spots": 2, "share": "40%", "load": "50%", "sizes": "web-search"}
    made = scenario(LEAF_SPINE, {"traffic": traffic})["flows"]
    rates = Counter()
    for flow in made:
        rates[flow["forward"][-1]] += flow["workload"]["rate_per_s"]
    hot = sorted(rates.values())[-2:]
    assert sum(hot) / sum(rates.values()) == pytest.approx(0.4 + 0.6 * 2 / 8)


def test_a_matrix_from_a_file(tmp_path):
    file = tmp_path / "matrix.csv"
    file.write_text("source,destination,weight\nhost-1,host-2,3\nhost-2,host-8,1\n")
    traffic = {"matrix": "file", "file": str(file), "load": "10%", "sizes": "web-search"}
    rates = [flow["workload"]["rate_per_s"] for flow in scenario(LEAF_SPINE, {"traffic": traffic})["flows"]]
    assert rates[0] == pytest.approx(3 * rates[1])
    file.write_text("source,destination\nhost-1,host-9\n")
    assert "line 2: unknown host 'host-9'" in problem(LEAF_SPINE, {"traffic": traffic})


def test_a_graph_has_the_edges_of_tables_and_shortest_paths():
    edges = [{"ends": ["a", "b"], "rate": "1gbit", "delay": "3ms"}, {"ends": ["b", "c"], "rate": "2gbit"}]
    network = {"topology": "graph", "edges": edges, "fabric": {"delay": "5ms"}}
    made = scenario(network, {"source": "host-a", "destination": "host-c"})
    assert made["flows"][0]["forward"] == ["host-a->a", "a->b", "b->c", "c->host-c"]
    links = {link["name"]: (link.get("rate_bps"), link["delay_ns"]) for link in made["links"]}
    assert (links["a->b"], links["c->b"]) == ((10**9, 3_000_000), (2 * 10**9, 5_000_000))


def test_a_graph_has_the_edges_of_a_file(tmp_path):
    file = tmp_path / "zoo.graphml"
    file.write_text(GRAPH)
    made = scenario({"topology": "graph", "file": str(file)}, {"source": "host-Bern", "destination": "host-New-York"})
    link = next(link for link in made["links"] if link["name"] == "Bern->New-York")
    assert link["rate_bps"] == 10**9
    assert link["delay_ns"] == pytest.approx(6_330 / 200_000 * 1e9, rel=0.01)  # the great circle, in fibre
    file.write_text("<graphml")
    assert "is no GraphML" in problem({"topology": "graph", "file": str(file)}, {"traffic": {"matrix": "permutation"}})
    for rate in ("nan", "1e400", "-5", "1e30"):
        file.write_text(GRAPH.replace("1e9", rate))
        wrong = problem({"topology": "graph", "file": str(file)}, {"traffic": {"matrix": "permutation"}})
        assert "the edge from Bern to New-York: LinkSpeedRaw is" in wrong
    for degrees in ("inf", "1e400", "nan"):  # no position
        file.write_text(GRAPH.replace("46.95", degrees))
        made = scenario(
            {"topology": "graph", "file": str(file), "delay": "3ms"}, {"traffic": {"matrix": "permutation"}}
        )
        assert {link["delay_ns"] for link in made["links"]} == {3_000_000}


def test_what_is_wrong_is_one_line():
    traffic = {"traffic": {"matrix": "permutation"}}
    apart = [{"ends": ends, "rate": "1gbit"} for ends in (["a", "b"], ["c", "d"])]
    assert "network.edges: is not connected: no path leads from a to c" in problem(
        {"topology": "graph", "edges": apart}, traffic
    )
    assert "edges[0]: the edge from a to b has no rate" in problem(
        {"topology": "graph", "edges": [{"ends": ["a", "b"]}]}, traffic
    )
    assert "network.rate: is missing" in problem({"topology": "star", "hosts": 3}, traffic)
    assert "unknown host 'host-80'" in problem(LEAF_SPINE, {"source": "host-1", "destination": "host-80"})
    assert "source: is missing" in problem(LEAF_SPINE, {"destination": "host-2"})
    assert "sizes: is missing" in problem(LEAF_SPINE, {"traffic": {"matrix": "permutation", "load": "10%"}})
    dumbbell = {"rate": "1gbit", "rtt": "1ms", "buffer": "1bdp"}
    assert "networks of switches only" in problem(dumbbell, {"source": "host-1"})


def test_a_search_from_both_ends_finds_the_same_paths(monkeypatch):
    chance = random.Random(1)
    edges = sorted({tuple(sorted(chance.sample(range(40), 2))) for _ in range(70)} | {(n, n + 1) for n in range(39)})
    ends, homes = [(f"{a}", f"{b}") for a, b in edges], {f"host-{n}": f"{n}" for n in range(40)}
    pairs = [chance.sample(list(homes), 2) for _ in range(200)]
    by_tables = Routes(ends, homes)
    monkeypatch.setattr(routes, "_DISTANCES", 0)
    monkeypatch.setattr(routes, "_DISTANCES_OF_HOST", 0)
    searched = Routes(ends, homes)
    for number, (one, other) in enumerate(pairs):
        assert searched.path(one, other, number) == by_tables.path(one, other, number)
        assert searched.shares(one, other) == pytest.approx(by_tables.shares(one, other))


def test_paths_without_end_are_refused(monkeypatch):
    monkeypatch.setattr(routes, "MOST_WORK", 100)
    line = [{"ends": [f"n{n}", f"n{n + 1}"], "rate": "1gbit"} for n in range(20)]
    for traffic in ({"matrix": "permutation"}, {"matrix": "all-to-all", "load": "10%", "sizes": "web-search"}):
        wrong = problem({"topology": "graph", "edges": line}, {"traffic": traffic})
        assert "network.topology: is too large for the paths of so many flows" in wrong


def test_shares_follow_equal_paths_equally():
    routes = Routes([("a", "x"), ("a", "y"), ("x", "b"), ("y", "b")], {"one": "a", "two": "b"})
    shares = routes.shares("one", "two")
    assert (shares["a", "x"], shares["b", "two"]) == (0.5, 1)
