"""A run that is traced, for commands that show what algorithms did."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.files import temporary_folder

if TYPE_CHECKING:
    from fairlane.show.text.callbacks import Changes


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
