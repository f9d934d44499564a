"""Intervals contain the true value as often as their level states."""

import math

import numpy as np
import pytest
from fairlane.results import statistics
from fairlane.results.statistics import (
    FEW,
    Interval,
    interval_of,
    interval_of_difference,
    interval_of_mean,
    repeats_needed,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

VALUES = st.lists(st.floats(0.01, 1e5), min_size=3, max_size=12)


@pytest.mark.parametrize("n", [5, 10])
def test_the_true_mean_of_normal_values_is_inside_as_often_as_promised(n):
    random = np.random.default_rng(1)
    inside = sum(
        found.low <= 10 <= found.high for found in (interval_of_mean(list(random.normal(10, 2, n))) for _ in range(250))
    )
    # 95 % of 250 are 237.5; three standard deviations of the count are 10.3.
    assert 227 <= inside <= 248


def test_the_interval_of_normal_values_is_about_as_wide_as_students():
    random = np.random.default_rng(2)
    widths = []
    for _ in range(60):
        values = random.normal(10, 2, 10)
        student = 2.262 * values.std(ddof=1) / math.sqrt(10)
        widths.append(interval_of_mean(list(values)).half_width / student)
    assert np.mean(widths) == pytest.approx(1, abs=0.1)


def test_the_true_difference_is_inside_as_often_as_promised():
    random = np.random.default_rng(3)
    inside = 0
    for _ in range(250):
        found = interval_of_difference(list(random.normal(10, 2, 6)), list(random.normal(13, 1, 6)))
        inside += found.low <= 3 <= found.high
    assert 227 <= inside <= 249


def test_constant_values_leave_no_doubt():
    assert interval_of_mean([2.0] * 4) == Interval(2.0, 2.0, 2.0, 4)
    assert interval_of_difference([2.0] * 3, [5.0] * 3) == Interval(3.0, 3.0, 3.0, 3)


def test_nearly_constant_values_have_an_interval_too():
    found = interval_of_mean([1.0, 1.0, 1.0, 1.0 + 1e-15])
    assert found.is_known
    assert found.half_width < 1e-12
    assert interval_of_difference([0.0] * 5, [0.0, 0.0, 0.0, 0.0, 1.0]).is_known


def test_two_values_are_too_few():
    found = interval_of_mean([1.0, 2.0])
    assert (found.estimate, found.is_known) == (1.5, False)
    assert not found.lies_above(0)
    assert repeats_needed(found, 0.1) == 3


@pytest.mark.parametrize("values", [[], [1.0, math.nan, 2.0], [math.inf]])
def test_non_numbers_have_no_interval(values):
    with pytest.raises(ValueError, match="one value"):
        interval_of_mean(values)


@pytest.mark.parametrize(("n", "share"), [(3, 0.75), (4, 0.88), (5, 0.92)])
def test_few_values_hold_the_mean_as_often_as_the_notes_say(n, share):
    random = np.random.default_rng(4)
    found = [interval_of_mean(list(random.normal(10, 2, n))) for _ in range(600)]
    inside = sum(one.low <= 10 <= one.high for one in found) / len(found)
    assert inside == pytest.approx(share, abs=3 * math.sqrt(share * (1 - share) / len(found)))
    assert (n < FEW) == (share < 0.9)


@pytest.mark.parametrize("n", [3, 6, 10, 25])
def test_the_fast_mean_is_scipys(n):
    random = np.random.default_rng(5)
    for _ in range(10):
        values = list(random.integers(1, 10**6, n))  # whole: no rounding, which mistakes scipy about equal means
        fast, general = interval_of_mean(values), interval_of([values], lambda sample, axis: np.mean(sample, axis=axis))
        assert (fast.low, fast.high) == pytest.approx((general.low, general.high), rel=1e-9)


@settings(max_examples=60)
@given(VALUES)
def test_the_mean_is_inside_and_the_interval_within_the_values(values):
    found = interval_of_mean(values)
    slack = 1e-9 * max(values)
    assert min(values) - slack <= found.low <= found.estimate <= found.high <= max(values) + slack
    assert found == interval_of_mean(values), "the same values, the same interval"


def test_four_times_the_repeats_halve_the_interval():
    assert repeats_needed(Interval(10, 9, 11, 6), 0.5) == 24
    assert repeats_needed(Interval(10, 9, 11, 6), 2) == 6
    assert repeats_needed(Interval(10, 9, 11, 6), 0) is None


def test_the_interval_of_any_statistic_is_the_one_of_scipy():
    """scipy's bootstrap with the same resamples; it takes three times as long, because it draws them anew each time."""
    random = np.random.default_rng(4)

    def ratio(before, after, axis):
        return np.mean(after, axis=axis) / np.max(before, axis=axis)

    for _ in range(20):
        before, after = random.exponential(1, random.integers(3, 9)), random.normal(10, 2, random.integers(3, 9))
        n = min(len(before), len(after))
        drawn = {"n_resamples": statistics.RESAMPLES, "rng": np.random.default_rng(statistics.SEED), "vectorized": True}
        ends = stats.bootstrap((before, after), ratio, confidence_level=statistics.expanded(0.95, n), **drawn)
        found = interval_of([before, after], ratio)
        assert (found.low, found.high) == pytest.approx(tuple(ends.confidence_interval), rel=1e-12)
        assert found.low < found.high


def test_a_statistic_that_some_resamples_do_not_have_has_no_interval():
    found = interval_of(
        [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0]], lambda one, other, axis: one.mean(axis=axis) / other.mean(axis=axis)
    )
    assert not found.is_known
