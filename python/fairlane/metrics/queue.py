"""The length of a link's queue."""

import numpy as np

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Link


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
