"""A run in this process that may be traced."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlane import engine
from fairlane.files import temporary_folder
from fairlane.results.callback_trace import Changes, read_trace, watched_members


class TracedRun:
    """A run and its trace, which is empty unless something is requested."""

    def __init__(self, path: Path, what: dict[str, Any]) -> None:
        self.path = path
        self.what = what

    @property
    def run(self) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
        """Runs a scenario."""
        if not any(self.what.values()):
            return engine.run
        return lambda scenario: engine.run_with_trace(scenario, self.path, **self.what)

    def lines(self) -> Iterator[dict[str, Any]]:
        """The lines of the trace."""
        return read_trace(self.path) if self.path.exists() else iter(())

    def watched(self, flows: int) -> list[dict[str, Changes]]:
        """The watched members of each flow."""
        return watched_members(self.lines(), flows)


@contextmanager
def trace_of_run(**what: Any) -> Iterator[TracedRun]:
    """A run whose trace is gone at the end; `what` is that of `fairlane.engine.run_with_trace`."""
    with temporary_folder("trace") as folder:
        yield TracedRun(folder / "trace.jsonl", what)
