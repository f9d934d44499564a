"""Several short requests as one task of a cluster: a task costs milliseconds, however short it is.

The thread that asks first takes what waits with its request, computes that, and hands the answers over; a request that
finds all tasks busy waits for the next one. How many go together follows from how long they took so far.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from fairlane.runs.executors import Answer, Request

MOST_TOGETHER = 10
TOGETHER_S = 0.2
"""Requests go together while they take no longer than this: a worker that dies loses one task."""
SPARE = 2
"""Tasks that wait while others are computed, so that a task that becomes free finds a whole one."""


class Batches:
    """Distributes requests over a limited number of tasks."""

    def __init__(self, compute: Callable[[Sequence[Request]], list[Answer | None]], tasks: int) -> None:
        """`compute` has some requests answered as one task, of which there are `tasks` at a time."""
        self._compute, self._tasks = compute, tasks
        self._lock = threading.Lock()
        self._room = threading.Condition(self._lock)
        self._waiting: list[_Asked] = []
        self._busy = self._inside = 0
        self._mean_s = TOGETHER_S
        self._closed = False

    @property
    def most(self) -> int:
        """Requests at a time if all are short."""
        return (self._tasks + SPARE) * MOST_TOGETHER

    @property
    def together(self) -> int:
        """Requests per task, as long as those that were answered."""
        return max(1, min(MOST_TOGETHER, int(TOGETHER_S / max(self._mean_s, 1e-9))))

    @contextmanager
    def room(self) -> Iterator[None]:
        """Waits until another request would be computed soon; it counts until the context ends."""
        with self._room:
            self._room.wait_for(lambda: self._closed or self._inside < self._limit)
            self._inside += 1
        try:
            yield
        finally:
            with self._room:
                self._inside -= 1
                self._room.notify(2)  # the limit may have grown

    @property
    def _limit(self) -> int:
        return self._tasks if self.together == 1 else (self._tasks + SPARE) * self.together

    def ask(self, request: Request) -> Answer | None:
        """The answer; None after `close`."""
        asked = _Asked(request)
        with self._lock:
            if self._closed:
                return None
            self._waiting.append(asked)
            if self._busy < self._tasks:
                self._busy += 1
                asked.lead()
        while True:
            asked.turn.wait()
            if asked.is_answered and not asked.leads:
                return asked.answer
            self._lead(asked)

    def close(self) -> None:
        """Lets all who wait go without an answer."""
        with self._room:
            self._closed = True
            for asked in self._waiting:
                asked.end(None)
            self._waiting.clear()
            self._room.notify_all()

    def _lead(self, leader: "_Asked") -> None:
        """Computes the requests that have waited longest as one task, and names who does so next."""
        with self._lock:
            leader.follow()
            taken, self._waiting = self._waiting[: self.together], self._waiting[self.together :]
        answers: list[Answer | None] = [None] * len(taken)
        try:
            if taken:
                answers = self._compute([asked.request for asked in taken])
        finally:
            with self._lock:
                for asked, answer in zip(taken, answers, strict=True):
                    if answer is not None and "usage" in answer:
                        self._mean_s += (answer["usage"]["wall_s"] - self._mean_s) / 4
                    asked.end(answer)
                following = next((asked for asked in self._waiting if not asked.leads), None)
                if following is not None:
                    following.lead()
                else:
                    self._busy -= 1


class _Asked:
    """A request on its way; changed under the lock only."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.answer: Answer | None = None
        self.is_answered = self.leads = False
        self.turn = threading.Event()
        """Set when it is answered, or when its asker is to lead."""

    def end(self, answer: Answer | None) -> None:
        self.answer, self.is_answered = answer, True
        self.turn.set()

    def lead(self) -> None:
        self.leads = True
        self.turn.set()

    def follow(self) -> None:
        self.leads = False
        if not self.is_answered:
            self.turn.clear()
