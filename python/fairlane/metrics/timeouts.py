"""Retransmission time-outs."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", label="time-outs", digits=0, source="RFC 6298 section 5", better="less")
def timeouts(flow: Flow) -> float | None:
    """How often the retransmission timer expired."""
    return flow["timeouts"]
