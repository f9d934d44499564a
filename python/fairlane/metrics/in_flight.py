"""Data in flight."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", unit="packets", label="mean packets in flight", digits=1, source="RFC 6675 section 2 (pipe)")
def mean_inflight_packets(flow: Flow) -> float | None:
    """Mean of the sampled packets in flight, as the sender reckons them."""
    return flow["mean_inflight_packets"]


@metric(of="flow", unit="kB", label="mean data in flight", digits=1, source="RFC 6675 section 2 (pipe)")
def mean_inflight_kb(flow: Flow) -> float | None:
    """The same in units of 1000 bytes of payload, all packets taken as full."""
    packets = flow["mean_inflight_packets"]
    return None if packets is None else packets * flow["mss_bytes"] / 1000
