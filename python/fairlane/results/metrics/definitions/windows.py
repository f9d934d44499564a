"""The congestion window, and the data in flight."""

from fairlane.engine.libraries import np
from fairlane.results.metrics.metric import measured, metric
from fairlane.results.metrics.subject import Flow

PROBE_RTT_PACKETS = 4
"""The window to which BBR falls in ProbeRTT (BBRMinPipeCwnd)."""


measured(
    "mean_cwnd_packets",
    "Mean of the sampled congestion windows.",
    label="mean cwnd",
    digits=1,
    source="Turkovic et al. 2019, table I",
)


@metric(label="mean cwnd", digits=1, source="Lin et al. 2019, figure 13")
def mean_cwnd_kb(flow: Flow) -> float | None:
    """Mean of the sampled congestion windows, in units of 1000 bytes of payload."""
    packets = flow["mean_cwnd_packets"]
    return None if packets is None else packets * flow["mss_bytes"] / 1000


@metric(label="deviation of cwnd", digits=1, source="Lin et al. 2019, figures 3 to 5", better="less")
def cwnd_stddev_kb(flow: Flow) -> float | None:
    """Standard deviation of the sampled congestion windows over time, in units of 1000 bytes of payload."""
    samples = flow.series("cwnd_packets")
    return float(np.std(samples)) * float(flow["mss_bytes"]) / 1000 if len(samples) else None


measured(
    "mean_inflight_packets",
    "Mean of the sampled packets in flight, as the sender reckons them.",
    label="mean packets in flight",
    digits=1,
    source="RFC 6675 section 2 (pipe)",
)


@metric(label="mean data in flight", digits=1, source="RFC 6675 section 2 (pipe)")
def mean_inflight_kb(flow: Flow) -> float | None:
    """The same in units of 1000 bytes of payload, all packets taken as full."""
    packets = flow["mean_inflight_packets"]
    return None if packets is None else packets * flow["mss_bytes"] / 1000


@metric(label="time with a window of 4 packets", digits=2, source="Cardwell et al. 2016 (ProbeRTT)")
def smallest_window_pct(flow: Flow) -> float | None:
    """Share of the samples, in per cent, in which cwnd is 4 packets or less: BBR's window in ProbeRTT."""
    samples = flow.series("cwnd_packets")
    return 100 * float(np.mean(samples <= PROBE_RTT_PACKETS)) if len(samples) else None


@metric(unit="packets/s", label="growth of cwnd", digits=1, source="Turkovic et al. 2019, IV-C, figure 6")
def cwnd_growth_packets_per_s(flow: Flow) -> float | None:
    """Growth of the sampled window per second, where it grows, after its first reduction: without the flow's start.

    None if it never shrinks, or never grows afterwards.
    """
    times_s, steps = flow.series("t_s"), np.diff(flow.series("cwnd_packets"))
    shrinks = np.flatnonzero(steps < 0)
    if not len(shrinks):
        return None
    after = np.arange(len(steps)) > shrinks[0]
    grows = after & (steps > 0)
    return float(steps[grows].sum() / np.diff(times_s)[grows].sum()) if grows.any() else None
