"""Retransmissions, lost packets, timeouts and ECN marks of a flow."""

from functools import partial

from fairlane.engine.libraries import np
from fairlane.results.metrics.metric import measured, metric, quotient
from fairlane.results.metrics.subject import Flow

_less = partial(measured, better="less")

_less(
    "retransmits",
    "Segments that the sender retransmitted.",
    label="retransmissions",
    digits=0,
    source="Linux tcpi_total_retrans",
)
_less(
    "retransmits_per_s",
    "Retransmissions over the flow's time.",
    formula=quotient("retransmits", "duration_s"),
    label="retransmissions",
    source="Lin et al. 2019, 5.1",
)
_less(
    "retransmits_per_30s",
    "Retransmissions over the flow's time, as a number in 30 s.",
    formula=quotient("retransmits", "duration_s", 30),
    label="retransmissions in 30 s",
    digits=0,
    source="Zhang et al. 2018 (Modest BBR), figures 5, 6, 11, 12",
)
_less(
    "retransmits_per_packet_pct",
    "Retransmissions over all data packets that the sender sent, retransmissions included.",
    formula=quotient("retransmits", "data_packets_sent", 100),
    label="retransmissions per packet",
    digits=3,
    source="Lin et al. 2019, 7.1, footnote 10",
)
_less(
    "retransmits_per_loss",
    """Retransmissions over packets that the network dropped or lost on their way to the receiver; none without losses.

    The paper infers the losses from a trace at the sender; here the network says what it lost.
    """,
    formula=quotient("retransmits", "lost_packets"),
    label="retransmissions per loss",
    digits=3,
    source="Lin et al. 2019, 7.1, footnote 11",
)
_less(
    "retransmits_per_segment",
    """Retransmissions over segments that were retransmitted at least once; none without retransmissions.

    More than 1 if retransmissions are lost themselves. A trace at the sender is enough for it: a segment counts as lost
    if it was retransmitted. TCP in the simulator only: QUIC sends lost data in new packets, and a kernel does not count
    segments.
    """,
    formula=quotient("retransmits", "segments_retransmitted"),
    label="retransmissions per retransmitted segment",
    digits=3,
    source="Lin et al. 2019, 7.1, footnote 11",
)
_less(
    "lost_packets",
    "Packets that the network dropped or lost on their way to the receiver.",
    label="lost packets",
    digits=0,
)
_less(
    "loss_rate_pct",
    "Lost packets over all data packets that the sender sent, retransmissions included.",
    formula=quotient("lost_packets", "data_packets_sent", 100),
    label="loss rate",
    digits=3,
    source="RFC 7680 (loss ratio)",
)
_less(
    "spurious_losses",
    """Packets that counted as lost although they had arrived or were only late.

    Over TCP what DSACKs report, which includes duplicates that the network made.
    """,
    unit="packets",
    label="spurious losses",
    digits=0,
    source="RFC 9002 section 6.1; RFC 3708",
)
_less(
    "timeouts", "How often the retransmission timer expired.", label="timeouts", digits=0, source="RFC 6298 section 5"
)
measured(
    "marked_packets",
    "Packets whose acknowledgement signalled congestion.",
    label="marked packets",
    digits=0,
    source="RFC 3168; Linux tcpi_delivered_ce",
)


EXCESSIVE_LOSS = 0.1
"""Share of lost packets that counts as excessive."""


@metric(label="longest excessive loss", digits=0, source="RFC 8084, 4 (several measurement intervals)", better="less")
def longest_excessive_loss_s(flow: Flow) -> float | None:
    """The most seconds in succession in each of which more than 10 % of the packets sent were lost.

    A circuit breaker that measures for 1 s and triggers after n such intervals does so if this is at least n. Seconds
    count from the first sample of the flow; packets of a sample are those of the flow in proportion to its sent bits.
    """
    if not flow.is_sampled or not flow["data_packets_sent"]:
        return None
    times_s, mbps = flow.series("t_s"), flow.series("sending_rate_mbps")
    mbits = mbps * np.diff(times_s, prepend=float(flow["start_s"]))
    seconds = np.floor(times_s - times_s[0] + 1e-6).astype(int)
    sent = np.bincount(seconds, mbits) / max(mbits.sum(), 1e-12) * float(flow["data_packets_sent"])
    excessive = np.bincount(seconds, flow.series("lost_packets")) > EXCESSIVE_LOSS * np.maximum(sent, 1.0)
    ends = np.flatnonzero(np.diff(np.concatenate([[0], excessive, [0]]).astype(int)))
    return float(np.diff(ends)[::2].max()) if len(ends) else 0.0
