"""Pools of threads: those that send requests to workers of any executor, and those that run the engine themselves."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from fairlane.runs.executors import Executor, Worker


@contextmanager
def thread_pool(size: int) -> Iterator[ThreadPoolExecutor]:
    """Threads of this process. An interruption (Ctrl-C) does not wait for their runs, which may take minutes."""
    pool = ThreadPoolExecutor(size)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


class WorkerPool:
    """A few threads, each of which asks a worker of its own."""

    def __init__(self, executor: Executor, size: int) -> None:
        self.executor, self.size, self.stopped = executor, size, False
        self._workers: list[Worker] = []
        self._lock = threading.Lock()
        self._error: BaseException | None = None

    def spawn(self) -> Worker:
        """Starts a worker."""
        with self._lock:
            worker = self.executor.spawn()
            self._workers.append(worker)
            return worker

    def work(
        self, serve: "Callable[[WorkerPool], None]", wait: Callable[[threading.Thread], None] | None = None
    ) -> None:
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
        except BaseException:  # Ctrl-C: the runs in progress are useless
            self.stopped = True
            with self._lock:
                for worker in self._workers:
                    worker.kill()
            for thread in threads:
                thread.join()
            raise
        if self._error is not None:
            raise self._error
