"""Round-trip times.

The smoothed RTT is the one that `ss` and iperf3 show, sampled at the interval of the series. The packet RTT is the one
that an analysis of a packet trace gives: each acknowledgement that gives a measurement counts once, with the time since
the latest packet that it covers was sent; never from retransmissions, unless timestamps identify them (Karn). Quantiles
are exact to within 0.8 %.
"""

import numpy as np

from fairlane.results.metrics.metric import metric
from fairlane.results.metrics.subject import Flow, column

_SMOOTHED = "RFC 6298 section 2 (SRTT); sampled as in Lin et al. 2019, 4.1"
_SMOOTHED_P95 = f"{_SMOOTHED}; reported in figure 2"


@metric(of="flow", unit="ms", source=_SMOOTHED, label="mean RTT", better="less", each=column("mean_rtt_ms"))
def mean_rtt_ms(flow: Flow) -> float | None:
    """Mean of the sampled smoothed RTTs."""
    return flow["mean_rtt_ms"]


@metric(of="flow", unit="ms", source=_SMOOTHED, label="median RTT", better="less", each=column("median_rtt_ms"))
def median_rtt_ms(flow: Flow) -> float | None:
    """Median of the sampled smoothed RTTs."""
    return flow["median_rtt_ms"]


@metric(
    of="flow", unit="ms", source=_SMOOTHED_P95, label="95th percentile of RTT", better="less", each=column("p95_rtt_ms")
)
def p95_rtt_ms(flow: Flow) -> float | None:
    """95th percentile of the sampled smoothed RTTs."""
    return flow["p95_rtt_ms"]


@metric(
    of="flow", unit="ms", source=_SMOOTHED, label="99th percentile of RTT", better="less", each=column("p99_rtt_ms")
)
def p99_rtt_ms(flow: Flow) -> float | None:
    """99th percentile of the sampled smoothed RTTs."""
    return flow["p99_rtt_ms"]


@metric(of="flow", unit="ms", source=_SMOOTHED, label="largest RTT", better="less", each=column("max_rtt_ms"))
def max_rtt_ms(flow: Flow) -> float | None:
    """Largest of the sampled smoothed RTTs."""
    return flow["max_rtt_ms"]


@metric(of="flow", unit="ms", source=_SMOOTHED, label="deviation of RTT", better="less")
def rtt_stddev_ms(flow: Flow) -> float | None:
    """Standard deviation of the sampled smoothed RTTs over time."""
    samples = flow.series("rtt_ms")
    return float(np.nanstd(samples)) if len(samples) else None


@metric(of="flow", unit="ms", source="Linux tcpi_min_rtt", label="smallest RTT", each=column("min_rtt_ms"))
def min_rtt_ms(flow: Flow) -> float | None:
    """Smallest RTT that the sender measured in the last five minutes, the handshake's included."""
    return flow["min_rtt_ms"]


_PACKET = "RFC 6298 section 3 and RFC 7323 section 4 (which packets are measured)"


@metric(of="flow", unit="ms", source=_PACKET, label="mean packet RTT", better="less", each=column("packet_rtt_mean_ms"))
def packet_rtt_mean_ms(flow: Flow) -> float | None:
    """Mean of the packets' RTTs."""
    return flow["packet_rtt_mean_ms"]


@metric(
    of="flow", unit="ms", source=_PACKET, label="median packet RTT", better="less", each=column("packet_rtt_median_ms")
)
def packet_rtt_median_ms(flow: Flow) -> float | None:
    """Median of the packets' RTTs."""
    return flow["packet_rtt_median_ms"]


@metric(
    of="flow",
    unit="ms",
    source=_PACKET,
    label="95th percentile of packet RTT",
    better="less",
    each=column("packet_rtt_p95_ms"),
)
def packet_rtt_p95_ms(flow: Flow) -> float | None:
    """95th percentile of the packets' RTTs."""
    return flow["packet_rtt_p95_ms"]


@metric(
    of="flow",
    unit="ms",
    source=_PACKET,
    label="99th percentile of packet RTT",
    better="less",
    each=column("packet_rtt_p99_ms"),
)
def packet_rtt_p99_ms(flow: Flow) -> float | None:
    """99th percentile of the packets' RTTs."""
    return flow["packet_rtt_p99_ms"]


@metric(of="flow", unit="ms", source=_PACKET, label="smallest packet RTT", each=column("packet_rtt_min_ms"))
def packet_rtt_min_ms(flow: Flow) -> float | None:
    """Smallest of the packets' RTTs."""
    return flow["packet_rtt_min_ms"]


@metric(
    of="flow", unit="ms", source=_PACKET, label="largest packet RTT", better="less", each=column("packet_rtt_max_ms")
)
def packet_rtt_max_ms(flow: Flow) -> float | None:
    """Largest of the packets' RTTs."""
    return flow["packet_rtt_max_ms"]
