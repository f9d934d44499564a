"""The size of stored tables, from their heads: a file of 14 MB can hold 300 million equal rows.

A table larger than any that Fairlane writes is damage, and is not read. Measured tables take 3 to 15 times the memory
of their Parquet file.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from fairlane.files import FORGED
from fairlane.results.store.checksummed_json import DamagedError
from fairlane.scenario.plan import MOST_SAMPLES

MOST_ROWS = 2 * MOST_SAMPLES
"""A batch has at most one run of this many samples, next to small ones."""
ALWAYS_BYTES = 1_000_000_000
"""A table of this size in memory is read from any file."""
MOST_EXPANSION = 100
"""Of larger ones: their bytes in memory for each byte of the file."""
NO_PARQUET = "does not have the form of a Parquet file"
_MAGIC = b"PAR1"
_WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, 6: 16, 7: 16}
"""Bytes in memory of a value by its physical type in Parquet; of text, its place."""


@dataclass(frozen=True)
class TableSize:
    """The size of a table, as the head of its file states it."""

    rows: int
    columns: dict[bytes, int]
    """About the bytes in memory of each."""

    def in_memory(self, names: Collection[str] | None = None) -> int:
        """About the bytes in memory of some columns, or of all."""
        chosen = self.columns if names is None else {name.encode() for name in names}
        return sum(size for name, size in self.columns.items() if name in chosen)


def check_parquet(content: bytes, rows: int | None = None) -> TableSize:
    """Raises DamagedError if a Parquet file holds more than Fairlane writes; `rows` is the exact number, if known."""
    try:
        found = _parquet_size(content)
    except FORGED:
        raise DamagedError(NO_PARQUET) from None
    in_memory = found.in_memory()
    if found.rows > MOST_ROWS or (in_memory > ALWAYS_BYTES and in_memory > MOST_EXPANSION * len(content)):
        raise DamagedError(f"holds {found.rows:,} rows ({in_memory / 1e9:.1f} GB in memory), more than a run can have")
    if rows is not None and found.rows != rows:
        raise DamagedError(f"holds {found.rows:,} rows instead of {rows:,}")
    return found


def check_stream(content: memoryview, rows: int) -> None:
    """Raises DamagedError if an Arrow IPC stream holds other rows than `rows`, or compressed ones."""
    found = 0
    try:
        for kind, head in _messages(content):
            batch = head
            if kind == _DICTIONARY_BATCH:
                place = _field(head, 1)
                if place is None:
                    raise ValueError("no dictionary")
                batch = (head[0], place + _number(head[0], place, 4))
            if kind in (_DICTIONARY_BATCH, _RECORD_BATCH) and _field(batch, 3) is not None:
                raise DamagedError("has a compressed table, which Fairlane does not write")
            if kind == _RECORD_BATCH:
                length = _field(batch, 0)
                found += _number(batch[0], length, 8) if length is not None else 0
    except (LookupError, ValueError):
        raise DamagedError("does not have the form of an Arrow stream") from None
    if found != rows:
        raise DamagedError(f"has a table of {found:,} rows instead of {rows:,}")
    if rows > 8 * len(content):  # a value takes a bit at least, except in columns without any
        raise DamagedError(f"has a table of {rows:,} rows in {len(content):,} bytes")


def _parquet_size(content: bytes) -> TableSize:
    size = int.from_bytes(content[-8:-4], "little")
    if content[-4:] != _MAGIC or size > len(content) - 12:
        raise ValueError("no footer")
    footer = _Compact(content[-8 - size : -8]).struct()
    rows, columns = 0, dict[bytes, int]()
    for group in footer[_ROW_GROUPS]:
        rows += max(0, group[_GROUP_ROWS])
        for column in group[_GROUP_COLUMNS]:
            about = column[_COLUMN]
            values = max(about[_COLUMN_VALUES], group[_GROUP_ROWS])
            name = about[_COLUMN_PATH][0]
            columns[name] = columns.get(name, 0) + values * _WIDTHS[about[_COLUMN_TYPE]] + about[_COLUMN_BYTES]
    return TableSize(max(rows, footer[_FILE_ROWS]), columns)


# The numbers of fields in parquet.thrift.
_FILE_ROWS, _ROW_GROUPS = 3, 4
_GROUP_COLUMNS, _GROUP_ROWS = 1, 3
_COLUMN = 3
_COLUMN_TYPE, _COLUMN_PATH, _COLUMN_VALUES, _COLUMN_BYTES = 1, 3, 5, 6


class _Compact:
    """Reads Thrift's compact protocol: structs as dictionaries by field number."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            found[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if depth > 20:
            raise ValueError("too deep")
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 7:
            return self._take(8)
        if kind == 8:
            return self._take(self._varint())
        if kind in (9, 10):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._value(head & 15, depth + 1) for _ in range(count)]
        if kind == 12:
            return self.struct(depth + 1)
        raise ValueError(f"unknown type {kind}")

    def _integer(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("too long")

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _take(self, count: int) -> bytes:
        if count > len(self._data) - self._at:
            raise ValueError("too long")
        self._at += count
        return self._data[self._at - count : self._at]


_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3
Table = tuple[memoryview, int]
"""Bytes, and the place of a Flatbuffers table in them."""


def _messages(content: memoryview) -> Iterator[tuple[int, Table]]:
    """The kind and head of each message of an Arrow IPC stream."""
    at = 0
    while at + 8 <= len(content):
        if bytes(content[at : at + 4]) != b"\xff\xff\xff\xff":
            raise ValueError("no message")
        size = _number(content, at + 4, 4)
        if size == 0:
            return
        head = content[at + 8 : at + 8 + size]
        message = (head, _number(head, 0, 4))
        kind, place, body = (_field(message, index) for index in (1, 2, 3))
        if kind is None or place is None:
            raise ValueError("no head")
        yield head[kind], (head, place + _number(head, place, 4))
        at += 8 + size + (_number(head, body, 8) if body is not None else 0)


def _field(table: Table, index: int) -> int | None:
    """The place of a field; None if it is absent."""
    data, place = table
    fields = place - _number(data, place, 4)
    if fields < 0 or fields + 4 > len(data):
        raise ValueError("outside")
    if 4 + 2 * index >= _number(data, fields, 2):
        return None
    offset = _number(data, fields + 4 + 2 * index, 2)
    return place + offset if offset else None


def _number(data: memoryview, at: int, size: int) -> int:
    if not 0 <= at <= len(data) - size:
        raise ValueError("outside")
    return int.from_bytes(data[at : at + size], "little", signed=size == 4)
