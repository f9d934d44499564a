"""The rate that a bottleneck can sustain: of its wire, its delivery trace, its shaper, or the router before it.

Goodput may exceed it for a moment: data that waited behind a lost packet is delivered at once with its retransmission.
"""

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from fairlane.engine.libraries import np
from fairlane.results.metrics.bottleneck import FORWARD
from fairlane.results.metrics.subject import Array
from fairlane.scenario.stations import MAHIMAHI_PACKET_BITS

EXPLANATION = "goodput above capacity: a hole was filled"


def sustained_bps(link: Mapping[str, Any], rate_bps: float, mtu_bytes: int) -> float:
    """The rate in bits per second that packets of `mtu_bytes` reach over a link whose wire has `rate_bps`.

    A router that takes time for each packet ends below the wire's rate, unless it merges packets; so does a shaper.

    >>> sustained_bps({"queue": {"kind": "router", "forwarding_ns": 163_000}}, 100e6, 1500) / 1e6
    73.61963190184049
    """
    queue = link.get("queue", {})
    limits = [rate_bps]
    merges = queue.get("merge_interval_ns") and queue.get("merge_packets", 2) > 1
    if queue.get("forwarding_ns") and mtu_bytes and not merges:
        limits.append(8e9 * mtu_bytes / queue["forwarding_ns"])
    if queue.get("rate_bps"):
        limits.append(queue["rate_bps"])
    return min(limits)


def capacity(scenario: str | None, end_s: float, stretches: int, bottleneck: str | None = FORWARD) -> list[list[float]]:
    """Pairs of time in seconds and rate in Mbps from then on; a delivery trace as means over stretches of time.

    Empty if the run has no single bottleneck with a rate: links of parking lots carry different flows.
    """
    known = json.loads(scenario or "{}")
    links = known.get("links", [])
    named = [link for link in links if link.get("name") == bottleneck]
    if not named or not any(link.get("name") == FORWARD for link in links):
        return []
    if named[0].get("trace_ms"):
        return _of_trace(named[0]["trace_ms"], end_s, stretches)
    if not named[0].get("rate_bps"):
        return []
    changed = [change for change in named[0].get("changes") or [] if change.get("rate_bps")]
    mtu_bytes = max((flow.get("mtu", 0) for flow in known.get("flows", [])), default=0)
    steps = [(0.0, named[0]["rate_bps"]), *sorted((change["at_ns"] / 1e9, change["rate_bps"]) for change in changed)]
    return [[at_s, sustained_bps(named[0], rate_bps, mtu_bytes) / 1e6] for at_s, rate_bps in steps if at_s < end_s]


def _of_trace(times_ms: Sequence[int], end_s: float, stretches: int) -> list[list[float]]:
    """Each entry lets one packet leave; the trace repeats when it ends (mahimahi's format)."""
    period = max(times_ms[-1], 1)

    def packets(at_ms: float) -> int:
        whole, rest = divmod(at_ms, period)
        return int(whole) * len(times_ms) + bisect_right(times_ms, rest)

    step_ms = 1000 * end_s / stretches
    counts = [packets(step_ms * place) for place in range(stretches + 1)]
    return [
        [step_ms * place / 1000, (after - before) * MAHIMAHI_PACKET_BITS / step_ms / 1000]
        for place, (before, after) in enumerate(pairwise(counts))
    ]


def is_above(
    times_s: Array, mbps: Sequence[float] | Array, capacity: Sequence[Sequence[float]], samples: int = 1
) -> bool:
    """Whether a goodput, each value a mean over some samples, exceeds the capacity in all of their time."""
    if not capacity or not len(times_s):
        return False
    starts_s, rates = np.asarray(capacity, dtype=float).T
    now, before = (
        rates[np.maximum(np.searchsorted(starts_s, at_s, side="right") - 1, 0)]
        for at_s in (times_s, np.asarray(times_s) - samples * np.median(np.diff(times_s, prepend=0.0)))
    )
    return bool((np.asarray(mbps) > np.maximum(now, before)).any())
