"""Answers of a cluster, of which nothing is trusted.

Workers answer with bytes: a line of JSON with an entry for each run, then the packed results, the form in which the
store keeps them. They are checked against the scenario before they are stored. Dask reads messages of its scheduler
with pickle, which runs what a message asks for, and reads as much as a message announces; `plain_messages` limits that
to values and Dask's own errors, and to the bytes of an answer.
"""

import io
import json
import math
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

from fairlane.runs.backends.result_form import BadAnswer, check
from fairlane.runs.executors import Answer

MAX_BYTES = 1 << 30
"""Of the answer about one run."""
_MAX_MESSAGE = MAX_BYTES + (1 << 20)
_LONGEST_MESSAGE = 2000
_HARMLESS = {
    "builtins": {
        *("complex", "range", "slice"),
        *("Exception", "ImportError", "KeyError", "MemoryError", "ModuleNotFoundError", "OSError", "RuntimeError"),
        *("TimeoutError", "TypeError", "ValueError"),
    },
    "concurrent.futures._base": {"CancelledError"},
    "asyncio.exceptions": {"CancelledError", "TimeoutError"},
    "importlib.metadata": {"PackageNotFoundError"},
    "distributed.comm.core": {"CommClosedError"},
    "distributed.scheduler": {"KilledWorker", "WorkerState"},
    "distributed.core": {"Status"},
    "tblib": {"Code", "Frame", "Traceback"},
    "tblib.pickling_support": {"unpickle_exception", "unpickle_exception_with_attrs", "unpickle_traceback"},
}
"""Types that Dask's messages may construct, by module; none of them acts when it is made."""


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _COLLECTIONS:
            return _COLLECTIONS[name]
        if name in _HARMLESS.get(module, ()):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"the cluster sent a {module}.{name}, which is not run")


def _of_few(kind: type) -> type:
    """A type without its forms that make a large object of a number."""

    def checked(of_kind: Callable[..., Any]) -> Callable[..., Any]:
        def make(first: Any, *values: Any) -> Any:
            if any(isinstance(value, (int, range)) for value in values):
                raise pickle.UnpicklingError("the cluster sent the size of an object, which is not made")
            return of_kind(first, *values)

        return make

    makers = {name: checked(getattr(kind, name)) for name in ("__new__", "__init__") if name in vars(kind)}
    return type(kind.__name__, (kind,), makers)


_COLLECTIONS = {one.__name__: _of_few(one) for one in (bytearray, bytes, frozenset, set)}


@contextmanager
def plain_messages() -> Iterator[None]:
    """Until it ends, Dask makes only harmless objects of what a scheduler or a worker sends to this process.

    Each module of Dask that has a function of pickle gets another one, and so do those that read messages and expand
    compressed ones. Events, which workers may have printed here or raised as warnings, are ignored.
    """
    from distributed import Client
    from distributed.comm import tcp
    from distributed.protocol import compression, utils
    from distributed.protocol import pickle as of_dask

    replaced = {
        id(of_dask.loads): _loads,
        id(pickle.loads): _loads,
        id(pickle.load): _refuse,
        id(pickle.Unpickler): _Plain,
        id(tcp.read_bytes_rw): partial(_read, tcp.read_bytes_rw),
        id(utils.unpack_frames): partial(_unpack_frames, utils.unpack_frames),
        id(compression.decompress): _expand,
    }
    before = []
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("dask", "distributed"):
            for attribute, value in list(vars(module).items()):
                if (plain := _plain(value, replaced)) is not None:
                    before.append((module, attribute, value))
                    setattr(module, attribute, plain)
    handlers = getattr(Client, "_default_event_handlers", {})
    Client._default_event_handlers = {}
    try:
        yield
    finally:
        Client._default_event_handlers = handlers
        for module, attribute, value in before:
            setattr(module, attribute, value)


def _plain(value: object, replaced: Mapping[int, object]) -> object:
    """The harmless form of a function or module of pickle; None of anything else."""
    if isinstance(value, ModuleType) and value.__name__ in ("pickle", "cloudpickle"):
        return SimpleNamespace(**{name: replaced.get(id(one), one) for name, one in vars(value).items()})
    return replaced.get(id(value))


def _loads(data: bytes, *, buffers: Sequence[Any] = ()) -> Any:
    return _Plain(io.BytesIO(data), buffers=buffers or ()).load()


async def _read(reads: Callable[..., Any], stream: object, size: int) -> Any:
    _check_size(size)
    return await reads(stream, size)


def _unpack_frames(unpacks: Callable[..., Any], *content: Any, **options: bool) -> Any:
    found = unpacks(*content, **options)
    if options.get("partial"):  # the sizes of what is still to be read
        _check_size(sum(found[1]))
    return found


def _check_size(size: int) -> None:
    if size > _MAX_MESSAGE:
        raise OSError(f"a worker sent more than {_MAX_MESSAGE / 1e9:.1f} GB")


def _expand(header: Mapping[str, Any], frames: Sequence[Any]) -> list[Any]:
    if any(header["compression"]):
        raise OSError("a worker sent compressed data; set distributed.comm.compression: false there")
    return list(frames)


def _refuse(*_: object) -> None:
    raise pickle.UnpicklingError("the cluster sent a file of pickle, which is not read")


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
