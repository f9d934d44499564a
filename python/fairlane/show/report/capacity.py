"""The capacity of the bottleneck over time, as the scenario of a run sets it."""

import json
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from fairlane.scenario.topology.wiring import MAHIMAHI_PACKET_BITS


def capacity(scenario: str | None, end_s: float, stretches: int) -> list[list[float]]:
    """Pairs of time in seconds and rate in Mbps from then on; a delivery trace as means over stretches of time.

    Empty if the run has no single bottleneck with a rate.
    """
    links = json.loads(scenario or "{}").get("links", [])
    named = [link for link in links if link.get("name") == "bottleneck"]
    if not named:
        return []
    if named[0].get("trace_ms"):
        return _of_trace(named[0]["trace_ms"], end_s, stretches)
    if not named[0].get("rate_bps"):
        return []
    changes = [(change["at_ns"] / 1e9, change["rate_bps"] / 1e6) for change in _rates(named[0])]
    return [[0.0, named[0]["rate_bps"] / 1e6], *(list(change) for change in sorted(changes) if change[0] < end_s)]


def _rates(link: dict[str, Any]) -> list[dict[str, Any]]:
    return [change for change in link.get("changes") or [] if change.get("rate_bps")]


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
