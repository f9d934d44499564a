"""A trace of the callbacks of algorithms as text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fairlane.engine.messages import counted
from fairlane.runs.traced_run import Changes


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
            yield f"{INDENT}TCP: " + ", ".join(f"{name} {_limit(value)}" for name, value in changed.items())
        if "set" in line:
            changes = (f"{name} {_limit(old)} -> {_limit(new)}" for name, (old, new) in line["set"].items())
            yield f"{INDENT}set: " + ", ".join(changes)
        if "answer" in line:
            yield f"{INDENT}answer: {line['answer']}"
        for text in line.get("printed", ()):
            yield f"{INDENT}printed: {text}"


def _time(line: Mapping[str, Any]) -> str:
    return f"{line['t_ns'] / 1e9:13.6f} s"


def _limit(value: int | None) -> str:
    return "none" if value is None else str(value)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + " ".join(f"{name}={_value(one)}" for name, one in value.items()) + "}"
    return str(value)


def watched_text(watched: Sequence[Mapping[str, Changes]]) -> str:
    """The number of changes of each member, and how to get its values."""
    counts = [
        f"{name} of flow {number} {len(changes)}"
        for number, flow in enumerate(watched, start=1)
        for name, changes in flow.items()
    ]
    return ", ".join(counts) + "; --plot FILE draws them, --json prints them"
