"""Retransmissions, lost packets, timeouts and ECN marks of a flow."""

from fairlane.results.metrics.metric import measured, quotient

retransmits = measured(
    "retransmits",
    "Segments that the sender retransmitted.",
    label="retransmissions",
    digits=0,
    source="Linux tcpi_total_retrans",
    better="less",
)

retransmits_per_s = measured(
    "retransmits_per_s",
    "Retransmissions over the flow's time.",
    formula=quotient("retransmits", "duration_s"),
    unit="1/s",
    label="retransmissions",
    source="Lin et al. 2019, 5.1",
    better="less",
)

retransmits_per_30s = measured(
    "retransmits_per_30s",
    "Retransmissions over the flow's time, as a number in 30 s.",
    formula=quotient("retransmits", "duration_s", 30),
    label="retransmissions in 30 s",
    digits=0,
    source="Zhang et al. 2018 (Modest BBR), figures 5, 6, 11, 12",
    better="less",
)

retransmits_per_packet_pct = measured(
    "retransmits_per_packet_pct",
    "Retransmissions over all data packets that the sender sent, retransmissions included.",
    formula=quotient("retransmits", "data_packets_sent", 100),
    unit="%",
    label="retransmissions per packet",
    digits=3,
    source="Lin et al. 2019, 7.1, footnote 10",
    better="less",
)

retransmits_per_loss = measured(
    "retransmits_per_loss",
    """Retransmissions over packets that the network dropped or lost on their way to the receiver; none without losses.

    The paper infers the losses from a trace at the sender; here the network says what it lost.
    """,
    formula=quotient("retransmits", "lost_packets"),
    label="retransmissions per loss",
    digits=3,
    source="Lin et al. 2019, 7.1, footnote 11",
    better="less",
)

retransmits_per_segment = measured(
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
    better="less",
)

lost_packets = measured(
    "lost_packets",
    "Packets that the network dropped or lost on their way to the receiver.",
    unit="packets",
    label="lost packets",
    digits=0,
    better="less",
)

loss_rate_pct = measured(
    "loss_rate_pct",
    "Lost packets over all data packets that the sender sent, retransmissions included.",
    formula=quotient("lost_packets", "data_packets_sent", 100),
    unit="%",
    label="loss rate",
    digits=3,
    source="RFC 7680 (loss ratio)",
    better="less",
)

spurious_losses = measured(
    "spurious_losses",
    """Packets that counted as lost although they had arrived or were only late.

    Over TCP what DSACKs report, which includes duplicates that the network made.
    """,
    unit="packets",
    label="spurious losses",
    digits=0,
    source="RFC 9002 section 6.1; RFC 3708",
    better="less",
)

timeouts = measured(
    "timeouts",
    "How often the retransmission timer expired.",
    label="timeouts",
    digits=0,
    source="RFC 6298 section 5",
    better="less",
)

marked_packets = measured(
    "marked_packets",
    "Packets whose acknowledgement signalled congestion.",
    unit="packets",
    label="marked packets",
    digits=0,
    source="RFC 3168; Linux tcpi_delivered_ce",
)
