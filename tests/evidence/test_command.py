"""`fairlane evidence`: verdicts, files, exit status, and messages about impossible requests."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from fairlane.runs.backends import Outcome
from fairlane.search.breaks import evaluate
from fairlane.search.breaks.evaluate import threads
from fairlane.search.evidence import measures
from fairlane.search.evidence.confirm import confirm
from fairlane.search.evidence.criteria import read
from fairlane.search.evidence.evidence import Question, gather
from fairlane.search.evidence.measures import Measures, Run


def judged(cli, *arguments: object) -> dict[str, object]:
    """The JSON object of a run of the command."""
    found = cli("evidence", *arguments, "--criteria", "criteria.toml", "--json", "--jobs", 1)
    assert found.status in (0, 1), found.err
    return {one["section"]: one for one in json.loads(found.out)["criteria"]}


@pytest.mark.usefixtures("criteria")
def test_cubic_queues_longer_than_vegas_and_vegas_not_longer_than_cubic(cli):
    against_vegas = judged(cli, "cubic", "--against", "vegas")
    assert against_vegas["1.1"]["verdict"] == "does not meet"
    [test] = against_vegas["1.1"]["tests"]
    [shallow, deep] = test["groups"]
    assert (shallow["networks"], deep["networks"]) == ("buffer 0.5bdp", "buffer 8bdp")
    assert deep["excess"]["low"] > 0
    assert deep["value"]["estimate"] > 3 * deep["baseline"]["estimate"]
    assert judged(cli, "vegas")["1.1"]["verdict"] == "meets"


@pytest.mark.usefixtures("criteria")
def test_an_algorithm_is_no_worse_than_itself(cli):
    [test] = judged(cli, "cubic", "--only", "1.1", "--quick")["1.1"]["tests"]
    assert test["verdict"] == "meets"
    assert len(test["groups"]) == 1, "--quick takes the deep buffer only"


@pytest.mark.usefixtures("criteria")
def test_what_does_not_concern_an_algorithm_or_was_not_shown_never_counts_as_met(cli):
    found = judged(cli, "vegas")
    assert found["1.2"]["verdict"] == "not applicable"
    assert "does not ask for ECN" in found["1.2"]["reasons"][0]
    assert found["2"]["verdict"] == "not tested"
    assert "1.2" not in judged(cli, "vegas", "--only", "1.1")

    failing = cli("evidence", "vegas", "--criteria", "criteria.toml", "--fail-on", "MUST")
    assert failing.status == 1
    assert failing.err == "2 MUST: not tested: Explanation\n"
    assert "MUST: 1 not tested (2); 1 met (1.1)" in failing.out
    assert cli("evidence", "vegas", "--criteria", "criteria.toml", "--only", "1", "--fail-on", "MUST").status == 0


@pytest.mark.usefixtures("criteria")
def test_an_explanation_in_the_header_is_quoted(cli):
    Path("mine.c").write_text(
        """/*
 * mine: sends
 *
 * 2: it is explained here,
 * in a paragraph.
 *
 * Source: none
 */
