"""`fairlane bench algorithms`: the timed recording repeats the run, and the table is complete."""

import json
from pathlib import Path

import pytest
from fairlane.algorithm.name import Algorithm
from fairlane.engine import algorithms, contain, record
from fairlane.runs.benchmark import NotRepeatable, measure_algorithm

NAMES = [algorithm["name"] for algorithm in algorithms()]
TEMPLATE = Path(__file__).parents[2] / "python/fairlane/algorithm/templates/algorithm.c"


def scenario(algorithm, **flow):
    return {
        "seed": 1,
        "duration_ns": 2_000_000_000,
        "links": [
            {
                "name": "link",
                "rate_bps": 10_000_000,
                "delay_ns": 5_000_000,
                "loss": {"kind": "independent", "probability": 0.01},
                "queue": {"kind": "fifo", "limit_packets": 20},
            },
            {"name": "back", "delay_ns": 5_000_000},
        ],
        "flows": [{"algorithm": algorithm, "forward": ["link"], "reverse": ["back"], **flow}],
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_repeats_the_program(name):
    recording = record(scenario(name))
    assert recording.acks > 200
    assert recording.calls >= recording.acks / 4
    assert all(recording.replay() for _ in range(3))


def test_state_kept_between_connections_is_detected(tmp_path):
    text = TEMPLATE.read_text().replace("struct mine {", "static __u32 seen;\n\nstruct mine {")
    text = text.replace("	ca->rtt_us = sample->rtt_us;\n", "	ca->rtt_us = sample->rtt_us + ++seen;\n")
    path = tmp_path / "mine.c"
    path.write_text(text)
    contain(trusted=[path])
    try:
        with pytest.raises(NotRepeatable, match="mine"):
            measure_algorithm(Algorithm(str(path)), rounds=1, duration_s=1)
    finally:
        contain()


def test_the_dearest_comes_first(cli, monkeypatch):
    monkeypatch.setattr(measure_algorithm, "__defaults__", (2, 1))
    outcome = cli("bench", "algorithms", "reno", "bbr", "cubic:beta=800", "--json")
    rows = json.loads(outcome.out)
    assert {row["algorithm"] for row in rows} == {"reno", "bbr", "cubic:beta=800"}
    costs = [row["ns_per_ack"] for row in rows]
    assert costs == sorted(costs, reverse=True)
    shown = cli("bench", "algorithms", "reno").out
    assert shown.splitlines()[0].split() == ["algorithm", "ns", "per", "ACK", "median", "calls", "per", "ACK", "ACKs"]


def test_programs_that_cannot_be_timed_are_refused(cli, tmp_path):
    (tmp_path / "mine.py").write_text("class Mine: pass\n")
    for word, message in (("cubicc", "did you mean cubic"), (tmp_path / "mine.py", "is a Python class")):
        outcome = cli("bench", "algorithms", word)
        assert outcome.status == 2
        assert message in outcome.err
        assert outcome.err.count("\n") == 1


def test_a_flow_that_never_begins_has_nothing_to_record():
    with pytest.raises(ValueError, match="flows:"):
        record(scenario("cubic", workload={"kind": "poisson_flows", "rate_per_s": 1e-6, "mean_bytes": 1000}))
