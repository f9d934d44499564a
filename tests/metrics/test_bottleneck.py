"""The bottleneck of a run is its busiest link, in whichever direction, and is named."""

import fairlane
import pytest
from fairlane.results.metrics import find
from fairlane.results.metrics.bottleneck import bottleneck_note, busiest, with_direction
from fairlane.results.metrics.frame import sweep_table

LINE = {
    "rate": "300mbit",
    "rtt": "20ms",
    "buffer": "1bdp",
    "reverse": {"rate": "30mbit", "buffer": "4bdp"},
}
PING = {"name": "ping", "algorithm": "cubic", "workload": "ping"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A flow in one direction or the other, next to a ping."""
    experiment = {
        "duration": "4s",
        "network": LINE,
        "flows": [{"name": "bulk", "algorithm": "cubic"}, PING],
        "metrics": {"warm_up": "2s"},
        "sweep": {"flows.bulk.direction": ["forward", "reverse"]},
    }
    return fairlane.run(experiment, tmp_path_factory.mktemp("both") / "results", progress=False)


def test_the_queuing_delay_of_an_upload_is_that_of_its_link(results):
    rows = results.table(["p95_queue_delay_ms", "bottleneck_utilisation_pct"], per="run")
    of = {row["direction"]: row for row in rows.to_dicts()}
    assert of["reverse"]["p95_queue_delay_ms"] > 60  # 4 BDP are 80 ms
    assert of["reverse"]["bottleneck_utilisation_pct"] > 99
    assert 15 < of["forward"]["p95_queue_delay_ms"] < 21
    assert of["forward"]["bottleneck_utilisation_pct"] > 80


def test_tables_name_it(results):
    delay, goodput = [find("p95_queue_delay_ms")], [find("goodput_mbps")]
    made = sweep_table(results, delay, "run", filters={})
    assert "bottleneck: bottleneck (forward) in 1 run, return (reverse) in 1" in made.notes
    made = sweep_table(results, delay, "run", filters={"direction": ["reverse"]})
    assert "bottleneck: return (reverse)" in made.notes
    assert not any("bottleneck" in note for note in sweep_table(results, goodput, "run", filters={}).notes)
    assert bottleneck_note(results, {"direction": ["forward"]}) is None


def links(**shares):
    return [{"name": name.replace("_", "-"), "utilisation": share} for name, share in shares.items()]


@pytest.mark.parametrize(
    ("shares", "name"),
    [
        ({"bottleneck": 0.004, "return": 0.99}, "return"),
        ({"bottleneck": 0.96, "return": 0.99}, "bottleneck"),
        ({"hop_1": 0.9, "hop_2": 0.91}, "hop-2"),
        ({"hop_1": 0.9, "hop_2": 0.9}, "hop-1"),
        ({"bottleneck": 0.9, "return": None}, "bottleneck"),
    ],
)
def test_it_is_the_busiest_link(shares, name):
    assert busiest(links(**shares))["name"] == name


def test_without_a_rate_there_is_none():
    assert busiest(links(bottleneck=None, **{"return": 0.0})) is None


def test_the_direction_is_that_of_the_topology():
    assert [with_direction(name) for name in ("return", "return-x", "hop-3", "hop-", "wire-up")] == [
        "return (reverse)",
        "return-x",
        "hop-3 (forward)",
        "hop-",
        "wire-up",
    ]


def test_a_duel_whose_acks_are_the_bottleneck_says_so(cli):
    out = cli("duel", "cubic", "--rate", "100mbit", "--reverse-rate", "500kbit", "--time", "2s").out
    assert "bottleneck return (reverse) used 9" in out
    assert "95th percentile of queuing delay" in out
    assert "bottleneck" not in cli("duel", "cubic", "--rate", "5mbit", "--reverse-rate", "5mbit", "--time", "1s").out
