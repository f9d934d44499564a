"""Queues and links as arguments of tc."""

from collections.abc import Mapping
from typing import Any

from fairlane.engine.declarations import option_of, queues
from fairlane.engine.types import CorruptConfig, JitterConfig, LinkConfig, LossConfig, ReorderConfig

ETHERNET_BYTES = 14
"""Bytes of a frame that the kernel counts in addition to the IP packet."""
ACK_BYTES = 52
"""An acknowledgement with timestamps."""
LARGEST_ACK_BYTES = 80
"""An acknowledgement with as many options as there is room for. A bucket must hold it, and a SYN-ACK, of 60 bytes."""
UNLIMITED_PACKETS = 1_000_000
LATE_NS = 100_000
"""The lateness of a bucket's timer that loses no rate. A frame may leave this much too early after a pause."""

_NO_BY_DEFAULT = {"codel": "noecn", "fq_codel": "noecn"}
"""The option by which these do not mark; the others leave `ecn` out."""

_WITH_OPTIONS = frozenset({"red", "codel", "fq_codel", "pie", "fq_pie", "fq", "cake"})
KINDS = _WITH_OPTIONS | {"fifo", "unlimited"}
"""Queues that tc can make of a scenario's."""
_TRIED = {
    "tbf": "rate 1mbit burst 1600 limit 10000",
    "red": "limit 100000 avpkt 1000",
    "cake": "bandwidth 1mbit",
}
"""Without these arguments tc would not ask the kernel."""


def parameters(kind: str) -> list[str]:
    """The parameters of a queue that tc has an option for, which has their names without the unit."""
    found = queues()[kind] if kind in _WITH_OPTIONS else ()
    return [name for name in found if name != "ce_threshold_ect1_only"]


def tries() -> list[tuple[str, list[str]]]:
    """Each kind that a scenario may need, and the words after `tc qdisc add dev lo root` that show if it is there."""
    kinds = sorted({"tbf", "netem", "bfifo", "pfifo", *_WITH_OPTIONS})
    return [(kind, [kind, *_TRIED.get(kind, "").split()]) for kind in kinds]


def queue(config: Mapping[str, Any]) -> list[str]:
    """A scenario's queue as tc wants it: its kind and options.

    >>> queue({"kind": "fifo", "limit_bytes": 30000})
    ['bfifo', 'limit', '30000']
    >>> queue({"kind": "codel", "target_ns": 8000000, "ecn": True})
    ['codel', 'target', '8000us', 'ecn']
    """
    kind = config["kind"]
    if kind == "unlimited":
        return ["pfifo", "limit", str(UNLIMITED_PACKETS)]
    if kind == "fifo":
        in_bytes = config.get("limit_bytes")
        return ["bfifo", "limit", str(in_bytes)] if in_bytes else ["pfifo", "limit", str(config["limit_packets"])]
    words = [kind]
    for name in parameters(kind):
        value, option = config.get(name), option_of(name)
        if kind == "red" and name == "avpkt_bytes" and value is None:
            value = 1000  # tc asks for it
        if value is None:
            continue
        if isinstance(value, bool):
            option = option.replace("ack_filter", "ack-filter").replace("filter_agg", "filter-agg")
            words += [option] if value else [_NO_BY_DEFAULT[kind]] if option == "ecn" and kind in _NO_BY_DEFAULT else []
        elif name.endswith("_ns"):
            words += [option, _microseconds(value)]
        elif name.endswith("_bps"):
            words += [option, f"{value}bit"]
        else:
            words += [option, f"{value}"]
    return [*words, "besteffort", "flows"] if kind == "cake" else words


def shaper(rate_bps: int, burst_bytes: int) -> list[str]:
    """A transmitter as a token bucket; its own queue is replaced."""
    return ["tbf", "rate", f"{rate_bps}bit", "burst", str(burst_bytes), "limit", "1000000000"]


def burst_bytes(link: LinkConfig, rate_bps: int, mtu_bytes: int) -> int:
    """The depth of the bucket: that of the scenario's, else one frame and what flows while a timer is late.

    A bucket that is full loses what flows until its timer fires. With room for one frame only, a timer that is late by
    1.5 us costs 1.2 % of 100 Mbit/s.

    >>> burst_bytes({}, 100_000_000, 1500)
    2764
    """
    late_bytes = rate_bps * LATE_NS // 8_000_000_000
    return (
        link.get("burst_bytes")
        or max(mtu_bytes, LARGEST_ACK_BYTES) + ETHERNET_BYTES + overhead_bytes(link) + late_bytes
    )


