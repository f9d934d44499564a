"""How the one who gets least fares beside the one who gets most."""

from collections.abc import Sequence

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(
    of="flows",
    label="least by most goodput",
    digits=3,
    source="Bertsekas, Gallager 1992, 6.5 (max-min fairness)",
    better="more",
)
def max_min_share(flows: Sequence[Flow]) -> float | None:
    """Smallest goodput over the largest; 1 when all get the same, 0 when one starves."""
    goodputs = [float(flow["goodput_mbps"]) for flow in flows]
    return min(goodputs) / max(goodputs) if len(goodputs) > 1 and max(goodputs) > 0 else None


@metric(
    of="flows", unit="%", label="least of a fair share", digits=1, source="Bertsekas, Gallager 1992, 6.5", better="more"
)
def least_fair_share_pct(flows: Sequence[Flow]) -> float | None:
    """Smallest goodput over the mean of all, which is the max-min fair share of a common bottleneck."""
    goodputs = [float(flow["goodput_mbps"]) for flow in flows]
    return 100 * min(goodputs) * len(goodputs) / sum(goodputs) if len(goodputs) > 1 and sum(goodputs) > 0 else None
