"""The front page of a study: causes of claims that do not hold, and what was fitted."""

from dataclasses import replace

from fairlane.show.report.claim_cards import JudgedClaim
from fairlane.show.report.page import page
from fairlane.show.report.part_view import PartView
from fairlane.show.report.reasons import causes, fits
from fairlane.study.paper.definition import StudyFile

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
