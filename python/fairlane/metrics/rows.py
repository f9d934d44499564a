"""Rows of a table, without a dictionary for each: tables have hundreds of thousands, and metrics need few columns."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

Key = tuple[Any, ...]

MANY_ROWS = 8
"""With at least this many rows per key, columns are converted for one key at a time, and no list is as long as the
table."""


class Row(Mapping[str, Any]):
    """One row: its values by the names of the columns."""

    __slots__ = ("_columns", "_place", "index")

    def __init__(self, columns: "_Columns", index: int) -> None:
        self._columns, self._place, self.index = columns, index - columns.begin, index
        """`index` is its number in the table, from 0."""

    def __getitem__(self, name: str) -> Any:
        return self._columns[name][self._place]

    @staticmethod
    def column(rows: "Sequence[Row]", name: str) -> list[Any]:
        """One value of many rows, which takes a fraction of the time. Raises KeyError."""
        columns = rows[0]._columns if rows else None
        if columns is not None and all(row._columns is columns for row in rows):
            values = columns[name]
            return [values[row._place] for row in rows]
        return [row[name] for row in rows]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns.frame.columns)

    def __len__(self) -> int:
        return self._columns.frame.width


class RowsBy(Mapping[Key, list[Row]]):
    """The rows of each key, in order; created on demand, so that only a few exist at a time."""

    def __init__(self, frame: "pl.DataFrame", key: Sequence[str]) -> None:
        """None replaces columns of the key that the frame does not have."""
        self._frame, self._key = frame, key

    @cached_property
    def _spans(self) -> dict[Key, list[tuple[int, int]]]:
        """Where the rows of each key begin and end. The rows of one key usually follow one another."""
        import polars as pl

        present = [name for name in self._key if name in self._frame.columns]
        if not present or not self._frame.height:
            return {(None,) * len(self._key): [(0, self._frame.height)]} if self._frame.height else {}
        keys = self._frame.select(present)
        changes = keys.select(pl.struct(pl.all()).rle_id().diff().fill_null(1) != 0).to_series()
        begins = changes.arg_true().to_list()
        columns = keys[begins].to_dict(as_series=False)
        none = [None] * len(begins)
        spans: dict[Key, list[tuple[int, int]]] = {}
        every = zip(*(columns.get(name, none) for name in self._key), strict=True)
        for one, span in zip(every, pairwise([*begins, self._frame.height]), strict=True):
            spans.setdefault(one, []).append(span)
        return spans

    @cached_property
    def _whole(self) -> "_Columns | None":
        """The columns of the table; None if each key has its own."""
        if self._frame.height >= MANY_ROWS * len(self._spans):
            return None
        return _Columns(self._frame, 0, self._frame.height)

    def __getitem__(self, key: Key) -> list[Row]:
        spans = self._spans[key]
        rows: list[Row] = []
        for begin, end in spans:
            columns = self._whole or _Columns(self._frame, begin, end)
            rows += [Row(columns, index) for index in range(begin, end)]
        return rows

    def __contains__(self, key: object) -> bool:
        return key in self._spans

    def __iter__(self) -> Iterator[Key]:
        return iter(self._spans)

    def __len__(self) -> int:
        return len(self._spans)


class _Columns(dict[str, list[Any]]):
    """Some rows of a frame, its columns as lists, created on demand."""

    def __init__(self, frame: "pl.DataFrame", begin: int, end: int) -> None:
        super().__init__()
        self.frame, self.begin, self._end = frame, begin, end

    def __missing__(self, name: str) -> list[Any]:
        if name not in self.frame.columns:
            raise KeyError(name)
        self[name] = self.frame.get_column(name).slice(self.begin, self._end - self.begin).to_list()
        return self[name]
