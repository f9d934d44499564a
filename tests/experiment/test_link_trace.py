"""Traces of links: two forms, and one line for a fault."""

import pytest
from fairlane import files
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load
from fairlane.scenario.topology import traces


def load_link(path, **keys):
    network = {"trace": str(path), "rtt": "40ms", "buffer": "1bdp", **keys}
    (point,) = load({"duration": "1s", "network": network, "flows": [{"algorithm": "reno"}]}).points
    return point.point.repeat(0)["links"][0]


def write(folder, text):
    path = folder / "link.trace"
    path.write_text(text)
    return path


def test_times_of_deliveries(tmp_path):
    made = load_link(write(tmp_path, "1\n2\n\n2\n4\n"))
    assert made["trace_ms"] == [1, 2, 2, 4]
    assert made["queue"]["limit_bytes"] == 12_000_000 * 4 // 4 * 40 // 8000


def test_seconds_and_rates(tmp_path):
    made = load_link(write(tmp_path, "0.000000 2.978264\n1.000000 2.478384\n2.5 0\n"))
    assert "trace_ms" not in made
    assert made["rate_bps"] == 2_978_264
    steps = [(change["at_ns"], change["rate_bps"]) for change in made["changes"]]
    assert steps == [(10**9, 2_478_384), (2_500_000_000, 1)]
    assert made["overhead_bytes"] == 14


def test_commas_and_a_late_first_line(tmp_path):
    found = traces.read(write(tmp_path, "5,10\n15,20\n25,30\n"))
    assert found.steps == [(0, 10**7, None), (15 * 10**9, 2 * 10**7, None), (25 * 10**9, 3 * 10**7, None)]
    # 15 s, 10 s, and 12.5 s, the mean of both
    assert found.mean_bps == 10**6 * (15 * 10 + 10 * 20 + 12.5 * 30) // 37.5


def test_a_line_of_two_integers_is_two_deliveries(tmp_path):
    assert traces.read(write(tmp_path, "1 3\n")).deliveries_ms == [1, 3]


def test_very_many_values_are_refused_before_they_are_split(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_VALUES", 10)
    with pytest.raises(ExperimentError, match="holds more than 10 values; cut it"):
        load_link(write(tmp_path, "1 " * 20))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1\n5\n3\n9\n", "line 3: 3 ms is earlier than the 5 ms before it; sort the times"),
        (
            "# 12 Mbit/s\n1\n2\n",
            "line 1: '#' is not an integer number of ms; a line has a time in ms, or seconds and Mbit/s",
        ),
        ("1\n2.5\n", "line 2: '2.5' is not an integer number of ms"),
        ("1\n-2\n", "line 2: '-2' is not an integer number of ms"),
        ("0\n0\n", "line 2: the last time is 0, so that the trace cannot repeat"),
        ("1\n99999999999999\n", "line 2: 99999999999999 ms is too long"),
        ("", "is empty; name a trace with a time in ms on each line"),
        ("0.0 2\n0.0 3\n", "line 2: 0.0 s is not later than the line before; sort the times"),
        ("0.0 2\n1.0 -3\n", "line 2: '-3' is not a rate in Mbit/s; a line of columns has seconds and Mbit/s"),
        ("time rate\n1.0 3\n", "line 1: 'time' is not a time in seconds"),
        ("0.0 2\n1.0 20000000\n", "line 2: 1.0 s, 20000000 Mbit/s or a delay is too large"),
    ],
)
def test_a_fault_is_one_line_that_names_its_line(tmp_path, text, line):
    with pytest.raises(ExperimentError) as found:
        load_link(write(tmp_path, text))
    (only,) = str(found.value).splitlines()
    assert "network.trace: " in only
    assert line in only


def test_rates_of_a_trace_exclude_a_rate_and_changes(tmp_path):
    path = write(tmp_path, "0 2\n1 3\n")
    with pytest.raises(ExperimentError, match=r"network\.changes: a trace of rates replaces changes"):
        load_link(path, changes=[{"at": "0.1s", "rate": "1mbit"}])
    with pytest.raises(ExperimentError, match=r"network\.trace: a trace replaces a rate"):
        load_link(path, rate="1mbit")
