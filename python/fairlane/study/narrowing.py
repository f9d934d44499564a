"""Jobs of a study with only some of their points."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.results.filters import FilterError, axis_and_values
from fairlane.scenario.load import PlannedPoint
from fairlane.study.rerun import Job


def narrowed(jobs: Sequence[Job], texts: Sequence[str]) -> list[Job]:
    """The jobs with those of their points that have these values; an axis that one does not have excludes nothing.

    Raises FilterError for an axis or a value that none of them has, and if no point is left.
    """
    wanted: dict[str, set[Any]] = {}
    every = [axis for job in jobs for axis in job.experiment.axes]
    for text in texts:
        name, values = axis_and_values(text)
        named = [axis for axis in every if name in (axis.name, axis.column)]
        if not named:
            raise FilterError(unknown("axis", name, [axis.name for axis in every]))
        labels = {label: value for axis in named for label, value in zip(axis.labels, axis.values, strict=True)}
        for value in values:
            if value not in labels:
                raise FilterError(unknown(f"value of {name}", value, labels))
        wanted[named[0].column] = {labels[value] for value in values}
    made = [_with(job, wanted) for job in jobs]
    if texts and not any(job.chosen(point) for job in made for point in job.experiment.points):
        raise FilterError("no point has all of these values")
    return made


def _with(job: Job, wanted: Mapping[str, set[Any]]) -> Job:
    def is_chosen(point: PlannedPoint) -> bool:
        fits = all(point.axes[column] in values for column, values in wanted.items() if column in point.axes)
        return fits and job.chosen(point)

    return replace(job, chosen=is_chosen)
