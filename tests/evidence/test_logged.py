"""`fairlane evidence --qlog`: test cases judged by logs of QUIC senders."""

import json
from pathlib import Path

import pytest
from fairlane.search.evidence import logged

STATES = ["Startup", "Drain", *["ProbeBW_CRUISE", "ProbeBW_REFILL", "ProbeBW_UP", "ProbeBW_DOWN"] * 4, "ProbeRTT"]


def log(path: Path, *, lost: int = 0, as_one_object: bool = False) -> str:
    """A sender that changes its state each second; 100 packets of 1000 bytes are acknowledged in each, some lost."""
    events = []
    for second, state in enumerate(STATES):
        ms = 1000 * second
        numbers = range(100 * second, 100 * second + 100)
        events.append([ms, "recovery:congestion_state_updated", {"new": state}])
        events += [
            [ms + 1, "transport:packet_sent", {**packet(number), "raw": {"length": 1040}, "frames": [stream()]}]
            for number in numbers
        ]
        acked = {"frame_type": "ack", "acked_ranges": [[numbers[0], numbers[-1 - lost]]]}
        events.append([ms + 51, "transport:packet_received", {**packet(second), "frames": [acked]}])
        events += [[ms + 60, "recovery:packet_lost", packet(number)] for number in numbers[100 - lost :]]
    objects = [{"time": 1e6 + ms, "name": name, "data": data} for ms, name, data in events]
    if as_one_object:
        path.write_text(json.dumps({"qlog_version": "0.3", "traces": [{"common_fields": {}, "events": objects}]}))
    else:
        header = {"qlog_format": "JSON-SEQ", "trace": {"common_fields": {"time_format": "absolute"}}}
        path.write_text("".join(f"\x1e{json.dumps(one)}\n" for one in [header, *objects]))
    return str(path)


def packet(number: int) -> dict[str, object]:
    return {"header": {"packet_type": "1RTT", "packet_number": number}}


def stream() -> dict[str, object]:
    return {"frame_type": "stream", "length": 1000}


def judged(cli, *words: str):
    found = cli("evidence", "--cases", "bbr-draft", *[f"--qlog={word}" for word in words], "--json")
    assert found.status == 0, found.err
    return {one["section"]: one for one in json.loads(found.out)["criteria"]}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def value(case, number):
    return case["tests"][number]["groups"][0]["value"]["estimate"]


def test_states_rates_and_losses_are_judged(cli, folder):
    steady = [log(folder / f"{number}.qlog", as_one_object=number == 2) for number in range(3)]
    policed = [log(folder / f"policed{number}.qlog", lost=6) for number in range(3)]
    found = judged(cli, *(f"plateau={path}" for path in steady), *(f"policer={path}" for path in policed))
    assert found["A.5"]["verdict"] == "meets"
    assert value(found["A.5"], 0) == 4, "changes from PROBE_UP to PROBE_DOWN"
    assert value(found["A.3"], 1) == pytest.approx(1 / 18, rel=0.01), "share of the time in DRAIN: too long"
    assert found["A.3"]["verdict"] == "does not meet"
    assert found["A.1"]["verdict"] == "not tested", "full_bw_reached is in no log"
    assert "full_bw_reached" in found["A.1"]["reasons"][0]
    assert value(found["A.17"], 0) == pytest.approx(6.0)
    assert found["A.17"]["verdict"] == "does not meet"
    assert found["A.14"]["verdict"] == "not tested"
    assert found["A.14"]["reasons"] == ["no log of small-bdp was given"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"packet_number": 7}', '"packet_number": []}'),
        ('"length": 1000', '"length": "x"'),
        ('"acked_ranges": [[0, 99]]', '"acked_ranges": [["a", 9]]'),
        ('"header"', '"heading"'),
        ('"new"', '"old"'),
        ('"data": {', '"data": [], "other": {'),
    ],
)
def test_an_event_of_another_form_is_one_line(cli, folder, before, after):
    path = Path(log(folder / "one.qlog"))
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    found = cli("evidence", "--cases", "bbr-draft", "--qlog", f"plateau={path}", "--qlog", f"policer={path}")
    assert (found.status, found.err.count("\n")) == (2, 1)
    assert "one.qlog: has an event of another form than qlog's" in found.err


def test_a_log_of_too_many_values_is_not_read(cli, folder, monkeypatch):
    monkeypatch.setattr(logged, "_MOST_VALUES", 1000)
    assert (
        "holds more than 1,000 values"
        in cli("evidence", "--qlog", f"plateau={log(folder / 'one.qlog')}", "--cases", "bbr-draft").err
    )


def test_one_log_decides_nothing(cli, folder):
    path = log(folder / "one.qlog")
    assert judged(cli, f"plateau={path}")["A.5"]["verdict"] == "undecided"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--qlog", "a.qlog"], "--qlog: a.qlog: write EXPERIMENT=FILE, for example policer=a.qlog"),
        (["--qlog", "plateu=a.qlog"], "unknown experiment 'plateu'; did you mean plateau"),
        (["--qlog", "plateau=a.qlog"], "a.qlog: is no qlog with events"),
        (["--qlog", "plateau=no.qlog"], "no.qlog: there is no such file"),
        (["bbr3", "--qlog", "plateau=a.qlog"], "name either an algorithm or logs"),
        ([], "name either an algorithm or logs"),
    ],
)
def test_impossible_requests_get_one_line(cli, folder, words, message):
    (folder / "a.qlog").write_text('{"traces": [{"events": []}]}')
    found = cli("evidence", "--cases", "bbr-draft", *words)
    assert found.status == 2
    assert message in found.err
