"""Results as people work with them: tables as frames, series on demand."""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from fairlane.store import view
from fairlane.store.columns import SAMPLES, yielding
from fairlane.store.layout import Layout, StoreError
from fairlane.store.plan import Axis, Plan, load_all
from fairlane.store.store import Store
from fairlane.wording import unknown

if TYPE_CHECKING:
    import polars as pl

    from fairlane.present.picture import Picture
    from fairlane.store.pandas_frames import PandasFrames


class Results:
    """What experiments have found, from a folder that `fairlane run` or `fairlane.run` filled.

    Tables are polars frames (`results.pandas` has the same as pandas frames) and have the axes of the sweep as
    columns: `runs` one row per run, `flows` one per flow, `links` one per link. Read once; a new `fairlane.open`
    sees what was added since.
    """

    def __init__(self, path: Path, experiment: str | None = None) -> None:
        layout = Layout(path)
        if not layout.is_store():
            raise StoreError(
                f"no results in '{path}'; run an experiment into it first: fairlane run FILE --results DIR"
            )
        self.path: Path | None = path
        """The folder; None for results that are only in memory."""
        self._store = Store.at(path)
        self._plans = load_all(layout)
        if experiment is not None:
            known = [plan.experiment for plan in self._plans]
            if experiment not in known:
                raise StoreError(f"{path}: {unknown('experiment', experiment, known)}")
            self._plans = [plan for plan in self._plans if plan.experiment == experiment]
        self._all = experiment is None

    @classmethod
    def in_memory(cls, plan: Plan, records: Sequence[tuple[dict[str, Any], bytes]]) -> "Results":
        """Results that no folder holds."""
        made = cls.__new__(cls)
        made.path, made._all = None, False
        made._store = Store(Layout(Path(os.devnull) / "none"), memory=tuple(records))
        made._plans = [plan]
        return made

    @property
    def experiments(self) -> list[str]:
        """The experiments in here."""
        return [plan.experiment for plan in self._plans]

    @property
    def plans(self) -> list[Plan]:
        """What each experiment consists of, its settings included."""
        return self._plans

    @property
    def axes(self) -> tuple[Axis, ...]:
        """What was swept, in the order of the experiment file."""
        found: dict[str, Axis] = {}
        for plan in self._plans:
            for axis in plan.axes:
                known = found.get(axis.column)
                if known is None:
                    found[axis.column] = axis
                else:  # two experiments that sweep the same thing: the values of both
                    both = dict(zip((*known.values, *axis.values), (*known.labels, *axis.labels), strict=True))
                    found[axis.column] = Axis(axis.name, axis.column, axis.unit, tuple(both), tuple(both.values()))
        return tuple(found.values())

    @cached_property
    def runs(self) -> "pl.DataFrame":
        """One row per run: axes, seed, figures of the whole run, and how it came about."""
        return self._table("runs")

    @cached_property
    def flows(self) -> "pl.DataFrame":
        """One row per flow: axes, what it was (`flow`, `group`, `name`, `algorithm`), and its figures."""
        return self._table("flows")

    @cached_property
    def links(self) -> "pl.DataFrame":
        """One row per link of each run."""
        return self._table("links")

    @cached_property
    def cross_traffic(self) -> "pl.DataFrame":
        """One row per source of cross traffic of each run."""
        return self._table("cross_traffic")

    def series(self, kind: str = "flow", columns: list[str] | None = None, **filters: Any) -> "pl.DataFrame":
        """Samples over time in long form: axes, which flow or link, `t_s`, and the sampled columns.

        `kind` is "flow" or "link". `columns` picks sampled columns (all by default). Filters keep rows by any
        column of `flows` (or `links`): `series("flow", ["mbps"], rate="10mbit", algorithm=["cubic", "bbr"])`;
        an axis goes by its name with the experiment file's words, or by its column with a number.

        A sampled column keeps its name. Where an axis has the same one it is called `swept_...` here: with an axis
        `rtt`, `rtt_ms` are the sampled RTTs and `swept_rtt_ms` what the experiment file asked for.
        """
        import polars as pl

        table = self.flows if kind == "flow" else self.links if kind == "link" else None
        if table is None:
            raise StoreError(f"{unknown('kind of series', kind, ['flow', 'link'])}")
        chosen = self._filtered(table, filters)
        own = ["flow", "group", "name", "algorithm"] if kind == "flow" else ["name"]
        head = ["experiment", "run", *(axis.column for axis in self.axes), "seed", "repeat", *own]
        head = list(dict.fromkeys(column for column in head if column in chosen.columns))
        wanted = None if columns is None else ["run", kind, "t_s", *columns]
        rows = view.stored(self._store, f"{kind}_series", wanted, set(chosen["run"]))
        if columns is not None and rows.height:
            known = [column for column in rows.columns if column not in ("run", kind)]
            for column in columns:
                if column not in known:
                    every = view.stored(self._store, f"{kind}_series", None, set(chosen["run"][:1])).columns
                    raise StoreError(unknown("column", column, [name for name in every if name not in ("run", kind)]))
        if kind == "link":
            rows = rows.rename({"link": "name"}, strict=False)
        shared = ["run", "flow" if kind == "flow" else "name"]
        if not set(shared) <= set(rows.columns):
            return pl.DataFrame()
        named = [pl.col(name).alias(yielding(name, SAMPLES)) for name in head]
        return chosen.select(named).join(rows, on=shared, how="inner", maintain_order="left_right")

    def table(self, metrics: list[str], per: str = "flow", **filters: Any) -> "pl.DataFrame":
        """Metrics by name, a row for each flow, group of flows, link or run; see docs/reference/metrics.md."""
        from fairlane.metrics.table import table

        return table(self, metrics, per, filters)

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
        width: str = "column",
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
        width: str = "column",
        title: str | None = None,
        **filters: Any,
    ) -> "Picture": ...

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
        width: str = "column",
        title: str | None = None,
        **filters: Any,
    ) -> "Path | Picture":
        """Draws a picture as `fairlane plot` does; `kind` is one of `fairlane.plots.kinds.KINDS`.

        Returns the path. Without one it returns a picture, which a notebook shows and whose `save` writes it.
        `metric` is drawn upwards, in delay-throughput `against_metric` another to the right. `x`, `lines` and `panels`
        name axes of the sweep, `width` is "column" or "page"; filters are those of `series`.
        """
        from fairlane.metrics import find
        from fairlane.plots.kinds import KINDS, draw
        from fairlane.plots.options import COLUMN_INCHES, PAGE_INCHES, Options, PlotError
        from fairlane.present.picture import Picture

        widths = {"column": COLUMN_INCHES, "page": PAGE_INCHES}
        if width not in widths:
            raise PlotError(unknown("width", width, widths))
        if kind not in KINDS:
            raise PlotError(unknown("kind of plot", kind, KINDS))
        options = Options(
            metric=find(metric) if metric else None,
            against=find(against_metric) if against_metric else None,
            x=self.axis(x) if x else None,
            lines=self.axis(lines).column if lines and lines not in ("algorithm", "name", "group", "flow") else lines,
            panels=self.axis(panels) if panels else None,
            filters=filters,
            width_inches=widths[width],
            title=title,
        )
        if path is None:
            return Picture(lambda file: draw(kind, file, self, options), KINDS[kind])
        draw(kind, Path(path), self, options)
        return Path(path)

    def export(
        self, form: str, out: str | Path, *, where: Mapping[str, Any] | None = None, **options: Any
    ) -> list[Path]:
        """Writes the results as `fairlane export` does, and returns the files.

        `form` is one of `fairlane.export.formats.FORMATS`, `out` a folder or one file, `where` the filters of
        `series`. Options are `tables` (csv, parquet), `interval_s` (iperf3), `at` and `payload_bytes` (pcapng).
        """
        from fairlane.export.formats import export

        return export(self, form, Path(out), dict(where or {}), **options)

    @property
    def pandas(self) -> "PandasFrames":
        """The same tables as pandas frames: `results.pandas.flows`, `results.pandas.series("flow", ["mbps"])`."""
        from fairlane.store.pandas_frames import PandasFrames

        return PandasFrames(self)

    def axis(self, name: str) -> Axis:
        """The axis of that name or column."""
        for axis in self.axes:
            if name in (axis.name, axis.column):
                return axis
        raise StoreError(unknown("axis", name, [axis.name for axis in self.axes]))

    def stored(self, table: str, runs: set[str], columns: list[str] | None = None) -> "pl.DataFrame":
        """A table of these runs as it is stored, without axes: "flow_series", "link_series", "flow_distribution"."""
        return view.stored(self._store, table, columns, runs)

    def select(self, table: str, filters: dict[str, Any]) -> "pl.DataFrame":
        """The rows of "runs", "flows" or "links" that pass the filters of `series`."""
        return self._filtered(getattr(self, table), filters)

    @property
    def head(self) -> list[str]:
        """The columns that say which run a row is of: experiment, key, axes, seed, repeat."""
        return list(dict.fromkeys(["experiment", "run", *(axis.column for axis in self.axes), "seed", "repeat"]))

    def _table(self, name: str) -> "pl.DataFrame":
        if self._all:
            return view.load(self._store, self._plans, name)
        return view.build(self._store, self._plans, name)

    def _filtered(self, table: "pl.DataFrame", filters: dict[str, Any]) -> "pl.DataFrame":
        import polars as pl

        axes = {axis.name: axis for axis in self.axes}
        for name, value in filters.items():
            values = list(value) if isinstance(value, (list, tuple, set, pl.Series)) else [value]
            if name not in table.columns and name in axes:
                axis = axes[name]
                labels = dict(zip(axis.labels, axis.values, strict=True))
                for one in values:
                    if one not in labels and one not in axis.values:
                        raise StoreError(unknown(f"value of {name}", str(one), labels))
                name, values = axis.column, [labels.get(one, one) for one in values]
            if name not in table.columns:
                raise StoreError(unknown("column", name, [*axes, *table.columns]))
            table = table.filter(pl.col(name).is_in(pl.Series(values).cast(table.schema[name], strict=False).implode()))
        return table

    def __repr__(self) -> str:
        axes = ", ".join(f"{axis.name} ({len(axis.values)})" for axis in self.axes) or "none"
        planned = sum(len(plan.runs) for plan in self._plans)
        return f"Results of {', '.join(self.experiments)}: {self.runs.height} of {planned} runs, axes: {axes}"

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence, and the figures that are asked for most."""
        from html import escape

        import polars as pl

        axes = [axis.column for axis in self.axes if len(axis.values) > 1]
        wanted = list(dict.fromkeys([*axes, "repeat", "flow", "name", "algorithm", *_SHOWN]))
        table = self.flows.select([column for column in wanted if column in self.flows.columns])
        idle = {name for name in ("repeat", "name") if name in table.columns and table[name].n_unique() == 1}
        if "name" in table.columns and (table["name"] == table["algorithm"]).all():
            idle.add("name")
        with pl.Config(tbl_rows=10, tbl_cols=20, float_precision=2, tbl_hide_column_data_types=True):
            return f"<p>{escape(repr(self))}</p>{table.drop(list(idle - set(axes)))._repr_html_()}"


_SHOWN = ("goodput_mbps", "mean_rtt_ms", "mean_cwnd_packets", "retransmits", "timeouts")
"""Figures of flows that a notebook shows."""


def open(path: str | Path, experiment: str | None = None) -> Results:
    """Opens a folder of results. `experiment`: only this one, where the folder holds several."""
    return Results(Path(path), experiment)
