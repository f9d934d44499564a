"""Progress of a sweep: finished runs, and the time that the rest takes.

Everything here draws on standard error, if it is a terminal.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from fairlane.engine.messages import show_duration
from fairlane.runs.sweep.dispatch import Task, Watcher
from fairlane.runs.sweep.runner import Preparation
from fairlane.runs.sweep.time_estimate import TimeLeft

if TYPE_CHECKING:
    from rich.progress import Progress

WIDTH = 40


class Bar(AbstractContextManager["Bar"]):
    """A progress bar; at the end of the context it is wiped."""

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.done = total, what, 0
        self._began_s = time.monotonic()
        self._drawn: Progress | None = _progress() if sys.stderr.isatty() and total > 0 else None
        self._task: Any = None
        if self._drawn is not None:
            self._task = self._drawn.add_task(self.text(None), total=1.0)
            self._drawn.start()

    @property
    def elapsed_s(self) -> float:
        """Since the bar appeared."""
        return time.monotonic() - self._began_s

    def step(self, drawn_every: int = 1) -> None:
        """One more is done."""
        self.done += 1
        if self._drawn is not None and not self.done % drawn_every:
            self.reach(self.done, self.total)

    def reach(self, done: int, total: int) -> None:
        """`done` of `total` are done; the others are taken to be like those before."""
        self.done, self.total = done, total
        self.show(done / total, self.elapsed_s / done * (total - done))

    def show(self, share: float, left_s: float | None) -> None:
        """Draws how much is done, from 0 to 1, and how long the rest takes if that is known."""
        if self._drawn is not None:
            self._drawn.update(self._task, completed=share, description=self.text(left_s))

    def text(self, left_s: float | None) -> str:
        """The text next to the bar."""
        left = "" if left_s is None else f", {show_duration(left_s)} left"
        return f"{self.done} of {self.total} {self.what}{left}"

    def finish(self) -> None:
        """Wipes the bar."""
        if self._drawn is not None:
            self._drawn.stop()

    def __exit__(self, *_: object) -> None:
        self.finish()


class SweepBar(Watcher):
    """The bar of a sweep: it knows that runs differ."""

    def __init__(self, tasks: Sequence[Task], jobs: int, where: Callable[[], str] = lambda: "") -> None:
        """`where` says which machines there are now."""
        self.left = TimeLeft([task.work for task in tasks], min(jobs, len(tasks)))
        self.bar = Bar(len(tasks), "runs")
        self.where = where

    def on_start(self, task: Task) -> None:
        """A worker begins with a run."""
        self.left.start(task.run, task.work)

    def on_end(self, task: Task, wall_s: float | None) -> None:
        """A run ended."""
        self.bar.done += 1
        self.left.end(task.run, task.work, wall_s)
        self.on_tick()

    def on_tick(self) -> None:
        """Some time has passed."""
        where = self.where()
        if where:
            self.bar.what = f"runs{where}, {self.bar.done / max(self.bar.elapsed_s, 0.1):.1f} per second"
        self.bar.show(self.left.share, self.left.left_s)

    def finish(self) -> None:
        """Wipes the bar."""
        self.bar.finish()


class SweepBars(AbstractContextManager["SweepBars"]):
    """The bars of sweeps that run one after the other; at the end of the context they are wiped."""

    def __init__(self, jobs: int, where: Callable[[], str] = lambda: "") -> None:
        self._jobs, self._where = jobs, where
        self._bars: list[SweepBar] = []

    def watch(self, missing: Preparation) -> SweepBar:
        """The bar of a sweep with these missing runs."""
        self.finish()
        self._bars.append(SweepBar(missing.tasks, self._jobs, self._where))
        return self._bars[-1]

    @property
    def elapsed_s(self) -> float:
        """The time since each bar appeared, added up."""
        return sum(one.bar.elapsed_s for one in self._bars)

    def finish(self) -> None:
        """Wipes all bars."""
        for bar in self._bars:
            bar.finish()

    def __exit__(self, *_: object) -> None:
        self.finish()


@contextmanager
def meanwhile(doing: str) -> Iterator[None]:
    """Says what takes a while, and wipes it when it is over."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(f"{doing} ...")):
        yield


def _progress() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(WIDTH), TextColumn("{task.description}", markup=False))
    # Output of the command goes to the same streams as without a bar.
    return Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    )
