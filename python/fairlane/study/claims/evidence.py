"""Access to measurements for claims."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

from fairlane.engine.messages import unknown
from fairlane.results.metrics import find
from fairlane.scenario.plan import Axis, AxisValue
from fairlane.study.claims.measurement import Measurement, NotMeasured

Chosen = Mapping[str, "AxisValue"]
"""The selected value of each axis, by column."""


class Source(Protocol):
    """The source of the values of one experiment."""

    @property
    def axes(self) -> Sequence[Axis]:
        """The axes of the experiment, in the order of the file."""

    def points(self, columns: Sequence[str], chosen: Chosen) -> set[tuple[AxisValue, ...]]:
        """The values of these axes, by column, at the points that match `chosen`."""

    def measurement(self, label: str, metric: str, chosen: Chosen, flow: str | None) -> Measurement:
        """A metric at one point: of the run, or the mean over the flows of this name. Raises NotMeasured."""


class Evidence:
    """The values of a study, by experiment."""

    def __init__(self, opened: Callable[[str], Source | None]) -> None:
        self._opened = opened
        self._cache: dict[str, Runs] = {}

    def __getitem__(self, experiment: str) -> "Runs":
        """All runs of an experiment. Raises NotMeasured if there are none."""
        if experiment not in self._cache:
            source = self._opened(experiment)
            if source is None:
                raise NotMeasured(f"the experiment {experiment} has not been run; --only {experiment} runs it")
            self._cache[experiment] = Runs(experiment, source)
        return self._cache[experiment]

    def of_repeat(self, number: int) -> "Evidence":
        """The values of one repeat, from 0, as if nothing else had been measured."""

        def opened(experiment: str) -> Source | None:
            source = self._opened(experiment)
            return None if source is None else _OfRepeat(source, number)

        return Evidence(opened)


class _OfRepeat:
    """One repeat of a source, whose values count as exact."""

    def __init__(self, source: Source, number: int) -> None:
        self._source, self._number = source, number
        self.axes, self.points = source.axes, source.points

    def measurement(self, label: str, metric: str, chosen: Chosen, flow: str | None) -> Measurement:
        measured = self._source.measurement(label, metric, chosen, flow)
        if measured.exact:
            return measured
        [values] = measured.samples.values()
        if self._number >= len(values):
            raise NotMeasured(f"{label}: there is no repeat {self._number}")
        return Measurement.published(measured.name, values[self._number])


class Runs:
    """Some runs of an experiment, selected by axes; indexing by a metric gives a measurement."""

    def __init__(self, experiment: str, source: Source) -> None:
        self.experiment = experiment
        self.chosen: Chosen = {}
        self.flow: str | None = None
        self.pooled: frozenset[str] = frozenset()
        """Columns of axes whose values are taken together."""
        self._source = source

    def where(self, **axes: Any) -> "Runs":
        """Only these values of axes, as written in the experiment file or as numbers of the axis' column."""
        chosen = dict(self.chosen)
        for name, value in axes.items():
            axis = self._axis(name)
            values = dict(zip(axis.labels, axis.values, strict=True))
            if value not in values and value not in axis.values:
                raise NotMeasured(f"{self.experiment}: {unknown(f'value of {name}', str(value), values)}")
            chosen[axis.column] = values.get(value, value)
        return self._selected(chosen, self.flow)

    def of(self, flow: str) -> "Runs":
        """Restricts metrics of flows to means over the flows of this name."""
        return self._selected(self.chosen, flow)

    def by(self, axis: str, *, exclude: tuple[str, ...] = ()) -> "dict[str, Runs]":
        """The runs at each value of an axis, by its label; without those named in `exclude`."""
        found = self._axis(axis)
        if found.column in self.chosen:
            raise ValueError(f"{self.experiment}: the axis {axis} is chosen already")
        return {label: self.where(**{axis: label}) for label in found.labels if label not in exclude}

    def over(self, axis: str) -> "Runs":
        """The runs at all values of an axis together; a metric is then the mean over these values.

        As a table of the paper that has no column for the axis.
        """
        runs = self._selected(self.chosen, self.flow)
        runs.pooled = self.pooled | {self._axis(axis).column}
        return runs

    def points(self, *axes: str) -> set[tuple[AxisValue, ...]]:
        """The combinations of values of these axes among the runs."""
        return self._source.points([self._axis(name).column for name in axes], self.chosen)

    def __getitem__(self, metric: str) -> Measurement:
        """A metric with its repeats as the sample. Raises NotMeasured, or ValueError if an axis is not selected."""
        left = self._open()
        if left:
            raise ValueError(f"{self.experiment}: choose a value of {', '.join(left)} with where() or by()")
        measured = self._mean(metric)
        known = find(metric)
        return replace(measured, title=f"{known.label}, {self._label}", unit=known.unit)

    def _mean(self, metric: str) -> Measurement:
        pooled = sorted(self.pooled - self.chosen.keys())
        measured = self._source.measurement(self._label, metric, self.chosen, self.flow)
        if not pooled or measured.exact:
            return measured
        first, *rest = (
            self._selected({**self.chosen, **dict(zip(pooled, values, strict=True))}, self.flow)[metric]
            for values in sorted(self._source.points(pooled, self.chosen))
        )
        return sum(rest, first) * (1 / (1 + len(rest)))

    def _selected(self, chosen: Chosen, flow: str | None) -> "Runs":
        runs = Runs(self.experiment, self._source)
        runs.chosen, runs.flow, runs.pooled = chosen, flow, self.pooled
        return runs

    def _open(self) -> list[str]:
        """Axes with several values among these runs; those that advance together with a chosen one have one."""
        axes = [axis for axis in self._source.axes if axis.column not in self.chosen and axis.column not in self.pooled]
        points = self._source.points([axis.column for axis in axes], self.chosen)
        return [
            axis.name for axis, values in zip(axes, zip(*points, strict=True), strict=False) if len(set(values)) > 1
        ]

    def _axis(self, name: str) -> Axis:
        for axis in self._source.axes:
            if name in (axis.name, axis.column):
                return axis
        raise ValueError(f"{self.experiment}: {unknown('axis', name, [axis.name for axis in self._source.axes])}")

    @cached_property
    def _label(self) -> str:
        # In the order of the file: the same runs have the same name, however they were chosen.
        chosen = [(axis, self.chosen[axis.column]) for axis in self._source.axes if axis.column in self.chosen]
        words = [axis.label(value) for axis, value in chosen]
        return " ".join([self.experiment, *words, *([self.flow] if self.flow else [])])
