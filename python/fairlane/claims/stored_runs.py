"""The values of an experiment from its stored runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from fairlane.claims.evidence import Chosen, Evidence
from fairlane.claims.measurement import Measurement, NotMeasured
from fairlane.metrics import MetricError
from fairlane.metrics.table import table
from fairlane.wording import unknown

if TYPE_CHECKING:
    import polars as pl

    from fairlane.experiment.plan import Axis, AxisValue
    from fairlane.results.tables import ResultTables

Asked = tuple[str, str]
"""A metric, and what has rows in its table."""


class StoredRuns:
    """The stored runs of an experiment; the repeats are the sample."""

    def __init__(self, results: "ResultTables", expected: "Iterable[Asked]" = ()) -> None:
        """`expected` is what will be asked for: reading all runs for each metric again would take most of the time."""
        self._results, self._expected = results, frozenset(expected)
        self._frames: dict[tuple[str, str], pl.DataFrame] = {}
        """Metrics of all runs, by metric and what has rows."""
        self._points: dict[tuple[object, ...], set[tuple[AxisValue, ...]]] = {}
        self._selected: dict[tuple[object, ...], pl.DataFrame] = {}
        """The rows of a point, by the frame that they are from, the flow and the values of axes."""

    @property
    def axes(self) -> "Sequence[Axis]":
        """The axes of the experiment."""
        return self._results.axes

    def points(self, columns: Sequence[str], chosen: Chosen) -> "set[tuple[AxisValue, ...]]":
        """The values of these axes at the points that match `chosen`."""
        asked = (*columns, None, *sorted(chosen.items()))
        if asked not in self._points:
            found = _matching(self._results.runs, chosen).select(columns).iter_rows() if columns else ()
            self._points[asked] = set(found)
        return self._points[asked]

    def measurement(self, label: str, metric: str, chosen: Chosen, flow: str | None) -> Measurement:
        """A metric of the matching runs. Raises NotMeasured."""
        import polars as pl

        frame = self._frame(metric, rows_for(flow))
        asked = (id(frame), flow, *sorted(chosen.items()))
        if asked not in self._selected:
            found = _matching(frame, chosen)
            if flow is not None and found.height:
                names = found["name"].unique().to_list()
                found = found.filter(pl.col("name") == flow)
                if not found.height:
                    raise NotMeasured(f"{label}: {unknown('flow', flow, map(str, names))}")
            self._selected[asked] = found.sort("repeat")
        values = self._selected[asked][metric].drop_nulls().drop_nans().to_list()
        if not values:
            raise NotMeasured(f"{label}: nothing was measured of {metric}")
        return Measurement.of(f"{label}, {metric}", list(map(float, values)))

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
    """What has rows in a table of a metric of the run, or of the flows of one name."""
    return "run" if flow is None else "group"


def stored_evidence(
    opened: "Callable[[str], ResultTables | None]", expected: "Mapping[str, Iterable[Asked]] | None" = None
) -> Evidence:
    """The evidence of the stored runs of each experiment that has any; `expected` is what will be asked of each."""

    def source(experiment: str) -> StoredRuns | None:
        results = opened(experiment)
        if results is None or not results.runs.height:
            return None
        return StoredRuns(results, (expected or {}).get(experiment, ()))

    return Evidence(source)


def _matching(frame: "pl.DataFrame", chosen: Chosen) -> "pl.DataFrame":
    import polars as pl

    return frame.filter(*(pl.col(column) == value for column, value in chosen.items()))
