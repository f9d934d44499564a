"""Flow completion time."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(
    of="flow",
    unit="s",
    source="Zhang et al. 2019 (Modest BBR), IV-A: transfer completion time",
    digits=3,
    better="less",
)
def completion_s(flow: Flow) -> float | None:
    """From the first SYN to the last byte at the receiver; none unless a flow of a given size was done in time."""
    return flow["completion_s"]
