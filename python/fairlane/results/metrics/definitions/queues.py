"""A link's queue: its length, the delay of each packet (quantiles to within 0.8 %), drops, marks, utilisation."""

import numpy as np

from fairlane.results.metrics.metric import column, measured, metric
from fairlane.results.metrics.subject import Link, Run

mean_queue_kb = measured(
    "mean_queue_kb",
    "Mean over time of what waits, exact, in units of 1000 bytes of frames.",
    formula=column("mean_queue_bytes", per=1000),
    of="link",
    unit="kB",
    label="mean queue",
    better="less",
)

max_queue_kb = measured(
    "max_queue_kb",
    "The longest that the queue was at any moment.",
    formula=column("max_queue_bytes", per=1000),
    of="link",
    unit="kB",
    label="longest queue",
    better="less",
)


@metric(of="link", unit="kB", label="95th percentile of queue", better="less")
def p95_queue_kb(link: Link) -> float | None:
    """95th percentile of the queue's length, sampled at the interval of the series."""
    lengths = link.counted("queue_bytes")
    return float(np.quantile(lengths, 0.95)) / 1000 if len(lengths) else None


mean_queue_delay_ms = measured(
    "mean_queue_delay_ms",
    "Mean over the packets that were sent, exact.",
    of="link",
    unit="ms",
    label="mean queuing delay",
    better="less",
)

max_queue_delay_ms = measured(
    "max_queue_delay_ms",
    "The longest that a packet waited which was sent.",
    of="link",
    unit="ms",
    label="longest queuing delay",
    better="less",
)

median_queue_delay_ms = measured(
    "median_queue_delay_ms",
    "Median over the packets that were sent.",
    of="link",
    unit="ms",
    label="median queuing delay",
    better="less",
)

p95_queue_delay_ms = measured(
    "p95_queue_delay_ms",
    "95th percentile over the packets that were sent.",
    of="link",
    unit="ms",
    label="95th percentile of queuing delay",
    better="less",
)

p99_queue_delay_ms = measured(
    "p99_queue_delay_ms",
    "99th percentile over the packets that were sent.",
    of="link",
    unit="ms",
    label="99th percentile of queuing delay",
    better="less",
)

dropped_packets = measured(
    "dropped_packets",
    "Packets that the queue dropped.",
    of="link",
    unit="packets",
    label="dropped packets",
    digits=0,
    better="less",
)


@metric(of="link", unit="%", label="drop rate", digits=3, better="less")
def drop_rate_pct(link: Link) -> float | None:
    """Packets that the queue dropped over all that arrived at it."""
    came = link["dropped_packets"] + link["delivered_packets"] + link["lost_packets"]
    return 100 * link["dropped_packets"] / came if came else None


random_loss_packets = measured(
    "random_loss_packets",
    "Packets lost at random on the link.",
    formula=column("lost_packets"),
    of="link",
    unit="packets",
    label="packets lost at random",
    digits=0,
)

ecn_marked_packets = measured(
    "ecn_marked_packets",
    "Packets on which the queue set Congestion Experienced.",
    formula=column("marked_packets"),
    of="link",
    unit="packets",
    label="packets marked by the queue",
    digits=0,
    source="RFC 3168 section 5",
)


@metric(of="link", unit="%", label="utilisation", digits=1, better="more")
def utilisation_pct(link: Link) -> float | None:
    """Transmitted frame bits over those that the link's rate allows; none where the link has no rate."""
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
