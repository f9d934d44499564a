"""The tables for users: every planned run that is finished, with its axes as columns."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from fairlane.engine import checksum
from fairlane.engine.libraries import pl
from fairlane.engine.result_bytes import LONG_TABLES, decimal
from fairlane.files import FORGED, write_bytes
from fairlane.results.store import journal, table_form
from fairlane.results.store.checksummed_json import (
    Damage,
    DamagedError,
    content_of,
    damage_of,
    opened,
    seal,
    unseal,
)
from fairlane.results.store.layout import StoreError, cannot_write
from fairlane.results.store.memory import Budget
from fairlane.results.store.plans import identity
from fairlane.results.store.run_tables import parquet, tables
from fairlane.results.store.store import Store
from fairlane.results.store.table_size import check_parquet
from fairlane.scenario.plan import Plan

TABLES = ("runs", "flows", "links", "cross_traffic")
_LABELS = "view.json"


def build(store: Store, plans: list[Plan], table: str, without: Sequence[str] = ()) -> "pl.DataFrame":
    """One table over all plans; without these columns."""
    return joined(
        stored(store, table, keys={run.run for plan in plans for run in plan.runs}, without=without), plans, table
    )


def joined(rows: "pl.DataFrame", plans: list[Plan], table: str) -> "pl.DataFrame":
    """The stored rows of each plan with its axes, in the order of the plan."""
    parts = []
    for plan in plans:
        head = planned(plan)
        part = rows
        if table == "flows" and "group" in part.columns:
            # The engine counts entries of the scenario, which lists equal flows separately.
            part = part.with_columns(pl.col("group").cast(pl.Int64))
            part = part.join(_groups(plan, part), on=["run", "group"], how="left", maintain_order="left")
            if "given_algorithm" in part.columns:
                part = part.with_columns(
                    algorithm=pl.coalesce("given_algorithm", "algorithm"), group=pl.coalesce("given_group", "group")
                ).drop("given_algorithm", "given_group")
        # A measured column keeps its name if an axis has the same one.
        part = part.drop([column for column in part.columns if column in head.columns and column != "run"])
        parts.append(head.join(part, on="run", how="inner", maintain_order="left_right"))
    frame = pl.concat(parts, how="diagonal_relaxed") if parts else rows
    return frame


def planned(plan: Plan) -> "pl.DataFrame":
    """The plan as a table: experiment, key, axes, seed, repeat."""
    columns: dict[str, Any] = {
        "experiment": [plan.experiment] * len(plan.runs),
        "run": [run.run for run in plan.runs],
    }
    frame = pl.DataFrame(columns, schema={"experiment": pl.String, "run": pl.String})
    axes = [
        pl.Series(axis.column, [run.axes.get(axis.column) for run in plan.runs], strict=False) for axis in plan.axes
    ]
    numbers = [
        pl.Series("seed", [run.seed for run in plan.runs], dtype=pl.UInt64),
        pl.Series("repeat", [run.repeat for run in plan.runs], dtype=pl.Int64),
    ]
    return frame.with_columns(axes + [column for column in numbers if column.name not in {axis.name for axis in axes}])


def stored(
    store: Store,
    table: str,
    columns: list[str] | None = None,
    keys: set[str] | None = None,
    without: Sequence[str] = (),
) -> "pl.DataFrame":
    """A table as it is stored, batches and journals together; each run once. `keys`: of these runs only.

    All columns by default, or those of `columns` that it has; and none of `without`.
    """
    whole = Stored(store, table, keys).read(columns, without)
    return _widened(whole) if table in LONG_TABLES else whole


class Stored:
    """A table as it is stored, whose columns can be read one after the other: the rows stay the same."""

    def __init__(self, store: Store, table: str, keys: set[str] | None = None) -> None:
        """Finds out what there is; `keys`: of these runs only."""
        self._store, self._table = store, table
        # Journals first: what becomes a batch meanwhile is then seen twice, and never missed.
        kept: dict[str, tuple[Mapping[str, object], bytes | memoryview]] = {
            record.run: (record.meta, record.body) for path in store.journals() for record in journal.records(path)
        }
        kept |= {str(meta["run"]): (meta, body) for meta, body in store.memory}
        store.refresh()
        self._batches: dict[str, set[str] | None] = {}
        """With the runs that are wanted of each; None if all are."""
        seen = set[str]()
        for name, batch in list(store.batches.items()):
            if keys is not None and keys.isdisjoint(batch.keys):
                continue
            fresh = set(batch.keys) - seen
            wanted = fresh if keys is None else fresh & keys
            if wanted:
                self._batches[name] = wanted if len(wanted) < len(batch.keys) else None
            seen |= fresh
        runs = [pair for key, pair in kept.items() if key not in seen and (keys is None or key in keys)]
        self._unbatched = self._of_journals(runs)
        self._wanted_rows: dict[str, pl.Series] = {}
        """Of batches of which not all runs are wanted, whether each row is."""

    def _of_journals(self, runs: Sequence[tuple[Mapping[str, object], bytes | memoryview]]) -> "pl.DataFrame | None":
        """The rows of runs that are in no batch yet; None if there are none, or if they are damaged, which is noted."""
        found = tables(runs).get(self._table)
        try:
            if found is not None:
                table_form.check(self._table, found)
        except DamagedError as error:
            self._store.note(Damage(self._store.layout.journals, str(error)))
            return None
        return found

    @cached_property
    def columns(self) -> list[str]:
        """The names of all columns."""
        found: dict[str, None] = {}
        for name in self._batches:
            found |= dict.fromkeys(self._store.names(name, self._table))
        return list(found | dict.fromkeys(self._unbatched.columns if self._unbatched is not None else ()))

    def read(self, columns: Sequence[str] | None = None, without: Sequence[str] = ()) -> "pl.DataFrame":
        """The rows; all columns by default, or those of `columns` that there are; and none of `without`."""
        parts, budget = [], Budget()
        for name, wanted in self._batches.items():
            part = self._part(name, wanted, columns, without, budget)
            if part is not None and name in self._store.batches:  # else damaged, and noted
                parts.append(part)
        if self._unbatched is not None:
            chosen = [name for name in columns or self._unbatched.columns if name in self._unbatched.columns]
            parts.append(self._unbatched.select([name for name in chosen if name not in without]))
        return pl.concat(parts, how="diagonal_relaxed") if parts else pl.DataFrame(schema={"run": pl.String})

    def _part(
        self,
        name: str,
        wanted: set[str] | None,
        columns: Sequence[str] | None,
        without: Sequence[str],
        budget: Budget,
    ) -> "pl.DataFrame | None":
        """The wanted rows of a batch."""
        if name not in self._store.batches:
            return None
        if wanted is None or name in self._wanted_rows:
            part, added = self._store.read(name, self._table, columns, without, budget), False
        else:
            added = columns is not None and "run" not in columns
            named = ["run", *columns] if added and columns else columns
            part = self._store.read(name, self._table, named, without, budget)
            if part is not None:
                self._wanted_rows[name] = part["run"].is_in(list(wanted))
        if part is None or wanted is None:
            return part
        part = part.filter(self._wanted_rows[name])
        return part.drop("run") if added else part


def _widened(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The frame with numbers of 64 bits: sums of stored samples lose no digits, and differences can be negative."""
    narrow = [decimal(column) for column in frame.get_columns() if column.dtype == pl.Float32]
    return frame.with_columns(pl.col(pl.UInt32, pl.UInt64).cast(pl.Int64), *narrow)


