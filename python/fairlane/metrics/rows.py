"""Rows of a table, without a dictionary for each: tables have hundreds of thousands, and metrics need few columns."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

Key = tuple[Any, ...]


class Row(Mapping[str, Any]):
    """One row: its values by the names of the columns."""

    __slots__ = ("_columns", "index")

    def __init__(self, columns: "_Columns", index: int) -> None:
        self._columns, self.index = columns, index
        """Its number in the table, from 0."""

    def __getitem__(self, name: str) -> Any:
        return self._columns[name][self.index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns.frame.columns)

    def __len__(self) -> int:
        return self._columns.frame.width


class RowsBy(Mapping[Key, list[Row]]):
    """The rows of each key, in order; created on demand, so that only a few exist at a time."""

    def __init__(self, frame: "pl.DataFrame", key: Sequence[str]) -> None:
        """None replaces columns of the key that the frame does not have."""
        self._columns, self._key = _Columns(frame), key

    @cached_property
    def _indices(self) -> dict[Key, list[int]]:
        indices: dict[Key, list[int]] = {}
        for index, one in enumerate(zip(*map(self._columns.or_none, self._key), strict=True)):
            indices.setdefault(one, []).append(index)
        return indices

    def __getitem__(self, key: Key) -> list[Row]:
        return [Row(self._columns, index) for index in self._indices[key]]

    def __contains__(self, key: object) -> bool:
        return key in self._indices

    def __iter__(self) -> Iterator[Key]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class _Columns(dict[str, list[Any]]):
    """The columns of a frame as lists, created on demand."""

    def __init__(self, frame: "pl.DataFrame") -> None:
        super().__init__()
        self.frame = frame

    def __missing__(self, name: str) -> list[Any]:
        if name not in self.frame.columns:
            raise KeyError(name)
        self[name] = self.frame[name].to_list()
        return self[name]

    def or_none(self, name: str) -> list[Any]:
        return self[name] if name in self.frame.columns else [None] * self.frame.height
