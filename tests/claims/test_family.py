"""A family of testbeds refutes a claim if it fails at every setting."""

import pytest
from fairlane.study.claims import Measurement
from fairlane.study.claims.claim import Cause, Claims, Published
from fairlane.study.claims.family import Family, Reach, Setting, reaches
from fairlane.study.claims.verdict import ClaimVerdict, Status

OWN = Measurement.published("x", 3.0) > 2
HOLDS = Measurement.of("x", [2.5, 2.6, 2.7, 2.6]) > 2
FAILS = Measurement.of("x", [1.0, 1.1, 1.2, 1.1]) > 2
OPEN = Measurement.of("x", [1.0, 3.5, 1.5, 2.5]) > 2


def cause(judgements, own=OWN, declared="unexplained"):
    claims = Claims()
    claims.claim("x", cause=declared)(lambda _: FAILS)
    [claim] = claims.matched({"x": Published("x", *[""] * 7)})
    settings = [Setting({"queue": number}, one) for number, one in enumerate(judgements)]
    family = Family(["the queue"], {"queue": list(range(len(judgements)))}, settings, reaches(judgements, own))
    return ClaimVerdict(claim, Status.FAILS, "", on_own_numbers=own, family=family).cause


def test_judgements_match_their_names():
    assert [one.verdict for one in (OWN, HOLDS, FAILS, OPEN)] == ["holds", "holds", "fails", "undecided"]


@pytest.mark.parametrize(
    ("judgements", "expected"),
    [
        ([FAILS, HOLDS], Cause.TESTBED),
        ([FAILS, FAILS], Cause.NO_TESTBED),
        ([FAILS, OPEN], Cause.UNEXPLAINED),
    ],
)
def test_a_claim_that_some_setting_turns_or_leaves_open_is_not_refuted(judgements, expected):
    assert cause(judgements) is expected


def test_single_runs_refute_nothing_even_if_no_setting_gives_the_papers_value():
    far, single = Measurement.published("x", 30.0) > 2, Measurement.of("x", [1.0]) > 2
    assert reaches([single], far)[0].is_outside
    assert cause([single, single], own=far) is Cause.UNEXPLAINED


def test_a_cause_that_was_declared_stays():
    assert cause([FAILS], declared="version") is Cause.VERSION


def test_the_range_is_that_of_all_intervals():
    [one] = reaches([FAILS, HOLDS], OWN)
    assert (one.low, one.high, one.paper) == (FAILS.compared[0].value.low, HOLDS.compared[0].value.high, 3.0)
    assert one.is_outside


def test_a_printed_number_is_rounded():
    assert not Reach("Jain's index", "", 0.56, 0.9999, 1.0).is_outside
    assert Reach("Jain's index", "", 0.56, 0.98, 1.0).is_outside
