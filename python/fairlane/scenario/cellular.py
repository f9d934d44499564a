"""A packet-delivery trace of a cellular link by a published model.

Winstein, Sivaraman and Balakrishnan, Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular Networks
(Sprout), NSDI 2013, section 3.1, on commercial 3G and LTE networks: packets are delivered by a
Poisson process whose rate changes by Brownian motion, and a rate of 0 is an outage that lasts for an exponentially
distributed time. The constants are those of the authors' program (class `Receiver`: MAX_ARRIVAL_RATE 1000,
BROWNIAN_MOTION_RATE 200, OUTAGE_ESCAPE_RATE 1, TICK_LENGTH 20 ms).
"""

import math
from functools import cache
from random import Random

NAME = "cellular"
"""The word in an experiment file, in place of a path."""
NOISE_PER_S = 200.0
"""Standard deviation of the rate's change in a second, packets of 1500 bytes per second."""
MOST_PER_S = 1000.0
"""Largest rate, packets per second: 12 Mbps of IP packets."""
OUTAGE_S = 1.0
"""Mean duration of an outage."""
TICK_S = 0.02
"""The rate is constant that long."""
LENGTH_S = 120
"""Then the trace begins again, as mahimahi's do."""


@cache
def delivery_times_ms(seed: int = 1) -> tuple[int, ...]:
    """Times at which the link delivers packets of 1500 bytes, in ms from the start of the trace, in order."""
    return tuple(math.ceil(1000 * t_s) for t_s in _delivery_times_s(Random(seed)))


def rates_per_s(random: Random) -> list[float]:
    """The rate in each tick, packets per second; it is reflected at its limit, and stays at 0 for an outage."""
    rate, found = MOST_PER_S / 2, []
    for _ in range(round(LENGTH_S / TICK_S)):
        found.append(rate)
        if rate == 0 and random.random() > TICK_S / OUTAGE_S:
            continue
        rate += random.gauss(0.0, NOISE_PER_S * math.sqrt(TICK_S)) if rate else NOISE_PER_S * math.sqrt(TICK_S)
        rate = max(0.0, rate if rate <= MOST_PER_S else 2 * MOST_PER_S - rate)
    return found


def _delivery_times_s(random: Random) -> list[float]:
    """Times of a Poisson process with these rates; one unit of `waiting` is what a packet costs."""
    found, waiting = [], -math.log(1 - random.random())
    for tick, rate in enumerate(rates_per_s(random)):
        t_s, end_s = tick * TICK_S, (tick + 1) * TICK_S
        while rate and t_s + waiting / rate < end_s:
            t_s += waiting / rate
            found.append(t_s)
            waiting = -math.log(1 - random.random())
        waiting -= (end_s - t_s) * rate
    return found
