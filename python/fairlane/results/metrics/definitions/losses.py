"""Retransmissions, lost packets, timeouts and ECN marks of a flow."""

from fairlane.results.metrics.metric import metric
from fairlane.results.metrics.subject import Flow, column, quotient


@metric(
    of="flow",
    label="retransmissions",
    digits=0,
    source="Linux tcpi_total_retrans",
    better="less",
    each=column("retransmits"),
)
def retransmits(flow: Flow) -> float | None:
    """Segments that the sender retransmitted."""
    return flow["retransmits"]


_PER_S = quotient("retransmits", "duration_s")


@metric(of="flow", unit="1/s", label="retransmissions", source="Lin et al. 2019, 5.1", better="less", each=_PER_S)
def retransmits_per_s(flow: Flow) -> float | None:
    """Retransmissions over the flow's time."""
    return flow["retransmits"] / flow["duration_s"] if flow["duration_s"] else None


@metric(
    of="flow",
    label="retransmissions in 30 s",
    digits=0,
    source="Zhang et al. 2018 (Modest BBR), figures 5, 6, 11, 12",
    better="less",
    each=quotient("retransmits", "duration_s", 30),
)
def retransmits_per_30s(flow: Flow) -> float | None:
    """Retransmissions over the flow's time, as a number in 30 s."""
    return 30 * flow["retransmits"] / flow["duration_s"] if flow["duration_s"] else None


@metric(
    of="flow",
    unit="%",
    label="retransmissions per packet",
    digits=3,
    source="Lin et al. 2019, 7.1, footnote 10",
    better="less",
    each=quotient("retransmits", "data_packets_sent", 100),
)
def retransmits_per_packet_pct(flow: Flow) -> float | None:
    """Retransmissions over all data packets that the sender sent, retransmissions included."""
    sent = flow["data_packets_sent"]
    return 100 * flow["retransmits"] / sent if sent else None


@metric(
    of="flow",
    label="retransmissions per loss",
    digits=3,
    source="Lin et al. 2019, 7.1, footnote 11",
    better="less",
    each=quotient("retransmits", "lost_packets"),
)
def retransmits_per_loss(flow: Flow) -> float | None:
    """Retransmissions over packets that the network dropped or lost on their way to the receiver; none without losses.

    The paper infers the losses from a trace at the sender; here the network says what it lost.
    """
    lost = flow["lost_packets"]
    return flow["retransmits"] / lost if lost else None


@metric(
    of="flow",
    label="retransmissions per retransmitted segment",
    digits=3,
    source="Lin et al. 2019, 7.1, footnote 11",
    better="less",
    each=quotient("retransmits", "segments_retransmitted"),
)
def retransmits_per_segment(flow: Flow) -> float | None:
    """Retransmissions over segments that were retransmitted at least once; none without retransmissions.

    More than 1 if retransmissions are lost themselves. A trace at the sender is enough for it: a segment counts as lost
    if it was retransmitted. TCP in the simulator only: QUIC sends lost data in new packets, and a kernel does not count
    segments.
    """
    segments = flow["segments_retransmitted"]
    return flow["retransmits"] / segments if segments else None


@metric(of="flow", unit="packets", label="lost packets", digits=0, better="less", each=column("lost_packets"))
def lost_packets(flow: Flow) -> float | None:
    """Packets that the network dropped or lost on their way to the receiver."""
    return flow["lost_packets"]


@metric(
    of="flow",
    unit="%",
    label="loss rate",
    digits=3,
    source="RFC 7680 (loss ratio)",
    better="less",
    each=quotient("lost_packets", "data_packets_sent", 100),
)
def loss_rate_pct(flow: Flow) -> float | None:
    """Lost packets over all data packets that the sender sent, retransmissions included."""
    sent = flow["data_packets_sent"]
    return 100 * flow["lost_packets"] / sent if sent else None


@metric(
    of="flow",
    unit="packets",
    label="spurious losses",
    digits=0,
    source="RFC 9002 section 6.1; RFC 3708",
    better="less",
    each=column("spurious_losses"),
)
def spurious_losses(flow: Flow) -> float | None:
    """Packets that counted as lost although they had arrived or were only late.

    Over TCP what DSACKs report, which includes duplicates that the network made.
    """
    return flow["spurious_losses"]


@metric(of="flow", label="timeouts", digits=0, source="RFC 6298 section 5", better="less", each=column("timeouts"))
def timeouts(flow: Flow) -> float | None:
    """How often the retransmission timer expired."""
    return flow["timeouts"]


@metric(
    of="flow",
    unit="packets",
    label="marked packets",
    digits=0,
    source="RFC 3168; Linux tcpi_delivered_ce",
    each=column("marked_packets"),
)
def marked_packets(flow: Flow) -> float | None:
    """Packets whose acknowledgement signalled congestion."""
    return flow["marked_packets"]
