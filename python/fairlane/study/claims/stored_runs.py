"""The values of an experiment from its stored runs."""

import copy
import math
from collections.abc import Iterable, Sequence
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.engine.messages import unknown
from fairlane.results.metrics import MetricError
from fairlane.results.metrics.frame import table
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import Axis, AxisValue
from fairlane.study.claims.evidence import Chosen
from fairlane.study.claims.measurement import Measurement, NotMeasured

MetricRows = tuple[str, str]
"""A metric, and the kind of rows in its table."""


class StoredRuns:
    """The stored runs of an experiment; the repeats are the sample."""

    def __init__(self, results: ResultTables, expected: Iterable[MetricRows] = ()) -> None:
        """`expected` are the metrics that claims use: reading all runs again for each would take most of the time."""
        self._results, self._expected = results, frozenset(expected)
        self._frames: dict[tuple[str, str], pl.DataFrame] = {}
        """Metrics of all runs, by metric and kind of rows."""
        self._points: dict[tuple[object, ...], set[tuple[AxisValue, ...]]] = {}
        self._indexed: dict[int, _Indexed] = {}
        """Each frame by its identity."""
        self._fixed: Chosen = {}

    def only(self, fixed: Chosen) -> "StoredRuns":
        """The runs with these values of axes, as if those axes did not exist."""
        made = copy.copy(self)
        made._fixed = fixed
        return made

    @property
    def axes(self) -> Sequence[Axis]:
        """The axes of the experiment."""
        return [axis for axis in self._results.axes if axis.column not in self._fixed]

    def points(self, columns: Sequence[str], chosen: Chosen) -> set[tuple[AxisValue, ...]]:
        """The values of these axes at the points that match `chosen`."""
        chosen = {**chosen, **self._fixed}
        key = (*columns, None, *sorted(chosen.items()))
        if key not in self._points:
            indexed = self._index(self._results.runs)
            values = [indexed.column(column) for column in columns]
            self._points[key] = {tuple(one[row] for one in values) for row in indexed.rows(chosen)} if values else set()
        return self._points[key]

    def measurement(self, label: str, metric: str, chosen: Chosen, flow: str | None) -> Measurement:
        """A metric of the matching runs. Raises NotMeasured."""
        indexed = self._index(self._frame(metric, rows_for(flow)))
        rows = indexed.rows({**chosen, **self._fixed})
        if flow is not None and rows:
            names = indexed.column("name")
            found = [row for row in rows if names[row] == flow]
            if not found:
                known = dict.fromkeys(str(names[row]) for row in rows)
                raise NotMeasured(f"{label}: {unknown('flow', flow, known)}")
            rows = found
        column, repeats = indexed.column(metric), indexed.column("repeat")
        values = [column[row] for row in sorted(rows, key=repeats.__getitem__)]
        present = [float(value) for value in values if value is not None and not math.isnan(value)]
        if not present:
            raise NotMeasured(f"{label}: nothing was measured of {metric}")
        return Measurement.of(f"{label}, {metric}", present)

    def _index(self, frame: "pl.DataFrame") -> "_Indexed":
        if id(frame) not in self._indexed:
            self._indexed[id(frame)] = _Indexed(frame)
        return self._indexed[id(frame)]

    def _frame(self, metric: str, per: str) -> "pl.DataFrame":
        if (metric, per) not in self._frames:
            rest = {name for name, of in self._expected if of == per and (name, per) not in self._frames}
            try:
                frame = table(self._results, sorted(rest | {metric}), per)
            except MetricError:  # of another claim, perhaps
                rest, frame = set(), table(self._results, [metric], per)
            self._frames |= {(name, per): frame for name in rest | {metric}}
        return self._frames[metric, per]


def rows_for(flow: str | None) -> str:
    """The rows of a table of a metric: runs, or groups of flows of one name."""
    return "run" if flow is None else "group"


class _Indexed:
    """A frame whose rows are found by values of its columns: claims choose some of them thousands of times."""

    def __init__(self, frame: "pl.DataFrame") -> None:
        self._frame = frame
        self._columns: dict[str, list[Any]] = {}
        self._rows: dict[tuple[str, ...], dict[tuple[Any, ...], list[int]]] = {}
        """By columns, and by their values."""

    def column(self, name: str) -> list[Any]:
        """The values of a column."""
        if name not in self._columns:
            self._columns[name] = self._frame[name].to_list()
        return self._columns[name]

    def rows(self, chosen: Chosen) -> list[int]:
        """The numbers of the rows with these values."""
        columns = tuple(sorted(chosen))
        if columns not in self._rows:
            found = self._rows[columns] = {}
            every = zip(*map(self.column, columns), strict=True) if columns else [()] * self._frame.height
            for row, values in enumerate(every):
                found.setdefault(values, []).append(row)
        return self._rows[columns].get(tuple(chosen[column] for column in columns), [])
