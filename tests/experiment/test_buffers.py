"""Buffers in time, and the one that a queue has where the file gives none."""

import fairlane
import pytest
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load
from fairlane.scenario.requests import Request


def queues(network, **flow):
    """The queues of the links that have one, by the links' names."""
    file = {"duration": "1s", "network": network, "flows": [{"algorithm": "cubic", **flow}]}
    [planned] = load(file).points
    return {link["name"]: link["queue"] for link in planned.point.repeat(0)["links"] if "queue" in link}


@pytest.mark.parametrize(
    ("network", "queue"),
    [
        ({"rate": "8mbit", "buffer": "250ms"}, {"kind": "fifo", "limit_bytes": 250_000}),
        ({"rate": "8mbit", "buffer": "0.25 s"}, {"kind": "fifo", "limit_bytes": 250_000}),
        ({"rate": "8mbit", "buffer": "0.5bdp"}, {"kind": "fifo", "limit_bytes": 10_000}),
        ({"rate": "8mbit", "buffer": "151.4ms", "queue": "pie"}, {"kind": "pie", "limit_packets": 100}),
    ],
)
def test_a_time_holds_what_the_link_sends_in_it(network, queue):
    found = queues({"rtt": "20ms", **network})["bottleneck"]
    assert {name: found[name] for name in queue} == queue


def test_a_time_is_an_axis_with_a_unit():
    swept = {"network.buffer": ["20ms", "100ms"]}
    file = {"duration": "1s", "network": {"rate": "8mbit", "rtt": "20ms"}, "flows": [{"algorithm": "reno"}]}
    [axis] = load({**file, "sweep": swept}).axes
    assert (axis.column, axis.values, axis.labels) == ("buffer_ms", (20.0, 100.0), ("20ms", "100ms"))


def test_a_time_needs_a_constant_rate():
    with pytest.raises(ExperimentError, match=r"a Wi-Fi queue has no constant rate; write packets or bytes"):
        queues({"kind": "wifi", "standard": "ac", "buffer": "10ms"})


def test_a_file_has_the_buffers_of_a_duel():
    file = queues({"rate": "8mbit", "rtt": "20ms", "reverse": {"rate": "1mbit"}}, rtt="40ms")
    duel = Request(["cubic"], {"rate": "8mbit", "rtt": "40ms", "reverse_rate": "1mbit"}).experiment()
    links = load(duel).points[0].point.repeat(0)["links"]
    assert file == {link["name"]: link["queue"] for link in links}
    assert file["bottleneck"]["limit_bytes"] == 40_000
    assert queues({"rate": "8mbit", "rtt": "20ms", "queue": "red"})["bottleneck"]["limit_bytes"] == 20_000


def test_what_a_file_says_is_kept():
    assert queues({"rate": "8mbit", "rtt": "20ms", "queue": "unlimited"})["bottleneck"] == {"kind": "unlimited"}
    limit = {"kind": "fifo", "limit": "20p"}
    assert queues({"rate": "8mbit", "rtt": "20ms", "queue": limit})["bottleneck"]["limit_packets"] == 20
    links = [{"name": "a", "rate": "8mbit"}, {"name": "b", "delay": "5ms"}]
    assert queues({"links": links}, forward=["a"], reverse=["b"])["a"] == {"kind": "unlimited"}


def test_the_duration_has_two_names(cli):
    for option in ("--time", "--duration"):
        assert ", 1 s, seed 1" in cli("duel", "reno", "--rate", "5mbit", option, "1s").out
    results = fairlane.duel("reno", rate="5mbit", time="1s")
    assert results.runs["scenario"][0] == fairlane.duel("reno", rate="5mbit", duration="1s").runs["scenario"][0]
    with pytest.raises(ExperimentError, match="duration: is given twice"):
        fairlane.duel("reno", rate="5mbit", time="1s", duration_s=1)
    with pytest.raises(ExperimentError, match=r"time: unknown key; did you mean duration\?"):
        load({"time": "1s"})
