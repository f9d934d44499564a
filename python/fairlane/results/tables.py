"""Results as data frames, with time series on demand."""

import json
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from fairlane.engine.declarations import sample_columns, yielding
from fairlane.engine.forks import check_threads
from fairlane.engine.libraries import pl
from fairlane.engine.messages import unknown
from fairlane.results import view
from fairlane.results.lazy_table import FlowsOnDemand
from fairlane.results.store.layout import Layout, StoreError
from fairlane.results.store.plans import load_all
from fairlane.results.store.scenario_form import scenario as stored_scenario
from fairlane.results.store.store import Store
from fairlane.scenario.plan import Axis, Plan

_IDENTITY = ("experiment", "run")
"""Long words that every row of a run repeats; they are behind what one looks for."""


def identity_last(table: "pl.DataFrame") -> "pl.DataFrame":
    """The table with the columns that only say which run a row is of at its end."""
    identity = [column for column in _IDENTITY if column in table.columns]
    return table.select([column for column in table.columns if column not in identity] + identity)


class ResultTables:
    """The measurements of the experiments in a store, as tables with the axes of the sweep as columns."""

    def __init__(self, path: Path, experiment: str | None = None, *, light: bool = False) -> None:
        """Opens a store, or one experiment of it. Raises StoreError.

        `light`: without the scenarios in `runs`, 80 kB of text for 500 flows, and `flow_columns` are read on demand.
        """
        check_threads()
        layout = Layout(path)
        if not layout.is_store():
            raise StoreError(
                f"no results in '{path}'; run an experiment into it first: fairlane run FILE --results DIR"
            )
        self.path: Path | None = path
        """The folder; None for results that are only in memory."""
        self._store = Store.at(path)
        self._plans = load_all(layout, self._store.note)
        if not self._plans:
            cause = self._damage_line() if self._store.damage else f"no experiment is planned in '{path}'"
            raise StoreError(f"{cause}; run the experiment again: it computes only what is missing")
        if experiment is not None:
            known = [plan.experiment for plan in self._plans]
            if experiment not in known:
                raise StoreError(f"{path}: {unknown('experiment', experiment, known)}")
            self._plans = [plan for plan in self._plans if plan.experiment == experiment]
        self._all = experiment is None
        self._light, self._without = light, ("scenario",) if light else ()

    @classmethod
    def in_memory(cls, plan: Plan, records: Sequence[tuple[Mapping[str, object], bytes]]) -> Self:
        """Results that no folder holds."""
        check_threads()
        made = cls.__new__(cls)
        made.path, made._all, made._light, made._without = None, False, False, ()
        made._store = Store(Layout(Path(os.devnull) / "none"), memory=tuple(records))
        made._plans = [plan]
        return made

    @property
    def experiments(self) -> list[str]:
        """The experiments in here."""
        return [plan.experiment for plan in self._plans]

    @property
    def plans(self) -> list[Plan]:
        """The plan of each experiment, its settings included."""
        return self._plans

    @property
    def is_empty(self) -> bool:
        """Whether no run of these experiments is finished."""
        return all(run.run not in self._store.keys for plan in self._plans for run in plan.runs)

    @property
    def damage(self) -> list[str]:
        """The damage found so far in the files that were read: a line for each file, the worst first."""
        return [str(damage) for damage in sorted(self._store.damage.values(), key=lambda one: not one.loses_runs)]

    @property
    def notice(self) -> str:
        """One line if runs are missing, or if anything that was read is damaged; otherwise empty."""
        if self.path is None:
            return ""
        planned = {run.run for plan in self._plans for run in plan.runs}
        present = len(planned & self._store.keys)
        counted = f"{present} of {len(planned)} runs in {self.path}"
        if self._store.damage:
            return f"{counted}; {self._damage_line()} (fairlane verify {shlex.quote(str(self.path))} --repair)"
        return "" if present == len(planned) else f"{counted} (run the experiment again for the others)"

    def _damage_line(self) -> str:
        first, *others = self.damage
        return f"{first}, and {len(others)} more" if others else first

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes of the sweep, in the order of the experiment file."""
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
        """One row per run: axes, seed, metrics of the whole run, and its provenance."""
        return self._table("runs")

    @cached_property
    def flows(self) -> "pl.DataFrame":
        """One row per flow: axes, identity (`flow`, `group`, `name`, `algorithm`), and its metrics."""
        return self._table("flows")

    @cached_property
    def flow_columns(self) -> "pl.DataFrame | FlowsOnDemand":
        """`flows` for those who need few of its columns."""
        return FlowsOnDemand(self._store, self._plans) if self._light else self.flows

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

        `kind` is "flow" or "link"; flows have a column for each member of `watched`, too. `columns` picks sampled
        columns (all by default). Filters keep rows by any column of `flows` (or `links`):
        `series("flow", ["mbps"], rate="10mbit", algorithm=["cubic", "bbr"])`; an axis is selected by its name with
        values as in the experiment file, or by its column with numbers.

        A sampled column keeps its name. An axis of the same name is called `swept_...` here: with an axis
        `rtt`, `rtt_ms` are the sampled RTTs and `swept_rtt_ms` the RTTs of the experiment file.
        """
        table = self.flows if kind == "flow" else self.links if kind == "link" else None
        if table is None:
            raise StoreError(f"{unknown('kind of series', kind, ['flow', 'link'])}")
        chosen = self._filtered(table, filters)
        own = ["flow", "group", "name", "algorithm"] if kind == "flow" else ["name"]
        head = ["experiment", "run", *(axis.column for axis in self.axes), "seed", "repeat", *own]
        head = list(dict.fromkeys(column for column in head if column in chosen.columns))
        wanted = None if columns is None else list(dict.fromkeys(["run", kind, "t_s", *columns]))
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
        named = [pl.col(name).alias(yielding(name, sample_columns())) for name in head]
        return identity_last(chosen.select(named).join(rows, on=shared, how="inner", maintain_order="left_right"))

    @property
    def watched(self) -> list[str]:
        """The members that runs sample in addition (`metrics.watch` of the experiment file), as columns of `series`."""
        first = self.runs.unique("experiment", keep="first", maintain_order=True)["run"]
        scenarios = self.scenarios(first)
        names = [name for run in first if run in scenarios for name in json.loads(scenarios[run]).get("watch", [])]
        return list(dict.fromkeys(names))

    def scenarios(self, runs: Iterable[str]) -> dict[str, str]:
        """The scenario of each run, as JSON, by the key of the run; of those that have it. Raises StoreError."""
        found = view.stored(self._store, "runs", ["run", "scenario"], set(runs))
        scenarios = dict(found.drop_nulls().iter_rows()) if "scenario" in found.columns else {}
        for text in scenarios.values():
            stored_scenario(text)
        return scenarios

    def axis(self, name: str) -> Axis:
        """The axis of that name or column."""
        for axis in self.axes:
            if name in (axis.name, axis.column):
                return axis
        raise StoreError(unknown("axis", name, [axis.name for axis in self.axes]))

    def stored(self, table: str, runs: set[str], columns: list[str] | None = None) -> "pl.DataFrame":
        """A table of these runs as it is stored, without axes: "flow_series", "link_series", "flow_distribution"."""
        return view.stored(self._store, table, columns, runs)

    @cached_property
    def places(self) -> dict[str, int]:
        """The location of time series: runs of one batch have consecutive numbers."""
        keys = (key for batch in self._store.batches.values() for key in batch.keys)
        return {key: place for place, key in enumerate(keys)}

    def select(self, table: str, filters: Mapping[str, object]) -> "pl.DataFrame":
        """The rows of "runs", "flows" or "links" that pass the filters of `series`."""
        return self._filtered(getattr(self, table), filters)

    @cached_property
    def derived(self) -> dict[str, Any]:
        """Values computed from these tables, kept for reuse."""
        return {}

    @property
    def head(self) -> list[str]:
        """The columns that say which run a row is of: experiment, key, axes, seed, repeat."""
        return list(dict.fromkeys(["experiment", "run", *(axis.column for axis in self.axes), "seed", "repeat"]))

    def _table(self, name: str) -> "pl.DataFrame":
        if self._all:
            table = view.load(self._store, self._plans, name)
        else:
            table = view.build(self._store, self._plans, name, self._without)
        return identity_last(table)

    def _filtered(self, table: "pl.DataFrame", filters: Mapping[str, Any]) -> "pl.DataFrame":
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
