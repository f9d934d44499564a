"""Wi-Fi: who had the channel, how well it was used, how data and acknowledgements alternated. None without Wi-Fi.

Two layers are counted. The medium counts PPDUs, MPDUs and turns of each queue of the cell, retransmissions of the MAC
included. The trace of the sender is what tcpdump would show on the sending host, where neither MPDUs nor Block Acks are
visible: packets when TCP hands them to the interface, and packets when they reach the host.
"""

from functools import partial

from fairlane.results.metrics.metric import measured, metric
from fairlane.results.metrics.subject import Flow, Link, Run


@metric(of="link", label="airtime")
def airtime_pct(link: Link) -> float | None:
    """Share of the time in which the queue's frames, the answers to them and its collisions occupied the channel."""
    share = link.get("airtime_share")
    return None if share is None else 100 * share


_of_medium = partial(measured, of="link", optional=True)
_of_medium(
    "mpdus_per_ppdu",
    "Mean number of MPDUs in a PPDU: how far packets were aggregated. Counted at the medium.",
    label="MPDUs per PPDU",
    better="more",
)
_of_medium(
    "p5_mpdus_per_ppdu", "5th percentile of the number of MPDUs in a PPDU.", label="5th percentile of MPDUs per PPDU"
)
_of_medium("median_mpdus_per_ppdu", "Median of the number of MPDUs in a PPDU.", label="median of MPDUs per PPDU")
_of_medium(
    "p95_mpdus_per_ppdu", "95th percentile of the number of MPDUs in a PPDU.", label="95th percentile of MPDUs per PPDU"
)


@metric(of="link", label="collided PPDUs", better="less")
def collided_ppdus_pct(link: Link) -> float | None:
    """Share of the queue's PPDUs that collided."""
    return 100 * link["collided_ppdus"] / link["ppdus"] if link.get("ppdus") else None


@metric(of="link", label="retransmitted MPDUs", better="less")
def retransmitted_mpdus_pct(link: Link) -> float | None:
    """Share of the MPDUs transmitted that had been transmitted before: retries of the MAC, which TCP does not see."""
    mpdus = link["ppdus"] * link["mpdus_per_ppdu"] if link.get("ppdus") else 0
    return 100 * link["retransmitted_mpdus"] / mpdus if mpdus else None


@metric(of="link", label="turns")
def turns_per_s(link: Link) -> float | None:
    """Turns of the channel to this queue, per second.

    A turn is a run of PPDUs that no PPDU of another queue interrupts.
    """
    if link.get("turns") is None:
        return None
    duration_s = _duration_s(link)
    return link["turns"] / duration_s if duration_s else None


@metric(unit="packets", of="link", label="packets per turn")
def packets_per_turn(link: Link) -> float | None:
    """Packets delivered in a turn, on average."""
    return link["delivered_packets"] / link["turns"] if link.get("turns") else None


@metric(of="run", label="airtime fairness", better="more", source="Jain et al. 1984, equation 1")
def airtime_jain_index(run: Run) -> float | None:
    """Jain's index of the airtime of the Wi-Fi stations, uplink and downlink together.

    Stations without any airtime count; None without Wi-Fi.
    """
    shares: dict[str, float] = {}
    for link in run.links:
        if link.get("airtime_share") is not None:
            shares[_station(link)] = shares.get(_station(link), 0.0) + float(link.get("airtime_share"))
    squares = sum(share * share for share in shares.values())
    return sum(shares.values()) ** 2 / (len(shares) * squares) if squares else None


_TRACE = "Lin et al. 2019, section 6.1.1"
_of_trace = partial(measured, optional=True, source=f"{_TRACE}, Figure 10")


@metric(label="ACK blocks", source=f"{_TRACE}, N_ACK_Block")
def ack_blocks_per_s(flow: Flow) -> float | None:
    """ACK blocks in a second, in the trace of the sender.

    A block is a run of packets without data that reach the sender with no data packet in between; the paper takes
    their number for the frequency at which the direction of transmission changes. Only of flows over Wi-Fi.
    """
    blocks, duration_s = flow.get("ack_blocks"), flow.get("duration_s")
    return blocks / duration_s if blocks is not None and duration_s else None


@metric(unit="packets", label="packets per ACK block", source=f"{_TRACE}, P_ACK_Block")
def packets_per_ack_block(flow: Flow) -> float | None:
    """Mean number of packets in an ACK block, in the trace of the sender."""
    return flow["ack_block_packets"] / flow["ack_blocks"] if flow.get("ack_blocks") else None


_of_trace(
    "segment_gap_ms",
    "Mean time from one data packet to the next, in the trace of the sender, if no ACK arrives in between.",
    label="gap between data segments",
    digits=4,
)
_of_trace(
    "ack_block_gap_correlation",
    "Correlation of the number of ACK blocks of a second with the mean gap between its data segments.",
    label="correlation of ACK blocks and gaps",
)
_of_trace(
    "ack_block_variation",
    "Standard deviation of the number of ACK blocks in a second, divided by its mean.",
    label="variation of ACK blocks",
)
_of_trace(
    "segment_gap_variation",
    "Standard deviation of the mean gap between data segments of a second, divided by its mean.",
    label="variation of gaps",
)


def _station(link: Link) -> str:
    return str(link["name"]).removesuffix("-up").removesuffix("-down")


def _duration_s(link: Link) -> float:
    """The duration of the link's measurement, from the samples."""
    times_s = link.series("t_s")
    warm_up_s = link.run.warm_up_s if link.run else 0.0
    return float(times_s[-1]) - warm_up_s if len(times_s) else 0.0
