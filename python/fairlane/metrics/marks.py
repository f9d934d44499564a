"""ECN marks that a flow saw."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", unit="packets", label="marked packets", digits=0, source="RFC 3168; Linux tcpi_delivered_ce")
def marked_packets(flow: Flow) -> float | None:
    """Packets whose acknowledgement told of congestion."""
    return flow["marked_packets"]
