"""`fairlane.Results`: the tables of results, with metrics, plots and exports as methods."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from fairlane.engine.libraries import pl
from fairlane.engine.messages import unknown
from fairlane.results.metrics.metric import MetricError
from fairlane.results.tables import ResultTables
from fairlane.show.plots.figure import Picture
from fairlane.show.text.results_preview import preview, preview_html

if TYPE_CHECKING:
    import pandas as pd


class Results(ResultTables):
    """The results of experiments, from a folder that `fairlane run` or `fairlane.run` filled.

    Tables are polars frames (`results.pandas` has the same as pandas frames) and have the axes of the sweep as
    columns: `runs` one row per run, `flows` one per flow, `links` one per link. Read once; a new `fairlane.open`
    sees what was added since.
    """

    _harm: "pl.DataFrame | None" = None

    def __init__(self, path: str | Path, experiment: str | None = None) -> None:
        super().__init__(Path(path), experiment)
        for damage in self.damage:
            _warn(damage)
        self._store.on_damage = lambda damage: _warn(str(damage))

    def __repr__(self) -> str:
        return preview(self)

    def _repr_html_(self) -> str:
        return preview_html(self)

    @property
    def harm(self) -> "pl.DataFrame":
        """A row for each flow, metric and repeat: values beside the others, beside its own kind, alone, and the harm.

        Of `fairlane.duel(..., baseline=True)`; harm is that of Ware et al. 2019. Raises MetricError without.
        """
        if self._harm is None:
            raise MetricError("harm needs baselines: fairlane.duel(..., baseline=True)")
        return self._harm

    def table(self, metrics: str | list[str], per: str = "flow", **filters: Any) -> "pl.DataFrame":
        """Metrics by name, a row for each flow, group of flows, link or run; see docs/reference/metrics.md."""
        from fairlane.results.metrics.frame import table
        from fairlane.results.tables import identity_last

        return identity_last(table(self, metrics, per, filters))

    def means(
        self, metrics: str | list[str], per: str = "group", *, by: list[str] | None = None, **filters: Any
    ) -> "pl.DataFrame":
        """Means of metrics over the repeats, with 95 % confidence intervals, as `fairlane table` prints them.

        A row for each point of the sweep and each group of flows, flow, link or run; `by` names other columns that
        rows are kept apart by. For each metric NAME, NAME_ci95_low and NAME_ci95_high (null with fewer than three
        repeats); `n` counts the rows behind a mean, and `repeats` their repeats.
        """
        from fairlane.results.metrics.catalogue import OWN
        from fairlane.results.metrics.frame import table
        from fairlane.results.metrics.summary import summarise

        metrics = [metrics] if isinstance(metrics, str) else metrics
        frame = table(self, metrics, per, filters)
        axes = [axis.column for axis in self.axes]
        columns = [self.axis(name).column if name not in frame.columns else name for name in by] if by else None
        kept = columns if columns is not None else list(dict.fromkeys([*axes, *OWN[per]]))
        return summarise(frame, kept, metrics)

    def matrix(self, metric: str = "share_pct", **filters: Any) -> "pl.DataFrame":
        """A metric of a flow for pairs of algorithms: of that in the column `algorithm` while it meets the others.

        A row for each algorithm, and a column for each rival; null for pairs that did not meet. Means over repeats, and
        over other axes of the sweep. Raises MetricError if the runs do not have two groups of flows.
        """
        from fairlane.results.pairs import pair_matrices

        [found] = pair_matrices(self, [metric], filters)
        columns = {rival: [found.mean(row, rival) for row in found.rows] for rival in found.columns}
        return pl.DataFrame({"algorithm": list(found.rows), **columns})

    @overload
    def plot(
        self,
        kind: str,
        path: str | Path,
        *,
        metric: str | None = None,
        against_metric: str | None = None,
        x: str | None = None,
        lines: str | None = None,
        panels: str | None = None,
        width: str | None = None,
        style: str = "screen",
        title: str | None = None,
        **filters: Any,
    ) -> Path: ...

    @overload
    def plot(
        self,
        kind: str,
        path: None = None,
        *,
        metric: str | None = None,
        against_metric: str | None = None,
        x: str | None = None,
        lines: str | None = None,
        panels: str | None = None,
        width: str | None = None,
        style: str = "screen",
        title: str | None = None,
        **filters: Any,
    ) -> Picture: ...

    def plot(
        self,
        kind: str,
        path: str | Path | None = None,
        *,
        metric: str | None = None,
        against_metric: str | None = None,
        x: str | None = None,
        lines: str | None = None,
        panels: str | None = None,
        width: str | None = None,
        style: str = "screen",
        title: str | None = None,
        **filters: Any,
    ) -> Path | Picture:
        """Draws a plot as `fairlane plot` does; `kind` is one of `fairlane.show.plots.kinds.KINDS`.

        Returns the path. Without a path, it returns a `Picture`, which a notebook displays and `save` writes to a file.
        `metric` is drawn upwards, in delay-throughput `against_metric` another to the right. `x`, `lines` and `panels`
        name axes of the sweep, `width` is "column" or "page" (default: column; a matrix is as wide as it needs),
        `style` "screen" or "paper"; filters are those of `series`.
        """
        from fairlane.results.metrics import find
        from fairlane.show.plots.figure import STYLES, Picture, styled
        from fairlane.show.plots.kinds import KINDS, draw
        from fairlane.show.plots.options import WIDTHS, Options, PlotError

        if width is not None and width not in WIDTHS:
            raise PlotError(unknown("width", width, WIDTHS))
        if kind not in KINDS:
            raise PlotError(unknown("kind of plot", kind, KINDS))
        if style not in STYLES:
            raise PlotError(unknown("style", style, STYLES))
        options = Options(
            metric=find(metric) if metric else None,
            against=find(against_metric) if against_metric else None,
            x=self.axis(x) if x else None,
            lines=self.axis(lines).column if lines and lines not in ("algorithm", "name", "group", "flow") else lines,
            panels=self.axis(panels) if panels else None,
            filters=filters,
            width_inches=WIDTHS[width or "column"],
            may_be_wider=width is None,
            title=title,
        )

        def draw_to(file: Path) -> None:
            with styled(style):
                draw(kind, file, self, options)

        if path is None:
            return Picture(draw_to, KINDS[kind])
        draw_to(Path(path))
        return Path(path)

    def export(
        self, form: str, out: str | Path, *, where: Mapping[str, Any] | None = None, **options: Any
    ) -> list[Path]:
        """Writes the results as `fairlane export` does, and returns the files.

        `form` is one of `fairlane.show.export.formats.FORMATS`, `out` a folder or one file, `where` the filters of
        `series`. What is left out, and why, is said in a warning. Options are `tables` (csv, parquet), `interval_s`
        (iperf3), `at` (pcapng, qlog) and `payload_bytes` (pcapng).
        """
        from fairlane.show.export.formats import export

        def tell(line: str) -> None:
            warnings.warn(line, RuntimeWarning, stacklevel=3)

        return export(self, form, Path(out), dict(where or {}), tell, **options)

    @property
    def pandas(self) -> "PandasFrames":
        """The same tables as pandas frames: `results.pandas.flows`, `results.pandas.series("flow", ["mbps"])`."""

        return PandasFrames(self)


def open(path: str | Path, experiment: str | None = None) -> Results:
    """Opens a folder of results. `experiment`: only this one, where the folder holds several."""
    return Results(Path(path), experiment)


def _warn(damage: str) -> None:
    warnings.warn(f"damaged results: {damage}; repair them with `fairlane verify`", stacklevel=2)


class PandasFrames:
    """The tables of `Results` under the same names, as pandas frames."""

    def __init__(self, results: Results) -> None:
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

    def table(self, metrics: str | list[str], per: str = "flow", **filters: Any) -> "pd.DataFrame":
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
    if column.dtype.is_numeric() and column.null_count():
        return column.cast(pl.Float64).to_numpy()
    return column.to_numpy() if column.dtype.is_numeric() or column.dtype == pl.Boolean else column.to_list()
