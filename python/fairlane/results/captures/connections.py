"""The connections of a capture, each seen along the direction of its data.

Sequence numbers count from the first byte of data and do not wrap; times are nanoseconds.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fairlane.engine.messages import counted
from fairlane.files import FileError
from fairlane.results.captures.files import REMEDY, packets
from fairlane.results.captures.headers import FIN, SYN, Address, Segment, name, segment
from fairlane.results.captures.layers import NotRead

MAX_TCP_PACKETS = 2_000_000
"""Of a capture: each takes about 1 kB of memory."""
MOST_KINDS = 6
"""Kinds of packets without TCP that a line names."""
_WRAP = 1 << 32


@dataclass(frozen=True, slots=True)
class Sent:
    """A segment with data, SYN or FIN."""

    t_ns: int
    start: int
    end: int
    is_retransmission: bool
    is_marked: bool
    is_control: bool
    """A SYN or FIN, which takes a sequence number."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An acknowledgement."""

    t_ns: int
    ack: int
    window_end: int | None
    """Up to where the receiver allows data; None if its SYN, which says how windows are scaled, is not there."""
    sacks: tuple[tuple[int, int], ...]
    rtt_ns: int | None
    """Since the newest data that it acknowledges and that was sent once was sent (Karn's algorithm, RFC 6298)."""


@dataclass
class Connection:
    """A connection, with what its data sender sent and what came back."""

    name: str
    sent: list[Sent] = field(default_factory=list)
    acknowledged: list[Acknowledged] = field(default_factory=list)

    @property
    def last_ns(self) -> int:
        """The time of its last packet."""
        return max(
            max((one.t_ns for one in self.sent), default=0), max((one.t_ns for one in self.acknowledged), default=0)
        )

    def between(self, from_ns: int, until_ns: int) -> "Connection":
        """The events from one time to another, the second excluded."""
        return Connection(
            self.name,
            [one for one in self.sent if from_ns <= one.t_ns < until_ns],
            [one for one in self.acknowledged if from_ns <= one.t_ns < until_ns],
        )


@dataclass(frozen=True)
class Capture:
    """The content of a capture file."""

    connections: list[Connection]
    """The TCP connections with data, in the order of their first packets."""
    tcp_packets: int
    not_read: Mapping[NotRead, int]
    """Numbers of the packets that are not read as TCP."""
    without_data: int = 0
    """Number of the TCP connections without data, which are left out."""

    def left_out_text(self) -> str:
        """The parts of the file that are left out, in one line; empty if nothing is.

        >>> Capture([], 3, {NotRead("ESP packets"): 2, NotRead("ARP packets", False): 1}, 1).left_out_text()
        'not read: 2 ESP packets; no TCP: 1 ARP packets; left out: 1 connection without data'
        """
        text = _not_read_text(self.not_read)
        empty = f"left out: {counted(self.without_data, 'connection')} without data" if self.without_data else ""
        return "; ".join(filter(None, [text, empty]))


def _not_read_text(not_read: Mapping[NotRead, int]) -> str:
    parts = []
    for words, may_be_tcp in (("not read", True), ("no TCP", False)):
        kinds = [(count, one.what) for one, count in not_read.items() if one.may_be_tcp == may_be_tcp]
        if len(kinds) > MOST_KINDS:  # a line, not a list of all 65,536 EtherTypes
            kinds.sort(key=lambda one: -one[0])
            rest = kinds[MOST_KINDS - 1 :]
            kinds = [
                *kinds[: MOST_KINDS - 1],
                (sum(count for count, _ in rest), f"packets of {len(rest):,} other kinds"),
            ]
        if kinds:
            parts.append(f"{words}: {', '.join(f'{count:,} {what}' for count, what in kinds)}")
    return "; ".join(parts)


def connections(path: Path) -> list[Connection]:
    """The TCP connections with data; see `capture`."""
    return capture(path).connections


def capture(path: Path) -> Capture:
    """Reads a capture file. Times count from its first packet, if it has a date. Raises FileError."""
    found: dict[tuple[Address, Address, str], list[Segment]] = {}
    not_read: Counter[NotRead] = Counter()
    first_ns, tcp_packets = None, 0
    for packet in packets(path):
        if first_ns is None:
            # Simulations begin at 0; other captures have dates.
            first_ns = packet.t_ns if packet.t_ns > 10**17 else 0
        one = segment(packet)
        if isinstance(one, NotRead):
            not_read[one] += 1
            continue
        tcp_packets += 1
        if tcp_packets > MAX_TCP_PACKETS:
            remedy = "split it with editcap -c, or filter one connection out of it"
            raise FileError(path, f"holds more than {MAX_TCP_PACKETS:,} TCP packets", remedy)
        ends = min(one.source, one.destination), max(one.source, one.destination), one.tunnel
        found.setdefault(ends, []).append(one._replace(t_ns=one.t_ns - first_ns))
    left_out = f" ({text})" if (text := _not_read_text(not_read)) else ""
    if not found:
        raise FileError(path, f"has no TCP packets{left_out}", REMEDY)
    followed = [followed for segments in found.values() if (followed := follow(segments)).sent]
    if not followed:
        raise FileError(path, f"has no TCP data{left_out}", REMEDY)
    return Capture(followed, tcp_packets, not_read, len(found) - len(followed))


