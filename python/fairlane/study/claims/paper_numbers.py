"""The values of an experiment as the paper printed them.

A predicate evaluated on these says whether the paper's own numbers support the claim. If they do not, a
simulation that disagrees with the claim may still agree with the paper.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import nan
from statistics import fmean

from fairlane.results.metrics import find
from fairlane.scenario.load import Sweep, load_sweep
from fairlane.scenario.plan import Axis, AxisValue
from fairlane.study.claims.evidence import Chosen
from fairlane.study.claims.measurement import Measurement
from fairlane.study.paper.comparison import key, published
from fairlane.study.paper.definition import Key, PublishedNumbers, PublishedValue, Study

Point = Mapping[str, "AxisValue"]


class PaperNumbers:
    """The published numbers of one experiment of a study; NaN where the paper prints none."""

    def __init__(self, study: Study, experiment: str) -> None:
        self._study, self._name = study, experiment
        self._points: dict[tuple[object, ...], set[tuple[AxisValue, ...]]] = {}

    @cached_property
    def _sweep(self) -> Sweep:
        return load_sweep(self._study.folder / f"{self._name}.toml")

    @cached_property
    def _tables(self) -> "list[_Table]":
        labels = self._study.file.experiments[self._name].labels
        alone = {axis.column for axis in self.axes if len(self.points([axis.column], {})) == 1}
        return [
            _Table(self._study, one, self.axes, alone, labels)
            for one in [*self._study.file.items, *self._study.file.further_numbers]
            if self._name in one.experiments and one.published
        ]

    @property
    def axes(self) -> Sequence[Axis]:
        """The axes of the experiment."""
        return self._sweep.axes

    def points(self, columns: Sequence[str], chosen: Chosen) -> set[tuple[AxisValue, ...]]:
        """The values of these axes at the points that match `chosen`."""
        at = (*columns, None, *sorted(chosen.items()))
        if at not in self._points:
            matching = [
                point for point in self._sweep.points if all(point[column] == value for column, value in chosen.items())
            ]
            self._points[at] = {tuple(axes[column] for column in columns) for axes in matching if columns}
        return self._points[at]

    def measurement(self, label: str, metric: str, chosen: Chosen, flow: str | None) -> Measurement:
        """A metric as published; NaN if it is not."""
        found = self._absolute(metric, chosen, flow)
        if found is None:
            found = self._relative(metric, chosen, flow)
        return Measurement.published(f"{label}, {metric}", nan if found is None else found)

    def _absolute(self, metric: str, chosen: Chosen, flow: str | None) -> float | None:
        for value, found in self._printed(metric, chosen, flow):
            if not value.relative_to:
                return found
        return None

    def _relative(self, metric: str, chosen: Chosen, flow: str | None) -> float | None:
        """From a number that is relative to another configuration, if the paper gives that one's too."""
        columns = {axis.column for axis in self.axes}
        for value, found in self._printed(metric, chosen, flow):
            if isinstance(value.relative_to, dict):
                reference = {name: one for name, one in value.relative_to.items() if name in columns}
                base = self._absolute(metric, {**chosen, **reference}, flow)
                if base is not None:
                    return base * (1 + found / 100 if value.excess else found)
        return None

    def _printed(self, metric: str, chosen: Chosen, flow: str | None) -> Iterator[tuple[PublishedValue, float]]:
        """The numbers of a metric at a point, each with its column."""
        for table in self._tables:
            for column, value in enumerate(table.numbers.values):
                found = list(table.at(column, chosen, flow)) if value.metric == metric and value.published else []
                if found:
                    yield value, fmean(found)


class _Table:
    """One table of the paper, its rows by the experiment's own values of the axes."""

    def __init__(
        self,
        study: Study,
        numbers: PublishedNumbers,
        axes: Sequence[Axis],
        alone: set[str],
        labels: Mapping[str, str],
    ) -> None:
        self.numbers, self._alone = numbers, alone
        # The paper may print an axis as the experiment file writes it, or as a number.
        self._values: dict[str, dict[Key, AxisValue]] = {
            axis.column: {key(one): value for value, label in zip(axis.values, axis.labels, strict=True)
                          for one in (label, value)}
            for axis in axes
        }  # fmt: skip
        self._rows = list(self._read(study, labels))
        self._indices: dict[tuple[str, ...], dict[tuple[AxisValue, ...], list[_Row]]] = {}

    def at(self, column: int, chosen: Chosen, flow: str | None) -> Iterator[float]:
        """The numbers of a column at a point, in our unit: one, or one per flow for a mean over the flows of a run."""
        value = self.numbers.values[column]
        if not self._is_about(value, flow) or not self._covers(chosen):
            return
        wanted = {name: one for name, one in chosen.items() if name in self.numbers.by}
        if flow is not None and "name" in self.numbers.by:
            wanted["name"] = key(flow)
        for place, numbers in self._index(tuple(wanted)).get(tuple(wanted.values()), []):
            paper, known = numbers[column], {**chosen, **place}
            divisor = 1.0 if value.divided_by is None else known.get(value.divided_by)
            if paper is not None and divisor is not None:
                yield paper / value.scale * float(divisor)

    def _read(self, study: Study, labels: Mapping[str, str]) -> "Iterator[_Row]":
        for printed, numbers in published(study, self.numbers).items():
            row = dict(zip(self.numbers.by, printed, strict=True))
            if all(row[name] == key(text) for name, text in labels.items() if name in row):
                yield {name: self._values.get(name, {}).get(one, one) for name, one in row.items()}, numbers

    def _index(self, columns: tuple[str, ...]) -> "dict[tuple[AxisValue, ...], list[_Row]]":
        if columns not in self._indices:
            index = defaultdict(list)
            for place, numbers in self._rows:
                index[tuple(place[column] for column in columns)].append((place, numbers))
            self._indices[columns] = index
        return self._indices[columns]

    def _is_about(self, value: PublishedValue, flow: str | None) -> bool:
        """Whether the column is about this flow, or about the run."""
        if self.numbers.per == "run":
            return value.of == flow
        if value.of or "name" not in self.numbers.by:
            return value.of == "run" and flow is None
        # The mean of the flows, which for metrics of several flows together is not the value of the run.
        return flow is not None or find(value.metric).of == "flow"

    def _covers(self, chosen: Chosen) -> bool:
        """Whether its rows are about the chosen point, and not a mean over an axis of which one value is chosen."""
        averaged = [name for name in chosen if name not in self.numbers.by and name not in self._alone]
        for alternative in self.numbers.where or [{}]:
            pinned = all(name in alternative for name in averaged)
            wanted = all(
                chosen[name] in [self._values[name].get(key(one)) for one in values]
                for name, values in alternative.items()
                if name in chosen
            )
            if pinned and wanted:
                return True
        return False


_Row = tuple[Point, list[float | None]]
