"""The values of an experiment from its stored runs."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fairlane.claims.evidence import Chosen, Evidence
from fairlane.claims.measurement import Measurement, NotMeasured
from fairlane.metrics.table import table
from fairlane.wording import unknown

if TYPE_CHECKING:
    import polars as pl

    from fairlane.experiment.plan import Axis, AxisValue
    from fairlane.results.tables import ResultTables


class StoredRuns:
    """The stored runs of an experiment; the repeats are the sample."""

    def __init__(self, results: "ResultTables") -> None:
        self._results = results
        self._frames: dict[tuple[str, str], pl.DataFrame] = {}
        """Metrics of all runs, by metric and what has rows."""

    @property
    def axes(self) -> "Sequence[Axis]":
        """The axes of the experiment."""
        return self._results.axes

    def points(self, columns: Sequence[str], chosen: Chosen) -> "set[tuple[AxisValue, ...]]":
        """The values of these axes at the points that match `chosen`."""
        return set(_matching(self._results.runs, chosen).select(columns).iter_rows()) if columns else set()

    def measurement(self, label: str, metric: str, chosen: Chosen, flow: str | None) -> Measurement:
        """A metric of the matching runs. Raises NotMeasured."""
        import polars as pl

        frame = _matching(self._frame(metric, "run" if flow is None else "group"), chosen)
        if flow is not None and frame.height:
            names = frame["name"].unique().to_list()
            frame = frame.filter(pl.col("name") == flow)
            if not frame.height:
                raise NotMeasured(f"{label}: {unknown('flow', flow, map(str, names))}")
        values = frame.sort("repeat")[metric].drop_nulls().drop_nans().to_list()
        if not values:
            raise NotMeasured(f"{label}: nothing was measured of {metric}")
        return Measurement.of(f"{label}, {metric}", list(map(float, values)))

    def _frame(self, metric: str, per: str) -> "pl.DataFrame":
        if (metric, per) not in self._frames:
            self._frames[metric, per] = table(self._results, [metric], per)
        return self._frames[metric, per]


def stored_evidence(opened: "Callable[[str], ResultTables | None]") -> Evidence:
    """The evidence of the stored runs of each experiment that has any."""

    def source(experiment: str) -> StoredRuns | None:
        results = opened(experiment)
        return StoredRuns(results) if results is not None and results.runs.height else None

    return Evidence(source)


def _matching(frame: "pl.DataFrame", chosen: Chosen) -> "pl.DataFrame":
    import polars as pl

    return frame.filter(*(pl.col(column) == value for column, value in chosen.items()))
