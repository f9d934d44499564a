"""Rates and delays of mobile links that vary, for the typical links of these names (`links.py`).

`lte` and `5g` fade: the rate changes by Brownian motion with the speed that Sprout found in 3G and LTE networks,
between 0 and twice the mean (`cellular.py`), but without Sprout's outages, which `cellular` has.

`starlink` is reallocated every 15 s, by which rate and delay step (Mohan et al., A Multifaceted Look at Starlink
Performance, WWW 2024). The RTTs are normally distributed with the published quartiles of 40 and 60 ms to European
servers (Michel et al., A First Look at Starlink Performance, IMC 2022). The rates are log-normally distributed around
the median of the USA, 87 Mbit/s; that they vary as much from step to step as the medians of counties do, from 46.6 to
146.6 Mbit/s, is assumed (Ookla, Speedtest, Starlink's performance in Q3 2021).
"""

import math
from functools import cache
from random import Random
from statistics import NormalDist, fmean

from fairlane.scenario import cellular

Step = tuple[int, int, int | None]
"""Time in ns, rate in bit/s, and one-way delay in ns, if the link has one of its own."""

MEANS_BPS = {"lte": 13_000_000, "5g": 100_000_000}
"""Mean rates of links that fade."""
TICK_S = 0.2
"""The rate is constant that long."""
PERIOD_S = cellular.LENGTH_S
"""After that time the rates repeat, so that the means hold for runs of this length."""
PERIODS = 5
"""The last rate stays after them."""

STARLINK = "starlink"
STEP_S = 15
MEDIAN_BPS = 87_000_000
SPREAD = math.log(146.6 / 46.6) / 4
"""Standard deviation of the rate's logarithm: the counties' range is two of them on each side."""
RTT_MS, RTT_DEVIATION_MS = 50.0, 10 / 0.6745
"""Median, and the standard deviation of a normal distribution whose quartiles are 10 ms from it."""
NAMES = (*MEANS_BPS, STARLINK)


@cache
def steps(name: str) -> tuple[Step, ...]:
    """The rates of one of `NAMES` over time, always the same."""
    one = _reallocated(Random(1)) if name == STARLINK else _fading(Random(1), MEANS_BPS[name])
    period_ns = PERIOD_S * 10**9
    return tuple((at_ns + n * period_ns, rate, delay) for n in range(PERIODS) for at_ns, rate, delay in one)


def _fading(random: Random, mean_bps: int) -> list[Step]:
    """Rates reflected at both limits, so that each is as frequent as any other."""
    most, found = 2.0 * mean_bps, []
    rate = float(mean_bps)
    for _ in range(round(PERIOD_S / TICK_S)):
        found.append(rate)
        rate = abs(rate + random.gauss(0.0, most * cellular.NOISE_PER_S / cellular.MOST_PER_S * math.sqrt(TICK_S)))
        rate = min(rate, 2 * most - rate)
    scale = mean_bps / fmean(found)
    return [(round(number * TICK_S * 1e9), round(rate * scale), None) for number, rate in enumerate(found)]


def _reallocated(random: Random) -> list[Step]:
    """Each period has the same quantiles of the distributions, in an order of chance."""
    count = PERIOD_S // STEP_S
    quantiles = [NormalDist().inv_cdf((number + 0.5) / count) for number in range(count)]
    steps = zip(random.sample(quantiles, count), random.sample(quantiles, count), strict=True)
    # The reverse link keeps half of the median RTT.
    return [
        (
            number * STEP_S * 10**9,
            round(MEDIAN_BPS * math.exp(SPREAD * rate)),
            round((RTT_MS / 2 + RTT_DEVIATION_MS * delay) * 1e6),
        )
        for number, (rate, delay) in enumerate(steps)
    ]
