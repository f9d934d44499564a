"""The smoothed RTT, as `ss` and iperf3 show it: sampled at the interval of the series."""

import numpy as np

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow

_SOURCE = "RFC 6298 section 2 (SRTT); sampled as in Lin et al. 2019, 4.1"


@metric(of="flow", unit="ms", source=_SOURCE, label="mean RTT", better="less")
def mean_rtt_ms(flow: Flow) -> float | None:
    """Mean of the sampled smoothed RTTs."""
    return flow["mean_rtt_ms"]


@metric(of="flow", unit="ms", source=_SOURCE, label="median RTT", better="less")
def median_rtt_ms(flow: Flow) -> float | None:
    """Median of the sampled smoothed RTTs."""
    return flow["median_rtt_ms"]


@metric(of="flow", unit="ms", source=_SOURCE + "; reported in figure 2", label="95th percentile of RTT", better="less")
def p95_rtt_ms(flow: Flow) -> float | None:
    """95th percentile of the sampled smoothed RTTs."""
    return flow["p95_rtt_ms"]


@metric(of="flow", unit="ms", source=_SOURCE, label="99th percentile of RTT", better="less")
def p99_rtt_ms(flow: Flow) -> float | None:
    """99th percentile of the sampled smoothed RTTs."""
    return flow["p99_rtt_ms"]


@metric(of="flow", unit="ms", source=_SOURCE, label="largest RTT", better="less")
def max_rtt_ms(flow: Flow) -> float | None:
    """Largest of the sampled smoothed RTTs."""
    return flow["max_rtt_ms"]


@metric(of="flow", unit="ms", source=_SOURCE, label="deviation of RTT", better="less")
def rtt_deviation_ms(flow: Flow) -> float | None:
    """Standard deviation of the sampled smoothed RTTs over time."""
    samples = flow.series("rtt_ms")
    return float(np.nanstd(samples)) if len(samples) else None


@metric(of="flow", unit="ms", source="Linux tcpi_min_rtt", label="smallest RTT")
def min_rtt_ms(flow: Flow) -> float | None:
    """Smallest RTT that the sender measured in the last five minutes, the handshake's included."""
    return flow["min_rtt_ms"]
