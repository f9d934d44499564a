"""A captured packet as a TCP segment: IPv4 (RFC 791), IPv6 (RFC 8200), TCP (RFC 9293) and its options."""

import struct
from ipaddress import ip_address
from typing import NamedTuple

from fairlane.results.captures.files import Captured

FIN, SYN, RST, ECE, CWR = 0x01, 0x02, 0x04, 0x40, 0x80
_ACK = 0x10
_IPV4, _IPV6, _VLANS = 0x0800, 0x86DD, (0x8100, 0x88A8)
_LINK_HEADERS = {1: 14, 113: 16, 276: 20, 0: 4, 108: 4, 101: 0, 228: 0, 229: 0}
"""Bytes before the IP header by LINKTYPE_: Ethernet, Linux cooked (1 and 2), BSD loopback, raw IP."""
_ETHERTYPE_AT = {1: 12, 113: 14, 276: 0}
_TCP = 6
_EXTENSIONS = (0, 43, 60)
"""IPv6 extension headers with a length of their own: hop-by-hop options, routing, destination options."""

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


def segment(packet: Captured) -> Segment | None:
    """The segment; None if it is something else, or too little was kept of it."""
    try:
        return _segment(packet)
    except (struct.error, IndexError, ValueError):
        return None


def _segment(packet: Captured) -> Segment | None:
    data, link = packet.data, packet.link_type
    start = _LINK_HEADERS.get(link)
    if start is None:
        return None
    if link in _ETHERTYPE_AT:
        kind = struct.unpack_from(">H", data, _ETHERTYPE_AT[link])[0]
        while kind in _VLANS:
            kind = struct.unpack_from(">H", data, start + 2)[0]
            start += 4
        if kind not in (_IPV4, _IPV6):
            return None
    version = data[start] >> 4
    if version == 4:
        ip_bytes, protocol = struct.unpack_from(">H", data, start + 2)[0], data[start + 9]
        header = 4 * (data[start] & 15)
        is_later_fragment = struct.unpack_from(">H", data, start + 6)[0] & 0x1FFF != 0
        ecn = data[start + 1] & 3
        source, destination = bytes(data[start + 12 : start + 16]), bytes(data[start + 16 : start + 20])
    elif version == 6:
        ip_bytes, protocol, header = 40 + struct.unpack_from(">H", data, start + 4)[0], data[start + 6], 40
        is_later_fragment = False
        ecn = data[start + 1] >> 4 & 3
        source, destination = bytes(data[start + 8 : start + 24]), bytes(data[start + 24 : start + 40])
        while protocol in _EXTENSIONS:
            protocol, header = data[start + header], header + 8 * (data[start + header + 1] + 1)
    else:
        return None
    if protocol != _TCP or is_later_fragment:
        return None
    at = start + header
    sender, receiver, seq, ack, offset, flags, window = struct.unpack_from(">HHIIBBH", data, at)
    options = 4 * (offset >> 4)
    # A length of 0 stands in captures of offloaded packets: then what was kept tells the length.
    whole = ip_bytes or len(data) - start
    scale, sacks = _options(data[at + 20 : at + options], flags)
    return Segment(
        packet.t_ns,
        (source, sender),
        (destination, receiver),
        seq,
        ack if flags & _ACK else None,
        flags,
        window,
        max(0, whole - header - options),
        scale,
        sacks,
        ecn == 3,
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
