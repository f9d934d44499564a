"""Hands runs to workers until all are in the store; where the workers are is the executor's affair."""

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairlane.results.store.layout import StoreError
from fairlane.results.store.store import Store
from fairlane.runs.backends import SIMULATOR, Outcome
from fairlane.runs.executors import Answer, Executor, RecorderError, Request, Worker, fatal
from fairlane.runs.executors.pool import WorkerPool
from fairlane.runs.executors.processes import ProcessExecutor
from fairlane.runs.recorder import Recorder
from fairlane.runs.sweep.run_size import Work

_RETRY_S = 0.1
"""Interval at which to check whether another process has finished a run that this one needs too."""
_MAX_FLAGS = {"POLARS_MAX_THREADS": "1"}  # `--jobs N` means N CPUs


@dataclass(frozen=True)
class Task:
    """A run to be computed."""

    run: str
    scenario: str
    """JSON, for the engine."""
    meta: Mapping[str, object]
    """Its description in the store."""
    work: Work
    """Its size."""
    title: str
    """Its name in messages."""


@dataclass(frozen=True)
class Failure:
    """A run that gave no result."""

    run: str
    title: str
    message: str


@dataclass
class Report:
    """The outcome of the tasks."""

    computed: int = 0
    elsewhere: int = 0
    """Computed by other processes meanwhile."""
    failures: list[Failure] = field(default_factory=list)


class Watcher:
    """Receives progress, from one thread at a time."""

    def on_start(self, task: Task) -> None:
        """A worker starts a run."""

    def on_end(self, task: Task, wall_s: float | None) -> None:
        """A run ended; None if it took no work of ours."""

    def on_tick(self) -> None:
        """Some time has passed."""


def processes(store: Store, common: Mapping[str, object], jobs: int, on: str = SIMULATOR) -> ProcessExecutor:
    """Processes of this machine, which keep what they compute themselves.

    `common` is what their runs share, `on` the backend.
    """
    recorder = ("fairlane.runs.recorder", [str(store.layout.root), common])
    return ProcessExecutor(jobs, on, recorder=recorder, environment=_MAX_FLAGS)


def compute(
    store: Store,
    tasks: Sequence[Task],
    common: Mapping[str, object],
    executor: Executor,
    watcher: Watcher | None = None,
) -> Report:
    """Computes the tasks in this order and stores them.

    `common` goes into the description of every run that is recorded here, because the executor's workers do not. A run
    that fails, or whose worker dies, is reported; the others continue. Raises StoreError if it cannot be stored.
    """
    recorder = None if executor.records else Recorder(store.layout, common)
    dispatch = _Dispatch(store, deque(tasks), recorder, watcher or Watcher())
    try:
        WorkerPool(executor, min(executor.slots, len(tasks))).work(dispatch.serve, dispatch.wait)
    finally:
        try:
            if recorder is not None:
                recorder.close()
        except RecorderError as error:
            dispatch.fatal = dispatch.fatal or str(error)
    if dispatch.fatal:
        raise StoreError(dispatch.fatal)
    return dispatch.report


class _Dispatch:
    def __init__(self, store: Store, todo: deque[Task], recorder: Recorder | None, watcher: Watcher) -> None:
        self.store, self.todo, self.recorder, self.watcher = store, todo, recorder, watcher
        self.report = Report()
        self.fatal = ""
        self.lock = threading.Lock()
        self.recording = threading.Lock()

    def serve(self, workers: WorkerPool) -> None:
        worker: Worker | None = None
        waited: set[str] = set()
        while not workers.stopped and not self.fatal:
            with workers.executor.room():
                task = None if workers.stopped else self.next_task()
                if task is None:
                    break
                worker = worker or workers.spawn()
                begin_s = time.perf_counter()
                answer = self.ask(worker, task)
                if answer is None:
                    if workers.stopped:
                        return
                    self.reap(task, worker)
                    worker = None  # a new one takes the next run
                elif self.take(task, answer, time.perf_counter() - begin_s):
                    waited.discard(task.run)
                elif task.run in waited:
                    time.sleep(_RETRY_S)
                else:
                    waited.add(task.run)
        last_words = worker.finish() if worker else None
        if last_words:
            with self.lock:
                self.fatal = last_words["message"]

    def ask(self, worker: Worker, task: Task) -> Answer | None:
        """Has a run computed and kept, by the worker or else here; None if the worker died over it."""
        request: Request = {"run": task.run, "scenario": task.scenario, "meta": task.meta}
        if self.recorder is None:
            return worker.ask(request)
        with self.recording:
            if not self.recorder.claim(task.run):
                return {"busy": True}
        answer = worker.ask(request)
        if answer is None or "error" in answer:
            return answer
        with self.recording:
            try:
                kept = self.recorder.record(request, Outcome(answer["pieces"], answer["usage"]))
            except RecorderError as error:
                return fatal(error)
        return {**kept, "took_s": answer["usage"]["wall_s"]}

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

    def take(self, task: Task, answer: Answer, wall_s: float) -> bool:
        """Records a reply; False if the run must be requested again."""
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
            # Far away, a run may have waited for others.
            self.watcher.on_end(task, answer.get("took_s", wall_s))
            return True

    def reap(self, task: Task, worker: Worker) -> None:
        """Notes what a dead worker left: its run is lost unless it was kept and only the answer is missing."""
        message = worker.reap()
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
