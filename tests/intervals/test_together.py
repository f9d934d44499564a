"""Intervals of many means computed at once equal those computed one by one."""

import numpy as np
import pytest
from fairlane.results.statistics import interval_of_mean, intervals_of_means


@pytest.mark.parametrize("n", [1, 3, 40, 600])
def test_many_are_as_each_alone(n):
    generator = np.random.default_rng(1)
    samples = [list(generator.exponential(size=n)), list(generator.normal(size=n)), [2.0] * n, [1.0, *[2.0] * (n - 1)]]
    for one, sample in zip(intervals_of_means(samples), samples, strict=True):
        alone = interval_of_mean(sample)
        assert (one.estimate, one.n, one.is_known) == (alone.estimate, alone.n, alone.is_known)
        if alone.is_known:
            assert (one.low, one.high) == pytest.approx((alone.low, alone.high), rel=1e-12)
