"""What users of applications notice: completion times, latency of requests, page loads, video. None for other flows."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow

_PFABRIC = "Alizadeh et al. 2013 (pFabric), 5.1: completion time normalized to the smallest possible one"
_PENSIEVE = "Mao et al. 2017 (Pensieve), 2"


@metric(of="flow", unit="", label="completion-time slowdown", source=_PFABRIC, better="less")
def completion_slowdown(flow: Flow) -> float | None:
    """Completion time over the shortest time that the transfer can take on the idle path.

    None of a flow that did not complete, or whose path has a shared medium or a trace.
    """
    completion_s, ideal_s = flow["completion_s"], flow.get("ideal_completion_s")
    return completion_s / ideal_s if completion_s is not None and ideal_s else None


@metric(of="flow", unit="ms", label="median request time", better="less")
def request_median_ms(flow: Flow) -> float | None:
    """Median of the times from a request to the last byte of its response; of a ping the round-trip time."""
    return flow.get("request_median_ms")


@metric(of="flow", unit="ms", label="95th percentile of request times", better="less")
def request_p95_ms(flow: Flow) -> float | None:
    """95th percentile of the times from a request to the last byte of its response."""
    return flow.get("request_p95_ms")


@metric(of="flow", unit="ms", label="99th percentile of request times", better="less")
def request_p99_ms(flow: Flow) -> float | None:
    """99th percentile of the times from a request to the last byte of its response."""
    return flow.get("request_p99_ms")


@metric(of="flow", unit="ms", label="median page load time", better="less")
def page_load_median_ms(flow: Flow) -> float | None:
    """Median of the times from the start of a page to the last byte of its last object."""
    return flow.get("page_load_median_ms")


@metric(of="flow", unit="Mbps", label="video bitrate", source=_PENSIEVE, better="more")
def video_bitrate_mbps(flow: Flow) -> float | None:
    """Mean bitrate of the video segments downloaded."""
    return flow.get("video_bitrate_mbps")


@metric(of="flow", unit="%", label="rebuffering", source=_PENSIEVE, better="less")
def rebuffering_pct(flow: Flow) -> float | None:
    """Share of the time since the first picture in which playback stood still because the buffer was empty."""
    stalled_s, played_s = flow.get("rebuffering_s"), flow.get("played_s")
    if stalled_s is None or played_s is None or not stalled_s + played_s:
        return None
    return 100 * stalled_s / (stalled_s + played_s)
