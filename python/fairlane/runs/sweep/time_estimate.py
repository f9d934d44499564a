"""Estimates the time that a sweep takes, from short runs of each kind that are measured on this machine.

How long a packet takes depends on what a run is like: its algorithms, its queues, its path, how many flows share the
caches. Such a kind of run is measured: before a sweep in runs cut short, and during a sweep in the runs that are done.
"""

import random
import time
from collections.abc import Iterable

from fairlane.engine.types import Scenario
from fairlane.runs.executors.processes import Computed, run_all
from fairlane.runs.sweep.run_size import RUN_S, WORTH_IT_FROM_S, Kind, Work, packets, work

PROBE_PACKETS = 800_000
"""Simulated work that measures a kind of run: about 0.2 s."""
START_PACKETS = 300_000
"""The beginning of that, which does not count: a flow that overflows a queue for the first time costs several times as
much per packet as later."""
PROBES = 12
"""The maximum number of kinds that are measured before a sweep, those with the most work first."""
DELIVERED = "data_packets_delivered"
END_S = 0.3
"""The tables for users, at the very end of a sweep."""


class Speed:
    """Measured time over the constants' estimate, by kind of run."""

    def __init__(self) -> None:
        self._spent_s: dict[Kind | None, float] = {}
        self._expected_s: dict[Kind | None, float] = {}
        self.processor_share: float = 1.0
        """The part of the elapsed time in which a run computes: less than 1 where other programs run, too."""

    def measured(self, run: Work, wall_s: float) -> None:
        """A run took this long."""
        for kind in (run.kind, None):
            self._spent_s[kind] = self._spent_s.get(kind, 0.0) + wall_s
            self._expected_s[kind] = self._expected_s.get(kind, 0.0) + run.seconds

    def factor(self, kind: Kind | None = None) -> float:
        """Of a kind; those that were not measured are taken to be like the others."""
        known = kind if kind in self._spent_s else None
        return self._spent_s.get(known, 1.0) / self._expected_s.get(known, 1.0)

    def seconds(self, runs: Iterable[Work]) -> float:
        """CPU time of the runs, one after the other."""
        return sum(run.seconds * self.factor(run.kind) for run in runs)


class TimeLeft:
    """The remaining time of a sweep, from the speed of the runs that are done."""

    def __init__(self, works: Iterable[Work], jobs: int) -> None:
        self.jobs, self.speed = max(1, jobs), Speed()
        self.left_of: dict[Kind, float] = {}
        """Expected seconds of what is not done, by kind."""
        for one in works:
            self.left_of[one.kind] = self.left_of.get(one.kind, 0.0) + one.seconds
        self.total_s: float = sum(self.left_of.values())
        self.done_s = 0.0
        """Expected seconds of what was done."""
        self.under_way: dict[str, tuple[float, Work]] = {}
        """The start of each run."""

    def start(self, run: str, work: Work) -> None:
        """A run begins."""
        self.under_way[run] = (time.monotonic(), work)

    def end(self, run: str, work: Work, wall_s: float | None) -> None:
        """A run took this long; None if it needed no work."""
        self.under_way.pop(run, None)
        self.left_of[work.kind] = max(0.0, self.left_of[work.kind] - work.seconds)
        if wall_s is None:
            self.total_s -= work.seconds
        else:
            self.done_s += work.seconds
            self.speed.measured(work, wall_s)

    @property
    def share(self) -> float:
        """The share of the work that is done, from 0 to 1."""
        return min(1.0, self.done_s / self.total_s) if self.total_s > 0 else 1.0

    @property
    def left_s(self) -> float | None:
        """The remaining seconds; None while unknown."""
        if self.done_s <= 0:
            return None
        now_s = time.monotonic()
        open_s = [(now_s - began_s, self.speed.seconds([work])) for began_s, work in [*self.under_way.values()]]
        work_s = sum(left_s * self.speed.factor(kind) for kind, left_s in self.left_of.items())
        work_s -= sum(min(gone_s, whole_s) for gone_s, whole_s in open_s)
        longest_s = max((whole_s - gone_s for gone_s, whole_s in open_s), default=0.0)
        return max(work_s / self.jobs, longest_s, 0.0) + END_S


def measure(runs: Iterable[tuple[Scenario, Work]], jobs: int) -> Speed:
    """Measures the speed of these runs on this machine with `jobs` at a time: one of each kind is run in part.

    Takes a few seconds itself, for short work none.
    """
    speed, runs = Speed(), list(runs)
    if speed.seconds(one for _, one in runs) / jobs <= WORTH_IT_FROM_S:
        return speed
    totals: dict[Kind, float] = {}
    examples: dict[Kind, Scenario] = {}
    for scenario, one in runs:
        totals[one.kind] = totals.get(one.kind, 0.0) + one.seconds
        examples.setdefault(one.kind, scenario)
    chosen = sorted(totals, key=totals.__getitem__, reverse=True)[:PROBES]
    cut = [_cut(examples[kind], size) for kind in chosen for size in (START_PACKETS, PROBE_PACKETS)]
    order = random.Random(1).sample(range(len(cut)), len(cut))  # what slows a shared machine comes and goes
    done = dict(zip(order, run_all([cut[at] for at in order], jobs=jobs, keep=[DELIVERED]), strict=True))
    spent = [computed.usage for computed in done.values() if computed.result is not None]
    for start, whole in zip(range(0, len(cut), 2), range(1, len(cut), 2), strict=True):
        _note(speed, (cut[start], done[start]), (cut[whole], done[whole]))
    if wall_s := sum(usage["wall_s"] for usage in spent):
        speed.processor_share = min(1.0, sum(usage["cpu_s"] for usage in spent) / wall_s)
    return speed


def _note(speed: Speed, start: tuple[Scenario, Computed], whole: tuple[Scenario, Computed]) -> None:
    """The cost of a run after its start: the difference between a longer and a shorter one."""
    (short, of_short), (long, of_long) = start, whole
    if of_short.result is None or of_long.result is None:
        return
    packets_more = float(of_long.result[DELIVERED]) - float(of_short.result[DELIVERED])
    wall_more_s = of_long.usage["wall_s"] - of_short.usage["wall_s"]
    size = work(long)
    if packets_more > 0 and wall_more_s > 0:
        samples = size.samples - work(short).samples
        speed.measured(Work(size.kind, packets_more, samples, size.flows), wall_more_s + RUN_S)
    else:  # the run is no longer than its start, or the machine was disturbed
        delivered = float(of_long.result[DELIVERED])
        speed.measured(Work(size.kind, delivered, size.samples, size.flows), of_long.usage["wall_s"] + RUN_S)


def _cut(scenario: Scenario, most_packets: int) -> Scenario:
    """The beginning of a run, with all flows in it."""
    size = packets(scenario)
    duration_ns = max(10**8, int(scenario["duration_ns"] * min(1.0, most_packets / max(size, 1.0))))
    cut = scenario.copy()
    cut["duration_ns"] = duration_ns
    cut["flows"] = [{**flow, "start_ns": 0, "stop_ns": duration_ns} for flow in scenario["flows"]]
    cut["links"] = [
        {**link, "changes": [one for one in link.get("changes", ()) if one["at_ns"] <= duration_ns]}
        for link in scenario.get("links", ())
    ]
    if "warm_up_ns" in scenario:
        cut["warm_up_ns"] = 0
    return cut
