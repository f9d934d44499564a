"""The agent's samples of flows and queues.

It samples at the interval of the time series, and in addition where the warm-up ends and where a flow stops.
"""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from fairlane.files import FORGED

BBR_COLUMNS = ("bbr_bytes_per_s", "bbr_min_rtt_us", "bbr_pacing_gain", "bbr_cwnd_gain")
"""State of the kernel's BBR; 0 for other algorithms."""
BBR_UNIT = 256
"""Of BBR's gains (BBR_UNIT, net/ipv4/tcp_bbr.c)."""
COLUMNS = (
    *("flow", "received", "completed", "sender_tx_bytes", "sender_tx_packets", "sender_rx_bytes"),
    *("receiver_rx_bytes", "receiver_rx_packets", "receiver_tx_bytes", "receiver_tx_packets", "finished_ns"),
    *("cwnd", "rtt_us", "rttvar_us", "min_rtt_us", "inflight", "retransmits", "retransmitted_bytes"),
    *("pacing_bytes_per_s", "delivered_ce", "data_segments_out", "delivery_bytes_per_s", "data_segments_in"),
    *("receive_window", "opened_ns", "timeouts", "busy_us", "rwnd_limited_us", "sndbuf_limited_us"),
    *BBR_COLUMNS,
)
"""The agent's columns of a flow (agent/samples.c)."""
UNPACED_BYTES_PER_S = 2**64 - 1
"""The pacing rate of a flow that is not paced."""
UNMEASURED_US = 2**32 - 1
"""A minimum RTT before the first measurement."""
_MARKS: dict[str, Callable[[bytes], int]] = {
    "red": lambda data: _u32(data, 3),
    "codel": lambda data: _u32(data, 6) + _u32(data, 8),
    "fq_codel": lambda data: _u32(data, 3) + _u32(data, 7),
    "pie": lambda data: _u32(data, 9),
    "fq_pie": lambda data: _u32(data, 4),
    "fq": lambda data: int.from_bytes(data[80:88], "little"),
}
"""Reads the count of marks from a queue's statistics (struct tc_*_xstats, linux/pkt_sched.h)."""


LONGEST = 300
"""Characters of what is quoted of a report."""


class NoResult(Exception):
    """The agent did not get to the end, or reports something else; says why."""


def pacing_mbps(flow: Mapping[str, int]) -> float | None:
    """The pacing rate; None without a limit.

    >>> pacing_mbps({"pacing_bytes_per_s": 250_000}), pacing_mbps({"pacing_bytes_per_s": 2**64 - 1})
    (2.0, None)
    """
    rate = flow["pacing_bytes_per_s"]
    return None if rate in (0, UNPACED_BYTES_PER_S) else rate * 8e-6


def measured_ms(flow: Mapping[str, int], column: str) -> float | None:
    """A time of RTTs, in a column in microseconds; None before the first measurement.

    >>> [measured_ms({"min_rtt_us": us}, "min_rtt_us") for us in (0, 2**32 - 1, 40_125)]
    [None, None, 40.125]
    """
    return None if flow[column] in (0, UNMEASURED_US) else flow[column] / 1000


@dataclass(frozen=True)
class Queue:
    """Counters of a queue since it was made, and its backlog."""

    sent_bytes: int = 0
    packets: int = 0
    drops: int = 0
    marks: int = 0
    backlog_bytes: int = 0


@dataclass
class Sample:
    """Counters and state of all flows and queues at one time."""

    at_ns: int
    is_mark: bool
    """Whether it is not one of the time series, but of the end of the warm-up or of a flow."""
    flows: dict[int, dict[str, int]] = field(default_factory=dict)
    """The COLUMNS of each flow."""
    queues: dict[str, Queue] = field(default_factory=dict)
    sources: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Packets of each UDP source that were sent, and those that arrived."""
    requests: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Of each flow, when requests were sent and when their responses were complete, at the end of the run."""


def read(output: str, kinds: Mapping[str, str], links: Mapping[str, str] = MappingProxyType({})) -> list[Sample]:
    """The samples of an agent that carried out its plan, in the order of time. Raises NoResult.

    `kinds` are the queues of the links, as tc calls them; `links` their names by the words of the plan (`Plan.links`).
    """
    try:
        return _read(output, kinds, links)
    except FORGED as error:
        raise NoResult(f"its samples have another form ({str(error)[:LONGEST]})") from None


def _read(output: str, kinds: Mapping[str, str], links: Mapping[str, str]) -> list[Sample]:
    samples: list[Sample] = []
    ended = False
    for line in filter(None, output.splitlines()):  # an empty line is a sign of life
        kind, _, rest = line.partition(" ")
        if kind == "error":
            raise NoResult(rest.strip())
        if kind in "tm":
            samples.append(Sample(int(rest), kind == "m"))
        elif kind == "f":
            values = dict(zip(COLUMNS, map(int, rest.split()), strict=True))
            samples[-1].flows[values.pop("flow")] = values
        elif kind == "u":
            index, count_sent, arrived = map(int, rest.split())
            samples[-1].sources[index] = count_sent, arrived
        elif kind == "r":
            number, asked_ns, answered_ns = map(int, rest.split())
            samples[-1].requests.setdefault(number, []).append((asked_ns, answered_ns))
        elif kind == "q":
            name, sent, packets, drops, _, backlog, own = rest.split(" ")
            word, slash, wire = name.partition("/")
            name = links.get(word, word) + slash + wire
            count, statistics = _MARKS.get(kinds.get(name, "")), bytes.fromhex(own)
            marks = count(statistics) if count and statistics else 0
            samples[-1].queues[name] = Queue(int(sent), int(packets), int(drops), marks, int(backlog))
        ended = ended or kind == "end"
    if not ended:
        raise NoResult("it ended before its plan was carried out")
    return sorted(samples, key=lambda sample: sample.at_ns)


def _u32(data: bytes, index: int) -> int:
    return int(struct.unpack_from("<I", data, 4 * index)[0]) if len(data) >= 4 * index + 4 else 0
