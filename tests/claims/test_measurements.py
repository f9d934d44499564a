"""Comparisons of measurements consider random variation; three-valued logic combines them."""

import numpy as np
import pytest
from fairlane.results.statistics import Interval
from fairlane.study.claims import (
    Judgement,
    Measurement,
    Sample,
    Verdict,
    about,
    all_of,
    any_of,
    at_least,
    between,
    most,
    negated,
)
from fairlane.study.claims.measurement import show

NOISE = np.array([-1.0, -0.5, 0.0, 0.4, 1.1])


def figure(name, mean, scale=1.0):
    return Measurement.of(name, list(mean + scale * NOISE))


HOLDS, FAILS, UNDECIDED = (Judgement(verdict, verdict.value) for verdict in Verdict)


@pytest.mark.parametrize(
    ("judgement", "verdict"),
    [
        (figure("a", 10) < figure("b", 20), Verdict.HOLDS),
        (figure("a", 20) < figure("b", 10), Verdict.FAILS),
        (figure("a", 10) < figure("b", 10.1), Verdict.UNDECIDED),
        (figure("a", 10) > 5, Verdict.HOLDS),
        (figure("a", 10) > 10.05, Verdict.UNDECIDED),
        (figure("a", 10) / figure("b", 20) < 0.75, Verdict.HOLDS),
        (figure("a", 30) >= 2 * figure("b", 20), Verdict.FAILS),
        (about(figure("a", 100), 105), Verdict.HOLDS),
        (about(figure("a", 100), 150), Verdict.FAILS),
        (about(figure("a", 100), 110.5), Verdict.UNDECIDED),
        (between(figure("a", 100), 90, 120), Verdict.HOLDS),
        (figure("a", 10, 5).stddev > figure("b", 10, 0.1).stddev, Verdict.HOLDS),
    ],
)
def test_comparisons(judgement, verdict):
    assert judgement.verdict is verdict


def test_an_undecided_one_says_how_many_repeats_would_tell():
    judgement = figure("a", 10) < figure("b", 10.5)
    assert judgement.verdict is Verdict.UNDECIDED
    assert 5 < judgement.needed[Sample.REPEATS] < 200


def test_variation_between_configurations_needs_more_configurations():
    over = Measurement.of("over", [9.0, 9.7, 10.0, 10.4, 11.1], Sample.CONFIGURATIONS)
    alone, mixed = over < 10.2, over - figure("a", 1) < 9.2
    for judgement in (alone, mixed, negated(alone), 2 * over < 20.4):
        assert list(judgement.needed) == [Sample.CONFIGURATIONS]
    both = all_of([alone, figure("a", 10) < 10.2])
    assert set(both.needed) == set(Sample) - {Sample.RUNS}
    assert "over 10.00 (1 configuration" in (Measurement.of("over", [10.0], over.sample) < 3).summary


def test_of_several_the_one_that_needs_most_counts():
    near, far = figure("near", 10) < 10.1, figure("far", 10) < 10.4
    assert near.needed[Sample.REPEATS] > far.needed[Sample.REPEATS]
    assert all_of([far, near]).needed == near.needed
    hopeless = figure("a", 10) < 10 + 1e-9
    assert all_of([hopeless, near]).needed == {Sample.REPEATS: None}


def test_one_repeat_decides_nothing_but_says_its_figure():
    judgement = Measurement.of("a", [10.0]) < Measurement.of("b", [20.0])
    assert (judgement.verdict, judgement.needed) == (Verdict.UNDECIDED, {Sample.REPEATS: 3})
    assert "a 10.00 (1 repeat" in judgement.summary


