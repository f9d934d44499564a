"""Linux releases by name: the settings behind `hosts.kernel` and `hosts.memory`, by the contract's names.

A release has every change up to it, each with its source. Explicit settings of the file win.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

Values = Mapping[str, str | int | bool | None]
"""Settings of one end; None removes what an earlier change set."""
KERNELS = ("4.4", "4.9", "4.13", "4.15", "5.4", "5.10", "6.1", "6.12", "7.2")
NEWEST = KERNELS[-1]


@dataclass(frozen=True)
class Change:
    """Settings that kernels have from one release on, until a later change sets them again."""

    since: str
    what: str
    source: str
    sender: Values = field(default_factory=dict)
    receiver: Values = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Of bundled algorithms."""


def _growth(per_ack: int, increase_every: int) -> dict[str, dict[str, int]]:
    growth = {"growth_per_ack": per_ack}
    return {"scalable": {**growth, "increase_every": increase_every}, "veno": growth, "yeah": growth}


CHANGES = (
    Change(
        "3.4",
        "receive window is half of the buffer",
        "default 1 of tcp_adv_win_scale, net/ipv4/tcp_input.c",
        receiver={"adv_win_scale": 1},
    ),
    Change(
        "3.13",
        "paced only by an fq queue on the host",
        "net/sched/sch_fq.c; TCP has no timer of its own",
        sender={"pacing": "none"},
    ),
    Change(
        "3.6",
        "routes remember ssthresh",
        "net/ipv4/tcp_metrics.c",
        sender={"route_memory": True},
    ),
    Change("3.18", "SACKs are not compressed", "tcp_comp_sack_nr came with 4.18", receiver={"sack_compression": False}),
    Change(
        "3.18",
        "an ACK grows the window once, however many packets it covers",
        "net/ipv4/tcp_scalable.c, tcp_veno.c, tcp_yeah.c before the 2020 series of Pengcheng Yang",
        parameters=_growth(1, 50),
    ),
    Change(
        "4.9",
        "BBR without margin of pacing and without allowance for aggregation",
        "net/ipv4/tcp_bbr.c of 4.9",
        parameters={"bbr": {"pacing_margin": 0, "extra_acked_gain": 0}},
    ),
    Change("4.13", "TCP paces by its own timer", "commit 218af599fa63", sender={"pacing": "internal"}),
    Change("4.18", "SACKs are compressed", "tcp_comp_sack_nr in ip-sysctl", receiver={"sack_compression": True}),
    Change("4.20", "BBR paces 1 % below its estimate", "net/ipv4/tcp_bbr.c", parameters={"bbr": {"pacing_margin": 1}}),
    Change(
        "5.1",
        "BBR widens its window for aggregated ACKs",
        "net/ipv4/tcp_bbr.c",
        parameters={"bbr": {"extra_acked_gain": 256}},
    ),
    Change(
        "5.6",
        "routes forget ssthresh",
        "tcp_no_ssthresh_metrics_save, commit 65e6d90168f3",
        sender={"route_memory": False},
    ),
    Change(
        "5.7",
        "growth counts packets",
        "series of Pengcheng Yang, 2020",
        parameters=_growth(0, 100),
    ),
    Change(
        "6.6",
        "receive window from measured memory",
        "scaling_ratio in struct tcp_sock",
        receiver={"adv_win_scale": None},
    ),
    Change(
        "6.12",
        "the receiver's RTT falls to a shorter sample at once",
        "windows of 6.12.117 in a virtual machine, the same as those of 7.2.12",
        receiver={"prompt_rtt": True},
    ),
    Change(
        "6.16",
        "receive buffers follow the shortest RTT, and have room for what is out of order",
        "series of Eric Dumazet, May 2025, and commit aa251c84636c",
        receiver={"prompt_right_sizing": True},
    ),
    Change(
        "6.19",
        "receive buffers grow more slowly at RTTs below 1 ms",
        "tcp_rcvbuf_low_rtt, commit ecfea98b7d0d",
        receiver={"rcvbuf_low_rtt_ns": 1_000_000},
    ),
    Change(
        "6.19",
        "SACKs are compressed for up to 33 % of the RTT",
        "tcp_comp_sack_rtt_percent",
        receiver={"sack_compression_rtt_percent": 33},
    ),
)
"""In order of release; the last one that a kernel has wins."""

MEMORY = (
    Change(
        "3.4",
        "4 MiB and 6 MiB",
        "ip-sysctl: tcp_wmem, tcp_rmem",
        {"wmem_max_bytes": 4 << 20},
        {"rmem_max_bytes": 6 << 20},
    ),
    Change("6.16", "32 MiB to receive", "ip-sysctl: tcp_rmem", receiver={"rmem_max_bytes": 32 << 20}),
)
"""The largest buffers that Linux gives a socket on a host with enough memory."""

OVER_WIFI = (
    Change(
        "4.17",
        "over Wi-Fi, 8 ms at the pacing rate may wait in the host; less leaves too little to aggregate",
        "mac80211, commit 36148c2bbfbe",
        {"pacing_shift": 7},
    ),
)
"""Settings of a sender whose first link is Wi-Fi."""


def sender(kernel: str | None, memory: str) -> Values:
    """Settings of the sender."""
    return _merged(CHANGES, kernel, "sender") | _merged(MEMORY, _of_memory(kernel, memory), "sender")


def receiver(kernel: str | None, memory: str) -> Values:
    """Settings of the receiver."""
    return _merged(CHANGES, kernel, "receiver") | _merged(MEMORY, _of_memory(kernel, memory), "receiver")


def over_wifi(kernel: str | None) -> Values:
    """Settings of a sender whose first link is Wi-Fi."""
    return _merged(OVER_WIFI, kernel or NEWEST, "sender")


def parameters(kernel: str | None, algorithm: str) -> dict[str, int]:
    """Parameters of a bundled algorithm that differed in that kernel."""
    made: dict[str, int] = {}
    for change in _had(CHANGES, kernel):
        made |= change.parameters.get(algorithm, {})
    return made


def markdown() -> str:
    """A table for the reference."""
    lines = ["| since | change | source |", "|---|---|---|"]
    lines += [f"| {one.since} | {one.what} | {one.source} |" for one in (*CHANGES, *MEMORY, *OVER_WIFI)]
    return "\n".join(lines) + "\n"


def _of_memory(kernel: str | None, memory: str) -> str | None:
    """The release whose buffers sockets have."""
    return None if memory == "ample" else kernel or NEWEST if memory == "linux" else memory


def _merged(changes: tuple[Change, ...], kernel: str | None, end: str) -> dict[str, str | int | bool | None]:
    made: dict[str, str | int | bool | None] = {}
    for change in _had(changes, kernel):
        made |= getattr(change, end)
    return made


def _had(changes: tuple[Change, ...], kernel: str | None) -> list[Change]:
    return [change for change in changes if kernel and _release(change.since) <= _release(kernel)]


def _release(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.split("."))
