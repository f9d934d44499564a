"""How much of a link is used."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Link, Run


@metric(of="link", unit="%", label="utilisation", digits=1, better="more")
def utilisation_pct(link: Link) -> float | None:
    """What the link transmitted, frames counted, over what it could have; none where the link has no rate."""
    return 100 * float(link["utilisation"]) if link["utilisation"] else None


@metric(
    of="run",
    unit="%",
    label="utilisation of the bottleneck",
    digits=1,
    source="Elephants 2023, equation 3",
    better="more",
)
def bottleneck_utilisation_pct(run: Run) -> float | None:
    """The same of the link called bottleneck, or else of the link that is used most: the paper's phi, times 100."""
    return utilisation_pct(run.bottleneck) if run.bottleneck else None
