"""How long a sweep still takes, learned from the runs that are done.

A run's time is a sum: its start, its packets, its samples. Estimates say how much of each; what each costs on this
machine, with these algorithms, the finished runs tell: the least squares of

    time of a run = a * start + b * packets + c * samples

drawn towards one common factor while there are few runs. Tables are made of many runs at once, mostly at the end, so
that their time is counted apart.
"""

import time
from collections.abc import Sequence

from fairlane.sweep.estimate import Cost

PRIOR_RUNS = 5
"""The common factor counts as so many runs."""
END_S = 0.3
"""The tables for people, at the very end."""


class TimeLeft:
    """Gathers what runs cost, and says how long the rest takes."""

    def __init__(self, costs: Sequence[Cost], jobs: int) -> None:
        self.jobs = max(1, jobs)
        self.left: list[float] = [sum(cost[part] for cost in costs) for part in range(3)]
        """Of the estimates: what is not done, by part."""
        self.total_s: float = sum(self.left)
        self.store_left_s: float = sum(cost.store_s for cost in costs)
        self.spent_s = self.done_s = 0.0
        """Of finished runs: in truth, and by estimate."""
        self.under_way: dict[str, tuple[float, Cost]] = {}
        """When each run began."""
        self._squares = [[0.0] * 3 for _ in range(3)]
        self._products = [0.0] * 3
        self._count = 0

    def start(self, run: str, cost: Cost) -> None:
        """A run begins."""
        self.under_way[run] = (time.monotonic(), cost)

    def end(self, run: str, cost: Cost, wall_s: float, store_s: float) -> None:
        """A run took so long, and tables that were made after it took `store_s`."""
        self.drop(run, cost, is_stored=True)
        self.spent_s, self.done_s, self._count = self.spent_s + wall_s, self.done_s + cost.run_s, self._count + 1
        self.store_left_s = max(0.0, self.store_left_s - store_s / self._factor)
        # Weighed by the estimate: a long run's time is off by more than a short one's.
        for row in range(3):
            self._products[row] += cost[row] * wall_s / cost.run_s
            for column in range(3):
                self._squares[row][column] += cost[row] * cost[column] / cost.run_s

    def drop(self, run: str, cost: Cost, *, is_stored: bool = False) -> None:
        """A run turns out to need no work."""
        self.under_way.pop(run, None)
        self.left = [max(0.0, left - part) for left, part in zip(self.left, cost[:3], strict=True)]
        if not is_stored:
            self.total_s -= cost.run_s
            self.store_left_s = max(0.0, self.store_left_s - cost.store_s)

    @property
    def share(self) -> float:
        """How much of the work is done, from 0 to 1."""
        return min(1.0, self.done_s / self.total_s) if self.total_s > 0 else 1.0

    @property
    def left_s(self) -> float | None:
        """Seconds from now on; None while nobody can tell."""
        if self.done_s <= 0:
            return None
        now_s, factors = time.monotonic(), self._factors()
        gone_s = sum(
            min(now_s - began_s, _weighed(cost[:3], factors)) for began_s, cost in list(self.under_way.values())
        )
        work_s = max(0.0, _weighed(self.left, factors) - gone_s) + self.store_left_s * self._factor
        longest_s = max(
            (_weighed(cost[:3], factors) - (now_s - began_s) for began_s, cost in list(self.under_way.values())),
            default=0.0,
        )
        return max(work_s / self.jobs, longest_s) + END_S

    @property
    def _factor(self) -> float:
        return self.spent_s / self.done_s if self.done_s > 0 else 1.0

    def _factors(self) -> list[float]:
        """What one estimated second of each part takes."""
        common, weight = self._factor, PRIOR_RUNS / self._count
        rows = [
            [*line, product] for line, product in zip((list(one) for one in self._squares), self._products, strict=True)
        ]
        for place, row in enumerate(rows):
            strength = weight * self._squares[place][place] + 1e-12
            row[place] += strength
            row[3] += strength * common
        return [max(0.0, factor) for factor in _solve(rows)]


def _weighed(parts: Sequence[float], factors: Sequence[float]) -> float:
    return sum(part * factor for part, factor in zip(parts, factors, strict=True))


def _solve(rows: list[list[float]]) -> list[float]:
    """Gauss and Jordan, for a matrix whose diagonal dominates enough; the right side stands last.

    >>> _solve([[2.0, 0.0, 0.0, 4.0], [0.0, 1.0, 1.0, 5.0], [0.0, 0.0, 4.0, 8.0]])
    [2.0, 3.0, 2.0]
    """
    for place, pivot in enumerate(rows):
        scale = pivot[place]
        pivot[:] = [value / scale for value in pivot]
        for other in rows:
            if other is not pivot:
                factor = other[place]
                other[:] = [value - factor * own for value, own in zip(other, pivot, strict=True)]
    return [row[-1] for row in rows]
