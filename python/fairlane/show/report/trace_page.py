"""A trace as one interactive HTML file: time against sequence number, windows, RTTs, and each callback.

The data come from a capture, of a simulation or of a real connection; watched members and callbacks only from a
simulation.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from fairlane.engine import run_with_capture
from fairlane.engine.result_bytes import Result, Runner
from fairlane.engine.types import Scenario
from fairlane.files import temporary_folder
from fairlane.results.captures.connections import Connection, connections
from fairlane.runs.traced_run import trace_of_run, watched_members
from fairlane.show.report.html import TRACE_SCRIPTS, deflated, rendered
from fairlane.show.text.callbacks import callback_lines

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
    return rendered(
        "trace.html",
        ["trace.css"],
        TRACE_SCRIPTS,
        title=title,
        command=command,
        data=deflated(content),
        has_callbacks=any(flow.callbacks for flow in flows),
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


LEAD_NS = 1_000_000_000
"""A page also reads what was sent in this time before it begins, to know what is a retransmission."""


def traced_flows(
    scenario: Scenario,
    numbers: Sequence[int],
    what: dict[str, Any],
    most: int,
    run: Callable[[Scenario, Runner], tuple[Result, float]],
) -> tuple[list[TracedFlow], bool]:
    """The flows of these numbers, and whether there were more than `most` callbacks.

    `what` is that of `fairlane.engine.run_with_trace`. `run` calls a function with a scenario and returns its result
    and duration. It runs several times, for the callbacks and for the packets of each flow, with the same outcome.
    """
    with trace_of_run(**what) as traced:
        result, _ = run(scenario, traced.run)
        lines = list(traced.lines())
    members, flows = watched_members(lines, len(scenario["flows"])), []
    from_ns = max(0, what["from_ns"] - LEAD_NS)
    with temporary_folder("trace") as folder:
        for number in numbers:
            path = folder / f"{number}.pcapng"
            run(scenario, partial(_captured, path=path, number=number, from_ns=from_ns))
            own = [line for line in lines[:most] if line["flow"] == number]
            changes = members[number].items()
            flows.append(
                TracedFlow(
                    connections(path)[0],
                    f"{number + 1}: {scenario['flows'][number]['algorithm']}",
                    mss_bytes=result["flows"][number]["mss_bytes"],
                    members={name: [(round(t_s * 1e9), value) for t_s, value in pairs] for name, pairs in changes},
                    callbacks=[(line["t_ns"], list(callback_lines([line]))) for line in own],
                )
            )
    return flows, len(lines) > most


def _captured(scenario: Mapping[str, Any], path: Path, number: int, from_ns: int) -> Result:
    return run_with_capture(json.dumps(scenario), path, [number], from_ns=from_ns)
