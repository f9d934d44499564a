"""`--where` of commands that run experiments: only some points of a sweep."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fairlane.cli.errors import bad_value
from fairlane.cli.results import axis_and_values
from fairlane.engine.messages import unknown

if TYPE_CHECKING:
    from fairlane.scenario.load import PlannedPoint
    from fairlane.study.rerun import Job


def narrowed(jobs: "Sequence[Job]", texts: Sequence[str]) -> "list[Job]":
    """The jobs with those of their points that have these values; an axis that one does not have excludes nothing.

    Raises a usage error for an axis or a value that none of them has, and if no point is left.
    """
    wanted = dict(_column_and_values(jobs, text) for text in texts)
    made = [_with(job, wanted) for job in jobs]
    if texts and not any(job.chosen(point) for job in made for point in job.experiment.points):
        raise bad_value("--where", "no point has all of these values")
    return made


def _column_and_values(jobs: "Sequence[Job]", text: str) -> tuple[str, set[Any]]:
    name, values = axis_and_values(text)
    axes = [axis for job in jobs for axis in job.experiment.axes]
    named = [axis for axis in axes if name in (axis.name, axis.column)]
    if not named:
        raise bad_value("--where", unknown("axis", name, [axis.name for axis in axes]))
    labels = {label: value for axis in named for label, value in zip(axis.labels, axis.values, strict=True)}
    for value in values:
        if value not in labels:
            raise bad_value("--where", unknown(f"value of {name}", value, labels))
    return named[0].column, {labels[value] for value in values}


def _with(job: "Job", wanted: Mapping[str, set[Any]]) -> "Job":
    def is_chosen(point: "PlannedPoint") -> bool:
        fits = all(point.axes[column] in values for column, values in wanted.items() if column in point.axes)
        return fits and job.chosen(point)

    return replace(job, chosen=is_chosen)
