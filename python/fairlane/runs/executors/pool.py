"""A pool of workers of any executor; one thread per worker sends its requests."""

import threading
from collections.abc import Callable

from fairlane.runs.executors import Executor, Worker


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
