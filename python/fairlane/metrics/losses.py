"""Packets that did not arrive."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", unit="packets", label="lost packets", digits=0, better="less")
def lost_packets(flow: Flow) -> float | None:
    """Packets that the network dropped or lost on their way to the receiver."""
    return flow["lost_packets"]


@metric(of="flow", unit="%", label="loss rate", digits=3, source="RFC 7680 (loss ratio)", better="less")
def loss_rate_pct(flow: Flow) -> float | None:
    """Lost packets over all data packets that the sender sent, retransmissions included."""
    sent = flow["data_packets_sent"]
    return 100 * flow["lost_packets"] / sent if sent else None
