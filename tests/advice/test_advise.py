"""`fairlane advise`: its recommendation, and cases without one."""

import json
import tomllib
from fractions import Fraction

import fairlane
import pytest
from fairlane.scenario.links import LINKS
from fairlane.scenario.load import load
from fairlane.scenario.request_settings import SETTINGS
from fairlane.search.advise.answer import Advice, Candidate, judge
from fairlane.search.advise.question import AFFORDABLE_S, OBJECTIVES, ask

SLOW = {"rate": "2mbit", "rtt": "20ms"}


def candidate(algorithm, queue, goodput, delay, jain=1.0):
    """Five repeats that differ by up to 1 %."""
    spread = [0.995, 1.0, 1.005, 0.998, 1.002]
    rates, delays = tuple(goodput * part for part in spread), tuple(delay * part for part in spread)
    power = tuple(rate / (20 + ms) for rate, ms in zip(rates, delays, strict=True))
    return Candidate(algorithm, queue, rates, delays, tuple(jain * part for part in spread), power)


FULL, SHORT = candidate("cubic", "fifo 4bdp", 96, 80), candidate("cubic", "codel", 95, 5)
STARVED = candidate("reno", "fifo 0.5bdp", 40, 1)


def advice(candidates, want):
    ordered, best = judge(candidates, want)
    return Advice(want, tuple(ordered), tuple(best), SLOW, 2, "", 5)


def test_the_objective_decides():
    assert advice([FULL, SHORT, STARVED], "balance").best == (SHORT,)
    assert advice([FULL, SHORT, STARVED], "latency").best == (SHORT,), "an idle link has the shortest queue"
    assert advice([FULL, STARVED], "throughput").sentence == "Use cubic with fifo 4bdp."


def test_no_recommendation_where_intervals_overlap():
    like = candidate("bbr", "fq_codel", 95.1, 5.01)
    both = advice([FULL, SHORT, like], "balance")
    assert set(both.best) == {SHORT, like}
    assert (both.algorithm, both.queue) == (None, None)
    assert both.sentence == "No recommendation: the intervals of these overlap: bbr, fq_codel; cubic, codel."


def test_common_settings_of_the_best_are_recommended():
    found = advice([FULL, SHORT, candidate("bbr", "codel", 95.1, 5.01)], "balance")
    assert (found.algorithm, found.queue) == (None, "codel")
    assert found.sentence == "Use codel. The algorithm is undecided: the intervals of bbr, cubic overlap."


def test_a_difference_of_less_than_two_percent_does_not_matter():
    assert len(advice([FULL, SHORT], "throughput").best) == 2


def test_the_file_gives_the_same_runs(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ["advise", "--rate", "4mbit", "--rtt", "20ms", "--algorithms", "cubic,reno", "--want", "latency"]
    found = json.loads(cli(*options, "--file", "advice.toml", "--json").out)
    assert len(found["candidates"]) == 10
    results = fairlane.run("advice.toml", tmp_path / "again", progress=False)
    runs = results.table(["p95_queue_delay_ms"], per="run")
    means = [part["p95_queue_delay_ms"].mean() for _, part in runs.group_by("algorithm", "queue")]
    assert sorted(means) == pytest.approx(sorted(one["delay_ms"]["mean"] for one in found["candidates"]))
    assert found["queue"] != "fifo 4bdp", "the largest buffer never has the lowest delay"


def test_the_terminal_shows_evidence_assumptions_and_the_file(cli, tmp_path):
    outcome = cli("advise", "--rate", "1mbit", "--rtt", "10ms", "--flows", "1", "--plot", tmp_path / "tradeoff.svg")
    assert (outcome.status, outcome.err) == (0, "")
    for words in ("95 % confidence intervals", "Assumed: 1 bulk flow", "[sweep]", "best"):
        assert words in outcome.out
    assert "Jain" not in outcome.out.split("[network]")[0]
    tomllib.loads(outcome.out.split("as a file:")[1])
    assert (tmp_path / "tradeoff.svg").stat().st_size > 10_000


def test_python_gives_the_same(cli):
    found = fairlane.advise(rate="1mbit", rtt="10ms", want="throughput", algorithms=["cubic", "reno"])
    asked = ["advise", "--rate", "1mbit", "--rtt", "10ms", "--want", "throughput", "--algorithms", "cubic,reno"]
    assert found.as_dict() == json.loads(cli(*asked, "--json").out)
    assert repr(found).startswith("Advice for throughput: ")


def test_a_cell_is_judged_by_the_rtt_of_packets(cli, monkeypatch):
    monkeypatch.setattr("fairlane.search.advise.question.REPEATS", (3,))
    monkeypatch.setattr("fairlane.search.advise.question.LENGTHS", (20,))
    outcome = cli("advise", "--link", "wifi-n", "--algorithms", "cubic")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("wifi-n: 802.11 n, rtt 0.2ms, 2 bulk flows")
    for words in ("p95 RTT, ms", "fifo 100p", "uploads of a station each", 'standard = "n"'):
        assert words in outcome.out


def test_a_data_center_has_dctcp_and_a_queue_that_marks(cli, monkeypatch):
    monkeypatch.setattr("fairlane.search.advise.question.REPEATS", (3,))
    monkeypatch.setattr("fairlane.search.advise.question.LEAST_S", Fraction(1, 50))
    found = json.loads(cli("advise", "--link", "dc", "--json").out)
    rows = {(one["algorithm"], one["queue"]): one for one in found["candidates"]}
    marked, plain = rows["dctcp", "codel marking at 78us"], rows["dctcp", "codel"]
    assert marked["delay_ms"]["mean"] < plain["delay_ms"]["mean"] / 2


@pytest.mark.parametrize("rate", ["1mbit", "300mbit", "10gbit"])
@pytest.mark.parametrize("rtt", ["100us", "80ms"])
def test_an_answer_takes_little_time(rate, rtt):
    """No longer than five repeats of fifty round trips."""
    question = ask({"rate": rate, "rtt": rtt}, 2)
    assert question.cpu_s <= AFFORDABLE_S or question.experiment.points[0].repeats == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--rate 100mbit"),
        (["--rate", "fast", "--rtt", "1ms"], "--rate: 'fast'"),
        (["--link", "lt"], "did you mean lte"),
        (["--link", "lte", "--want", "speed"], "'speed'"),
        (["--link", "lte", "--want", "fairness", "--flows", "1"], "raise --flows"),
        (["--link", "lte", "--algorithms", "cubicc"], "cubic"),
        (["--link", "wifi-ac", "--rate", "20mbit"], "--rate: "),
        (["--link", "wifi-ac", "--buffer", "1bdp"], "--buffer: "),
    ],
)
def test_mistakes_take_one_line(cli, options, message):
    outcome = cli("advise", *options)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("name", LINKS)
def test_typical_links_are_valid_and_have_sources(name):
    assert load(tomllib.loads(ask({"link": name}, 2).text)).points
    assert fairlane.duel("cubic", link=name, duration="200ms").flows.height == 1
    for key, (_, source) in LINKS[name].values.items():
        assert key in SETTINGS
        assert source
    assert OBJECTIVES
