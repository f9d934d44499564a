"""Claims meet results: of the real simulator, by experiment, axis and flow."""

import re
from dataclasses import replace
from types import SimpleNamespace

import fairlane
import polars as pl
import pytest
from fairlane.scenario.plan import Axis
from fairlane.show.text.verdicts import overview, remarks
from fairlane.study.claims import (
    ClaimError,
    Claims,
    Evidence,
    Measurement,
    NotMeasured,
    Sample,
    Status,
    all_of,
    judge,
    load,
)
from fairlane.study.claims.claim import Published
from fairlane.study.claims.judgement import Verdict
from fairlane.study.claims.stored_runs import StoredRuns

HEADER = "id,paper,section,claim,scenario,algorithms,metric,threshold,note\n"


def published(*ids):
    return {id: Published(id, "1", "a claim", "", "", "", "", "") for id in ids}


@pytest.fixture(scope="session")
def evidence(pairs):
    return Evidence(lambda name: StoredRuns(pairs) if name == "pairs" else None)


def verdict(evidence, predicate):
    claims = Claims()
    claims.claim("one")(predicate)
    return judge(claims.matched(published("one"))[0], evidence)


def test_a_figure_is_found_by_axes_in_the_words_of_the_experiment(evidence, pairs):
    figure = evidence["pairs"].where(against="reno", buffer="25kB")["jain_index"]
    frame = pairs.table(["jain_index"], per="run", against="reno", buffer="25kB")
    assert figure.samples == {figure.name: tuple(frame["jain_index"])}
    assert figure.name == "pairs reno 25kB, jain_index"


def test_a_flow_is_found_by_its_name(evidence, pairs):
    runs = evidence["pairs"].where(against="reno", buffer_kb=25)
    both, second = runs["goodput_mbps"], runs.of("second")["goodput_mbps"]
    assert second.interval.estimate != both.interval.estimate
    assert (runs.of("first")["goodput_mbps"] + second).interval.estimate == pytest.approx(2 * both.interval.estimate)


def test_every_value_of_an_axis(evidence):
    def some_for_each(evidence):
        return all_of(
            runs["goodput_mbps"] > 0.1 for runs in evidence["pairs"].where(buffer="25kB").by("against").values()
        )

    found = verdict(evidence, some_for_each)
    assert found.status is Status.UNDECIDED, "two repeats decide nothing"
    assert "3 repeats" in found.remedy
    assert "pairs cubic 25kB, goodput_mbps" in found.summary


@pytest.mark.parametrize(
    ("values", "sample", "remedy"),
    [
        (
            [9.0, 9.6, 10.0, 10.4, 11.2],
            Sample.CONFIGURATIONS,
            "by the estimates it fails; .*216",
        ),
        ([0.0, 1.0], Sample.RUNS, "by the estimates it holds; 3 runs"),
        ([9.0, 10.1, 11.2], Sample.CONFIGURATIONS, "by the estimates it fails; .*too close to the threshold"),
    ],
)
def test_the_remedy_names_the_needed_sample(evidence, values, sample, remedy):
    border = 10.1 - 1e-9 if values[1] == 10.1 else 9.9
    found = verdict(evidence, lambda _: Measurement.of("a", values, sample) < border)
    assert found.status is Status.UNDECIDED
    assert re.match(remedy, found.remedy)


def test_experiments_that_were_not_run_are_named(evidence):
    found = verdict(evidence, lambda e: e["other"]["goodput_mbps"] > 1)
    assert found.status is Status.NOT_RUN
    assert "--only other" in found.summary
    found = verdict(evidence, lambda e: e["pairs"].where(against="bbr", buffer="25kB")["goodput_mbps"] > 1)
    assert found.status is Status.NOT_RUN
    with pytest.raises(NotMeasured, match="unknown flow"):
        _ = evidence["pairs"].where(against="reno", buffer="25kB").of("third")["goodput_mbps"]


@pytest.mark.parametrize(
    ("predicate", "message"),
    [
        (lambda e: e["pairs"].where(bufer="25kB"), "the predicate fails: ValueError: pairs: unknown axis 'bufer'"),
        (lambda _: 1 / 0, "the predicate fails: ZeroDivisionError: division by zero"),
        (lambda _: {}["a\nb"], r"the predicate fails: KeyError: 'a\nb'"),
        (lambda _: (lambda again: again(again))(lambda again: again(again)), "the predicate fails: RecursionError"),
        (lambda _: True, "the predicate returns bool instead of Judgement"),
        (lambda _: None, "the predicate returns NoneType instead of Judgement"),
    ],
)
def test_a_predicate_that_fails_leaves_its_claim_alone_without_a_verdict(evidence, predicate, message):
    claims = Claims()
    claims.claim("one")(predicate)
    claims.claim("two")(lambda _: Measurement.of("a", [1.0, 1.0, 1.0]) < 2)
    one, two = (judge(claim, evidence, evidence, evidence) for claim in claims.matched(published("one", "two")))
    assert (one.status, one.supported, one.varied) == (Status.NOT_JUDGED, Verdict.UNDECIDED, None)
    assert two.status is Status.HOLDS
    code = predicate.__code__
    assert one.summary.startswith(message)
    assert re.search(rf"\({re.escape(code.co_filename)}:\d+\)$", one.summary)
    lines = overview([one, two], 100).splitlines()
    assert lines[-1] == f"one: {one.summary}"


