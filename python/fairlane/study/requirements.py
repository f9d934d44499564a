"""Requirements of a claim: experiments, points, metrics and flows, found without running anything."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fairlane.scenario.load import LoadedExperiment
from fairlane.study.claims import Claim, Evidence, Measurement, NotMeasured
from fairlane.study.claims.called import judged
from fairlane.study.claims.evidence import Chosen, Source
from fairlane.study.claims.paper_numbers import PaperNumbers
from fairlane.study.paper.comparison import key
from fairlane.study.paper.definition import Study, Training
from fairlane.study.rerun import Job

if TYPE_CHECKING:
    from fairlane.scenario.plan import Axis, AxisValue


@dataclass(frozen=True)
class Need:
    """A metric at some points of an experiment."""

    experiment: str
    metric: str
    flow: str | None
    chosen: Chosen
    axes: "Sequence[Axis]"

    def includes(self, point: "dict[str, AxisValue]") -> bool:
        """Whether a point, by column, is one of them."""
        return all(point[column] == value for column, value in self.chosen.items())

    def is_trained_by(self, training: Training) -> bool:
        """Whether something was fitted to these numbers."""
        return training.covers(self.experiment, self.metric, self._has)

    def _has(self, column: str, values: Sequence[str | float | int]) -> bool:
        """Whether the point, or one of the points, has one of these values, as the file or the results write it."""
        if column == "name":
            return self.flow is None or self.flow in values
        if column not in self.chosen:
            return True
        wanted = {key(one) for one in values}
        [axis] = [axis for axis in self.axes if axis.column == column]
        number = list(axis.values).index(self.chosen[column])
        return key(self.chosen[column]) in wanted or key(axis.labels[number]) in wanted


def jobs_for_needs(
    study: Study,
    needs: Sequence[Need],
    changed: Callable[[str, Path, str], LoadedExperiment | None],
    *,
    quick: bool,
) -> list[Job]:
    """The points of changed experiments that these needs include.

    `changed` gets an experiment's name, its file and its name in the store, and returns it with the change and a name
    in the store of its own; None if nothing of it changes.
    """
    jobs = []
    for name in dict.fromkeys(need.experiment for need in needs):
        path, stored = study.source(name, quick=quick)
        experiment = changed(name, path, stored)
        if experiment is not None:
            mine = [need for need in needs if need.experiment == name]
            chosen = partial(lambda mine, point: any(need.includes(point.axes) for need in mine), mine)
            jobs.append(Job(name, experiment, study.name, path, chosen))
    return jobs


class Requirements:
    """The paper's own numbers as evidence that records all requests."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self.needs: list[Need] = []
        self.evidence = Evidence(self._open)

    def of(self, claim: Claim) -> list[Need]:
        """The needs of this claim; none if it has no predicate."""
        before = len(self.needs)
        if claim.predicate is not None:
            with suppress(NotMeasured):  # its requests up to then are known
                judged(claim.predicate, self.evidence)
        return self.needs[before:]

    def _open(self, name: str) -> Source | None:
        return _Noted(self._study, name, self.needs) if name in self._study.file.experiments else None


class _Noted(PaperNumbers):
    def __init__(self, study: Study, name: str, needs: list[Need]) -> None:
        super().__init__(study, name)
        self._needs = needs

    def measurement(self, label: str, metric: str, chosen: Chosen, flow: str | None) -> Measurement:
        self._needs.append(Need(self._name, metric, flow, dict(chosen), self.axes))
        return super().measurement(label, metric, chosen, flow)
