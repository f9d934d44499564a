"""The flows of a simulated run for the page of a trace: packets, watched members and callbacks."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fairlane.engine import run_with_capture
from fairlane.engine.types import Scenario
from fairlane.files import temporary_folder
from fairlane.results.callback_trace import watched_members
from fairlane.results.captures.connections import connections
from fairlane.runs.traced_run import trace_of_run
from fairlane.show.report.trace_page import TracedFlow
from fairlane.show.text.callbacks import callback_lines

LEAD_NS = 1_000_000_000
"""A page also reads what was sent in this time before it begins, to know what is a retransmission."""
Run = Callable[[Mapping[str, Any]], dict[str, Any]]


def traced_flows(
    scenario: Scenario,
    numbers: Sequence[int],
    what: dict[str, Any],
    most: int,
    run: Callable[[Scenario, Run], tuple[dict[str, Any], float]],
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


def _captured(scenario: Mapping[str, Any], path: Path, number: int, from_ns: int) -> dict[str, Any]:
    return run_with_capture(json.dumps(scenario), path, [number], from_ns=from_ns)
