"""What a link drops, loses and marks."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Link


@metric(of="link", unit="packets", label="dropped packets", digits=0, better="less")
def dropped_packets(link: Link) -> float | None:
    """Packets that the queue threw away."""
    return link["dropped_packets"]


@metric(of="link", unit="%", label="drop rate", digits=3, better="less")
def drop_rate_pct(link: Link) -> float | None:
    """Packets that the queue threw away over all that came to it."""
    came = link["dropped_packets"] + link["delivered_packets"] + link["lost_packets"]
    return 100 * link["dropped_packets"] / came if came else None


@metric(of="link", unit="packets", label="packets lost at random", digits=0)
def random_losses(link: Link) -> float | None:
    """Packets that vanished on the wire by chance."""
    return link["lost_packets"]


@metric(of="link", unit="packets", label="packets marked by the queue", digits=0, source="RFC 3168 section 5")
def marks(link: Link) -> float | None:
    """Packets on which the queue set Congestion Experienced."""
    return link["marked_packets"]
