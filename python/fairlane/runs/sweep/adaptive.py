"""Repeats until intervals are as narrow as requested: many repeats for high variance, few for low variance."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.metrics.metric import Metric
from fairlane.results.statistics import interval_of_mean, repeats_needed
from fairlane.results.tables import ResultTables
from fairlane.runs.backends import SIMULATOR
from fairlane.runs.executors import Executor
from fairlane.runs.sweep.dispatch import Watcher
from fairlane.runs.sweep.runner import Done, Preparation, run
from fairlane.scenario.load import LoadedExperiment

FIRST = 5
"""Repeats before the first look: an interval of fewer is too wide to tell anything."""
GROWTH = 2
"""The maximum factor on the number of repeats in one step, because the width of few values is uncertain."""


@dataclass(frozen=True)
class Precision:
    """The required width of intervals."""

    share: float
    """Half the width of the 95 % interval, as a share of the mean."""
    metrics: tuple[Metric, ...]
    """Of flows; means over each group of like flows are judged."""
    most: int
    """Repeats of one point after which it is given up."""


@dataclass(frozen=True)
class Outcome:
    """The outcome."""

    rounds: tuple[Done, ...]
    wide: tuple[str, ...]
    """Points whose intervals are too wide after all, with a word on each."""
    repeats: tuple[int, int]
    """Fewest and most repeats of a point."""


def run_until(
    experiment: LoadedExperiment,
    folder: Path,
    precision: Precision,
    *,
    jobs: int,
    source: str,
    watcher: Callable[[Preparation], Watcher] | None = None,
    executor: Executor | None = None,
    on: str = SIMULATOR,
) -> Outcome:
    """Runs the experiment, and then more repeats of the points that need them. Raises what `sweep.run.run` raises."""
    from fairlane.results.tables import ResultTables

    counts = [max(FIRST, point.repeats) for point in experiment.points]
    rounds: list[Done] = []
    while True:
        points = tuple(replace(point, count=count) for point, count in zip(experiment.points, counts, strict=True))
        asked = replace(experiment, points=points)
        options: dict[str, Any] = {"jobs": jobs, "source": source, "watcher": watcher, "executor": executor, "on": on}
        rounds.append(run(asked, folder, anew=not rounds, **options))
        if rounds[-1].failures:
            return Outcome(tuple(rounds), (), (min(counts), max(counts)))
        found = _widest(asked, ResultTables(folder, experiment.name), precision)
        wanted = [_next(count, needed, precision) for count, (needed, _) in zip(counts, found, strict=True)]
        if wanted == counts:
            wide = [f"{point.label}: {text}" for point, (_, text) in zip(points, found, strict=True) if text]
            return Outcome(tuple(rounds), tuple(wide), (min(counts), max(counts)))
        counts = wanted


def _next(count: int, needed: int | None, precision: Precision) -> int:
    """Repeats of the next round, from those there are and those that seem needed (None: a great many)."""
    return max(count, min(needed if needed is not None else precision.most, GROWTH * count, precision.most))


def _widest(
    experiment: LoadedExperiment, results: ResultTables, precision: Precision
) -> Sequence[tuple[int | None, str]]:
    """For each point how many repeats its widest interval needs, and if it is too wide what to say of it."""
    from fairlane.results.metrics.frame import table

    frame = table(results, list(precision.metrics), "group")
    columns = [axis.column for axis in experiment.axes]
    places: dict[tuple[object, ...], pl.DataFrame] = dict(frame.group_by(columns)) if columns else {(): frame}
    found = []
    for point in experiment.points:
        worst: tuple[int | None, str] = (0, "")
        rows = places.get(tuple(point.axes[column] for column in columns))
        for _, group in rows.group_by("group") if rows is not None else ():
            for metric in precision.metrics:
                values = group[metric.name].drop_nulls().drop_nans().to_list()
                if not values:
                    continue
                interval = interval_of_mean(values)
                allowed = precision.share * abs(interval.estimate)
                if interval.half_width <= allowed:
                    continue
                needed = repeats_needed(interval, allowed)
                if needed is None or (worst[0] is not None and needed > worst[0]):
                    width = 100 * interval.half_width / abs(interval.estimate) if interval.estimate else math.inf
                    name = group["name"][0] if "name" in group.columns else group["algorithm"][0]
                    worst = needed, f"{metric.label} of {name} ±{width:.1f} % after {interval.n} repeats"
        found.append(worst)
    return found
