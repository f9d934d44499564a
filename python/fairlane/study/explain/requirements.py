"""Requirements of a claim: experiments, points, metrics and flows, found without running anything."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlane.scenario.load import PlannedPoint
from fairlane.study.claims import Claim, Evidence, Measurement, NotMeasured
from fairlane.study.claims.evidence import Chosen, Source
from fairlane.study.claims.paper_numbers import PaperNumbers
from fairlane.study.paper.comparison import key
from fairlane.study.paper.definition import Study, Training

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


def points_of(needs: Sequence[Need]) -> Callable[[PlannedPoint], bool]:
    """Selects the points of an experiment that one of these needs includes."""
    return lambda point: any(need.includes(point.axes) for need in needs)


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
                claim.predicate(self.evidence)
        return self.needs[before:]

    def _open(self, name: str) -> Source | None:
        return _Recording(PaperNumbers(self._study, name), name, self) if name in self._study.file.experiments else None


class _Recording:
    def __init__(self, numbers: PaperNumbers, name: str, requirements: Requirements) -> None:
        self._numbers, self._name, self._requirements = numbers, name, requirements

    @property
    def axes(self) -> "Sequence[Axis]":
        return self._numbers.axes

    def points(self, columns: Sequence[str], chosen: Chosen) -> "set[tuple[AxisValue, ...]]":
        return self._numbers.points(columns, chosen)

    def measurement(self, label: str, metric: str, chosen: Chosen, flow: str | None) -> Measurement:
        self._requirements.needs.append(Need(self._name, metric, flow, dict(chosen), self.axes))
        return self._numbers.measurement(label, metric, chosen, flow)