def test_an_undecided_one_says_where_the_estimates_lean():
    low, high = Measurement.of("low", [10.0]), Measurement.of("high", [20.0])
    right, wrong = low < high, low > high
    assert (right.by_estimate, wrong.by_estimate) == (True, False)
    both = all_of([right, wrong])
    assert (both.verdict, both.by_estimate, both.summary) == (Verdict.UNDECIDED, False, wrong.summary), (
        "what tells is said"
    )
    assert all_of([right, HOLDS]).by_estimate
    assert not all_of([right, FAILS]).by_estimate
    assert any_of([right, wrong]).by_estimate
    assert not negated(right).by_estimate
    assert at_least(1, [right, wrong]).by_estimate
    assert not most([right, wrong]).by_estimate
    assert (low <= low - 0).by_estimate, "equal is allowed"


def test_without_chance_the_verdict_is_sure():
    assert (Measurement.of("a", [2.0] * 3) < Measurement.of("b", [2.0] * 3)).verdict is Verdict.FAILS
    assert (Measurement.of("a", [2.0] * 3) <= Measurement.of("b", [2.0] * 3)).verdict is Verdict.HOLDS


def test_a_figure_knows_itself_again():
    a, b = figure("a", 10), figure("b", 30)
    assert (a / (a + b)).interval.estimate == pytest.approx(0.25)
    assert (a - a).interval == Interval(0.0, 0.0, 0.0, 5), "the same sample, not another one like it"
    with pytest.raises(ValueError, match="'a'"):
        a + figure("a", 11)


def test_a_truth_value_is_refused():
    with pytest.raises(TypeError, match="combine comparisons"):
        _ = 5 < figure("a", 10) < 20


def test_three_values():
    assert all_of([HOLDS, HOLDS]).verdict is Verdict.HOLDS
    assert all_of([HOLDS, UNDECIDED]).verdict is Verdict.UNDECIDED
    assert all_of([HOLDS, UNDECIDED, FAILS]) == FAILS
    assert any_of([FAILS, FAILS]).verdict is Verdict.FAILS
    assert any_of([FAILS, UNDECIDED]).verdict is Verdict.UNDECIDED
    assert any_of([FAILS, UNDECIDED, HOLDS]) == HOLDS
    assert [negated(one).verdict for one in (HOLDS, FAILS, UNDECIDED)] == [
        Verdict.FAILS,
        Verdict.HOLDS,
        Verdict.UNDECIDED,
    ]
    with pytest.raises(ValueError, match="nothing"):
        all_of([])


def test_most_is_more_than_half():
    assert most([HOLDS, HOLDS, FAILS]).verdict is Verdict.HOLDS
    assert most([HOLDS, FAILS]).verdict is Verdict.FAILS
    assert most([HOLDS, UNDECIDED, FAILS]).verdict is Verdict.UNDECIDED
    assert at_least(2, [HOLDS, HOLDS, UNDECIDED, FAILS]).summary == "holds in 2 of 4: holds"
    assert at_least(3, [HOLDS, UNDECIDED, FAILS, FAILS]).summary == "holds in 1 of 4; fails in 2: fails"


def test_impossible_measurements_are_rejected():
    with pytest.raises(ValueError, match="excluded"):
        Measurement.of("a", [])
    with pytest.raises(ValueError, match="not defined"):
        _ = (figure("a", 1) + figure("b", 2)).stddev


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(41.234, 40.81, 41.93, 5), "41.23 (40.81 to 41.93)"),
        (Interval(12345.6, 12000, 12700, 5), "12,346 (12,000 to 12,700)"),
        (Interval(0.5, 0.5, 0.5, 5), "0.500"),
        (Interval(0.0, 0.0, 0.0, 5), "0"),
    ],
)
def test_how_a_figure_is_shown(interval, text):
    assert show(interval) == text


def test_a_printed_number_without_repeats_decides_nothing():
    one, other = Measurement.published("a", 3), Measurement.published("b", 1)
    for judgement in (one.stddev > other.stddev, one.maximum > 2):
        assert judgement.verdict is Verdict.UNDECIDED
        assert "not published" in judgement.summary


def test_one_repeat_has_no_spread_and_decides_nothing():
    judgement = Measurement.of("a", [3.0]).stddev > figure("b", 1).stddev
    assert judgement.verdict is Verdict.UNDECIDED
