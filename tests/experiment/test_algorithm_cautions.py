"""Warnings about algorithms without what they need, and parameters that hardly can be meant; names of flows."""

import pytest
from fairlane.scenario.cautions import remarks
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load

LINE = {"rate": "5mbit", "rtt": "20ms", "buffer": "1bdp"}


def file(*flows, **more):
    return load({"duration": "1s", "network": LINE, **more, "flows": [dict(flow) for flow in flows]})


@pytest.mark.parametrize(
    ("flow", "text"),
    [
        ({"algorithm": "dctcp"}, "dctcp gets no marks: no queue on its way sets any"),
        ({"algorithm": "cubic:beta=5000"}, "cubic: beta=5000 is 4.88 times the whole, because its unit is 1/1024"),
        ({"algorithm": "bbr3:beta=1001"}, "bbr3: beta=1001 is 1 times the whole"),
    ],
)
def test_it_is_said_once(flow, text):
    [line] = remarks(file({**flow, "name": "a"}, {**flow, "name": "b"}, sweep={"seed": [1, 2]}))
    assert line.startswith(text)


@pytest.mark.parametrize(
    "flow",
    [{"algorithm": "cubic:beta=1024"}, {"algorithm": "bbr:high_gain=900"}],
)
def test_what_may_be_meant_is_not_named(flow):
    assert remarks(file(flow)) == []


@pytest.mark.parametrize(
    ("queue", "marks"),
    [
        ("fq_codel", True),
        ("cake", True),
        ("dualpi2", True),
        ({"kind": "codel", "ecn": True}, True),
        ({"kind": "fq_codel", "ecn": False}, False),
        ("codel", False),
        ({"kind": "fq", "ce_threshold": "1ms"}, True),
    ],
)
def test_a_queue_that_marks_is_known(queue, marks):
    lines = remarks(file({"algorithm": "prague"}, network={**LINE, "queue": queue}))
    assert bool(lines) is not marks


def test_a_duel_says_it_too(cli):
    outcome = cli("duel", "dctcp", "--rate", "5mbit", "--time", "1s")
    assert outcome.err.startswith("dctcp gets no marks: ")
    assert "such as --queue codel:ecn=true, or fq_codel" in outcome.err
    assert cli("duel", "dctcp", "--queue", "codel:ecn=true", "--rate", "5mbit", "--time", "1s").err == ""


def test_two_entries_have_two_names():
    with pytest.raises(ExperimentError, match=r"flows\[1\]\.name|flows\.a\.name") as error:
        file({"name": "a", "algorithm": "reno"}, {"name": "a", "algorithm": "cubic"})
    assert "is the name of flows[0], too; give each its own" in str(error.value)
    assert len(file({"algorithm": "reno"}, {"algorithm": "reno"}, {"name": "a", "algorithm": "reno"}).points) == 1


def test_slow_links_have_a_unit_in_which_they_are_read(cli):
    slow = cli("duel", "reno", "--rate", "20kbit", "--rtt", "100ms", "--buffer", "10p", "--time", "10s").out
    _, unit, row = next(slow.split("\n")[at : at + 3] for at in range(9) if "goodput" in slow.split("\n")[at])
    assert unit.split()[1] == "kbps"
    assert 10 < float(row.split()[1]) < 20
    assert "Mbps" in cli("duel", "reno", "--rate", "1mbit", "--time", "1s").out


def test_senders_of_an_incast_that_repeats_would_start_apart_are_named():
    """20 ms of jitter between transfers of 0.6 ms: no incast, and no loss in any repeat."""
    settings = {
        "duration": "2s",
        "repeats": 3,
        "network": {"rate": "10gbit", "rtt": "100us", "buffer": "700kB"},
        "flows": [{"algorithm": "cubic", "count": 8, "workload": {"kind": "bytes", "bytes": "256kB"}}],
    }
    [line] = remarks(load(settings))
    assert "start flows up to 20 ms apart, 200 round trips" in line
    assert not remarks(load({**settings, "start_jitter": "100us"}))
