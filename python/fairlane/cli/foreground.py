"""A run in this process, for commands that show a single run."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from fairlane.cli.errors import RunFailed, bad_value


def run_in_foreground(
    scenario: Mapping[str, Any], run: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
) -> tuple[dict[str, Any], float]:
    """Runs one scenario in this process; returns its result and the seconds that it took.

    `run` does it, `fairlane.engine.run` if omitted.

    The engine works in another thread while this one waits, because only a thread that runs Python
    sees Ctrl-C.
    """
    from fairlane import engine
    from fairlane.engine import AlgorithmError, ScenarioError

    compute = run or engine.run

    box: dict[str, Any] = {}

    def work() -> None:
        try:
            box["result"] = compute(scenario)
        except BaseException as error:  # raised again below, in the thread that reports it
            box["error"] = error

    start_s = time.perf_counter()
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    wall_s = time.perf_counter() - start_s
    error = box.get("error")
    if isinstance(error, ScenarioError):
        if all(problem["path"] == ["watch"] for problem in error.problems):
            raise bad_value("--watch", str(error).replace("watch: ", ""))
        raise bad_value("the scenario", str(error))
    if isinstance(error, AlgorithmError):
        raise error
    if error is not None:
        raise RunFailed(f"the simulator failed on this scenario, which is a fault of Fairlane's: {error}")
    return box["result"], wall_s