def save(store: Store, plans: list[Plan]) -> None:
    """Writes the tables for users, unless they are up to date."""
    label = signature(store, plans)
    if label is None:
        return
    if _saved(store).get("of") == label and not damaged_tables(store):
        return
    frames = {table: build(store, plans, table) for table in TABLES}
    if signature(store, plans) != label:
        return  # a batch turned out to be damaged: tables without its runs must not be taken for complete
    layout = store.layout
    try:
        (layout.root / _LABELS).unlink(missing_ok=True)
        written = {}
        for table, frame in frames.items():
            if table != "cross_traffic" or frame.height:
                content = parquet(frame)
                write_bytes(layout.table(table), content)
                written[table] = checksum(content)
        write_bytes(layout.root / _LABELS, seal({"of": label, "tables": written}))
    except OSError as error:
        raise cannot_write(layout.root, error) from None


def load(store: Store, plans: list[Plan], table: str) -> "pl.DataFrame":
    """A table: the saved one if it is up to date and intact, a new one otherwise."""
    label = signature(store, plans)
    saved = _saved(store) if label is not None else {}
    if saved.get("of") == label and table in saved.get("tables", ()):
        found = _saved_table(store, table, saved["tables"][table])
        if not isinstance(found, Damage):
            return found
        store.note(found)
        with contextlib.suppress(StoreError):  # a store that can only be read
            save(store, plans)
    return build(store, plans, table)


