"""Some flows together: what they get in sum."""

from collections.abc import Sequence

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flows", unit="Mbps", label="total goodput", source="Lin et al. 2019, tables 5 to 10 (Sum)", better="more")
def total_goodput_mbps(flows: Sequence[Flow]) -> float | None:
    """Sum of the flows' goodputs, each over its own time."""
    return sum(float(flow["goodput_mbps"]) for flow in flows)


@metric(of="flows", unit="Mbps", label="total throughput", source="Elephants 2023, 5.1 (throughput per sender, S_i)")
def total_throughput_mbps(flows: Sequence[Flow]) -> float | None:
    """Sum of the flows' throughputs, each over its own time."""
    return sum(float(flow["throughput_mbps"]) for flow in flows)


@metric(of="flows", label="total retransmissions", digits=0, source="Elephants 2023, 5.4 (R)", better="less")
def total_retransmits(flows: Sequence[Flow]) -> float | None:
    """Retransmissions of all flows; relative to those of CUBIC against CUBIC they are the paper's RR (equation 4)."""
    return sum(float(flow["retransmits"]) for flow in flows)


@metric(of="flows", digits=0, label="flows")
def flow_count(flows: Sequence[Flow]) -> float | None:
    """How many flows there are."""
    return len(flows)
