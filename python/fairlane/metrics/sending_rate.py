"""Sending rate: what the sender puts on the wire."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", unit="Mbps", source="Turkovic et al. 2019, IV-A")
def sending_rate_mbps(flow: Flow) -> float | None:
    """Frames that the sender put on the wire, Ethernet header included, over the flow's time."""
    return flow["sending_rate_mbps"]
