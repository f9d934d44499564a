"""The time that packets spend in a link's queue, packet by packet; quantiles to within 0.8 %."""

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