def damaged_tables(store: Store) -> list[Damage]:
    """The saved tables that do not match their checksums, which are in a file of their own."""
    found = [_saved_table(store, table, digest) for table, digest in _saved(store).get("tables", {}).items()]
    return [damage for damage in found if isinstance(damage, Damage)]


def _saved_table(store: Store, table: str, digest: str) -> "Damage | pl.DataFrame":
    """A saved table, or its damage."""
    path = store.layout.table(table)
    try:
        with opened(path) as file:
            Budget().take(path, os.fstat(file.fileno()).st_size)
            content = file.read()
        if checksum(content) != digest:
            raise DamagedError("does not match its checksum")
        Budget().take(path, check_parquet(content).in_memory())
        frame = pl.read_parquet(content)
        if frame.height:  # without an intact run there are no columns either
            table_form.check_names(table, frame.columns)
        table_form.check(table, frame)
    except (DamagedError, OSError, pl.exceptions.PolarsError) as error:
        found = damage_of(path, error, "the form of a Parquet file")
        return Damage(path, f"{found.what}; the batches are read instead", loses_runs=False)
    return frame


def signature(store: Store, plans: list[Plan]) -> str | None:
    """Says what the tables were made of; None while journals change under our feet."""
    if store.journals():
        return None
    return checksum(repr([sorted(store.batches), [identity(plan) for plan in plans]]).encode())


def _saved(store: Store) -> dict[str, Any]:
    """Of what the saved tables are, and their checksums; empty if that is not known."""
    path = store.layout.root / _LABELS
    try:
        found = unseal(content_of(path))
        tables = found.get("tables")
        whole = isinstance(tables, dict) and all(isinstance(one, str) for one in [found.get("of"), *tables.values()])
        return found if whole else {}
    except DamagedError as error:
        store.note(Damage(path, str(error), loses_runs=False))
    except FORGED:
        store.note(Damage(path, "does not have its form", loses_runs=False))
    except OSError:
        pass
    return {}


def _groups(plan: Plan, rows: "pl.DataFrame") -> "pl.DataFrame":
    """Name, algorithm and entry of the experiment for every entry of the scenario that these rows are about."""
    text, number = pl.String, pl.Int64
    points: dict[int, int] = {}
    runs: dict[str, int] = {}
    entries: list[tuple[int, int, int, int, str | None, str | None]] = []
    for run in plan.runs:
        known = id(run.groups) in points  # the runs of one point share them
        point = runs[run.run] = points.setdefault(id(run.groups), len(points))
        begin = 0
        for entry, group in enumerate(() if known else run.groups):
            end = begin + group.get("count", 1)
            entries.append((point, begin, end, entry, group.get("name"), group.get("algorithm")))
            begin = end
    columns = {
        **{"point": number, "group": number, "end": number},
        **{"given_group": number, "name": text, "given_algorithm": text},
    }
    begins = pl.DataFrame(entries, schema=columns, orient="row").sort("group")
    places = pl.DataFrame({"run": list(runs), "point": list(runs.values())}, schema={"run": text, "point": number})
    asked = rows.select("run", pl.col("group").cast(number)).unique().join(places, on="run").sort("group")
    found = asked.join_asof(begins, on="group", by="point", check_sortedness=False)
    return found.filter(pl.col("group") < pl.col("end")).drop("point", "end")
