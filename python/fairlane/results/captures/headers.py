"""A captured packet as a TCP segment (RFC 9293), with its options. `layers.py` finds it in the packet."""

import struct
from ipaddress import ip_address
from typing import NamedTuple

from fairlane.results.captures.files import Captured
from fairlane.results.captures.layers import NotRead, NotReadError, internet

FIN, SYN, RST, ECE, CWR = 0x01, 0x02, 0x04, 0x40, 0x80
_ACK = 0x10
Address = tuple[bytes, int]


class Segment(NamedTuple):
    """A TCP segment."""

    t_ns: int
    source: Address
    destination: Address
    seq: int
    """32 bits, as in the header."""
    ack: int | None
    flags: int
    window: int
    """As in the header, not scaled."""
    payload_bytes: int
    window_scale: int | None
    """Of a SYN with that option."""
    sacks: tuple[tuple[int, int], ...]
    is_marked: bool
    """Congestion Experienced."""
    tunnel: str = ""
    """The virtual network, such as "VXLAN 7"; empty without one."""


CUT = NotRead("packets cut before the end of their headers (raise the capture's snap length)")


def segment(packet: Captured) -> Segment | NotRead:
    """The segment, or the reason why there is none."""
    try:
        return _segment(packet)
    except NotReadError as error:
        return error.reason
    except (struct.error, IndexError, ValueError):
        return CUT


def _segment(packet: Captured) -> Segment:
    data, ip = packet.data, internet(packet)
    sender, receiver, seq, ack, offset, flags, window = struct.unpack_from(">HHIIBBH", data, ip.at)
    options = 4 * (offset >> 4)
    scale, sacks = _options(data[ip.at + 20 : ip.at + options], flags)
    return Segment(
        packet.t_ns,
        (ip.source, sender),
        (ip.destination, receiver),
        seq,
        ack if flags & _ACK else None,
        flags,
        window,
        max(0, ip.tcp_bytes - options),
        scale,
        sacks,
        ip.ecn == 3,
        ip.tunnel,
    )


def _options(options: memoryview, flags: int) -> tuple[int | None, tuple[tuple[int, int], ...]]:
    """Window scale (RFC 7323) of a SYN, and SACK blocks (RFC 2018)."""
    scale, at = None, 0
    sacks: tuple[tuple[int, int], ...] = ()
    while at < len(options):
        kind = options[at]
        if kind == 0:
            break
        if kind == 1:
            at += 1
            continue
        length = options[at + 1] if at + 1 < len(options) else 0
        if length < 2 or at + length > len(options):
            break
        if kind == 3 and length == 3 and flags & SYN:
            scale = min(options[at + 2], 14)
        elif kind == 5:
            edges = struct.unpack_from(f">{(length - 2) // 8 * 2}I", options, at + 2)
            sacks = tuple(zip(edges[::2], edges[1::2], strict=True))
        at += length
    return scale, sacks


def name(address: Address) -> str:
    """As people write it."""
    host = ip_address(address[0])
    return f"[{host}]:{address[1]}" if host.version == 6 else f"{host}:{address[1]}"
