"""Turns finished runs into tables.

The engine's result decides the columns: each of its lists of objects is a table with one row per object, its plain
values are columns of `runs`, and its Arrow tables are stored as they are. So a new value of the engine appears in the
store without a change here. Every row starts with the key of its run.
"""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairlane.engine.declarations import nullable_integers
from fairlane.engine.libraries import pl
from fairlane.engine.result_bytes import LONG_TABLES, Stream, read, unpack
from fairlane.results.store import row_bounds
from fairlane.results.store.checksummed_json import DamagedError
from fairlane.results.store.table_size import check_stream

_TABLES_OF_THEIR_OWN = frozenset(part for part, _ in LONG_TABLES.values())
"""Parts of the metrics that are in tables."""

Columns = dict[str, list[Any]]


def tables(runs: Iterable[tuple[Mapping[str, object], bytes | memoryview]]) -> "dict[str, pl.DataFrame]":
    """All tables of these runs, given as description and packed result."""

    made: dict[str, _Table] = {}
    streams: dict[str, list[tuple[str, Stream]]] = {}
    for meta, packed in runs:
        result = unpack(packed)
        kept = {name: value for name, value in result.metrics.items() if name not in _TABLES_OF_THEIR_OWN}
        plain = {name: value for name, value in kept.items() if not isinstance(value, list)}
        made.setdefault("runs", _Table()).add_row({**meta, **plain})
        for name, rows in kept.items():
            if isinstance(rows, list):
                table = made.setdefault(name, _Table())
                for index, row in enumerate(rows):
                    # Rows without a name are identified by their number.
                    own = {} if "name" in row or _singular(name) in row else {_singular(name): index}
                    table.add_row({"run": meta["run"], **own, **row})
        for name, stream in result.streams.items():
            if stream.rows:
                streams.setdefault(name, []).append((str(meta["run"]), stream))
    whole = {name: table.frame() for name, table in made.items() if table.height}
    return whole | {name: _of_runs(named) for name, named in streams.items()}


def check(packed: bytes | memoryview, scenario: object = None) -> None:
    """Raises DamagedError, or ValueError, unless a packed result has form and size of one of this scenario (JSON)."""
    result = unpack(packed)
    if not isinstance(result.metrics, dict):
        raise DamagedError("has no metrics")
    for name, stream in result.streams.items():
        check_stream(stream.content, stream.rows)
        if stream.rows > len(stream.content) and isinstance(scenario, str):
            row_bounds.check(name, stream.rows, [scenario])


def _of_runs(streams: list[tuple[str, Stream]]) -> "pl.DataFrame":
    """One table with the key of its run in every row."""
    rows = read(stream for _, stream in streams)
    if len(streams) == 1:  # large runs come alone, and one value for all rows takes no memory
        return rows.select(pl.lit(streams[0][0]).alias("run"), pl.all())
    keys = pl.DataFrame({"run": [key for key, _ in streams], "rows": [stream.rows for _, stream in streams]})
    return rows.select(keys.select(pl.col("run").repeat_by("rows").explode()).to_series(), pl.all())


class _Table:
    """Columns that grow; one that appears late is empty before."""

    def __init__(self) -> None:
        self.columns: Columns = {}
        self.height = 0

    def add_row(self, row: Mapping[str, object]) -> None:
        for name, value in row.items():
            self._column(name).append(value)
        self._close(1)

    def _column(self, name: str) -> list[Any]:
        found = self.columns.get(name)
        if found is None:
            found = self.columns[name] = [None] * self.height
        return found

    def _close(self, height: int) -> None:
        self.height += height
        for values in self.columns.values():
            if len(values) < self.height:
                values.extend([None] * (self.height - len(values)))

    def frame(self) -> "pl.DataFrame":
        return pl.DataFrame([_typed(name, values) for name, values in self.columns.items()])


def _typed(name: str, values: Sequence[Any]) -> "pl.Series":
    """A column whose type depends on the values as little as possible: all batches shall agree."""
    kinds = {type(value) for value in values} - {type(None)}
    dtype: Any = None
    if name in nullable_integers():
        dtype = pl.Int64
    elif kinds <= {int, float}:
        dtype = pl.Int64 if kinds == {int} else pl.Float64
    elif dict in kinds:
        return pl.Series(name, [None if value is None else json.dumps(value) for value in values], dtype=pl.String)
    return pl.Series(name, values, dtype=dtype, strict=False)


def parquet(frame: "pl.DataFrame") -> bytes:
    """A table as the content of a Parquet file. Built in memory first, so that a write error is a plain OSError."""
    content = io.BytesIO()
    frame.write_parquet(content, compression="zstd", compression_level=3)
    return content.getvalue()


def _singular(name: str) -> str:
    return name.removesuffix("s")
