"""The pacing rate."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", unit="Mbps", label="mean pacing rate", source="Linux sk_pacing_rate")
def mean_pacing_mbps(flow: Flow) -> float | None:
    """Mean of the sampled pacing rates; algorithms that do not pace have one all the same, from window and RTT."""
    return flow["mean_pacing_mbps"]
