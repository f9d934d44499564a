"""Runs many scenarios over a few worker processes, and survives the death of any of them.

What belongs here: starting workers, handing out work, putting answers back into the order of the
questions. The order in which runs happen never changes a result: each is a function of its scenario.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """What became of one run: its result, or the one line that says why there is none."""

    result: dict[str, Any] | None
    usage: dict[str, float]
    error: str = ""


class Worker:
    """A process that answers a line with a line."""

    def __init__(self, module: str, *arguments: str, environment: dict[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )

    def ask(self, request: bytes) -> bytes | None:
        """The worker's answer; None if it died over it."""
        assert self._process.stdin
        try:
            self._process.stdin.write(request + b"\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            return None
        return self.read()

    def read(self) -> bytes | None:
        """The next line of the worker; None if there will be none."""
        assert self._process.stdout
        try:
            line = self._process.stdout.readline()
        except ValueError:
            return None
        return line if line.endswith(b"\n") else None

    def finish(self) -> bytes | None:
        """Tells the worker that there is no more work, and returns its last words if it has any."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        words = self.read()
        self._close()
        return words

    def bury(self) -> str:
        """Ends a worker that gave no answer, and says in words what became of it."""
        self.kill()
        status = self._close()
        if status >= 0:
            return f"the process that ran it ended with status {status}"
        name = signal.Signals(-status).name
        hint = ", perhaps for lack of memory" if name == "SIGKILL" else ""
        return f"the process that ran it was ended by {name}{hint}"

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.kill()

    def _close(self) -> int:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        return self._process.wait()


def run_all(
    scenarios: Iterable[dict[str, Any]],
    *,
    jobs: int | None = None,
    keep: list[str] | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> list[Outcome]:
    """Runs every scenario and returns the outcomes in the same order.

    `jobs` processes at a time (default: one per usable CPU). `keep` as in `fairlane.worker`. `on_done` is
    called after each run, from one thread at a time.
    """
    requests = [json.dumps({"scenario": scenario, "keep": keep}).encode() for scenario in scenarios]
    outcomes: list[Outcome | None] = [None] * len(requests)
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(requests)):
        todo.put(index)
    lock = threading.Lock()

    def serve(crew: Crew) -> None:
        worker: Worker | None = None
        while not crew.stopped:
            try:
                index = todo.get_nowait()
            except queue.Empty:
                break
            worker = worker or crew.hire("fairlane.worker")
            answer = worker.ask(requests[index])
            if answer is None:
                outcomes[index] = Outcome(None, {}, worker.bury())
                worker = None  # a new one takes the next run
            else:
                outcomes[index] = _outcome(json.loads(answer))
            with lock:
                on_done()
        if worker is not None:
            worker.finish()

    Crew(min(jobs or usable_cpus(), len(requests))).work(serve)
    return [outcome for outcome in outcomes if outcome is not None]


class Crew:
    """A few threads, each with a worker at its hand."""

    def __init__(self, size: int) -> None:
        self.size, self.stopped = size, False
        self._workers: list[Worker] = []
        self._lock = threading.Lock()
        self._error: BaseException | None = None

    def hire(self, module: str, *arguments: str, environment: dict[str, str] | None = None) -> Worker:
        """Starts a worker."""
        with self._lock:
            worker = Worker(module, *arguments, environment=environment)
            self._workers.append(worker)
            return worker

    def work(self, serve: "Callable[[Crew], None]", wait: Callable[[threading.Thread], None] | None = None) -> None:
        """Calls `serve` in every thread and returns when all are done. `wait` waits for one of them."""

        def guarded() -> None:
            try:
                serve(self)
            except BaseException as error:  # raised again below, in the thread that reports it
                self._error = self._error or error
                self.stopped = True

        threads = [threading.Thread(target=guarded, daemon=True) for _ in range(self.size)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                (wait or threading.Thread.join)(thread)
        except BaseException:  # Ctrl-C: the runs that go on are of no use to anybody
            self.stopped = True
            with self._lock:
                for worker in self._workers:
                    worker.kill()
            for thread in threads:
                thread.join()
            raise
        if self._error is not None:
            raise self._error


def usable_cpus() -> int:
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0))


def _outcome(answer: dict[str, Any]) -> Outcome:
    if "error" in answer:
        return Outcome(None, {}, answer["message"])
    return Outcome(answer["result"], answer["usage"])
