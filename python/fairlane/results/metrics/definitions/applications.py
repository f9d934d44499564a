"""Performance of applications: completion times, requests, page loads, video, calls. None for other flows."""

from collections.abc import Sequence
from functools import partial

from fairlane.engine.libraries import np
from fairlane.results.metrics.metric import Metric, measured, metric
from fairlane.results.metrics.subject import Flow

_PFABRIC = "Alizadeh et al. 2013 (pFabric), 5.1: completion time normalized to the smallest possible one"
_PENSIEVE = "Mao et al. 2017 (Pensieve), 2"


@metric(label="completion-time slowdown", source=_PFABRIC, better="less")
def completion_slowdown(flow: Flow) -> float | None:
    """Completion time over the shortest time that the transfer can take on the idle path.

    None of a flow that did not complete, or whose path has a shared medium or a trace.
    """
    completion_s, ideal_s = flow["completion_s"], flow.get("ideal_completion_s")
    return completion_s / ideal_s if completion_s is not None and ideal_s else None


_completion = partial(metric, of="flows", unit="s", better="less", source="RFC 9743, 5.1.5; Alizadeh et al. 2013")


@_completion(label="median completion time")
def completion_median_s(flows: Sequence[Flow]) -> float | None:
    """Median of the completion times of the transfers; one that did not complete counts with its age at the end."""
    return _completion_percentile(flows, 50)


@_completion(label="99th percentile of completion times")
def completion_p99_s(flows: Sequence[Flow]) -> float | None:
    """99th percentile of the completion times; one that did not complete counts with its age at the end."""
    return _completion_percentile(flows, 99)


def _completion_percentile(flows: Sequence[Flow], share: float) -> float | None:
    sized = [flow for flow in flows if flow.get("transfer_bytes") is not None]
    times_s = [flow["duration_s"] if flow["completion_s"] is None else flow["completion_s"] for flow in sized]
    return float(np.percentile(times_s, share)) if times_s else None


SMALL_BYTES, LARGE_BYTES = 100_000, 10_000_000
"""Limits of the classes of transfers: up to the first, and above the second."""


def _slowdown_of_class(flow: Flow, above: int, up_to: float) -> float | None:
    size = flow.get("transfer_bytes")
    return completion_slowdown(flow) if size is not None and above < size <= up_to else None


@metric(label="slowdown up to 100 kB", source=_PFABRIC, better="less")
def completion_slowdown_small(flow: Flow) -> float | None:
    """`completion_slowdown` of transfers of at most 100 kB; none of others."""
    return _slowdown_of_class(flow, -1, SMALL_BYTES)


@metric(label="slowdown of 100 kB to 10 MB", source=_PFABRIC, better="less")
def completion_slowdown_medium(flow: Flow) -> float | None:
    """`completion_slowdown` of transfers above 100 kB and up to 10 MB; none of others."""
    return _slowdown_of_class(flow, SMALL_BYTES, LARGE_BYTES)


@metric(label="slowdown above 10 MB", source=_PFABRIC, better="less")
def completion_slowdown_large(flow: Flow) -> float | None:
    """`completion_slowdown` of transfers above 10 MB; none of others."""
    return _slowdown_of_class(flow, LARGE_BYTES, float("inf"))


def _slowdown_percentile(share: int, word: str, of: Metric, sizes: str) -> None:
    """The metric of several flows that is a percentile of a slowdown."""

    def percentile(flows: Sequence[Flow]) -> float | None:
        found = [slowdown for slowdown in of.of_each(flows) if slowdown is not None]
        return float(np.percentile(found, share)) if found else None

    percentile.__name__ = of.name.replace("_", "_median_" if share == 50 else f"_p{share}_", 1)
    percentile.__doc__ = f"{word} of `{of.name}` over the transfers{sizes} that completed."
    label = f"{word[0].lower()}{word[1:]} of the {of.label}"
    metric(of="flows", source=_PFABRIC, better="less", label=label)(percentile)


for _of, _sizes in (
    (completion_slowdown, ""),
    (completion_slowdown_small, " of at most 100 kB"),
    (completion_slowdown_medium, " above 100 kB and up to 10 MB"),
    (completion_slowdown_large, " above 10 MB"),
):
    _slowdown_percentile(50, "Median", _of, _sizes)
    _slowdown_percentile(99, "99th percentile", _of, _sizes)


_time = partial(measured, optional=True, better="less")
_time(
    "request_median_ms",
    "Median of the times from a request to the last byte of its response; of a ping the round-trip time.",
    label="median request time",
)
_time(
    "request_p95_ms",
    "95th percentile of the times from a request to the last byte of its response.",
    label="95th percentile of request times",
)
_time(
    "request_p99_ms",
    "99th percentile of the times from a request to the last byte of its response.",
    label="99th percentile of request times",
)
_time(
    "page_load_median_ms",
    "Median of the times from the start of a page to the last byte of its last object.",
    label="median page load time",
)
measured(
    "video_bitrate_mbps",
    "Mean bitrate of the video segments downloaded.",
    optional=True,
    label="video bitrate",
    source=_PENSIEVE,
    better="more",
)


@metric(label="rebuffering", source=_PENSIEVE, better="less")
def rebuffering_pct(flow: Flow) -> float | None:
    """Share of the time since the first picture in which playback stood still because the buffer was empty."""
    stalled_s, played_s = flow.get("rebuffering_s"), flow.get("played_s")
    if stalled_s is None or played_s is None or not stalled_s + played_s:
        return None
    return 100 * stalled_s / (stalled_s + played_s)


_G114 = "ITU-T G.114 (150 ms is what most users accept, 400 ms the limit)"
_of_call = partial(measured, optional=True, source=_G114, better="less")
_of_call(
    "call_delay_median_ms",
    "Median of the one-way delays of a call's frames, from the encoder to the last byte at the receiver.",
    label="median delay of frames",
)
_of_call(
    "call_delay_p95_ms",
    "95th percentile of the one-way delays of a call's frames.",
    label="95th percentile of the delay of frames",
)
_of_call(
    "call_delay_p99_ms",
    "99th percentile of the one-way delays of a call's frames.",
    label="99th percentile of the delay of frames",
)
measured(
    "call_bitrate_mbps",
    "Mean bitrate of a call's frames, which follows the receiver's feedback.",
    optional=True,
    label="bitrate of the call",
    source="RFC 8867 (rate adaptation)",
    better="more",
)


def _of_frames_pct(flow: Flow, name: str) -> float | None:
    count, frames = flow.get(name), flow.get("call_frames")
    return 100 * count / frames if count is not None and frames else None


@metric(label="late frames", source=_G114, better="less")
def call_late_pct(flow: Flow) -> float | None:
    """Share of a call's frames whose one-way delay is above the workload's `late`: 150 ms."""
    return _of_frames_pct(flow, "call_late_frames")


@metric(label="lost frames", source="RFC 8867", better="less")
def call_lost_pct(flow: Flow) -> float | None:
    """Share of a call's frames that the encoder skipped because a frame on the way was older than 400 ms; and over RTP
    of those that lost a packet."""
    return _of_frames_pct(flow, "call_lost_frames")


@metric(label="frozen", source="W3C, Identifiers for WebRTC's Statistics API, totalFreezesDuration", better="less")
def call_frozen_pct(flow: Flow) -> float | None:
    """Share of the time in which the picture of a call stood still: gaps between two frames of at least three frame
    intervals, and of 150 ms more than one."""
    frozen_s, duration_s = flow.get("call_frozen_s"), flow["duration_s"]
    return 100 * frozen_s / duration_s if frozen_s is not None and duration_s else None
