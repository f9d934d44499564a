"""What people see while they wait: how much is done, and how long the rest takes."""

import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fairlane.sweep.pool import Task, Watcher
from fairlane.sweep.time_left import TimeLeft

REDRAW_S = 0.1


class ProgressBar(Watcher):
    """Draws on standard error; silent where nobody watches."""

    def __init__(self, tasks: Sequence[Task], jobs: int) -> None:
        self.left = TimeLeft([task.cost for task in tasks], min(jobs, len(tasks)))
        self.total, self.done = len(tasks), 0
        self.shown = sys.stderr.isatty()
        self._drawn_s, self._began_s = 0.0, time.monotonic()

    def on_start(self, task: Task) -> None:
        """A worker begins with a run."""
        self.left.start(task.run, task.cost)

    def on_end(self, task: Task, wall_s: float | None, store_s: float = 0.0) -> None:
        """A run ended."""
        self.done += 1
        if wall_s is None:
            self.left.drop(task.run, task.cost)
        else:
            self.left.end(task.run, task.cost, wall_s, store_s)
        self.on_tick()

    def on_tick(self) -> None:
        """Some time has passed."""
        if self.shown and time.monotonic() - self._drawn_s >= REDRAW_S:
            self._drawn_s = time.monotonic()
            _write_over(self.text())

    def finish(self) -> None:
        """Wipes the bar."""
        if self.shown:
            _write_over("")

    @property
    def elapsed_s(self) -> float:
        """Since the bar appeared."""
        return time.monotonic() - self._began_s

    def text(self) -> str:
        """The bar as it looks now."""
        left_s = self.left.left_s
        words = f" {self.done} of {self.total} runs" + (f", {show_duration(left_s)} left" if left_s is not None else "")
        width = max(10, min(40, shutil.get_terminal_size().columns - len(words) - 2))
        filled = int(width * self.left.share)
        return "█" * filled + "░" * (width - filled) + words


@contextmanager
def meanwhile(doing: str) -> Iterator[None]:
    """Says on standard error what takes a while, and wipes it when it is over; silent where nobody watches."""
    shown = sys.stderr.isatty()
    if shown:
        _write_over(f"{doing} ...")
    try:
        yield
    finally:
        if shown:
            _write_over("")


def _write_over(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()


def show_duration(seconds: float) -> str:
    """A time for people.

    >>> show_duration(0.2), show_duration(75), show_duration(7300)
    ('1 s', '1 min 15 s', '2 h 1 min')
    """
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
