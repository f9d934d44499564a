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
    requests = [json.dumps({"scenario": scenario, "keep": keep}) + "\n" for scenario in scenarios]
    outcomes: list[Outcome | None] = [None] * len(requests)
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(requests)):
        todo.put(index)
    alive: set[subprocess.Popen[str]] = set()
    lock = threading.Lock()
    stop = threading.Event()

    def serve() -> None:
        worker: subprocess.Popen[str] | None = None
        while not stop.is_set():
            try:
                index = todo.get_nowait()
            except queue.Empty:
                break
            if worker is None:
                worker = _start()
                with lock:
                    alive.add(worker)
            outcome = _ask(worker, requests[index])
            if outcome is None:
                worker.kill()
                outcome = Outcome(None, {}, _death(worker.wait()))
                _close(worker)
                worker = None  # a new one takes the next run
            outcomes[index] = outcome
            with lock:
                on_done()
        if worker is not None:
            _close(worker)

    threads = [threading.Thread(target=serve, daemon=True) for _ in range(min(jobs or usable_cpus(), len(requests)))]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    finally:  # Ctrl-C: the runs that go on are of no use to anybody
        stop.set()
        with lock:
            left = list(alive)
        for worker in left:
            worker.kill()
            worker.wait()
    return [outcome for outcome in outcomes if outcome is not None]


def usable_cpus() -> int:
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0))


def _start() -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "fairlane.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _ask(worker: "subprocess.Popen[str]", request: str) -> Outcome | None:
    """The worker's answer; None if it died over it."""
    assert worker.stdin
    assert worker.stdout
    try:
        worker.stdin.write(request)
        worker.stdin.flush()
        line = worker.stdout.readline()
    except (BrokenPipeError, ValueError):
        return None
    if not line.endswith("\n"):
        return None
    answer = json.loads(line)
    if "error" in answer:
        return Outcome(None, {}, answer["message"])
    return Outcome(answer["result"], answer["usage"])


def _death(status: int) -> str:
    """What became of a worker, in words."""
    if status >= 0:
        return f"the process that ran it ended with status {status}"
    name = signal.Signals(-status).name
    hint = ", perhaps for lack of memory" if name == "SIGKILL" else ""
    return f"the process that ran it was ended by {name}{hint}"


def _close(worker: "subprocess.Popen[str]") -> None:
    for pipe in (worker.stdin, worker.stdout):
        if pipe:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
    worker.wait()
