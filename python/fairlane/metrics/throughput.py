"""Throughput: what reaches the receiver."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", unit="Mbps", source="Turkovic et al. 2019, IV-A")
def throughput_mbps(flow: Flow) -> float | None:
    """Frames that reached the receiver, Ethernet header included, over the flow's time."""
    return flow["throughput_mbps"]
