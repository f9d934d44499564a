"""Round-trip times.

The smoothed RTT is the one that `ss` and iperf3 show, sampled at the interval of the series. The packet RTT is the one
that an analysis of a packet trace gives: each acknowledgement that gives a measurement counts once, with the time since
the latest packet that it covers was sent; never from retransmissions, unless timestamps identify them (Karn). Quantiles
are exact to within 0.8 %.
"""

from functools import partial

from fairlane.engine.libraries import np
from fairlane.results.metrics.metric import measured, metric
from fairlane.results.metrics.subject import Flow

_SMOOTHED = "RFC 6298 section 2 (SRTT); sampled as in Lin et al. 2019, 4.1"
_smoothed = partial(measured, source=_SMOOTHED, better="less")

_smoothed("mean_rtt_ms", "Mean of the sampled smoothed RTTs.", label="mean RTT")
_smoothed("median_rtt_ms", "Median of the sampled smoothed RTTs.", label="median RTT")
_smoothed(
    "p95_rtt_ms",
    "95th percentile of the sampled smoothed RTTs.",
    label="95th percentile of RTT",
    source=f"{_SMOOTHED}; reported in figure 2",
)
_smoothed("p99_rtt_ms", "99th percentile of the sampled smoothed RTTs.", label="99th percentile of RTT")
_smoothed("max_rtt_ms", "Largest of the sampled smoothed RTTs.", label="largest RTT")


@metric(source=_SMOOTHED, label="deviation of RTT", better="less")
def rtt_stddev_ms(flow: Flow) -> float | None:
    """Standard deviation of the sampled smoothed RTTs over time."""
    samples = flow.series("rtt_ms")
    known = samples[np.isfinite(samples)]
    return float(np.std(known)) if len(known) else None


measured(
    "min_rtt_ms",
    "Smallest RTT that the sender measured in the last five minutes, the handshake's included.",
    source="Linux tcpi_min_rtt",
    label="smallest RTT",
)


_PACKET = "RFC 6298 section 3 and RFC 7323 section 4 (which packets are measured)"
_packet = partial(measured, source=_PACKET, better="less")

_packet("packet_rtt_mean_ms", "Mean of the packets' RTTs.", label="mean packet RTT")
_packet("packet_rtt_median_ms", "Median of the packets' RTTs.", label="median packet RTT")
_packet("packet_rtt_p95_ms", "95th percentile of the packets' RTTs.", label="95th percentile of packet RTT")
_packet("packet_rtt_p99_ms", "99th percentile of the packets' RTTs.", label="99th percentile of packet RTT")
measured("packet_rtt_min_ms", "Smallest of the packets' RTTs.", source=_PACKET, label="smallest packet RTT")
_packet("packet_rtt_max_ms", "Largest of the packets' RTTs.", label="largest packet RTT")


@metric(source="RFC 6298 section 3; RFC 6817 (queuing delay above the base delay)", better="less")
def p95_rtt_above_min_ms(flow: Flow) -> float | None:
    """95th percentile of the packets' RTTs above the smallest: the queuing delay of the flow."""
    high, low = flow["packet_rtt_p95_ms"], flow["packet_rtt_min_ms"]
    return float(high) - float(low) if high is not None and low is not None else None
