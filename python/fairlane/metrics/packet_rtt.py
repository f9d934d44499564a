"""The RTT packet by packet, as an analysis of a packet trace gives it.

Each acknowledgement that gives a measurement counts once, with the time since the latest packet that it covers was
sent; never from retransmissions, unless timestamps say which (Karn). Quantiles are exact to within 0.8 %.
"""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow

_SOURCE = "RFC 6298 section 3 and RFC 7323 section 4 (which packets are measured)"


@metric(of="flow", unit="ms", source=_SOURCE, label="mean packet RTT", better="less")
def packet_rtt_mean_ms(flow: Flow) -> float | None:
    """Mean of the packets' RTTs."""
    return flow["packet_rtt_mean_ms"]


@metric(of="flow", unit="ms", source=_SOURCE, label="median packet RTT", better="less")
def packet_rtt_median_ms(flow: Flow) -> float | None:
    """Median of the packets' RTTs."""
    return flow["packet_rtt_median_ms"]


@metric(of="flow", unit="ms", source=_SOURCE, label="95th percentile of packet RTT", better="less")
def packet_rtt_p95_ms(flow: Flow) -> float | None:
    """95th percentile of the packets' RTTs."""
    return flow["packet_rtt_p95_ms"]


@metric(of="flow", unit="ms", source=_SOURCE, label="99th percentile of packet RTT", better="less")
def packet_rtt_p99_ms(flow: Flow) -> float | None:
    """99th percentile of the packets' RTTs."""
    return flow["packet_rtt_p99_ms"]


@metric(of="flow", unit="ms", source=_SOURCE, label="smallest packet RTT")
def packet_rtt_min_ms(flow: Flow) -> float | None:
    """Smallest of the packets' RTTs."""
    return flow["packet_rtt_min_ms"]


@metric(of="flow", unit="ms", source=_SOURCE, label="largest packet RTT", better="less")
def packet_rtt_max_ms(flow: Flow) -> float | None:
    """Largest of the packets' RTTs."""
    return flow["packet_rtt_max_ms"]