def test_the_overview_keeps_whole_words_and_the_room_for_them(evidence):
    claims = Claims()
    ids = ["somebody2020-s1", "somebody2020-s2"]
    for name in ids:
        claims.claim(name)(lambda _: Measurement.of("a", [1.0, 1.0, 1.0]) < 2)
    found = [judge(claim, evidence) for claim in claims.matched(published(*ids))]
    text = "a long sentence of the paper that does not fit into what is left of a line of eighty columns"
    long = [replace(one, claim=replace(one.claim, published=replace(one.claim.published, claim=text))) for one in found]
    _, *lines = overview(long, 80).splitlines()
    assert [line.split()[1] for line in lines] == ["s1", "s2"]
    for line in lines:
        assert len(line) <= 80
        shown = line.partition("a long")[2].removesuffix(" ...")
        assert text.startswith(f"a long{shown} ")


def test_an_explanation_that_fails_says_so_and_keeps_the_verdict(evidence):
    claims = Claims()
    claims.claim("one", explanation=lambda _: [][0])(lambda _: Measurement.of("a", [1.0, 1.0, 1.0]) < 0.5)
    claims.claim("two", explanation=lambda _: 3)(lambda _: Measurement.of("a", [1.0, 1.0, 1.0]) < 0.5)
    found = [judge(claim, evidence) for claim in claims.matched(published("one", "two"))]
    assert [one.status for one in found] == [Status.FAILS] * 2
    assert found[0].explanation.startswith("the explanation fails: IndexError: list index out of range (")
    assert found[1].explanation.startswith("the explanation returns int instead of str (")


def test_axes_that_advance_together_are_chosen_by_one_of_them(monkeypatch):
    frame = pl.DataFrame(
        {
            "a": ["bbr", "bbr", "cubic"],
            "pacing": ["fq", "fq", "none"],
            "repeat": [0, 1, 0],
            "goodput_mbps": [3.0, 5.0, 7.0],
        }
    )
    axes = [Axis("a", "a", "", ("bbr", "cubic"), ("bbr", "cubic")), Axis("pacing", "pacing", "", ("fq",), ("fq",))]
    results = SimpleNamespace(axes=axes, runs=frame)
    monkeypatch.setattr("fairlane.study.claims.stored_runs.table", lambda _results, _metrics, _per: frame)
    found = Evidence(lambda _: StoredRuns(results))["pairs"].where(a="bbr")["goodput_mbps"]
    assert list(found.samples.values()) == [(3.0, 5.0)]


def test_an_axis_may_be_averaged(evidence):
    runs = evidence["pairs"].where(against="reno")
    each = [one["goodput_mbps"].interval.estimate for one in runs.by("buffer").values()]
    over = runs.over("buffer")["goodput_mbps"]
    assert over.interval.estimate == pytest.approx(sum(each) / len(each))
    assert len(over.samples) == len(each), "repeats of different values are not exchanged"
    with pytest.raises(ValueError, match="unknown axis"):
        runs.over("bufer")


def test_errors_in_claims_are_reported(evidence):
    with pytest.raises(ValueError, match="buffer"):
        _ = evidence["pairs"].where(against="reno")["goodput_mbps"]
    with pytest.raises(ValueError, match="unknown axis"):
        evidence["pairs"].where(bufer="25kB")
    with pytest.raises(ValueError, match="chosen already"):
        evidence["pairs"].where(buffer="25kB").by("buffer")


def test_every_published_claim_needs_an_answer_and_no_other_has_one():
    claims = Claims()
    claims.untestable("a", "a definition", contradicted="Section 2 has another")
    claims.unsupported("needs Wi-Fi", "b", "c")
    claims.unsupported("needs Wi-Fi", "e", contradicted="Table 1 says otherwise")
    found = claims.matched(published("a", "b", "c", "e"))
    assert [one.contradicted for one in found] == ["Section 2 has another", "", "", "Table 1 says otherwise"]
    found = claims.matched(published("b", "a", "c", "e"))[:-1]
    assert [one.published.id for one in found] == ["b", "a", "c"], "in the order of the paper"
    assert [judge(one, Evidence(lambda _: None)).status for one in found] == [
        Status.UNSUPPORTED,
        Status.NOT_TESTABLE,
        Status.UNSUPPORTED,
    ]
    with pytest.raises(ClaimError, match=r"d is published.*\nc is defined"):
        claims.matched(published("a", "b", "d"))
    with pytest.raises(ClaimError, match="twice"):
        claims.untestable("a", "again")


