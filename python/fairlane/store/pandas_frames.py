"""Results as pandas frames, for those who have pandas; Fairlane itself does not need it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from fairlane.store.results import Results


class PandasFrames:
    """The tables of `Results` under the same names, as pandas frames."""

    def __init__(self, results: "Results") -> None:
        self._results = results

    @property
    def runs(self) -> "pd.DataFrame":
        """One row per run."""
        return to_pandas(self._results.runs)

    @property
    def flows(self) -> "pd.DataFrame":
        """One row per flow."""
        return to_pandas(self._results.flows)

    @property
    def links(self) -> "pd.DataFrame":
        """One row per link of each run."""
        return to_pandas(self._results.links)

    def series(self, kind: str = "flow", columns: list[str] | None = None, **filters: Any) -> "pd.DataFrame":
        """Samples over time in long form, as `Results.series`."""
        return to_pandas(self._results.series(kind, columns, **filters))

    def table(self, metrics: list[str], per: str = "flow", **filters: Any) -> "pd.DataFrame":
        """Metrics by name, as `Results.table`."""
        return to_pandas(self._results.table(metrics, per, **filters))


def to_pandas(frame: "pl.DataFrame") -> "pd.DataFrame":
    """A polars frame as a pandas frame. Numbers that are missing are nan.

    polars has a conversion of its own, which needs pyarrow; this one needs pandas only.
    """
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("pandas is not installed; pip install pandas, or use the polars frames") from None
    return pd.DataFrame({column.name: _values(column) for column in frame.iter_columns()})


def _values(column: "pl.Series") -> Any:
    import polars as pl

    if column.dtype.is_numeric() and column.null_count():
        return column.cast(pl.Float64).to_numpy()
    return column.to_numpy() if column.dtype.is_numeric() or column.dtype == pl.Boolean else column.to_list()
