"""Runs the simulator for a command: Ctrl-C stays alive, and failures become one line."""

import sys
import threading
import time
from typing import Any

from fairlane.cli.errors import RunFailed, algorithm_failed, bad_value


def run_in_foreground(scenario: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """Runs one scenario in this process; returns its result and the seconds that it took.

    The engine works in another thread while this one waits, because only a thread that runs Python
    sees Ctrl-C.
    """
    from fairlane.engine import AlgorithmError, ScenarioError, run

    box: dict[str, Any] = {}

    def work() -> None:
        try:
            box["result"] = run(scenario)
        except BaseException as error:  # raised again below, in the thread that reports it
            box["error"] = error

    start_s = time.perf_counter()
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    wall_s = time.perf_counter() - start_s
    error = box.get("error")
    if isinstance(error, ScenarioError):
        raise bad_value("the scenario", str(error))
    if isinstance(error, AlgorithmError):
        raise algorithm_failed(error)
    if error is not None:
        raise RunFailed(f"the simulator failed on this scenario, which is a fault of Fairlane's: {error}")
    return box["result"], wall_s


class Progress:
    """A progress bar on standard error; silent where nobody watches."""

    WIDTH = 30

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.done = total, what, 0
        self.shown = sys.stderr.isatty() and total > 0
        self.start_s = time.perf_counter()
        self._draw()

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        self._draw()

    def finish(self) -> None:
        """Wipes the bar."""
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _draw(self) -> None:
        if not self.shown:
            return
        filled = self.WIDTH * self.done // self.total
        left = ""
        if self.done:
            left_s = (time.perf_counter() - self.start_s) / self.done * (self.total - self.done)
            left = f", {left_s:.0f} s left"
        bar = "█" * filled + "░" * (self.WIDTH - filled)
        sys.stderr.write(f"\r\x1b[K{bar} {self.done} of {self.total} {self.what}{left}")
        sys.stderr.flush()
