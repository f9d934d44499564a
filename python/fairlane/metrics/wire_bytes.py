"""Bytes on the wire: what a flow costs the network."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", unit="MB", label="on-wire volume", source="Lin et al. 2019, 7.1, footnote 9")
def wire_mb(flow: Flow) -> float | None:
    """Ethernet frames that both ends sent, in units of 10^6 bytes."""
    return (flow["wire_bytes_forward"] + flow["wire_bytes_reverse"]) / 1e6


@metric(of="flow", unit="MB", label="on-wire volume, forward", source="Lin et al. 2019, 7.1, footnote 9")
def wire_forward_mb(flow: Flow) -> float | None:
    """Ethernet frames that the data sender sent."""
    return flow["wire_bytes_forward"] / 1e6


@metric(of="flow", unit="MB", label="on-wire volume, reverse", source="Lin et al. 2019, 7.1, footnote 9")
def wire_reverse_mb(flow: Flow) -> float | None:
    """Ethernet frames that the data receiver sent."""
    return flow["wire_bytes_reverse"] / 1e6
