"""A cause needs runs that show it: variants and settings of testbeds that turn a claim and do not cost more."""

import math

import pytest
from fairlane.show.text.verdicts import over_lines, remarks
from fairlane.study.claims import Evidence, Measurement, Verdict, judge
from fairlane.study.claims.claim import Cause, Claims, Published
from fairlane.study.claims.over_settings import Effect, OverSettings, Reach, moves, reach
from fairlane.study.claims.verdict import ClaimVerdict, Status

OWN = Measurement.published("x", 3.0) > 2
HOLDS = Measurement.of("x", [2.5, 2.6, 2.7, 2.6]) > 2
FAILS = Measurement.of("x", [1.0, 1.1, 1.2, 1.1]) > 2
LOWER = Measurement.of("x", [0.2, 0.3, 0.4, 0.3]) > 2
OPEN = Measurement.of("x", [1.0, 3.5, 1.5, 2.5]) > 2
LUCKY = Measurement.of("x", [1.0, 2.1, 1.1, 1.2, 1.0] + [1.1] * 5) > 2


def effect(number, gained=("x",), lost=(), kind="testbed", **numbers):
    return Effect(f"setting {number}", kind, "node", f"queue {number}", gained, lost, **numbers)


def over(*judgements, **change):
    verdicts = [(effect(number, **change), one.verdict, one.summary) for number, one in enumerate(judgements)]
    return OverSettings(verdicts, reach(FAILS, judgements, OWN))


def verdict(found, declared="unexplained", ours=FAILS, **more):
    claims = Claims()
    claims.claim("x", cause=declared, variant="node" if declared == "testbed" else "")(lambda _: ours)
    [claim] = claims.matched({"x": Published("x", *[""] * 7)})
    status = Status(ours.verdict)
    return ClaimVerdict(claim, status, "", on_own_numbers=OWN, over=found, judgement=ours, **more)


def test_judgements_match_their_names():
    expected = ["holds", "holds", "fails", "fails", "undecided", "fails"]
    assert [one.verdict for one in (OWN, HOLDS, FAILS, LOWER, OPEN, LUCKY)] == expected


@pytest.mark.parametrize(
    ("judgements", "expected"),
    [
        ([FAILS, HOLDS], Cause.TESTBED),
        ([FAILS, LOWER], Cause.NO_TESTBED),
        ([LOWER, OPEN], Cause.UNEXPLAINED),
        ([FAILS, FAILS], Cause.UNEXPLAINED),  # its value does not depend on the setting
    ],
)
def test_a_claim_is_refuted_only_by_settings_that_move_it(judgements, expected):
    assert verdict(over(*judgements)).cause is expected


def test_a_claim_that_the_unknowns_do_not_move_says_so():
    assert "do not depend on the unknowns" in verdict(over(FAILS, FAILS)).cause_remark


@pytest.mark.parametrize(
    ("values", "bound", "expected"),
    [
        ([1.1, 1.0, 1.2, 1.1], 2, False),  # other runs, the same numbers
        ([1.5, 1.6, 1.7, 1.6], 2, True),  # beyond the interval, the same verdict
        ([1.0, 1.1, 1.2, 1.1], Measurement.published("y", 2.0), True),  # another bound
    ],
)
def test_a_setting_moves_a_claim_if_it_changes_a_number_by_more_than_its_interval(values, bound, expected):
    assert moves(FAILS, Measurement.of("x", values) > bound) is expected


def test_another_verdict_is_a_change_of_any_size():
    at = [Measurement.of("x", [1.9, 2.0, value]) for value in (2.0, 2.05)]
    assert [one.interval.estimate for one in at] == pytest.approx([1.967, 1.983], abs=1e-3)
    first, second = at[0] < 2.1, at[1] < 2.04
    assert (first.verdict, second.verdict) == (Verdict.HOLDS, Verdict.UNDECIDED)
    assert moves(first, second)


def test_single_runs_refute_nothing():
    single = Measurement.of("x", [1.0]) > 2
    found = OverSettings([(effect(0), single.verdict, "")], reach(single, [single], OWN))
    assert verdict(found, ours=single).cause is Cause.FEW_REPEATS
    assert not found.is_sensitive


def test_a_setting_that_costs_more_than_it_gains_is_no_cause():
    dear = verdict(over(FAILS, HOLDS, lost=("y", "z")))
    assert dear.cause is Cause.UNEXPLAINED
    assert dear.cause_remark == "node: queue 1 turns it, but costs 2 claims and gains 1"
    assert verdict(over(FAILS, HOLDS, gained=("x", "y", "z"), lost=("a", "b", "c"))).cause is Cause.TESTBED


