"""Wi-Fi queues: who had the channel, how well it was used, how often it turned. None on a link."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Link, Run


@metric(of="link", unit="%", label="airtime")
def airtime_pct(link: Link) -> float | None:
    """Share of the time in which the queue's frames, the answers to them and its collisions occupied the channel."""
    share = link.get("airtime_share")
    return None if share is None else 100 * share


@metric(of="link", unit="", label="MPDUs per PPDU", better="more")
def mpdus_per_ppdu(link: Link) -> float | None:
    """Mean number of MPDUs in a PPDU: how far packets were aggregated."""
    return link.get("mpdus_per_ppdu")


@metric(of="link", unit="%", label="collided PPDUs", better="less")
def collided_ppdus_pct(link: Link) -> float | None:
    """Share of the queue's PPDUs that collided."""
    return 100 * link["collided_ppdus"] / link["ppdus"] if link.get("ppdus") else None


@metric(of="link", unit="%", label="retransmitted MPDUs", better="less")
def retransmitted_mpdus_pct(link: Link) -> float | None:
    """Share of the MPDUs transmitted that had been transmitted before."""
    mpdus = link["ppdus"] * link["mpdus_per_ppdu"] if link.get("ppdus") else 0
    return 100 * link["retransmitted_mpdus"] / mpdus if mpdus else None


@metric(of="link", unit="1/s", label="turns")
def turns_per_s(link: Link) -> float | None:
    """How often in a second the channel turned to this queue.

    A turn is a run of PPDUs that no PPDU of another queue interrupts.
    """
    if link.get("turns") is None:
        return None
    duration_s = _duration_s(link)
    return link["turns"] / duration_s if duration_s else None


@metric(of="link", unit="packets", label="packets per turn")
def packets_per_turn(link: Link) -> float | None:
    """Packets delivered in a turn, on average."""
    return link["delivered_packets"] / link["turns"] if link.get("turns") else None


@metric(of="run", unit="", label="airtime fairness", better="more", source="Jain et al. 1984, equation 1")
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


@metric(of="run", unit="1/s", label="ACK blocks", source="Lin et al. 2019, section 6.1.1, N_ACK_Block")
def ack_blocks_per_s(run: Run) -> float | None:
    """How often in a second the channel turned to acknowledgements.

    The paper takes it for the frequency at which the direction of transmission changes. These are the turns of the
    queues that carry acknowledgements: of the two queues of each station, the one that transmitted fewer bytes.
    """
    turns = [turns_per_s(link) for link in _ack_queues(run)]
    return sum(one for one in turns if one is not None) if turns else None


@metric(of="run", unit="packets", label="packets per ACK block", source="Lin et al. 2019, section 6.1.1, P_ACK_Block")
def packets_per_ack_block(run: Run) -> float | None:
    """Acknowledgements delivered in one turn of the channel, on average."""
    queues = _ack_queues(run)
    turns = sum(link["turns"] for link in queues)
    return sum(link["delivered_packets"] for link in queues) / turns if turns else None


def _ack_queues(run: Run) -> list[Link]:
    """Of the two queues of each Wi-Fi station the one that transmitted fewer bytes, if either was used."""
    stations: dict[str, list[Link]] = {}
    for link in run.links:
        if link.get("turns") is not None:
            stations.setdefault(_station(link), []).append(link)
    used = [pair for pair in stations.values() if any(link["turns"] for link in pair)]
    return [min(pair, key=lambda link: float(link["transmitted_bytes"])) for pair in used]


def _station(link: Link) -> str:
    return str(link["name"]).removesuffix("-up").removesuffix("-down")


def _duration_s(link: Link) -> float:
    """How long the link was measured, from the samples."""
    times_s = link.series("t_s")
    warm_up_s = link.run.warm_up_s if link.run else 0.0
    return float(times_s[-1]) - warm_up_s if len(times_s) else 0.0
