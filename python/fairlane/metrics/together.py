"""The time that flows have in common, and what each got in it.

A goodput over a flow's own time cannot be compared with that of a flow that had the link to itself for a while: both
may exceed half of the link. Shares and fairness therefore refer to the time in which all flows were there.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from fairlane.metrics.subject import Flow, Run, values_of

MOST_APART = 0.05
"""Flows whose own times exceed the common time by at most this share of them count as simultaneous: repeats let flows
start up to 1 % of the duration apart, and studies within the first second."""


def common_time_s(flows: Sequence[Flow]) -> tuple[float, float] | None:
    """Begin and end of the time that all these flows have in common, in seconds from the start of the run.

    None if they are simultaneous, so that each flow's own time serves; (t, t) if they have no time in common.
    """
    if len(flows) < 2:
        return None
    warm_ups_s = {run: run.warm_up_s if run else 0.0 for run in {flow.run for flow in flows}}
    begins_s = [
        max(float(start_s), warm_ups_s[flow.run])
        for flow, start_s in zip(flows, values_of(flows, "start_s"), strict=True)
    ]
    durations_s = map(float, values_of(flows, "duration_s"))
    ends_s = [begin_s + duration_s for begin_s, duration_s in zip(begins_s, durations_s, strict=True)]
    begin_s, end_s = max(begins_s), min(ends_s)
    longest_s = max(end - begin for begin, end in zip(begins_s, ends_s, strict=True))
    if end_s - begin_s >= (1 - MOST_APART) * longest_s:
        return None
    return begin_s, max(begin_s, end_s)


def measured_s(flow: Flow) -> tuple[float, float]:
    """The flow's own time: from its start, or the end of the warm-up if that is later."""
    begin_s = max(float(flow["start_s"]), flow.run.warm_up_s if flow.run else 0.0)
    return begin_s, begin_s + float(flow["duration_s"])


def rates_together_mbps(flows: Sequence[Flow], *, rate: str = "goodput") -> list[float] | None:
    """What each flow got in the time that all these flows have in common; None without such a time.

    `rate` is "goodput" or "throughput". Of simultaneous flows it is the rate over each flow's own time. Samples that
    straddle the begin or the end count in proportion.
    """
    common_s = common_time_s(flows)
    if common_s is None:
        return list(map(float, values_of(flows, f"{rate}_mbps")))
    if common_s[1] <= common_s[0]:
        return None
    if not all(flow.is_sampled for flow in flows):
        return None
    column = {"goodput": "mbps"}.get(rate, f"{rate}_mbps")
    return [_mean_between(flow, column, *common_s) for flow in flows]


@lru_cache(maxsize=1)  # each flow of a run asks in turn
def goodputs_of_run_mbps(run: Run) -> dict[int, float]:
    """The goodput of each flow of a run, by the flow's identity, in the time that all have in common; empty if none."""
    rates = rates_together_mbps(run.everyone)
    return dict(zip(map(id, run.everyone), rates, strict=True)) if rates else {}


def _mean_between(flow: Flow, column: str, begin_s: float, end_s: float) -> float:
    ends_s, values = flow.series("t_s"), flow.series(column)
    begins_s = np.concatenate([[min(float(flow["start_s"]), *ends_s[:1])], ends_s[:-1]])
    inside_s = np.clip(np.minimum(ends_s, end_s) - np.maximum(begins_s, begin_s), 0.0, None)
    return float(np.sum(values * inside_s) / (end_s - begin_s))
