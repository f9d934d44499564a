"""A trace of the callbacks of algorithms: as text, and its watched members over time.

The lines are those of `fairlane.engine.run_with_trace`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlane.engine.messages import counted

Changes = list[tuple[float, int]]
"""A member over time: seconds and value, one pair for each change."""


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


def printed_lines(trace: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Lines that algorithms printed, each with time, flow and callback."""
    for line in trace:
        for text in line.get("printed", ()):
            yield f"{_time(line)}  flow {line['flow'] + 1}  {line['call']}: {text}"


INDENT = " " * 17


def callback_lines(trace: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Every callback: arguments, changes and packets of TCP before it, changes, answer and output of the algorithm."""
    for line in trace:
        host = "" if line["at"] == "sender" else " (receiver)"
        arguments = " ".join(f"{name}={_value(value)}" for name, value in line.get("arguments", {}).items())
        yield f"{_time(line)}  flow {line['flow'] + 1}{host}  {line['call']}({arguments})"
        packets, again = line.get("sent", (0, 0))
        if packets:
            retransmitted = f", {again} of them retransmitted" if again else ""
            yield f"{INDENT}sent since: {counted(packets, 'packet')}{retransmitted}"
        if changed := line.get("tcp"):
            yield f"{INDENT}TCP: " + ", ".join(f"{name} {value}" for name, value in changed.items())
        if "set" in line:
            yield f"{INDENT}set: " + ", ".join(f"{name} {old} -> {new}" for name, (old, new) in line["set"].items())
        if "answer" in line:
            yield f"{INDENT}answer: {line['answer']}"
        for text in line.get("printed", ()):
            yield f"{INDENT}printed: {text}"


def _time(line: Mapping[str, Any]) -> str:
    return f"{line['t_ns'] / 1e9:13.6f} s"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + " ".join(f"{name}={_value(one)}" for name, one in value.items()) + "}"
    return str(value)
