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


BREAKER_FACTOR = 10
"""By which a flow may exceed TCP's throughput (RFC 8083 section 4.3)."""


@metric(label="longest time beyond the breaker", digits=0, source="RFC 8083, 4.3 (congestion)", better="less")
def longest_breaker_s(flow: Flow) -> float | None:
    """The most seconds in succession in which the flow was more than ten times as fast as TCP would be.

    TCP's throughput is s / (RTT sqrt(2 p / 3)), with the packet size s and with the second's RTT and share p of lost
    packets (the simplified equation of RFC 8083, an ACK per packet). A breaker with a report each second triggers
    if this is at least 3. Seconds count from the first sample of the flow; packets of a sample are those of the flow in
    proportion to its sent bits.
    """
    if not flow.is_sampled or not flow["data_packets_sent"]:
        return None
    times_s, mbps = flow.series("t_s"), flow.series("sending_rate_mbps")
    mbits = mbps * np.diff(times_s, prepend=float(flow["start_s"]))
    seconds = np.floor(times_s - times_s[0] + 1e-6).astype(int)
    packet_mbits = mbits.sum() / float(flow["data_packets_sent"])
    sent = np.bincount(seconds, mbits) / max(packet_mbits, 1e-12)
    lost = np.bincount(seconds, flow.series("lost_packets")) / np.maximum(sent, 1.0)
    rtt_s = np.bincount(seconds, np.nan_to_num(flow.series("rtt_ms"))) / np.bincount(seconds) / 1e3
    # rate > 10 s / (RTT sqrt(2 p / 3)), in packets per second
    beyond = sent * rtt_s * np.sqrt(2 * lost / 3) > BREAKER_FACTOR
    ends = np.flatnonzero(np.diff(np.concatenate([[0], beyond, [0]]).astype(int)))
    return float(np.diff(ends)[::2].max()) if len(ends) else 0.0
