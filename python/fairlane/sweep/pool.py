"""Hands runs to worker processes until all are in the store."""

import json
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fairlane.store.layout import StoreError
from fairlane.store.store import Store
from fairlane.sweep.estimate import Cost, Work
from fairlane.workers import Crew, Worker

_WORKER = "fairlane.sweep.worker"
_RETRY_S = 0.1
"""How often to look whether another process is done with a run that we want too."""
_MAX_FLAGS = {"POLARS_MAX_THREADS": "1"}  # `--jobs N` means N processors


@dataclass(frozen=True)
class Task:
    """A run to be computed."""

    run: str
    scenario: str
    """JSON, for the engine."""
    meta: dict[str, Any]
    """What the store shall say about it."""
    cost: Cost
    """How long it takes, about."""
    flows: int
    """How many it has."""
    title: str
    """How a message calls it."""

    @property
    def work(self) -> Work:
        """The same in seconds."""
        return Work(sum(self.cost), self.flows)


@dataclass(frozen=True)
class Failure:
    """A run that gave no result."""

    run: str
    title: str
    message: str


@dataclass
class Report:
    """What became of the tasks."""

    computed: int = 0
    elsewhere: int = 0
    """Computed by other processes meanwhile."""
    failures: list[Failure] = field(default_factory=list)


class Watcher:
    """Is told how the work goes; from one thread at a time."""

    def on_start(self, task: Task) -> None:
        """A worker begins with a run."""

    def on_end(self, task: Task, wall_s: float | None, store_s: float = 0.0) -> None:
        """A run ended; None if it took no work of ours. `store_s` went into tables of this run and those before it."""

    def on_tick(self) -> None:
        """Some time has passed."""


def compute(
    store: Store, tasks: Sequence[Task], common: dict[str, Any], jobs: int, watcher: Watcher | None = None
) -> Report:
    """Computes the tasks in this order, `jobs` at a time, and stores them.

    `common` goes into the description of every run. A run that fails, or whose process dies, is reported; the
    others go on. Raises StoreError when the store cannot be written.
    """
    pool = _Pool(store, deque(tasks), json.dumps(common), watcher or Watcher())
    crew = Crew(min(jobs, len(tasks)))
    crew.work(pool.serve, pool.wait)
    if pool.fatal:
        raise StoreError(pool.fatal)
    return pool.report


class _Pool:
    def __init__(self, store: Store, todo: deque[Task], common: str, watcher: Watcher) -> None:
        self.store, self.todo, self.common, self.watcher = store, todo, common, watcher
        self.report = Report()
        self.fatal = ""
        self.lock = threading.Lock()

    def serve(self, crew: Crew) -> None:
        worker: Worker | None = None
        waited: set[str] = set()
        while not crew.stopped and not self.fatal:
            task = self.next_task()
            if task is None:
                break
            worker = worker or crew.hire(_WORKER, str(self.store.layout.root), self.common, environment=_MAX_FLAGS)
            begin_s = time.perf_counter()
            answer = worker.ask(_request(task))
            if answer is None:
                if crew.stopped:
                    return
                self.bury(task, worker)
                worker = None  # a new one takes the next run
                continue
            if self.take(task, json.loads(answer), time.perf_counter() - begin_s):
                waited.discard(task.run)
            elif task.run in waited:
                time.sleep(_RETRY_S)
            else:
                waited.add(task.run)
        last_words = worker.finish() if worker else None
        if last_words:
            with self.lock:
                self.fatal = json.loads(last_words)["message"]

    def next_task(self) -> Task | None:
        """The next run that is not in the store yet."""
        with self.lock:
            self.store.refresh()
            while self.todo:
                task = self.todo.popleft()
                if task.run not in self.store.keys:
                    self.watcher.on_start(task)
                    return task
                self.report.elsewhere += 1
                self.watcher.on_end(task, None)
            return None

    def take(self, task: Task, answer: dict[str, Any], wall_s: float) -> bool:
        """Notes an answer; False if the run must be asked for again."""
        with self.lock:
            if "busy" in answer:
                self.todo.append(task)
                return False
            if "fatal" in answer:
                self.fatal = answer["message"]
            elif "error" in answer:
                self.report.failures.append(Failure(task.run, task.title, answer["message"]))
            else:
                self.report.computed += 1
                self.store.keys.add(task.run)
                self.store.own_journals.add(answer["journal"])
            store_s = answer.get("store_s", 0.0)
            self.watcher.on_end(task, wall_s - store_s, store_s)
            return True

    def bury(self, task: Task, worker: Worker) -> None:
        """Notes what a dead worker left: its run is lost unless it was kept and only the answer is missing."""
        message = worker.bury()
        with self.lock:
            self.store.recover()
            if task.run in self.store.keys:
                self.report.computed += 1
            else:
                self.report.failures.append(Failure(task.run, task.title, message))
            self.watcher.on_end(task, None)

    def wait(self, thread: threading.Thread) -> None:
        """Waits for a thread and lets the watcher breathe."""
        while thread.is_alive():
            thread.join(0.2)
            with self.lock:
                self.watcher.on_tick()


def _request(task: Task) -> bytes:
    return json.dumps({"run": task.run, "scenario": task.scenario, "meta": task.meta}).encode()
