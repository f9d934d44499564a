"""Some of the cells again on a stock kernel: the same network and seed, another TCP."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairlane.runs.backends import Backend, backend
from fairlane.runs.sweep.run_size import packets
from fairlane.search.breaks.evaluate import threads
from fairlane.search.evidence.evidence import Evidence, Judged, flows_of
from fairlane.search.evidence.measures import Measures, Run, Value, value_name

CELLS = 12
MOST_PACKETS = 200_000
"""Larger runs take minutes each in virtual time."""
AGREES = 0.1
"""The share of the value by which both may differ, unless the simulator's own interval is wider."""


@dataclass(frozen=True)
class Cell:
    """A network on a kernel."""

    section: str
    title: str
    network: str
    unit: str
    simulated: float
    measured: float | None
    tolerance: float
    failure: str = ""

    @property
    def agrees(self) -> bool:
        """Whether both values are the same within the tolerance."""
        return self.measured is not None and abs(self.measured - self.simulated) <= self.tolerance

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "section": self.section,
            "value": self.title,
            "network": self.network,
            "simulated": self.simulated,
            "kernel": self.measured,
            "agrees": self.agrees,
            "failure": self.failure,
        }


def confirm(
    evidence: Evidence, simulator: Measures, place: str, jobs: int, step: Callable[[], None] = lambda: None
) -> list[Cell]:
    """A dozen cells of different criteria on a kernel, each with the first seed."""
    runner = backend(place)
    chosen = _chosen(evidence, runner)
    folder = simulator.path.parent
    with threads(jobs, place) as compute, Measures(folder / "kernel.jsonl", place) as kernel:
        runs = []
        for one in chosen:
            flows = flows_of(one.test, one.point)
            wanted = {value_name(one.test.objective, flows): (one.test.objective, flows)}
            runs.append(Run(kernel.key(one.point, 0), one.point.point.repeat(0), wanted))
        kernel.compute(runs, compute, step, together=jobs)
        return [_cell(one, run, simulator, kernel) for one, run in zip(chosen, runs, strict=True)]


def _chosen(evidence: Evidence, runner: Backend) -> list[Judged]:
    """One network of each criterion, then the second of each, as far as the kernel can run them."""
    by_criterion: dict[str, list[Judged]] = {}
    for one in evidence.judged:
        if one.group.value.n and packets(one.point.point.repeat(0)) <= MOST_PACKETS:
            by_criterion.setdefault(one.section, []).append(one)
    found: list[Judged] = []
    while len(found) < CELLS and any(by_criterion.values()):
        for waiting in by_criterion.values():
            while waiting and len(found) < CELLS:
                one = waiting.pop(0)
                if not runner.problems(one.point.point.repeat(0)):
                    found.append(one)
                    break
    return found


def _cell(one: Judged, run: Run, simulator: Measures, kernel: Measures) -> Cell:
    (name,) = run.wanted
    ours = simulator.get(simulator.key(one.point, 0), name) or Value(None)
    theirs = kernel.get(run.key, name) or Value(None, "was not run")
    simulated = ours.number or 0.0
    tolerance = max(AGREES * abs(simulated), one.group.value.half_width if one.group.value.is_known else 0.0)
    tolerance = max(tolerance, one.test.slack)
    where = one.group.label if one.group.networks == 1 else one.point.label
    return Cell(one.section, one.test.title, where, one.test.unit, simulated, theirs.number, tolerance, theirs.failure)
