"""A result as bytes, as the engine gives it and the store's journals keep it.

First comes a line of JSON that names the parts with their bytes and rows, then the parts: "metrics", which is JSON, and
the tables with many rows, each an Arrow IPC stream. The first column of a table says what a row belongs to: a flow by
its number, a link by its name.
"""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from fairlane.engine.forks import check_threads
from fairlane.engine.libraries import pl

Result = dict[str, Any]
"""The result of a run: metrics of the run, rows of `flows` and `links`, and time series."""
Runner = Callable[[Mapping[str, Any]], Result]
"""Runs a scenario."""

LONG_TABLES = {
    "flow_series": ("series", "flows"),
    "link_series": ("series", "links"),
    "flow_distribution": ("distributions", "flows"),
    "link_distribution": ("distributions", "links"),
    "link_accesses": ("accesses", "links"),
}
"""The tables, and where their columns are in the result as a dictionary."""


@dataclass(frozen=True)
class Stream:
    """A table."""

    content: memoryview
    """An Arrow IPC stream."""
    rows: int


@dataclass(frozen=True)
class Unpacked:
    """The parts of a result."""

    metrics: Result
    streams: dict[str, Stream]
    """The tables by name; one that no flow or link takes part in is missing."""

    def table(self, name: str) -> "pl.DataFrame | None":
        """A table; None if the result does not have it."""
        return read([self.streams[name]]) if name in self.streams else None


def pack(metrics: Mapping[str, Any], tables: "Mapping[str, pl.DataFrame]") -> bytes:
    """A result of these parts."""
    parts = [("metrics", json.dumps(metrics).encode(), 0)]
    for name, frame in tables.items():
        stream = io.BytesIO()
        frame.write_ipc_stream(stream)
        parts.append((name, stream.getvalue(), frame.height))
    head = json.dumps({"parts": [{"name": name, "bytes": len(part), "rows": rows} for name, part, rows in parts]})
    return b"".join([head.encode(), b"\n", *(part for _, part, _ in parts)])


def unpack(packed: bytes | memoryview) -> Unpacked:
    """The parts of a result, without copying the tables. Raises ValueError if some of it is missing."""
    view = memoryview(packed)
    end = bytes(view[:_LONGEST_HEAD]).index(b"\n")
    parts, at = {}, end + 1
    for part in json.loads(str(view[:end], "utf-8"))["parts"]:
        parts[part["name"]] = Stream(view[at : at + part["bytes"]], part["rows"])
        at += part["bytes"]
    if at != len(view):
        raise ValueError(f"{len(view)} bytes, not the {at} that its parts have")
    metrics = json.loads(str(parts.pop("metrics").content, "utf-8"))
    return Unpacked(metrics, {name: stream for name, stream in parts.items() if stream.content})


_LONGEST_HEAD = 4096


def read(streams: Iterable[Stream]) -> "pl.DataFrame":
    """The rows of these tables, one table after the other.

    An Arrow IPC stream is a message with the schema, messages with rows, and a mark at the end. Streams with the same
    schema are therefore read as one, which takes a fraction of the time if there are many small ones.
    """
    check_threads()
    streams = list(streams)
    if len(streams) == 1:  # a large one is not copied first
        return pl.read_ipc_stream(io.BytesIO(streams[0].content))
    frames = []
    for schema, alike in groupby((_messages(stream.content) for stream in streams), lambda messages: messages[0]):
        whole = b"".join([schema, *(rows for _, rows in alike), _END_OF_STREAM])
        frames.append(pl.read_ipc_stream(io.BytesIO(whole)))
    return frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal_relaxed")


_CONTINUATION = b"\xff\xff\xff\xff"
"""Each message begins with it; the size of the message's metadata follows, and the metadata."""
_END_OF_STREAM = _CONTINUATION + bytes(4)


def _messages(stream: memoryview) -> tuple[bytes, memoryview]:
    """The message with the schema, and those with rows."""
    mark, size = bytes(stream[:4]), int.from_bytes(stream[4:8], "little")
    assert mark == _CONTINUATION, "an Arrow IPC stream"
    end = len(stream) - (len(_END_OF_STREAM) if stream[-8:] == _END_OF_STREAM else 0)
    return bytes(stream[: 8 + size]), stream[8 + size : end]


def as_dictionary(packed: bytes | memoryview) -> Result:
    """A result with everything in it: `series` and `distributions` hold lists for each flow and link."""
    unpacked = unpack(packed)
    result = unpacked.metrics
    for name, (part, things) in LONG_TABLES.items():
        frame = unpacked.table(name)
        found = [] if frame is None else _each(frame, things, result[things])
        result.setdefault(part, {})[things] = found
    return result


def _each(frame: "pl.DataFrame", things: str, described: list[dict[str, Any]]) -> list[dict[str, list[Any]]]:
    """The columns of each flow or link."""
    label = things.removesuffix("s")
    lists = {name: _values(frame[name]) for name in frame.columns if name != label}
    rows = dict(frame.group_by(label, maintain_order=True).len().iter_rows())
    found, at = [], 0
    for index, thing in enumerate(described):
        end = at + rows.get(thing.get("name", index), 0)
        found.append({name: values[at:end] for name, values in lists.items()})
        at = end
    return found


def _values(column: "pl.Series") -> list[Any]:
    """The cells as Python numbers. A single-precision cell is the shortest decimal number that identifies it."""
    return decimal(column).to_list() if column.dtype == pl.Float32 else column.to_list()


def decimal(column: "pl.Series") -> "pl.Series":
    """A single-precision column in double precision, with the decimal numbers that identify its values: 0.1 is 0.1."""
    return column.cast(pl.String).cast(pl.Float64)
