"""A run in this process, which may be traced: for commands that show a single run."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.cli.errors import RunFailed, bad_value
from fairlane.files import temporary_folder

if TYPE_CHECKING:
    from fairlane.show.text.callbacks import Changes


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


class TracedRun:
    """A run and its trace, which is empty unless something is requested."""

    def __init__(self, path: Path, what: dict[str, Any]) -> None:
        self.path = path
        self.what = what

    @property
    def run(self) -> "Callable[[Mapping[str, Any]], dict[str, Any]]":
        """Runs a scenario."""
        from fairlane import engine

        if not any(self.what.values()):
            return engine.run
        return lambda scenario: engine.run_with_trace(scenario, self.path, **self.what)

    def lines(self) -> Iterator[dict[str, Any]]:
        """The lines of the trace."""
        from fairlane.show.text.callbacks import read_trace

        return read_trace(self.path) if self.path.exists() else iter(())

    def watched(self, flows: int) -> "list[dict[str, Changes]]":
        """The watched members of each flow."""
        from fairlane.show.text.callbacks import watched_members

        return watched_members(self.lines(), flows)

    def printed(self) -> list[str]:
        """The output of algorithms."""
        from fairlane.show.text.callbacks import printed_lines

        return list(printed_lines(self.lines()))


@contextmanager
def trace_of_run(**what: Any) -> Iterator[TracedRun]:
    """A run whose trace is gone at the end; `what` is that of `fairlane.engine.run_with_trace`."""
    with temporary_folder("trace") as folder:
        yield TracedRun(folder / "trace.jsonl", what)
