"""The time that packets spend in a link's queue."""

import numpy as np

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Link


@metric(of="link", unit="ms", label="mean queuing delay", better="less")
def mean_queue_delay_ms(link: Link) -> float | None:
    """Mean over the packets that were sent, exact."""
    return link["mean_queue_delay_ms"]


@metric(of="link", unit="ms", label="longest queuing delay", better="less")
def max_queue_delay_ms(link: Link) -> float | None:
    """The longest that a packet waited which was sent."""
    return link["max_queue_delay_ms"]


@metric(of="link", unit="ms", label="95th percentile of queuing delay", better="less")
def p95_queue_delay_ms(link: Link) -> float | None:
    """95th percentile over time of the sampling intervals' means; intervals in which nothing was sent do not count."""
    delays = link.series("queue_delay_ms")
    delays = delays[np.isfinite(delays)]
    return float(np.quantile(delays, 0.95)) if len(delays) else None