def serialization_ns(link: LinkConfig, rate_bps: int | None, packet_bytes: int) -> int:
    """The time between a packet's first bit and its last, by which a bucket of one frame sends it too early.

    A transmitter dequeues a packet, sends it bit by bit, and then dequeues the next. A bucket of one frame dequeues at
    the same times, and hands the packet over at once.
    """
    if not rate_bps or link.get("burst_bytes"):
        return 0
    return round((packet_bytes + ETHERNET_BYTES + overhead_bytes(link)) * 8e9 / rate_bps)


def overhead_bytes(link: LinkConfig) -> int:
    """Bytes of the link's frames in addition to those that the kernel counts; may be negative."""
    return int(link.get("overhead_bytes", ETHERNET_BYTES) or 0) - ETHERNET_BYTES if "overhead_bytes" in link else 0


def wire(link: LinkConfig, delay_ns: int, rate_bps: int | None = None, packet_bytes: int = ACK_BYTES) -> list[str]:
    """netem's options for the path between transmitter and far end; empty if there are none.

    A transmitter of this rate sends bit by bit, and a bucket of one frame sends it at once: netem adds the time for
    each frame by its size (`rate`), or, where packets may leave it in another order, that for `packet_bytes`.
    """
    words: list[str] = []
    reorder = link.get("reorder", {})
    may_overtake = link.get("jitter") or link.get("slot") or reorder.get("probability")
    transmission_ns = serialization_ns(link, rate_bps, packet_bytes)
    by_size = transmission_ns and not may_overtake and not link.get("duplicate_probability")
    delay_ns += 0 if by_size else transmission_ns
    if link.get("jitter"):
        words += _delay(link["jitter"], delay_ns)
    elif delay_ns:
        words += ["delay", _microseconds(delay_ns)]
    if link.get("loss"):
        words += _loss(link["loss"])
    duplicate: CorruptConfig = {"probability": link.get("duplicate_probability", 0.0)}
    duplicate["correlation"] = link.get("duplicate_correlation", 0.0)
    words += _share("duplicate", duplicate)
    words += _share("corrupt", link.get("corrupt", {}))
    if reorder.get("probability"):
        words += [*_share("reorder", reorder), "gap", str(reorder.get("gap", 1))]
    if slot := link.get("slot"):
        words += ["slot", _microseconds(slot["min_ns"]), _microseconds(slot.get("max_ns", slot["min_ns"]))]
        words += ["packets", str(slot["packets"])] if "packets" in slot else []
        words += ["bytes", str(slot["bytes"])] if "bytes" in slot else []
    if by_size:
        overhead = overhead_bytes(link)
        words += ["rate", f"{rate_bps}bit", *([str(overhead)] if overhead else [])]
    return ["netem", "limit", str(UNLIMITED_PACKETS), *words] if words else []


def _delay(jitter: JitterConfig, delay_ns: int) -> list[str]:
    """netem spreads delays around the one that it is given."""
    spread_ns = jitter.get("spread_ns") or jitter.get("max_ns", 0) // 2
    middle_ns = delay_ns if jitter.get("spread_ns") else delay_ns + spread_ns
    words = ["delay", _microseconds(middle_ns), _microseconds(spread_ns)]
    words += [_percent(jitter["correlation"])] if jitter.get("correlation") else []
    shape = jitter.get("distribution", "uniform")
    return words if shape == "uniform" else [*words, "distribution", shape]


def _loss(loss: LossConfig) -> list[str]:
    if loss["kind"] == "independent":
        correlation = [_percent(loss["correlation"])] if loss.get("correlation") else []
        return ["loss", "random", _percent(loss["probability"]), *correlation]
    chain = [loss["good_to_bad"], loss["bad_to_good"], loss.get("loss_bad", 1), loss.get("loss_good", 0)]
    return ["loss", "gemodel", *map(_percent, chain)]


def _share(option: str, given: CorruptConfig | ReorderConfig) -> list[str]:
    """An option with a share and its correlation; nothing for a share of 0."""
    if not given.get("probability"):
        return []
    correlation = [_percent(given["correlation"])] if given.get("correlation") else []
    return [option, _percent(given["probability"]), *correlation]


def _percent(share: float) -> str:
    return f"{100 * share:.10g}%"


def _microseconds(time_ns: int) -> str:
    return f"{time_ns / 1000:.12g}us"
