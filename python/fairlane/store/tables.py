"""Turns finished runs into tables.

The engine's result decides the columns: each of its lists of objects is a table with one row per object, its
plain values are columns of `runs`, and its series and distributions become long tables with one row per sample. So
a figure that the engine learns to give appears in the store without a change here. Every row begins with the key of
its run.
"""

import io
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

NULLABLE_INTEGERS = frozenset({"requests_completed"})
"""Counts that may be absent: without a value to look at, a column would be taken for one of fractions."""

_LONG = {"series": "series", "distributions": "distribution"}
"""Parts of the result that hold columns for each flow or link, and what their tables are called."""

Columns = dict[str, list[Any]]


def tables(runs: Iterable[tuple[dict[str, Any], bytes]]) -> "dict[str, pl.DataFrame]":
    """All tables of these runs, given as description and result."""
    made: dict[str, _Table] = {}
    for meta, body in runs:
        result = json.loads(body)
        key = meta["run"]
        long = {kind: result.pop(kind, {}) for kind in _LONG}
        plain = {name: value for name, value in result.items() if not isinstance(value, list)}
        made.setdefault("runs", _Table()).add_row({**meta, **plain})
        for name, rows in result.items():
            if isinstance(rows, list):
                table = made.setdefault(name, _Table())
                for index, row in enumerate(rows):
                    # What has no name of its own is known by its number.
                    own = {} if "name" in row or _singular(name) in row else {_singular(name): index}
                    table.add_row({"run": key, **own, **row})
        for kind, samples in long.items():
            for name, each in samples.items():
                if isinstance(each, list):
                    table = made.setdefault(f"{_singular(name)}_{_LONG[kind]}", _Table())
                    for index, columns in enumerate(each):
                        described = result[name][index] if index < len(result.get(name, [])) else {}
                        label = described.get(_singular(name), described.get("name", index))
                        table.add_columns(key, {_singular(name): label}, columns)
    return {name: table.frame() for name, table in made.items() if table.height}


class _Table:
    """Columns that grow; one that appears late is empty before."""

    def __init__(self) -> None:
        self.columns: Columns = {}
        self.height = 0

    def add_row(self, row: dict[str, Any]) -> None:
        for name, value in row.items():
            self._column(name).append(value)
        self._close(1)

    def add_columns(self, key: str, labels: dict[str, Any], columns: dict[str, list[Any]]) -> None:
        height = max((len(values) for values in columns.values()), default=0)
        for name, value in {"run": key, **labels}.items():
            self._column(name).extend([value] * height)
        for name, values in columns.items():
            self._column(name).extend(values)
        self._close(height)

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
        import polars as pl

        return pl.DataFrame([_typed(name, values) for name, values in self.columns.items()])


def _typed(name: str, values: Sequence[Any]) -> "pl.Series":
    """A column whose type depends on the values as little as possible: all batches shall agree."""
    import polars as pl

    kinds = {type(value) for value in values} - {type(None)}
    dtype: Any = None
    if name in NULLABLE_INTEGERS:
        dtype = pl.Int64
    elif kinds <= {int, float}:
        dtype = pl.Int64 if kinds == {int} else pl.Float64
    elif dict in kinds:
        return pl.Series(name, [None if value is None else json.dumps(value) for value in values], dtype=pl.String)
    return pl.Series(name, values, dtype=dtype, strict=False)


def parquet(frame: "pl.DataFrame") -> bytes:
    """A table as the content of a Parquet file. In memory first: what the disk refuses is then a plain OSError."""
    content = io.BytesIO()
    frame.write_parquet(content, compression="zstd", compression_level=3)
    return content.getvalue()


def _singular(name: str) -> str:
    return name.removesuffix("s")
