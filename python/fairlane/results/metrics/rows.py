"""Rows of a table, without a dictionary for each: tables have hundreds of thousands, and metrics need few columns."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

from fairlane.engine.libraries import pl
from fairlane.results.lazy_table import FlowsOnDemand

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

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns.frame.columns)

    def __len__(self) -> int:
        return len(self._columns.frame.columns)


class Rows(Sequence[Row]):
    """Some rows of a table, in order; each is created when it is looked at."""

    def __init__(self, columns: "_Columns", indices: Sequence[int]) -> None:
        """`indices` are their numbers in the table, from 0."""
        self._columns, self.indices = columns, indices

    def column(self, name: str) -> list[Any]:
        """One value of each row, which takes a fraction of the time. Raises KeyError."""
        values, first = self._columns[name], self._columns.begin
        if isinstance(self.indices, range):
            return values[self.indices.start - first : self.indices.stop - first]
        return [values[index - first] for index in self.indices]

    def some(self, places: Sequence[int]) -> "Rows":
        """Those at these places among them."""
        if isinstance(self.indices, range) and isinstance(places, range):
            return Rows(self._columns, self.indices[places.start : places.stop])
        return Rows(self._columns, [self.indices[place] for place in places])

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [Row(self._columns, index) for index in self.indices[place]]
        return Row(self._columns, self.indices[place])

    def __len__(self) -> int:
        return len(self.indices)


class RowsBy(Mapping[Key, Rows]):
    """The rows of each key, in order; created on demand, so that only a few exist at a time."""

    def __init__(self, frame: "pl.DataFrame | FlowsOnDemand", key: Sequence[str]) -> None:
        """None replaces columns of the key that the frame does not have."""
        self._frame, self._key, self._names = frame, key, frozenset(frame.columns)

    @cached_property
    def _spans(self) -> dict[Key, list[tuple[int, int]]]:
        """The ranges of rows of each key. The rows of one key usually follow one another."""
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
        return self._columns(0, self._frame.height)

    def _columns(self, begin: int, end: int) -> "_Columns":
        return _Columns(self._frame, self._names, begin, end)

    def _those_of(self, begin: int, end: int) -> "_Columns":
        """The columns where these rows are."""
        return self._columns(begin, end) if self._whole is None else self._whole

    def __getitem__(self, key: Key) -> Rows:
        spans = self._spans[key]
        if len(spans) == 1:
            ((begin, end),) = spans
            return Rows(self._those_of(begin, end), range(begin, end))
        first, last = spans[0][0], spans[-1][1]
        indices = [index for begin, end in spans for index in range(begin, end)]
        return Rows(self._those_of(first, last), indices)

    def __contains__(self, key: object) -> bool:
        return key in self._spans

    def __iter__(self) -> Iterator[Key]:
        return iter(self._spans)

    def __len__(self) -> int:
        return len(self._spans)


class _Columns(dict[str, list[Any]]):
    """Some rows of a frame, its columns as lists, created on demand."""

    def __init__(self, frame: "pl.DataFrame | FlowsOnDemand", names: frozenset[str], begin: int, end: int) -> None:
        """`names` are those of the frame's columns, which it takes long to say."""
        super().__init__()
        self.frame, self.begin, self._names, self._rows = frame, begin, names, end - begin

    def __missing__(self, name: str) -> list[Any]:
        if name not in self._names:
            raise KeyError(name)
        self[name] = rows_of(self.frame, name, self.begin, self._rows).to_list()
        return self[name]


def rows_of(frame: "pl.DataFrame | FlowsOnDemand", name: str, begin: int, rows: int) -> "pl.Series":
    """Some rows of a column."""
    if isinstance(frame, pl.DataFrame):
        return frame.get_column(name).slice(begin, rows)
    return frame.rows_of(name, begin, rows)