def test_claims_are_read_from_the_folder_of_a_study(tmp_path):
    fairlane.trust(tmp_path)
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "claims.csv").write_text(HEADER + "x-1,x,2.1,It is so.,lan,bbr,goodput_mbps,> 3,\n")
    file = tmp_path / "claims.py"
    file.write_text(
        "from fairlane.study.claims import Claims\nCLAIMS = Claims()\n"
        "@CLAIMS.claim('x-1', contradicted='by table 3')\n"
        "def it_is_so(evidence):\n    return evidence['lan']['goodput_mbps'] > 3\n"
    )
    (claim,) = load(tmp_path)
    assert (claim.published.threshold, claim.contradicted) == ("> 3", "by table 3")
    assert judge(claim, Evidence(lambda _: None)).status is Status.NOT_RUN
    file.write_text("from fairlane.study.claims import Claims\nCLAIMS = Claims()\n")
    with pytest.raises(ClaimError, match=r"claims\.py: x-1"):
        load(tmp_path)


def test_many_claims_stand_in_a_folder_a_file_for_each_part_of_the_paper(tmp_path):
    fairlane.trust(tmp_path)
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "claims.csv").write_text(HEADER + "".join(f"x-{n},x,1,So.,,,,,\n" for n in (1, 2)))
    (tmp_path / "study.toml").write_text(
        '[unsupported.radio]\nneeds = "Wi-Fi"\nsource = "Table 3"\ntitle = "by radio"\ncovers = ["x"]\n'
    )
    folder = tmp_path / "claims"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from fairlane.study.claims import Claims\nCLAIMS = Claims()\ndef lan(evidence):\n    return evidence['lan']\n"
    )
    (folder / "section_2.py").write_text("from . import CLAIMS\nCLAIMS.unsupported('radio', 'x-2')\n")
    part = folder / "section_1.py"
    part.write_text(
        "from . import CLAIMS, lan\n@CLAIMS.claim('x-1')\ndef it_is_so(evidence):\n    return lan(evidence) > 3\n"
    )
    experiment, unsupported = (judge(one, Evidence(lambda _: None)).summary for one in load(tmp_path))
    assert "--only lan" in experiment
    assert "radio (Table 3)" in unsupported
    part.write_text("from . import CLAIMS\nCLAIMS.unsupported('rodio', 'x-1')\n")
    with pytest.raises(ClaimError, match=r"\[unsupported.rodio\]"):
        load(tmp_path)


def test_another_reading_is_judged_with_the_claim(evidence):
    claims = Claims()
    goodput = Measurement.of("goodput", [5.0, 5.1, 5.2, 5.1])
    claims.claim("a", cause="predicate")(lambda _: goodput < 0)

    @claims.other_reading("a")
    def at_least_nothing(_):
        """Not below zero."""
        return goodput >= 0

    [claim] = claims.matched(published("a"))
    found = judge(claim, evidence)
    assert (found.status, found.otherwise.verdict) == (Status.FAILS, Verdict.HOLDS)
    texts = [text for _, text in remarks(found, {})]
    assert f"holds: Not below zero. {found.otherwise.summary}" in texts
    with pytest.raises(ClaimError, match="needs a docstring"):
        claims.other_reading("a")(lambda _: goodput > 0)
    claims.other_reading("b")(at_least_nothing)
    with pytest.raises(ClaimError, match=r"\bb has "):
        claims.matched(published("a"))


def explained(evidence, explanation):
    claims = Claims()
    claims.claim("one", explanation=explanation)(
        lambda e: e["pairs"].where(against="reno", buffer="25kB")["jain_index"] > 2
    )
    return judge(claims.matched(published("one"))[0], evidence).explanation


def test_an_explanation_reads_its_numbers_from_the_runs(evidence):
    def index(evidence):
        return f"{evidence['pairs'].where(against='reno', buffer='25kB')['jain_index'].interval.estimate:.3f}"

    assert explained(evidence, index) == index(evidence)
    assert explained(evidence, "as it is") == "as it is"


def test_an_explanation_says_which_runs_it_needs(evidence):
    text = explained(evidence, lambda e: str(e["elsewhere"]["jain_index"]))

    assert "--only elsewhere" in text
