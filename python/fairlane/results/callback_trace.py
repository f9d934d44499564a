"""The trace of an algorithm's callbacks: its lines, and its watched members over time.

The lines are those of `fairlane.engine.run_with_trace`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

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
