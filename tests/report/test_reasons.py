"""The front page of a study: causes of claims that do not hold, and what was fitted."""

from dataclasses import replace
from pathlib import Path

from fairlane.show.report.claim_cards import JudgedClaim
from fairlane.show.report.page import page
from fairlane.show.report.part_view import PartView
from fairlane.show.report.reasons import causes, fits, other_testbeds
from fairlane.study.claims.over_settings import Effect
from fairlane.study.joint.judging import Outcome
from fairlane.study.joint.saved import Origin, Saved
from fairlane.study.paper.definition import StudyFile, load
from fairlane.study.paper.numbers_met import BOUNDED, Count, numbers
from fairlane.study.paper.numbers_met import count as count_met

from .test_browser import follow, shown

TESTBED = {
    "title": "the queue and the sender",
    "experiments": ["small", "other"],
    "unknowns": {
        "queue": {"keys": ["network.buffer"], "values": ["1bdp", "2bdp"], "default": "1bdp", "reason": "unknown"},
        "first": {"keys": ["flows.b.algorithm"], "values": ["bbr", "reno"], "default": "bbr", "reason": "unknown"},
        "pacing": {"keys": ["flows.*.sender.pacing"], "values": ["a", "b"], "default": "a", "reason": "unknown"},
    },
    "training": [{"experiments": ["small"], "metrics": ["jain_index"], "where": [{"algorithm_a": ["reno"]}]}],
}


def claim(name, status, cause="", fitted=""):
    return JudgedClaim(name, "I", f"text of {name}", [], status, [], "", "", cause, fitted)


CLAIMS = [
    claim("c-1", "holds", fitted="the queue and the sender was fitted to such numbers"),
    claim("c-2", "fails", "setup differs", "the queue and the sender was fitted to such numbers"),
    claim("c-3", "undecided", "random variation"),
    claim("c-4", "undecided", "setup differs"),
    claim("c-5", "not testable"),
]


def test_causes_are_counted_and_the_most_frequent_is_first():
    first, second = causes(CLAIMS)
    assert (first.cause, first.count("fails"), first.count("undecided")) == ("setup differs", 1, 1)
    assert [one.name for one in first.claims] == ["c-2", "c-4"]
    assert (second.cause, second.count("fails"), second.count("undecided")) == ("random variation", 0, 1)


def test_a_fit_names_settings_numbers_and_claims(parts):
    (part,) = parts
    changed = StudyFile.model_validate({**part.study.file.model_dump(), "testbeds": {"both": TESTBED}})
    (fit,) = fits(replace(part.study, file=changed), part.results, CLAIMS)
    algorithm = part.results["small"].plans[0].settings["flows"][1]["algorithm"]
    queue = part.results["small"].plans[0].settings["network"]["buffer"]
    assert fit.settings == [("queue", queue), ("first", algorithm), ("pacing", "a")]
    assert fit.numbers == ["Jain's index of small (algorithm_a reno)"]
    assert ([one.name for one in fit.claims], fit.holding) == (["c-1", "c-2"], 1)
    assert fits(part.study, part.results, CLAIMS) == []


def test_other_testbeds_say_what_they_gain_and_cost(parts):
    (part,) = parts
    effects = [
        Effect("default", "default", "", ""),
        Effect("both-1", "testbed", "both", "queue 1bdp", ("c-2",), ("c-1",), 5, 0.4),
        Effect("both-2", "testbed", "both", "queue 2bdp", ("c-2", "c-4"), (), 3, 2.5),
        Effect("slow", "variant", "slow", "", (), ("c-1",), -2, -3.0),
        Effect("same", "variant", "same", "", (), (), 0, 0.0),
    ]
    none = Count("", 0, 0, 0, 0, trained=0, factor=1.0)
    origin = Origin("2026-01-01", "0123456789abcdef", "", quick=False, repeats=3)
    joint = Saved(origin, {one.name: Outcome(one, 1, none, none) for one in effects}, {}, {}, {})
    first, second = other_testbeds(part.study, joint, CLAIMS)
    assert (first.values, [one.name for one in first.gained], first.lost) == ("queue 2bdp", ["c-2", "c-4"], [])
    assert (first.numbers, first.is_better) == (3, True)
    assert (second.title, [one.name for one in second.lost], second.is_better) == ("slow", ["c-1"], False)
    text = page([replace(part, claims=CLAIMS, joint=joint)], "fairlane report")
    assert "Would another testbed be better?" in text
    assert "1 of those below would be better" in text
    assert "2026-01-01, whole study, 3 repeats, simulator 01234567" in text


def test_the_first_sentence_says_what_was_fitted(parts):
    (part,) = parts
    holding = [replace(one, fitted="the queue" if one.status == "holds" else "") for one in part.claims]
    assert PartView(replace(part, claims=holding)).lead == (
        "Of 2 claims that could be tested, 1 holds (1 of them fitted) and 1 fails."
    )
    text = page([replace(part, claims=holding)], "fairlane report")
    assert 'class="holds fitted grow-1"' in text
    assert "1 of them fitted" not in PartView(part).lead


def test_causes_lead_to_their_claims(read):
    tab = read("small2020")
    assert "Why claims do not hold here" in tab.inner_text("main")
    follow(tab, "a:text-is('c-2')")

    assert shown(tab, "h1").inner_text() == "Claims"


def test_the_page_counts_published_numbers_as_the_command_line_does(parts):
    (part,) = parts
    found = numbers(part.study, part.comparisons)
    total = count_met("", [one for one in found if not one.is_bounded])
    sentence = PartView(part).sentence.replace("\u00a0", " ")
    assert f"Of {total.numbers} published numbers, ours are within 10 % of {total.within_10} and" in sentence
    bounded = count_met("", [one for one in found if one.is_bounded])
    assert f"counted apart: {bounded.within_10} of {bounded.numbers} are within 10 %." in sentence


def test_every_published_index_of_jain_and_goodput_ratio_is_counted_apart():
    studies = [load(path.parent) for path in sorted((Path(__file__).parents[2] / "studies").glob("*/study.toml"))]
    metrics = {one.metric for study in studies for item in study.file.items for one in item.values if one.published}
    assert {one for one in metrics if "jain" in one or one.startswith("goodput_ratio")} <= set(BOUNDED)


def test_what_limits_the_flows_is_on_the_front_page_and_with_its_experiment(parts, monkeypatch):
    said = "2 algorithms behave identically in 4 of 4 conditions (reno, veno)"
    monkeypatch.setattr("fairlane.show.report.outcome.identical_algorithms.sentences", lambda _results: [said])
    text = page(parts, "fairlane report")
    assert text.count(said) == 2
    assert text.index("Congestion control does not decide everywhere") < text.index("Claims of the paper")
    assert text.count('class="warning"') == 2
