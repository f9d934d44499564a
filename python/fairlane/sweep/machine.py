"""How fast this machine is just now, beside the one that the estimates were fitted on.

Two networks that take half a second together are run, on as many processors at once as the work will have: one flow,
which lives in the processor's first caches, and 500, which do not.
"""

from fractions import Fraction
from typing import Any

from fairlane.algorithm import Algorithm
from fairlane.dumbbell import Dumbbell, Flow
from fairlane.units import Buffer
from fairlane.workers import run_all

WORTH_IT_FROM_S = 60.0
"""Shorter work is over before anybody asks how long it takes."""
ROUNDS = 3


def network_of(flows: int, rate_bps: int, duration_s: int) -> dict[str, Any]:
    """The scenario of a probe."""
    flow = Flow(Algorithm("cubic"), 20 * 10**6)
    network = Dumbbell((flow,) * flows, rate_bps, Buffer(Fraction(1), "bdp"), duration_s * 10**9)
    return network.scenario()


PROBES = ((1, 100 * 10**6, 12, 0.0215), (500, 5 * 10**9, 4, 0.401))
"""Flows, bit/s, simulated seconds, and the processor's seconds where the constants of `estimate` come from: 219 ns for
each of 98,305 packets, 245 ns for each of 1,635,613 (an Intel Xeon of 2026; see benchmarks/README.md)."""


def slowness(jobs: int) -> float:
    """How many times as long as estimated a run takes here, with so many at a time. Takes a few seconds itself.

    Of each network the fastest run counts: what slows a shared machine comes and goes within minutes.
    """
    runs = ROUNDS * jobs
    networks = [network_of(*network) for *network, _ in PROBES for _ in range(runs)]
    walls_s = [outcome.usage["wall_s"] for outcome in run_all(networks, jobs=jobs, keep=["data_packets_delivered"])]
    fastest_s = [min(walls_s[first : first + runs]) for first in range(0, len(walls_s), runs)]
    return sum(taken_s / probe[-1] for taken_s, probe in zip(fastest_s, PROBES, strict=True)) / len(PROBES)
