"""Answers of a cluster, of which nothing is trusted.

Workers answer with bytes: a line of JSON with an entry for each run, then the packed results, the form in which the
store keeps them. They are checked against the scenario before they are stored. Dask reads messages of its scheduler
with pickle, which runs what a message asks for; `plain_messages` limits that to values and Dask's own errors.
"""

import io
import json
import math
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from fairlane.engine.declarations import columns
from fairlane.engine.result_bytes import LONG_TABLES, unpack
from fairlane.runs.executors import Answer

MAX_BYTES = 1 << 30
"""Of the answer about one run."""
_LONGEST_MESSAGE = 2000
_TYPES = {"integer": int, "number": int | float, "string": str}
_TABLES = {
    "flow_series": ("flow", "flow_samples"),
    "link_series": ("link", "link_samples"),
}
_HARMLESS = {
    "builtins": {
        *("bytearray", "bytes", "complex", "frozenset", "range", "set", "slice"),
        *("Exception", "ImportError", "KeyError", "MemoryError", "ModuleNotFoundError", "OSError", "RuntimeError"),
        *("TimeoutError", "TypeError", "ValueError"),
    },
    "concurrent.futures._base": {"CancelledError"},
    "asyncio.exceptions": {"CancelledError", "TimeoutError"},
    "importlib.metadata": {"PackageNotFoundError"},
    "distributed.scheduler": {"KilledWorker", "WorkerState"},
    "distributed.core": {"Status"},
    "tblib": {"Code", "Frame", "Traceback"},
    "tblib.pickling_support": {"unpickle_exception", "unpickle_exception_with_attrs", "unpickle_traceback"},
}
"""Types that Dask's messages may construct, by module; none of them acts when it is made."""


class BadAnswer(ValueError):
    """An answer that does not fit its request."""


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name in _HARMLESS.get(module, ()):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"the cluster sent a {module}.{name}, which is not run")


@contextmanager
def plain_messages() -> Iterator[None]:
    """Until it ends, Dask makes only harmless objects of what a scheduler or a worker sends to this process."""
    from distributed.protocol import pickle as of_dask

    def loads(data: bytes, *, buffers: Sequence[Any] = ()) -> Any:
        return _Plain(io.BytesIO(data), buffers=buffers).load()

    unlimited, of_dask.loads = of_dask.loads, loads
    try:
        yield
    finally:
        of_dask.loads = unlimited


def encode(answers: Sequence[Answer]) -> bytes:
    """Answers as bytes."""
    packed = [b"".join(answer.get("pieces", ())) for answer in answers]
    heads = [
        {**{name: value for name, value in answer.items() if name != "pieces"}, "bytes": len(one)}
        for answer, one in zip(answers, packed, strict=True)
    ]
    return b"".join([json.dumps(heads).encode(), b"\n", *packed])


def decode(content: object, scenarios: Sequence[str]) -> list[Answer]:
    """The answers about these scenarios (JSON). One that does not fit its scenario is an error of this run."""
    try:
        if not isinstance(content, bytes) or len(content) > MAX_BYTES * len(scenarios):
            raise BadAnswer("not bytes, or too many")
        at = content.index(b"\n")
        heads = json.loads(content[:at])
        if not isinstance(heads, list) or len(heads) != len(scenarios):
            raise BadAnswer(f"not about {len(scenarios)} runs")
        found, at = [], at + 1
        for head, scenario in zip(heads, scenarios, strict=True):
            end = at + int(head["bytes"])
            found.append(_answer(head, memoryview(content)[at:end], scenario))
            at = end
        return found
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        return [_refused(error) for _ in scenarios]


def _refused(error: Exception) -> Answer:
    return {"error": "BadAnswer", "message": f"a worker's answer is not a result: {error}"[:_LONGEST_MESSAGE]}


def _answer(head: Mapping[str, Any], packed: memoryview, scenario: str) -> Answer:
    if "error" in head:
        message = str(head["message"])[:_LONGEST_MESSAGE]
        return {"error": str(head["error"])[:100], "message": message, **({"fatal": True} if head.get("fatal") else {})}
    try:
        usage = {str(name): float(value) for name, value in dict(head["usage"]).items()}
        if not all(math.isfinite(value) and value >= 0 for value in usage.values()) or "wall_s" not in usage:
            raise BadAnswer("its resource usage is not one")
        check(packed, json.loads(scenario))
    except Exception as error:  # whatever is wrong with bytes of others
        return _refused(error)
    return {"usage": usage, "pieces": [bytes(packed)]}


def check(packed: memoryview, scenario: Mapping[str, Any]) -> None:
    """Raises BadAnswer, or an error of the formats, if this is not the result of such a scenario."""
    result = unpack(packed)
    groups = scenario["flows"]
    rows = {name: result.metrics.pop(name) for name in ("flows", "links", "cross_traffic")}
    parts = {part for part, _ in LONG_TABLES.values()}
    rest = {name: result.metrics[name] for name in result.metrics.keys() - parts}
    for part in sorted(parts):
        if not isinstance(result.metrics.get(part, {}), dict):
            raise BadAnswer(f"{part} is not an object")
    for name, listed in rows.items():
        for row in listed:
            if wrong := row.keys() ^ columns(name).keys():
                raise BadAnswer(f"{name}: unknown or missing columns {', '.join(sorted(wrong))}")
            _values(name, row)
    _values("runs", rest)
    for number, flow in enumerate(rows["flows"]):
        if flow["flow"] != number or not 0 <= flow["group"] < len(groups):
            raise BadAnswer(f"it has flow {flow['flow']} of group {flow['group']}, which the scenario has not")
    if {flow["group"] for flow in rows["flows"]} != set(range(len(groups))):
        raise BadAnswer("a flow of the scenario is missing")
    links = {link["name"] for link in scenario.get("links", ())}
    if missing := links - {link["name"] for link in rows["links"]}:
        raise BadAnswer(f"links of the scenario are missing: {', '.join(sorted(missing))}")
    for name, stream in result.streams.items():
        if name not in LONG_TABLES:
            raise BadAnswer(f"it has an unknown table {name}")
        frame = result.table(name)
        if frame is None or frame.height != stream.rows:
            raise BadAnswer(f"{name} has not {stream.rows} rows")
        if frame.columns[:1] != [label := LONG_TABLES[name][1].removesuffix("s")]:
            raise BadAnswer(f"the first column of {name} is not {label}")
        if name in _TABLES:
            key, declared = _TABLES[name]
            if wrong := set(frame.columns) - {key, *columns(declared)}:
                raise BadAnswer(f"{name} has unknown columns: {', '.join(sorted(wrong))}")


def _values(table: str, row: Mapping[str, Any]) -> None:
    for name, value in row.items():
        column = columns(table)[name]
        if value is None and column.is_optional:
            continue
        if isinstance(value, bool) or not isinstance(value, _TYPES[column.type]):
            raise BadAnswer(f"{table}.{name} is {value!r}, not of type {column.type}")
        if isinstance(value, float) and not math.isfinite(value):
            raise BadAnswer(f"{table}.{name} is not finite")
