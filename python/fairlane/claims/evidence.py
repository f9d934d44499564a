"""Access to measurements for claims."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fairlane.claims.measurement import Measurement
from fairlane.metrics.table import table
from fairlane.wording import unknown

if TYPE_CHECKING:
    import polars as pl

    from fairlane.experiment.plan import Axis
    from fairlane.results.tables import ResultTables


class NotMeasured(LookupError):
    """The runs that a claim needs are not among the results."""


class Evidence:
    """The results of a study, by experiment."""

    def __init__(self, opened: Callable[[str], "ResultTables | None"]) -> None:
        self._opened = opened
        self._cache: dict[str, Runs] = {}

    def __getitem__(self, experiment: str) -> "Runs":
        """All runs of an experiment. Raises NotMeasured if there are none."""
        if experiment not in self._cache:
            results = self._opened(experiment)
            if results is None or not results.runs.height:
                raise NotMeasured(f"the experiment {experiment} has not been run; --only {experiment} runs it")
            self._cache[experiment] = Runs(experiment, results)
        return self._cache[experiment]


class Runs:
    """Some runs of an experiment, selected by axes; indexing by a metric gives a measurement."""

    def __init__(self, experiment: str, results: "ResultTables") -> None:
        self.experiment, self.results = experiment, results
        self.chosen: Mapping[str, tuple[Axis, Any]] = {}
        self.flow: str | None = None
        self._frames: dict[tuple[str, str], pl.DataFrame] = {}
        """Metrics of all runs, shared with every selection from these."""

    def where(self, **axes: Any) -> "Runs":
        """Only these values of axes, as written in the experiment file or as numbers of the axis' column."""
        chosen = dict(self.chosen)
        for name, value in axes.items():
            axis = self._axis(name)
            values = dict(zip(axis.labels, axis.values, strict=True))
            if value not in values and value not in axis.values:
                raise NotMeasured(f"{self.experiment}: {unknown(f'value of {name}', str(value), values)}")
            chosen[axis.column] = (axis, values.get(value, value))
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

    def __getitem__(self, metric: str) -> Measurement:
        """A metric with its repeats as the sample. Raises NotMeasured, or ValueError if an axis is not selected."""
        left = self._open()
        if left:
            raise ValueError(f"{self.experiment}: choose a value of {', '.join(left)} with where() or by()")
        return Measurement.of(f"{self._label}, {metric}", self._values(metric))

    def _selected(self, chosen: Mapping[str, "tuple[Axis, Any]"], flow: str | None) -> "Runs":
        runs = Runs(self.experiment, self.results)
        runs.chosen, runs.flow, runs._frames = chosen, flow, self._frames
        return runs

    def _open(self) -> list[str]:
        """Axes with several values among these runs; those that advance together with a chosen one have one."""
        import polars as pl

        frame = self.results.runs.filter(*(pl.col(column) == value for column, (_, value) in self.chosen.items()))
        axes = [axis for axis in self.results.axes if axis.column not in self.chosen]
        return [axis.name for axis in axes if frame[axis.column].n_unique() > 1]

    def _values(self, metric: str) -> list[float]:
        import polars as pl

        frame = self._frame(metric)
        for column, (_, value) in self.chosen.items():
            frame = frame.filter(pl.col(column) == value)
        if self.flow is not None and frame.height:
            names = frame["name"].unique().to_list()
            frame = frame.filter(pl.col("name") == self.flow)
            if not frame.height:
                raise NotMeasured(f"{self.experiment}: {unknown('flow', self.flow, map(str, names))}")
        values = frame.sort("repeat")[metric].drop_nulls().drop_nans().to_list()
        if not values:
            raise NotMeasured(f"{self._label}: nothing was measured of {metric}")
        return list(map(float, values))

    def _frame(self, metric: str) -> "pl.DataFrame":
        key = (metric, "run" if self.flow is None else "group")
        if key not in self._frames:
            self._frames[key] = table(self.results, [metric], key[1])
        return self._frames[key]

    def _axis(self, name: str) -> "Axis":
        for axis in self.results.axes:
            if name in (axis.name, axis.column):
                return axis
        raise ValueError(f"{self.experiment}: {unknown('axis', name, [axis.name for axis in self.results.axes])}")

    @cached_property
    def _label(self) -> str:
        # In the order of the file: the same runs have the same name, however they were chosen.
        chosen = [self.chosen[axis.column] for axis in self.results.axes if axis.column in self.chosen]
        words = [axis.labels[axis.values.index(value)] for axis, value in chosen]
        return " ".join([self.experiment, *words, *([self.flow] if self.flow else [])])
