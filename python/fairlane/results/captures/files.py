"""Packets from capture files: pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng).

Both byte orders, any resolution of time, several interfaces. A file that ends in the middle of a packet, as that of a
killed tcpdump does, counts up to there.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fairlane.files import FileError, content

SUFFIXES = (".pcap", ".pcapng", ".cap")
MAX_BYTES = 512 << 20
"""Of a capture; a capture of headers alone holds some five million packets then."""
REMEDY = "name a capture that tcpdump, Wireshark or fairlane export wrote"

_PCAP_MAGIC = {0xA1B2C3D4: 1_000, 0xA1B23C4D: 1}
"""Nanoseconds per unit of time."""
_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6
_BYTE_ORDER = 0x1A2B3C4D
_IF_TSRESOL, _IF_TSOFFSET = 9, 14


@dataclass(frozen=True, slots=True)
class Captured:
    """A packet as the file has it."""

    t_ns: int
    """Since 1970, or since the start of a simulation."""
    link_type: int
    """LINKTYPE_ (tcpdump.org)."""
    data: memoryview
    """The bytes that the capture has of it."""
    wire_bytes: int
    """Its length on the wire."""


def packets(path: Path) -> Iterator[Captured]:
    """The packets in the order of the file. Raises FileError."""
    data = memoryview(content(path, REMEDY, at_most=MAX_BYTES))
    for order in "<>":
        magic = _unsigned(order, data[:4])
        if magic in _PCAP_MAGIC:
            return _of_pcap(data, order, _PCAP_MAGIC[magic])
        if magic == _SECTION and _unsigned(order, data[8:12]) == _BYTE_ORDER:
            return _of_pcapng(path, data)
    raise FileError(path, "is not a pcap or pcapng file", REMEDY)


def _unsigned(order: str, data: memoryview) -> int | None:
    return struct.unpack(f"{order}I", data)[0] if len(data) == 4 else None


def _of_pcap(data: memoryview, order: str, unit_ns: int) -> Iterator[Captured]:
    if len(data) < 24:
        return
    link_type = struct.unpack_from(f"{order}I", data, 20)[0] & 0xFFFF
    head = struct.Struct(f"{order}IIII")
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, kept, wire_bytes = head.unpack_from(data, at)
        at += 16
        if at + kept > len(data):
            return
        yield Captured(seconds * 1_000_000_000 + fraction * unit_ns, link_type, data[at : at + kept], wire_bytes)
        at += kept


@dataclass(frozen=True, slots=True)
class _Interface:
    link_type: int
    units_per_s: int
    offset_s: int

    def t_ns(self, high: int, low: int) -> int:
        return self.offset_s * 1_000_000_000 + (high << 32 | low) * 1_000_000_000 // self.units_per_s


def _of_pcapng(path: Path, data: memoryview) -> Iterator[Captured]:
    at, order, interfaces = 0, "<", list[_Interface]()
    while at + 12 <= len(data):
        if _unsigned("<", data[at : at + 4]) == _SECTION:
            order = "<" if _unsigned("<", data[at + 8 : at + 12]) == _BYTE_ORDER else ">"
            interfaces = []
        kind, length = struct.unpack_from(f"{order}II", data, at)
        if length < 12 or length % 4:
            raise FileError(path, f"is damaged at byte {at}: a block of {length} bytes", REMEDY)
        body = data[at + 8 : at + length - 4]
        if at + length > len(data):
            return
        at += length
        if kind == _INTERFACE and len(body) >= 8:
            interfaces.append(_interface(order, body))
        elif kind == _ENHANCED and len(body) >= 20:
            number, high, low, kept, wire_bytes = struct.unpack_from(f"{order}IIIII", body)
            if number < len(interfaces) and 20 + kept <= len(body):
                one = interfaces[number]
                yield Captured(one.t_ns(high, low), one.link_type, body[20 : 20 + kept], wire_bytes)
        elif kind == _SIMPLE:
            raise FileError(path, "has packets without times (simple packet blocks)", "capture it with times")


def _interface(order: str, body: memoryview) -> _Interface:
    link_type = struct.unpack_from(f"{order}H", body)[0]
    units_per_s, offset_s, at = 1_000_000, 0, 8
    while at + 4 <= len(body):
        code, length = struct.unpack_from(f"{order}HH", body, at)
        value = body[at + 4 : at + 4 + length]
        if code == _IF_TSRESOL and length == 1:
            exponent = value[0] & 0x7F
            units_per_s = 1 << exponent if value[0] & 0x80 else 10 ** min(exponent, 18)
        elif code == _IF_TSOFFSET and len(value) == 8:
            offset_s = struct.unpack(f"{order}q", value)[0]
        elif code == 0:
            break
        at += 4 + (length + 3 & ~3)
    return _Interface(link_type, units_per_s, offset_s)
