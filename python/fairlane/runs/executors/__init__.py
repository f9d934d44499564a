"""Executors compute runs: in processes of this machine, or by the workers of a Dask cluster.

An executor spawns workers; a worker answers one request at a time, by running a backend. Workers know nothing of the
store. Where they can reach it they are given a recorder, so that large results cross no pipe and storing goes in
parallel; otherwise results come back with the replies, and the caller stores them.

An answer has `usage` with `pieces` or `journal`, or `busy`, or `error` with its message.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NotRequired, Protocol, TypedDict

from fairlane.engine.result_bytes import Result
from fairlane.runs.backends import SIMULATOR, Outcome


class Request(TypedDict):
    """A run to compute."""

    run: str
    """Its key."""
    scenario: str
    """As JSON."""
    meta: NotRequired[Mapping[str, object]]
    """Its description in the store."""
    keep: NotRequired[Sequence[str] | None]
    """The parts of the result that the answer has, without a recorder; all if absent."""


class Answer(TypedDict, total=False):
    """The reply to a request."""

    usage: Mapping[str, float]
    pieces: Sequence[bytes]
    """The packed result, without a recorder."""
    result: Result
    """The result, from a worker without a recorder."""
    journal: str
    """The journal that has the run."""
    took_s: float
    busy: bool
    """Another process computes the run."""
    error: str
    """The kind of error."""
    message: str
    fatal: bool
    """No further run can succeed."""


class RecorderError(RuntimeError):
    """Results cannot be kept."""


class Recorder(Protocol):
    """Keeps finished runs."""

    def claim(self, run: str) -> bool:
        """Claims the run; False if another process computes it."""

    def record(self, request: Request, outcome: Outcome) -> Answer:
        """Keeps a run; when it returns a kill loses nothing. Raises RecorderError."""

    def close(self) -> None:
        """Ends the work. Raises RecorderError."""


class Worker(Protocol):
    """Answers requests, one at a time."""

    def ask(self, request: Request) -> Answer | None:
        """The answer; None if the worker died over it."""

    def finish(self) -> Answer | None:
        """Tells the worker that there is no more work; returns a reply if something failed at the end."""

    def reap(self) -> str:
        """Ends a worker that gave no answer, and says in words what became of it."""

    def kill(self) -> None:
        """Kills the worker."""


class Executor(Protocol):
    """A place where workers work."""

    @property
    def jobs(self) -> int:
        """Runs at a time."""

    @property
    def slots(self) -> int:
        """Workers that there may be, some of which wait until there is room."""

    def room(self) -> AbstractContextManager[None]:
        """Waits until another request would be computed soon; it counts until the context ends."""

    @property
    def records(self) -> bool:
        """Whether the workers keep what they compute."""

    def provide(self, files: Mapping[str, str]) -> None:
        """Has workers use these programs: by the path of an algorithm the file that holds its program."""

    def where(self) -> str:
        """The machines there are now, for the progress bar; empty for this one."""

    def spawn(self) -> Worker:
        """Starts a worker."""


@dataclass(frozen=True)
class Place:
    """The executor and backend of a command."""

    jobs: int
    """Runs at a time."""
    executor: Executor | None = None
    """Processes of this machine, if none is given."""
    backend: str = SIMULATOR
    """The backend, as `fairlane.runs.backends.backend` takes it."""


def answer(request: Request, run: Callable[[Request], Outcome], recorder: Recorder | None) -> Answer:
    """Has a request run, and its result kept if there is a recorder."""
    if recorder is not None and not recorder.claim(request["run"]):
        return {"busy": True}
    outcome = run(request)
    if outcome.pieces is None:
        return {"error": outcome.error, "message": outcome.message}
    if recorder is None:
        return {"usage": outcome.usage, "pieces": outcome.pieces}
    try:
        return {"usage": outcome.usage, **recorder.record(request, outcome)}
    except RecorderError as error:
        return fatal(error)


def fatal(error: RecorderError) -> Answer:
    """The answer that ends the work."""
    return {"error": "RecorderError", "message": str(error), "fatal": True}
