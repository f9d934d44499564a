"""A link's queue: its length, the delay of each packet (quantiles to within 0.8 %), drops, marks, utilisation."""

import numpy as np

from fairlane.results.metrics.metric import metric
from fairlane.results.metrics.subject import Link, Run


@metric(of="link", unit="kB", label="mean queue", better="less")
def mean_queue_kb(link: Link) -> float | None:
    """Mean over time of what waits, exact, in units of 1000 bytes of frames."""
    return link["mean_queue_bytes"] / 1000


@metric(of="link", unit="kB", label="longest queue", better="less")
def max_queue_kb(link: Link) -> float | None:
    """The longest that the queue was at any moment."""
    return link["max_queue_bytes"] / 1000


@metric(of="link", unit="kB", label="95th percentile of queue", better="less")
def p95_queue_kb(link: Link) -> float | None:
    """95th percentile of the queue's length, sampled at the interval of the series."""
    lengths = link.counted("queue_bytes")
    return float(np.quantile(lengths, 0.95)) / 1000 if len(lengths) else None


@metric(of="link", unit="ms", label="mean queuing delay", better="less")
def mean_queue_delay_ms(link: Link) -> float | None:
    """Mean over the packets that were sent, exact."""
    return link["mean_queue_delay_ms"]


@metric(of="link", unit="ms", label="longest queuing delay", better="less")
def max_queue_delay_ms(link: Link) -> float | None:
    """The longest that a packet waited which was sent."""
    return link["max_queue_delay_ms"]


@metric(of="link", unit="ms", label="median queuing delay", better="less")
def median_queue_delay_ms(link: Link) -> float | None:
    """Median over the packets that were sent."""
    return link["median_queue_delay_ms"]


@metric(of="link", unit="ms", label="95th percentile of queuing delay", better="less")
def p95_queue_delay_ms(link: Link) -> float | None:
    """95th percentile over the packets that were sent."""
    return link["p95_queue_delay_ms"]


@metric(of="link", unit="ms", label="99th percentile of queuing delay", better="less")
def p99_queue_delay_ms(link: Link) -> float | None:
    """99th percentile over the packets that were sent."""
    return link["p99_queue_delay_ms"]


@metric(of="link", unit="packets", label="dropped packets", digits=0, better="less")
def dropped_packets(link: Link) -> float | None:
    """Packets that the queue dropped."""
    return link["dropped_packets"]


@metric(of="link", unit="%", label="drop rate", digits=3, better="less")
def drop_rate_pct(link: Link) -> float | None:
    """Packets that the queue dropped over all that arrived at it."""
    came = link["dropped_packets"] + link["delivered_packets"] + link["lost_packets"]
    return 100 * link["dropped_packets"] / came if came else None


@metric(of="link", unit="packets", label="packets lost at random", digits=0)
def random_loss_packets(link: Link) -> float | None:
    """Packets lost at random on the link."""
    return link["lost_packets"]


@metric(of="link", unit="packets", label="packets marked by the queue", digits=0, source="RFC 3168 section 5")
def ecn_marked_packets(link: Link) -> float | None:
    """Packets on which the queue set Congestion Experienced."""
    return link["marked_packets"]


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
