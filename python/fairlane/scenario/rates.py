"""The rates of links."""

from collections.abc import Sequence

from fairlane.engine.types import LinkConfig

MAHIMAHI_PACKET_BITS = 1500 * 8
"""The size of an opportunity to send in a trace of mahimahi."""


def mean_rate_bps(trace_ms: Sequence[int]) -> float:
    """The mean rate of a trace, whose opportunities are at these times.

    >>> mean_rate_bps([1, 2, 3])
    12000000.0
    """
    return len(trace_ms) * MAHIMAHI_PACKET_BITS * 1000 / max(trace_ms[-1], 1)


def largest_rate_bps(link: LinkConfig) -> int:
    """Of a link whose rate may change; of a trace the mean; 0 if it has none."""
    if trace_ms := link.get("trace_ms"):
        return int(mean_rate_bps(trace_ms))
    changed = (int(change.get("rate_bps") or 0) for change in link.get("changes") or ())
    return max(int(link.get("rate_bps") or 0), *changed, 0)
