"""A run in this process that may be traced: its callbacks, and its watched members over time."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlane import engine
from fairlane.engine.result_bytes import Runner
from fairlane.files import temporary_folder

Changes = list[tuple[float, int | None]]
"""A member over time: seconds and value, one pair for each change; None for no limit."""


def read_trace(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a trace."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def watched_members(trace: Iterable[Mapping[str, Any]], flows: int) -> list[dict[str, Changes]]:
    """For each flow its watched members by name."""
    found: list[dict[str, Changes]] = [{} for _ in range(flows)]
    for line in trace:
        for name, value in line.get("watch", {}).items():
            found[line["flow"]].setdefault(name, []).append((line["t_ns"] / 1e9, value))
    return found


class TracedRun:
    """A run and its trace, which is empty unless something is requested."""

    def __init__(self, path: Path, what: dict[str, Any]) -> None:
        self.path = path
        self.what = what

    @property
    def run(self) -> Runner:
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