def follow(segments: list[Segment]) -> Connection:
    """One connection; its data sender is the end that sent more payload."""
    payload: dict[Address, int] = {}
    for one in segments:
        payload[one.source] = payload.get(one.source, 0) + one.payload_bytes
    sender = max(payload, key=lambda end: payload[end])
    receiver = next(one.destination if one.source == sender else one.source for one in segments)
    tunnel = segments[0].tunnel
    made = Connection(f"{name(sender)} to {name(receiver)}{f' in {tunnel}' if tunnel else ''}")
    scale = _scale(segments, receiver)
    base = _base(segments, sender)
    if base is None:
        return made
    count = _Counter(base)
    sender_state = _Sender()
    for one in segments:
        if one.source == sender:
            length = one.payload_bytes + bool(one.flags & SYN) + bool(one.flags & FIN)
            if length:
                start = count.of(one.seq)
                made.sent.append(sender_state.send(one, start, start + length))
        elif one.ack is not None:
            ack = count.of(one.ack)
            window = None if scale is None else ack + (one.window << (0 if one.flags & SYN else scale))
            sacks = tuple((count.of(low), count.of(high)) for low, high in one.sacks)
            made.acknowledged.append(
                Acknowledged(one.t_ns, ack, window, sacks, sender_state.acknowledge(one.t_ns, ack))
            )
    return made


def _scale(segments: Iterable[Segment], receiver: Address) -> int | None:
    """The receiver's window scale: only if both SYNs have the option (RFC 7323 section 2.2)."""
    syns = {one.source: one.window_scale for one in segments if one.flags & SYN}
    if receiver not in syns:
        return None
    return (syns[receiver] or 0) if all(scale is not None for scale in syns.values()) else 0


def _base(segments: Iterable[Segment], sender: Address) -> int | None:
    """The sequence number of the first byte of data."""
    own = [one for one in segments if one.source == sender]
    for one in own:
        if one.flags & SYN:
            return (one.seq + 1) % _WRAP
    return own[0].seq if own else None


class _Counter:
    """Sequence numbers that do not wrap."""

    def __init__(self, base: int) -> None:
        self.base, self.last = base, 0

    def of(self, number: int) -> int:
        step = (number - self.base - self.last) % _WRAP
        found = self.last + (step if step < _WRAP // 2 else step - _WRAP)
        self.last = max(self.last, found)
        return found


class _Sender:
    """The sender's view of its data, as far as a capture shows it."""

    def __init__(self) -> None:
        self.end: int | None = None
        self.una: int | None = None
        self.waiting: list[tuple[int, int]] = []
        """End and time of what was sent once, in order; from `at` on it is not acknowledged."""
        self.at = 0

    def send(self, one: Segment, start: int, end: int) -> Sent:
        again = self.end is not None and start < self.end
        if again:
            self.waiting = [(other, t_ns) for other, t_ns in self.waiting[self.at :] if not start < other <= end]
            self.at = 0
        else:
            self.waiting.append((end, one.t_ns))
        self.end = end if self.end is None else max(self.end, end)
        return Sent(one.t_ns, start, end, again, one.is_marked, not one.payload_bytes)

    def acknowledge(self, t_ns: int, ack: int) -> int | None:
        if self.una is not None and ack <= self.una:
            return None
        self.una = ack
        sent_ns = None
        while self.at < len(self.waiting) and self.waiting[self.at][0] <= ack:
            sent_ns = self.waiting[self.at][1]
            self.at += 1
        return None if sent_ns is None else t_ns - sent_ns


def packet_lines(connection: Connection) -> Iterator[str]:
    """The packets as text, in the order of time."""
    every: list[Sent | Acknowledged] = [*connection.sent, *connection.acknowledged]
    for one in sorted(every, key=lambda one: one.t_ns):
        time = f"{one.t_ns / 1e9:13.6f} s"
        if isinstance(one, Sent):
            what = "SYN or FIN" if one.is_control else "retransmission" if one.is_retransmission else "data"
            yield f"{time}  > {what} {one.start}:{one.end}" + (", marked CE" if one.is_marked else "")
        else:
            window = "" if one.window_end is None else f", window up to {one.window_end}"
            sacks = "".join(f", SACK {low}:{high}" for low, high in one.sacks)
            rtt = "" if one.rtt_ns is None else f", RTT {one.rtt_ns / 1e6:.3f} ms"
            yield f"{time}  < ACK {one.ack}{window}{sacks}{rtt}"
