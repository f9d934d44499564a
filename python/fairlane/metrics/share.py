"""Which part of the whole a flow gets."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", unit="%", label="share of goodput", digits=1, source="Lin et al. 2019, 4.2 (ratio of goodputs)")
def share_pct(flow: Flow) -> float | None:
    """The flow's goodput over the sum of all flows' goodputs in the run."""
    total = sum(float(other["goodput_mbps"]) for other in flow.run.everyone) if flow.run else 0.0
    return 100 * float(flow["goodput_mbps"]) / total if total else None
