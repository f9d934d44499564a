"""Recordings of Linux that resemble the runs of a report."""

import json
from dataclasses import replace

import pytest
from fairlane.files import data_folder
from fairlane.study.linux.similar_recordings import FILE, agreement_with_linux, conditions, load, write

RECORDINGS = load(data_folder("calibration") / FILE)


def scenario(algorithms=("cubic",), rate_bps=20_000_000, delay_ns=20_000_000, limit_bytes=100_000, **link):
    links = [
        {
            "name": "bottleneck",
            "rate_bps": rate_bps,
            "delay_ns": delay_ns,
            "queue": {"kind": "fifo", "limit_bytes": limit_bytes},
            **link,
        },
        {"name": "return", "delay_ns": delay_ns},
    ]
    flows = [{"algorithm": name, "mtu": 1500, "forward": ["bottleneck"], "reverse": ["return"]} for name in algorithms]
    return json.dumps({"links": links, "flows": flows})


def test_the_conditions_of_a_scenario():
    found = conditions(json.loads(scenario(("bbr", "cubic"), limit_bytes=200_000)))
    assert found.words == "bbr, cubic; 2 flows; 20 Mbps, 40 ms, fifo 2 BDP"
    assert conditions(json.loads(scenario()) | {"flows": [{"forward": ["air"], "reverse": []}]}) is None


def test_a_recorded_scenario_is_found_with_its_errors():
    found = agreement_with_linux([scenario(("bbr",))])
    assert found.sentence.startswith("1 of 1 point")
    (row,) = found.rows
    assert row.recording.conditions.algorithms == ("bbr",)
    assert row.differs == ()
    assert "in goodput by" in found.sentence


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"rate_bps": 25_000_000_000, "limit_bytes": 125_000_000}, "rate"),
        ({"delay_ns": 400_000_000, "limit_bytes": 2_000_000}, "RTT"),
        ({"loss": {"kind": "gilbert_elliott", "good_to_bad": 0.1}, "algorithms": ("copa",)}, "random loss"),
    ],
)
def test_points_unlike_every_recording_are_named(changes, named):
    found = agreement_with_linux([scenario(**changes)])
    assert found.sentence.startswith("None of 1 point is like a recording")
    assert named in found.rows[0].differs


def test_the_order_in_which_runs_ended_changes_nothing():
    every = [
        scenario(("copa",), rate_bps=25_000_000_000),
        scenario(("copa",), limit_bytes=9_000_000),
        scenario(("bbr",)),
        scenario(("cubic",)),
    ]
    assert agreement_with_linux(every) == agreement_with_linux(every[::-1])


def test_the_file_is_written_as_it_is_read(tmp_path):
    assert len(RECORDINGS) > 100
    write(tmp_path / FILE, [replace(one) for one in RECORDINGS])
    assert (tmp_path / FILE).read_text() == (data_folder("calibration") / FILE).read_text()
