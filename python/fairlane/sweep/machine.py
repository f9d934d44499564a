"""How fast this machine is just now, beside the one that the estimates were fitted on.

Two small networks are run a few times, on as many processors at once as the work will have: one flow, which lives in
the processor's first caches, and 500, which do not. Machines that are alike in the one differ in the other.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fairlane.algorithm import Algorithm
from fairlane.dumbbell import Dumbbell, Flow
from fairlane.sweep.estimate import Work, cost, crowding
from fairlane.units import Buffer
from fairlane.workers import run_all

WORTH_IT_FROM_S = 60.0
"""Shorter work is over before anybody asks how long it takes."""
ROUND_S = 0.6
"""About how long both networks take, once on each processor."""
SPENT_SHARE = 0.01
"""So much of the work's time may go into them."""
ROUNDS = (5, 12)
"""At least and at most: what slows a shared machine comes and goes within seconds."""


def network_of(flows: int, rate_bps: int, duration_s: int) -> dict[str, Any]:
    """The scenario of a probe: cubic flows with queues on their hosts, so that their packets mix."""
    flow = Flow(Algorithm("cubic"), 62 * 10**6)
    network = Dumbbell((flow,) * flows, rate_bps, Buffer(Fraction(1), "bdp"), duration_s * 10**9, mtu_bytes=8900)
    scenario = network.scenario()
    for one in scenario["flows"]:
        one["sender"]["pacing"] = "fq"
    return scenario


PROBES = ((1, 100 * 10**6, 500), (500, 25 * 10**9, 2))
"""Flows, bit/s and simulated seconds: about 700,000 packets each."""


@dataclass(frozen=True)
class Slowness:
    """How many times as long as estimated runs take here."""

    few: float
    """With one flow."""
    many: float
    """With 500."""

    def seconds(self, runs: Iterable[Work]) -> float:
        """How long runs take here, one after the other."""
        return sum(run.seconds * (self.few + (self.many - self.few) * crowding(run.flows)) for run in runs)


AS_FITTED = Slowness(1.0, 1.0)
"""The machine of the constants."""


def slowness(jobs: int, estimated_s: float) -> Slowness:
    """Of this machine with so many runs at a time, for work that is estimated at so many seconds.

    Takes a few seconds itself, for short work none. The mean counts: long work meets the good and the bad moments.
    """
    if estimated_s <= WORTH_IT_FROM_S:
        return AS_FITTED
    rounds = min(ROUNDS[-1], max(ROUNDS[0], round(SPENT_SHARE * estimated_s / ROUND_S)))
    few, many = (_times_estimated(*probe, jobs=jobs, rounds=rounds) for probe in PROBES)
    return Slowness(few, many)


def _times_estimated(flows: int, rate_bps: int, duration_s: int, *, jobs: int, rounds: int) -> float:
    scenario = network_of(flows, rate_bps, duration_s)
    outcomes = run_all([scenario] * (rounds * jobs), jobs=jobs, keep=["data_packets_delivered"])
    return sum(outcome.usage["wall_s"] for outcome in outcomes) / len(outcomes) / cost(scenario).run_s
