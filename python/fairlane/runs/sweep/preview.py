"""The work of an experiment file that is not run yet: missing runs, time and disk space."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlane.results.store.store import Store
from fairlane.runs.sweep.runner import check, plan, prepare
from fairlane.runs.sweep.time_estimate import measure
from fairlane.scenario.load import LoadedExperiment, PlannedPoint


@dataclass(frozen=True)
class PreviewedPoint:
    """A point of the sweep and its runs."""

    point: PlannedPoint
    seeds: Sequence[int]
    """One for each repeat."""
    stored: int
    """Repeats whose results are stored."""


@dataclass(frozen=True)
class Preview:
    """An experiment, and the cost of its missing runs."""

    points: Sequence[PreviewedPoint]
    runs: int
    missing: int
    """Runs to compute; equal ones count once."""
    expected_s: float
    """Real time of the missing runs."""
    disk_bytes: float


def preview(experiment: LoadedExperiment, folder: Path, jobs: int, source: str) -> Preview:
    """Looks up stored runs in `folder`, and measures the speed of this machine with `jobs` runs at a time.

    Raises ExperimentError, with `source` as the name of the file, if a missing run cannot be simulated.
    """
    planned = plan(experiment)
    missing = prepare(experiment, planned, Store.at(folder).keys)
    check(experiment, missing, source)
    absent, runs, points = {task.run for task in missing.tasks}, iter(planned.runs), []
    for point in experiment.points:
        own = [next(runs) for _ in range(point.repeats)]
        points.append(PreviewedPoint(point, [one.seed for one in own], sum(one.run not in absent for one in own)))
    expected_s, used = 0.0, min(jobs, len(missing.tasks))
    if used:
        speed = measure(missing.sized.values(), used)
        expected_s = speed.seconds(task.work for task in missing.tasks) / used
    return Preview(points, len(planned.runs), len(missing.tasks), expected_s, missing.disk_bytes)
