"""Laws that metrics obey for any results."""

import math

import numpy as np
from fairlane.results.metrics import find
from fairlane.results.metrics.definitions.convergence import moving_window
from fairlane.results.metrics.definitions.fairness import jain, jain_over_time
from fairlane.results.metrics.summary import mean_of
from hypothesis import given
from hypothesis import strategies as st

from .conftest import flow, steady

shares = st.lists(st.floats(1e-3, 1e5), min_size=2, max_size=20)


@given(shares, st.floats(1e-3, 1e3))
def test_jain_lies_between_one_nth_and_one_and_knows_no_unit(values, factor):
    index = jain(values)
    assert 1 / len(values) - 1e-9 <= index <= 1 + 1e-9
    assert math.isclose(index, jain([factor * value for value in values]), rel_tol=1e-9)
    assert math.isclose(index, jain(sorted(values)), rel_tol=1e-9)


@given(st.floats(1e-3, 1e5), st.integers(1, 30), st.integers(0, 30))
def test_jain_of_k_equal_shares_among_n_is_k_by_n(value, equal, idle):
    assert math.isclose(jain([value] * equal + [0.0] * idle), equal / (equal + idle), rel_tol=1e-9)


@given(shares)
def test_both_fairness_metrics_agree_on_equal_shares(values):
    flows = [flow(goodput_mbps=value) for value in values]
    least_by_most, least = find("max_min_share")(flows), find("min_fair_share_pct")(flows)
    assert 0 < least_by_most <= 1
    assert 0 < least <= 100 + 1e-9
    if least_by_most == 1:
        assert math.isclose(find("jain_index")(flows), 1.0)
    # Somebody has at least the mean.
    assert least_by_most <= least / 100 + 1e-9


@given(st.lists(st.lists(st.floats(0, 1e3), min_size=3, max_size=3), min_size=2, max_size=6))
def test_jain_over_time_is_jain_bin_by_bin(goodputs):
    values = jain_over_time([steady(mbps) for mbps in goodputs], 1.0)[1]
    for place, value in enumerate(values):
        expected = jain([mbps[place] for mbps in goodputs])
        assert (math.isnan(value) and expected is None) or math.isclose(value, expected, rel_tol=1e-9)


windows = st.lists(st.floats(1, 1e4), min_size=2, max_size=120)


@given(windows, st.integers(1, 40), st.floats(0.1, 10))
def test_convergence_scales_with_time_and_stability_with_the_window(values, samples, factor):
    times_s, window = np.arange(1, len(values) + 1) * 0.1, np.array(values)
    time_s, deviation = moving_window(times_s, window, samples * 0.1)
    if len(values) < samples:
        assert time_s is None
        return
    if time_s is None:  # never within the band
        return
    assert samples * 0.1 - 1e-9 <= time_s <= times_s[-1] + 1e-9
    assert deviation >= 0
    slower_s, _ = moving_window(times_s * 2, window, samples * 0.2)
    assert math.isclose(slower_s, 2 * time_s, rel_tol=1e-9)
    _, larger = moving_window(times_s, window * factor, samples * 0.1)
    assert larger is None or math.isclose(larger, deviation * factor, rel_tol=1e-6, abs_tol=1e-9)


@given(st.floats(1, 1e4), st.integers(2, 200), st.integers(1, 50))
def test_constant_series_have_converged_and_are_stable(value, count, samples):
    time_s, deviation = moving_window(np.arange(1, count + 1) * 0.1, np.full(count, value), samples * 0.1)
    if count >= samples:
        assert math.isclose(time_s, samples * 0.1, rel_tol=1e-9)
        assert math.isclose(deviation, 0.0, abs_tol=1e-6 * value)


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=12), st.floats(-1e3, 1e3))
def test_an_interval_moves_with_its_values(values, shift):
    found, moved = mean_of(values), mean_of([value + shift for value in values])
    assert min(values) - 1e-6 <= found.low <= found.estimate <= found.high <= max(values) + 1e-6
    if max(values) - min(values) > 1e-3:  # else rounding decides which resamples have the same mean
        for before, after in ((found.low, moved.low), (found.estimate, moved.estimate), (found.high, moved.high)):
            assert math.isclose(after, before + shift, rel_tol=1e-6, abs_tol=1e-6)


def test_intervals_of_little():
    assert mean_of([]) is None
    assert mean_of([None, math.nan]) is None
    assert (mean_of([3.0, None]).estimate, mean_of([3.0, None]).is_known) == (3.0, False)
    assert not mean_of([3.0, 4.0]).is_known
    assert mean_of([3.0, 4.0, None, 5.0]).is_known


def test_samples_at_one_time_do_not_converge():
    assert moving_window(np.full(5, 0.1), np.arange(5.0), 1.0) == (None, None)