def test_a_setting_that_costs_more_numbers_than_it_gains_claims_is_no_cause():
    dear = verdict(over(FAILS, HOLDS, numbers=-7, net_pct=-20.0))
    assert dear.cause is Cause.UNEXPLAINED
    assert "costs 7 of the numbers within 25 %" in dear.cause_remark
    assert verdict(over(FAILS, HOLDS, numbers=-1, net_pct=2.0)).cause is Cause.TESTBED


@pytest.mark.parametrize(
    ("under", "change", "expected", "remark"),
    [
        (HOLDS, {}, Cause.TESTBED, ""),
        (HOLDS, {"lost": ("y", "z")}, Cause.UNEXPLAINED, "turns it, but costs 2 claims"),
        (HOLDS, {"in_part": True}, Cause.UNEXPLAINED, "other experiments that it changes were not run with it"),
        (FAILS, {}, Cause.UNEXPLAINED, "does not turn it"),
        (OPEN, {}, Cause.UNEXPLAINED, "does not turn it"),
    ],
)
def test_the_testbed_is_the_cause_only_if_its_variant_turns_the_claim_at_no_cost(under, change, expected, remark):
    found = verdict(over(under, kind="variant", **change), "testbed")
    assert found.cause is expected
    assert remark in found.cause_remark


def test_an_undecided_claim_that_holds_by_the_estimates_needs_no_explanation():
    against = Measurement.of("x", [1.0, 3.4, 1.2, 2.0]) > 2
    assert [one.by_estimate for one in (OPEN, against)] == [True, False]
    assert [verdict(None, ours=one).cause for one in (OPEN, against)] == [Cause.CHANCE, Cause.UNEXPLAINED]
    assert verdict(over(HOLDS), ours=OPEN).cause is Cause.TESTBED, "a setting that turns it says more"


def test_a_variant_that_was_not_run_shows_nothing():
    assert verdict(None, "testbed").cause is Cause.UNEXPLAINED
    assert verdict(None, "testbed", varied=HOLDS).cause is Cause.TESTBED
    assert verdict(None, "testbed", varied=FAILS).cause is Cause.UNEXPLAINED


def test_another_reading_is_the_cause_only_if_it_holds():
    assert verdict(None, "predicate", otherwise=HOLDS).cause is Cause.PREDICATE
    assert verdict(None, "predicate", otherwise=FAILS).cause is Cause.UNEXPLAINED


@pytest.mark.parametrize(
    ("values", "expected"), [([1.0, 2.1, 1.1, 1.2, 1.0] + [1.1] * 5, Cause.CHANCE), ([1.0] * 5, None)]
)
def test_chance_needs_a_repeat_that_holds_alone(values, expected):
    claims = Claims()
    claims.claim("x", cause="chance")(lambda evidence: evidence["a"]["goodput_mbps"] > 2)
    [claim] = claims.matched({"x": Published("x", *[""] * 7)})

    class Source:
        axes, points = (), staticmethod(lambda *_: set())

        def measurement(self, label, metric, *_):
            return Measurement.of(f"{label}, {metric}", values)

    found = judge(claim, Evidence(lambda _: Source()))
    assert found.status is Status.FAILS
    assert found.cause is (expected or Cause.UNEXPLAINED)


def test_a_cause_that_was_declared_stays():
    assert verdict(over(FAILS), "version").cause is Cause.VERSION


def test_the_range_is_that_of_the_estimates_and_the_width_that_of_the_interval():
    one = reach(FAILS, [HOLDS, LOWER], OWN)
    value = FAILS.compared[0].value
    assert (one.low, one.high, one.paper) == (pytest.approx(0.3), pytest.approx(2.6), 3.0)
    assert one.width == value.high - value.low
    assert one.is_sensitive
    assert one.is_outside
    assert reach(HOLDS, [FAILS], OWN) is None, "only comparisons that do not hold have to move"


def test_a_printed_number_is_rounded():
    assert not Reach("Jain's index", "", 0.56, 0.9999, 0.1, 1.0).is_outside
    assert Reach("Jain's index", "", 0.56, 0.98, 0.1, 1.0).is_outside
    assert not Reach("Jain's index", "", 0.56, 0.98, 0.1, math.nan).is_outside


def test_the_text_names_the_cheapest_setting():
    lines = over_lines(over(FAILS, HOLDS, gained=("x", "y")))
    assert lines[0] == "over 2 settings of node: holds at 1, fails at 1"
    assert lines[1].startswith("holds with: node: queue 1, which turns 2 claims of the study and costs 0")
    assert [word for word, _ in remarks(verdict(over(FAILS, LOWER)), {})][-2:] == ["over 2 settings of node", "range"]


def test_verdicts_are_words():
    assert {str(one) for one in Verdict} == {"holds", "fails", "undecided"}
