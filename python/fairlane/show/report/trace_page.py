"""A trace as one interactive HTML file: time against sequence number, windows, RTTs, and each callback.

The data come from a capture, of a simulation or of a real connection; callbacks only from a simulation.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fairlane.results.captures.connections import Connection
from fairlane.show.report.html import TRACE_SCRIPTS, deflated, environment, shell

MOST_POINTS = 400_000
"""Of packets in a page; a browser draws as many in a tenth of a second."""


@dataclass(frozen=True)
class TracedFlow:
    """One flow in the page."""

    connection: Connection
    title: str
    mss_bytes: int | None = None
    """To show windows that count packets as bytes."""
    members: Mapping[str, Sequence[tuple[int, int | None]]] = field(default_factory=dict)
    """Watched members over time: nanoseconds and value at each change; None for no limit."""
    callbacks: Sequence[tuple[int, Sequence[str]]] = ()
    """Nanoseconds, and the lines of text."""


def trace_page(flows: Sequence[TracedFlow], from_ns: int, until_ns: int, *, title: str, command: str) -> str:
    """The file's text. Raises ValueError if there are too many packets."""
    points = sum(len(flow.connection.sent) + len(flow.connection.acknowledged) for flow in flows)
    if points > MOST_POINTS:
        raise ValueError(f"{points:,} packets are more than the {MOST_POINTS:,} of a page")
    content = {"from": from_ns, "until": until_ns, "flows": [_content(flow, from_ns) for flow in flows]}
    return (
        environment()
        .get_template("trace.html")
        .render(
            title=title,
            command=command,
            data=deflated(content),
            has_callbacks=any(flow.callbacks for flow in flows),
            **shell(["trace.css"], [], TRACE_SCRIPTS),
        )
    )


def _content(flow: TracedFlow, from_ns: int) -> Mapping[str, object]:
    """The columns of one flow. Times count from the beginning of the page, and are differences, as are numbers."""
    sent, acks = flow.connection.sent, flow.connection.acknowledged
    sacks = [(one.t_ns - from_ns, low, high) for one in acks for low, high in one.sacks]
    return {
        "name": flow.title,
        "mss": flow.mss_bytes,
        "sent": [
            _steps(one.t_ns - from_ns for one in sent),
            _steps(one.start for one in sent),
            [one.end - one.start for one in sent],
            [one.is_retransmission + 2 * one.is_marked + 4 * one.is_control for one in sent],
        ],
        "acks": [
            _steps(one.t_ns - from_ns for one in acks),
            _steps(one.ack for one in acks),
            [-1 if one.window_end is None else one.window_end - one.ack for one in acks],
            [-1 if one.rtt_ns is None else one.rtt_ns for one in acks],
        ],
        "sacks": [_steps(column) for column in zip(*sacks, strict=True)] if sacks else [[], [], []],
        "members": {
            name: [_steps(t_ns - from_ns for t_ns, _ in changes), [value for _, value in changes]]
            for name, changes in flow.members.items()
        },
        "calls": [_steps(t_ns - from_ns for t_ns, _ in flow.callbacks), [list(lines) for _, lines in flow.callbacks]],
    }


def _steps(values: Iterable[int]) -> list[int]:
    last, found = 0, []
    for value in values:
        found.append(value - last)
        last = value
    return found
