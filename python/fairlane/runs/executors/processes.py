"""Processes of this machine as an executor, which survives the death of any of them.

The order in which runs happen never changes a result: each is a function of its scenario.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fairlane.engine import containment, threads
from fairlane.engine.result_bytes import Result
from fairlane.runs import interpreter
from fairlane.runs.backends import SIMULATOR
from fairlane.runs.executors import Answer, Request, Worker
from fairlane.runs.executors.pool import WorkerPool

ANSWER_BYTES = 500_000_000
"""The longest answer of a worker. Reading it takes twice as much memory for a moment."""


class Process:
    """A worker that is a process: it answers a line with a line.

    Answers have a pipe of their own, whose number is the worker's last argument. What a worker prints, a Python
    algorithm for instance, goes to standard error.
    """

    def __init__(self, module: str, *arguments: str, environment: dict[str, str] | None = None) -> None:
        answers, theirs = os.pipe()
        try:
            with interpreter.without_signals(signal.SIGINT):
                self._process = subprocess.Popen(
                    [*interpreter.module(module), *arguments, str(theirs)],
                    stdin=subprocess.PIPE,
                    stdout=2,
                    pass_fds=[theirs],
                    env={**os.environ, **(environment or {})},
                )
        finally:
            os.close(theirs)
        self._answers = os.fdopen(answers, "rb")
        self._unreadable = self._too_long = False

    def ask(self, request: Request) -> Answer | None:
        """The worker's answer; None if it died over it."""
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            return None
        return self._read()

    def finish(self) -> Answer | None:
        """Tells the worker that there is no more work, and returns its final reply if there is one."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        words = self._read()
        self._close()
        return words

    def reap(self) -> str:
        """Ends a worker that gave no answer, and says in words what became of it."""
        self.kill()
        status = self._close()
        if self._too_long:
            return (
                f"the process that ran it gave an answer of more than {ANSWER_BYTES // 10**6} MB, the most that is "
                "read; record less, or run it for a shorter time"
            )
        if self._unreadable:
            return "the process that ran it gave an answer that cannot be read"
        if status >= 0:
            return f"the process that ran it ended with status {status}"
        name = signal.Signals(-status).name
        hint = ", perhaps for lack of memory" if name == "SIGKILL" else ""
        return f"the process that ran it was ended by {name}{hint}"

    def kill(self) -> None:
        """Kills the process."""
        self._process.kill()

    def _read(self) -> Answer | None:
        """The next line of the worker; None if there will be none."""
        try:
            line = self._answers.readline(ANSWER_BYTES)
        except (ValueError, MemoryError):
            return None
        if not line.endswith(b"\n"):
            self._too_long = len(line) == ANSWER_BYTES
            return None
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        self._unreadable = not isinstance(answer, dict)
        return None if self._unreadable else answer

    def _close(self) -> int:
        for pipe in (self._process.stdin, self._answers):
            if pipe:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        return self._process.wait()


@dataclass(frozen=True)
class ProcessExecutor:
    """Worker processes on this machine."""

    jobs: int
    backend: str = SIMULATOR
    recorder: tuple[str, list[Any]] | None = None
    """A module and the arguments of its `open_recorder`; without it results come back with the answers."""
    environment: dict[str, str] | None = None
    programs: dict[str, str] = field(default_factory=dict)
    """Files that hold the programs of algorithms, by the path of the algorithm; see
    `fairlane.algorithm.program_files`."""
    module: str = "fairlane.runs.executors.worker"
    """The module that the processes run."""

    @property
    def slots(self) -> int:
        """A worker for each run."""
        return self.jobs

    def room(self) -> contextlib.AbstractContextManager[None]:
        """There always is."""
        return contextlib.nullcontext()

    @property
    def records(self) -> bool:
        """Whether the workers keep what they compute."""
        return self.recorder is not None

    def provide(self, files: Mapping[str, str]) -> None:
        """Has workers use these programs from the next one on."""
        self.programs.update(files)

    def where(self) -> str:
        """On this machine, which needs no words."""
        return ""

    def spawn(self) -> Process:
        """Starts a worker."""
        settings = json.dumps(
            {
                "backend": self.backend,
                "recorder": self.recorder,
                "programs": self.programs,
                "containment": containment(),
                "threads": threads(),
            }
        )
        return Process(self.module, settings, environment=self.environment)


@dataclass(frozen=True)
class Computed:
    """The outcome of one run: its result, or one line that says why there is none."""

    result: Result | None
    usage: Mapping[str, float]
    error: str = ""


def run_all(
    scenarios: Iterable[Mapping[str, object]],
    *,
    jobs: int | None = None,
    keep: list[str] | None = None,
    on_done: Callable[[], None] = lambda: None,
    backend: str = SIMULATOR,
) -> list[Computed]:
    """Runs every scenario and returns the outcomes, in the same order.

    `jobs` processes at a time (default: one per usable CPU). `keep` names the parts of the results that are wanted
    (default: all). `on_done` is called after each run, from one thread at a time. `backend` runs them.
    """
    requests: list[Request] = [{"run": "", "scenario": json.dumps(scenario), "keep": keep} for scenario in scenarios]
    computed: list[Computed | None] = [None] * len(requests)
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(requests)):
        todo.put(index)
    lock = threading.Lock()

    def serve(pool: WorkerPool) -> None:
        worker: Worker | None = None
        while not pool.stopped:
            try:
                index = todo.get_nowait()
            except queue.Empty:
                break
            worker = worker or pool.spawn()
            answer = worker.ask(requests[index])
            if answer is None:
                computed[index] = Computed(None, {}, worker.reap())
                worker = None  # a new one takes the next run
            elif "error" in answer:
                computed[index] = Computed(None, {}, answer["message"])
            else:
                computed[index] = Computed(answer["result"], answer["usage"])
            with lock:
                on_done()
        if worker is not None:
            worker.finish()

    executor = ProcessExecutor(min(jobs or usable_cpus(), len(requests)), backend)
    WorkerPool(executor, executor.jobs).work(serve)
    return [one for one in computed if one is not None]


def usable_cpus() -> int:
    """The number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0))
