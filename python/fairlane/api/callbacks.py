"""`fairlane.trace`, as `fairlane algorithm trace`."""

from typing import Any, Unpack

from fairlane.scenario import units
from fairlane.scenario.request_settings import Settings, check_names
from fairlane.scenario.requests import Request, point

MOST = 100_000
"""Callbacks that are kept unless more are asked for."""


def trace(
    *algorithms: str,
    begin: str = "0s",
    end: str | None = None,
    flow: int | None = None,
    most: int = MOST,
    **settings: Unpack[Settings],
) -> list[dict[str, Any]]:
    """The callbacks of algorithms: a dictionary for each, in the order of the run.

    Flows and settings are those of `duel`. `begin` and `end` are times since the start of the run, `flow` is the number
    of the only flow to trace, from 0. A dictionary has `t_ns`, `flow`, `call`, and what there is of `arguments`, `tcp`
    (what TCP had changed), `sent`, `set` (what the algorithm changed: old and new value), `answer` and `printed`; see
    `fairlane.engine.run_with_trace`.

    Raises ExperimentError, and AlgorithmFault if an algorithm misbehaves.

    >>> first, *_ = trace("reno", rate="5mbit", duration="100ms")
    >>> first["flow"], first["call"]
    (0, 'init')
    """
    from fairlane.runs.traced_run import trace_of_run

    if not algorithms:
        raise TypeError('trace() needs at least one algorithm, for example fairlane.trace("cubic")')
    check_names("trace", settings, "begin", "end", "flow", "most")
    scenario = point(Request(list(algorithms), settings).experiment()).repeat(0)
    what: dict[str, Any] = {"calls": True, "from_ns": units.time_ns(begin), "most_lines": most}
    if end is not None:
        what["until_ns"] = scenario["duration_ns"] = min(units.positive_time_ns(end), scenario["duration_ns"])
    if flow is not None:
        what["flows"] = [flow]
    with trace_of_run(**what) as traced:
        traced.run(scenario)
        return list(traced.lines())
