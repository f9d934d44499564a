"""A link's queue: its length, the delay of each packet (quantiles to within 0.8 %), drops, marks, utilisation."""

from functools import partial

from fairlane.engine.libraries import np
from fairlane.results.metrics.metric import column, measured, metric
from fairlane.results.metrics.subject import Link, Run

_less = partial(measured, of="link", better="less")

_less(
    "mean_queue_kb",
    "Mean over time of what waits, exact, in units of 1000 bytes of frames.",
    formula=column("mean_queue_bytes", per=1000),
    label="mean queue",
)
_less(
    "max_queue_kb",
    "The longest that the queue was at any moment.",
    formula=column("max_queue_bytes", per=1000),
    label="longest queue",
)


@metric(of="link", label="95th percentile of queue", better="less")
def p95_queue_kb(link: Link) -> float | None:
    """95th percentile of the queue's length, sampled at the interval of the series."""
    lengths = link.counted("queue_bytes")
    return float(np.quantile(lengths, 0.95)) / 1000 if len(lengths) else None


_less("mean_queue_delay_ms", "Mean over the packets that were sent, exact.", label="mean queuing delay")
_less("max_queue_delay_ms", "The longest that a packet waited which was sent.", label="longest queuing delay")
_less("median_queue_delay_ms", "Median over the packets that were sent.", label="median queuing delay")
_less(
    "p95_queue_delay_ms", "95th percentile over the packets that were sent.", label="95th percentile of queuing delay"
)
_less(
    "p99_queue_delay_ms", "99th percentile over the packets that were sent.", label="99th percentile of queuing delay"
)
_less("dropped_packets", "Packets that the queue dropped.", label="dropped packets", digits=0)


@metric(of="link", label="drop rate", digits=3, better="less")
def drop_rate_pct(link: Link) -> float | None:
    """Packets that the queue dropped over all that arrived at it."""
    came = link["dropped_packets"] + link["delivered_packets"] + link["lost_packets"]
    return 100 * link["dropped_packets"] / came if came else None


measured(
    "random_loss_packets",
    "Packets lost at random on the link.",
    formula=column("lost_packets"),
    of="link",
    label="packets lost at random",
    digits=0,
)
measured(
    "ecn_marked_packets",
    "Packets on which the queue set Congestion Experienced.",
    formula=column("marked_packets"),
    of="link",
    label="packets marked by the queue",
    digits=0,
    source="RFC 3168 section 5",
)


@metric(of="link", label="utilisation", digits=1, better="more")
def utilisation_pct(link: Link) -> float | None:
    """Transmitted frame bits over those that the link could transmit: 0 to 100. These are the bits that its rate
    allows, and with a token bucket the tokens in it at the end of the warm-up. None where the link has no rate."""
    return 100 * float(link["utilisation"]) if link["utilisation"] else None


@metric(of="run", label="utilisation of the bottleneck", digits=1, source="Elephants 2023, equation 3", better="more")
def bottleneck_utilisation_pct(run: Run) -> float | None:
    """The same of the run's busiest link, in whichever direction: the paper's phi, times 100."""
    return utilisation_pct(run.bottleneck) if run.bottleneck else None
