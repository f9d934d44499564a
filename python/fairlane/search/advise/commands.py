"""The recommendation as lines for a shell: sysctl for the algorithm, tc for the queue.

A queue discipline decides about delay only where packets wait. Outside that device, a shaper a little below the link's
rate makes them wait there: cake has one, others get htb. Downloads are shaped behind an ifb device.
"""

from collections.abc import Mapping

from fairlane.scenario import units
from fairlane.scenario.links import QueueTable

BELOW = 0.95
"""Part of the link's rate that a shaper lets pass."""
_MAINLINE = ("bbr3",)
"""Algorithms that Linux has under another name, or not at all."""
_DEVICE = "eth0"


def commands(algorithm: str, queue: QueueTable | None, settings: Mapping[str, str]) -> list[str]:
    """The lines; `settings` are those of the link."""
    lines = [f"sysctl -w net.ipv4.tcp_congestion_control={algorithm.partition(':')[0]}"]
    if algorithm.partition(":")[0] in _MAINLINE:
        lines[0] += "  # a kernel with Google's patches (v3 branch of google/bbr); in theirs it is called bbr"
    if queue is None:
        return lines
    if "wifi" in settings:
        return [*lines, f"tc qdisc replace dev wlan0 root {_words(queue, settings)}"]
    if "up_rate" not in settings:
        return [*lines, *_shaped(_DEVICE, queue, settings, settings.get("rate"))]
    return [
        *lines,
        *_shaped(_DEVICE, queue, {**settings, "rate": settings["up_rate"]}, settings["up_rate"]),
        "ip link add ifb0 type ifb",
        "ip link set ifb0 up",
        f"tc qdisc add dev {_DEVICE} handle ffff: ingress",
        f"tc filter add dev {_DEVICE} parent ffff: matchall action mirred egress redirect dev ifb0",
        *_shaped("ifb0", queue, settings, settings.get("rate")),
    ]


def _shaped(device: str, queue: QueueTable, settings: Mapping[str, str], rate: str | None) -> list[str]:
    """The discipline behind a shaper; of a link that varies, alone."""
    words = _words(queue, settings)
    if rate is None:
        return [
            f"tc qdisc replace dev {device} root {words}  # where packets wait: no shaper follows a rate that varies"
        ]
    kbit = f"{BELOW * units.rate_bps(rate) / 1e3:.0f}kbit"
    if words.startswith("cake"):
        return [f"tc qdisc replace dev {device} root {words} bandwidth {kbit}"]
    return [
        f"tc qdisc replace dev {device} root handle 1: htb default 1",
        f"tc class replace dev {device} parent 1: classid 1:1 htb rate {kbit}",
        f"tc qdisc replace dev {device} parent 1:1 {words}",
    ]


def _words(queue: QueueTable, settings: Mapping[str, str]) -> str:
    """The discipline in tc's words.

    >>> _words({"kind": "fifo", "limit": "1bdp"}, {"rate": "50mbit", "rtt": "30ms"})
    'bfifo limit 187500'
    >>> _words({"kind": "codel", "ecn": True, "ce_threshold": "78us"}, {})
    'codel ecn ce_threshold 78us'
    """
    if isinstance(queue, str):
        return queue
    kind, options = queue["kind"], {name: value for name, value in queue.items() if name != "kind"}
    if kind == "fifo":
        limit = units.buffer(str(options["limit"]))
        if limit.unit == "packets":
            return f"pfifo limit {int(limit.amount)}"
        rate_bps = units.rate_bps(settings["rate"]) if "rate" in settings else 0
        return f"bfifo limit {limit.as_bytes(rate_bps, units.positive_time_ns(settings['rtt']))}"
    words = [
        (name if value else f"no{name}") if isinstance(value, bool) else f"{name} {value}"
        for name, value in options.items()
    ]
    return " ".join([str(kind), *words])
