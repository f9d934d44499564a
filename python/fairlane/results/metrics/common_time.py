"""The time that flows have in common, and what each got in it.

A goodput over a flow's own time cannot be compared with that of a flow that had the link to itself for a while: both
may exceed half of the link. Shares and fairness therefore refer to the time in which all flows were there.
"""

from collections.abc import Sequence
from functools import lru_cache

from fairlane.engine.libraries import np
from fairlane.results.metrics.metric import values_of
from fairlane.results.metrics.subject import Flow, Flows, Run

MOST_APART = 0.05
"""Flows whose own times exceed the common time by at most this share of them count as simultaneous: repeats let flows
start up to 1 % of the duration apart, and studies within the first second."""


def common_time_s(flows: Sequence[Flow]) -> tuple[float, float] | None:
    """Begin and end of the time that all these flows have in common, in seconds from the start of the run.

    None if they are simultaneous, so that each flow's own time serves; (t, t) if they have no time in common.
    """
    if len(flows) < 2:
        return None
    if not isinstance(flows, Flows):
        return _common_time_s(flows)
    if "common_time_s" not in flows.known:
        # Some of simultaneous flows are simultaneous, too.
        within = flows.within
        is_simultaneous = within is not None and common_time_s(within) is None
        flows.known["common_time_s"] = None if is_simultaneous else _common_time_s(flows)
    found: tuple[float, float] | None = flows.known["common_time_s"]
    return found


def _common_time_s(flows: Sequence[Flow]) -> tuple[float, float] | None:
    every = [flows.run] if isinstance(flows, Flows) else [flow.run for flow in flows]
    warm_ups_s = [run.warm_up_s if run else 0.0 for run in every]
    starts_s, durations_s = (np.asarray(values_of(flows, name), np.float64) for name in ("start_s", "duration_s"))
    begins_s = np.maximum(starts_s, warm_ups_s)
    ends_s = begins_s + durations_s
    begin_s, end_s = float(begins_s.max()), float(ends_s.min())
    longest_s = (ends_s - begins_s).max()
    if end_s - begin_s >= (1 - MOST_APART) * longest_s:
        return None
    return begin_s, max(begin_s, end_s)


def measured_s(flow: Flow) -> tuple[float, float]:
    """The flow's own time: from its start, or the end of the warm-up if that is later."""
    begin_s = max(float(flow["start_s"]), flow.run.warm_up_s if flow.run else 0.0)
    return begin_s, begin_s + float(flow["duration_s"])


def rates_together_mbps(flows: Sequence[Flow], *, rate: str = "goodput") -> list[float] | None:
    """The rate of each flow in the time that all these flows have in common; None without such a time.

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
def goodputs_of_run_mbps(run: Run) -> list[float]:
    """The goodput of each flow of a run, in the time that all have in common; empty without such a time."""
    return rates_together_mbps(run.everyone) or []


def _mean_between(flow: Flow, column: str, begin_s: float, end_s: float) -> float:
    ends_s, values = flow.series("t_s"), flow.series(column)
    begins_s = np.concatenate([[min(float(flow["start_s"]), *ends_s[:1])], ends_s[:-1]])
    inside_s = np.clip(np.minimum(ends_s, end_s) - np.maximum(begins_s, begin_s), 0.0, None)
    return float(np.sum(values * inside_s) / (end_s - begin_s))