#include "congestion_control.h"
char _license[] SEC("license") = "GPL";
SEC("struct_ops/ssthresh") __u32 BPF_PROG(mine_ssthresh, struct sock *sk) { return 2; }
SEC("struct_ops/undo_cwnd") __u32 BPF_PROG(mine_undo, struct sock *sk) { return tcp_sk(sk)->snd_cwnd; }
SEC("struct_ops/cong_avoid") void BPF_PROG(mine_avoid, struct sock *sk, __u32 ack, __u32 acked) { }
SEC(".struct_ops") struct tcp_congestion_ops mine = {
	.ssthresh = (void *)mine_ssthresh, .undo_cwnd = (void *)mine_undo, .cong_avoid = (void *)mine_avoid,
	.name = "mine",
};
"""
    )
    found = judged(cli, "./mine.c", "--only", "2")["2"]
    assert (found["verdict"], found["statement"]) == ("stated", "2: it is explained here, in a paragraph.")


def test_the_same_inputs_give_the_same_bytes_and_runs_are_kept(cli, criteria):
    files = [Path("results/evidence/vegas-criteria", name) for name in ("report.html", "evidence.json", "evidence.tex")]
    arguments = ["evidence", "vegas", "--criteria", criteria, "--quick", "--jobs", 2]
    assert cli(*arguments).status == 0
    before = [path.read_bytes() for path in files]
    kept = Path("results/evidence/runs.jsonl")
    whole = kept.read_text()
    kept.write_text(whole[: len(whole) // 2])  # cut off in a line, as by a kill
    assert cli(*arguments).status == 0
    assert [path.read_bytes() for path in files] == before
    assert sorted(kept.read_text().splitlines()) == sorted(whole.splitlines())
    page = before[0].decode()
    assert "Toy criteria" in page
    assert "http-equiv" in page
    assert "<script src" not in page


def test_an_interruption_waits_for_no_run_and_keeps_those_that_ended(tmp_path, monkeypatch):
    """On a kernel, a run may take minutes."""
    end = threading.Event()
    running = []

    def run(scenario):
        running.append(end.wait(0 if "quick" in scenario else 60))
        return Outcome(None, {}, "", "it ended")

    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate, "backend", lambda _: SimpleNamespace(run=run))
    runs = [Run(name, {"name": name}, {"rtt": ()}) for name in ("slow", "quick", "waiting")]
    kept = tmp_path / "runs.jsonl"
    with pytest.raises(KeyboardInterrupt), Measures(kept) as measures, evaluate.threads(2) as compute:
        measures.compute(runs, compute, interrupt)
    assert running == [False], "the slow run was waited for"
    end.set()
    with Measures(kept) as measures:
        assert measures.get("quick", "rtt").failure == "it ended"


def test_a_failed_run_is_done_again_on_a_kernel_and_not_by_the_simulator(tmp_path, monkeypatch):
    """A kernel may fail for want of memory or time; the simulator fails in the same way each time."""
    monkeypatch.setattr(measures, "backend", lambda _: SimpleNamespace(identity=lambda: "a kernel"))
    for place, kept in (("vm", None), ("simulator", "it ended")):
        path = tmp_path / f"{place}.jsonl"
        with Measures(path, place) as first:
            first.compute([Run("a", {}, {"rtt": ()})], lambda _: [(0, Outcome(None, {}, "", "it ended"))])
            assert first.get("a", "rtt").failure == "it ended"
        with Measures(path, place) as again:
            found = again.get("a", "rtt")
        assert (found and found.failure) == kept


def test_cells_for_a_kernel_have_few_packets_and_values_that_it_reports(criteria):
    """The simulator in place of the kernel: all cells agree, and retransmissions stand for losses."""
    text = (
        criteria.read_text().replace('value = "goodput_mbps"', 'value = "loss_rate_pct"').replace('needs = "ecn"\n', "")
    )
    criteria.write_text(text)
    toy = Path("toy.toml")
    toy.write_text(toy.read_text() + '"network.rate" = ["5mbit", "2mbit"]\n')
    question = Question("vegas", read(criteria), "cubic", quick=True)
    with threads(1) as compute, Measures(Path("runs.jsonl")) as measures:
        cells = confirm(gather(question, measures, compute), measures, "simulator", 1)
    assert all(cell.agrees and cell.simulated == cell.measured for cell in cells)
    assert [cell.section for cell in cells].count("1.1") == 2
    assert len({cell.network for cell in cells}) == len(cells), "none twice"
    assert [cell.packets for cell in cells] == sorted(cell.packets for cell in cells)
    assert cells[0].title == "goodput (by retransmits_per_packet_pct)", "the shallow buffer, which the first lacks"
    shifted = [replace(cells[0], measured=value, repeats=(1.0, 9.0), tolerance=0.1) for value in (5.0, 10.0, None)]
    assert [one.verdict for one in shifted] == ["among the simulator's repeats (1 to 9)", "differs", "has no value"]


@pytest.mark.usefixtures("criteria")
@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (("", ""), ["--only", "9.9"], "--only: unknown section '9.9'"),
        (("", ""), ["--fail-on", "must"], "--fail-on: must be one of MUST, SHOULD, should, ought, not must"),
        (("", ""), ["--against", "kubic"], "--against"),
        (('want = "at most"', 'want = "most"'), [], "criteria[0].tests[0].want"),
        (('title = "goodput"', 'title = "goodput"\nby = ["rtt"]'), [], "unknown axis 'rtt'"),
        (('experiment = "toy.toml"', 'experiment = "no.toml"'), [], "no.toml: there is no such file; add the"),
        (('value = "', 'value = "reference.goodput_mbps + '), [], "has metrics of another run, and there is one"),
        (("slack = 1.0", "slack = 1e308"), [], "slack: is 1e+308; give"),
        (("slack = 1.0", "relative = false"), [], "is absolute and has no limit; add it"),
    ],
)
def test_impossible_requests_get_one_line(cli, change, arguments, message):
    path = Path("criteria.toml")
    path.write_text(path.read_text().replace(*change))
    found = cli("evidence", "dctcp", "--criteria", "criteria.toml", *arguments)
    assert found.status == 2
    assert message in found.err


@pytest.mark.usefixtures("criteria")
def test_cases_of_the_bbr_draft_look_at_the_state_of_the_program(cli):
    """BBRv3 leaves STARTUP for DRAIN with an estimate within 2 %; CUBIC has no states."""
    arguments = ["--cases", "bbr-draft", "--only", "A.1", "--json"]
    [met] = json.loads(cli("evidence", "bbr3", *arguments).out)["criteria"]
    assert met["verdict"] == "meets"
    assert [test["groups"][0]["value"]["estimate"] for test in met["tests"]][:2] == [1, 1]
    [untested] = json.loads(cli("evidence", "cubic", *arguments).out)["criteria"]
    assert untested["verdict"] == "not tested"
    assert "state.mode" in untested["reasons"][0]
    unknown = cli("evidence", "bbr3", "--cases", "bbr")
    assert (unknown.status, "unknown cases 'bbr'" in unknown.err) == (2, True)
