"""TCP inside other headers is found; what is not read is counted by its kind."""

import struct
from pathlib import Path
from typing import Any

import pytest
from fairlane.files import FileError
from fairlane.results.captures.connections import capture

ETHERNET = 1
MACS = bytes(range(12))
SEGMENTS = 5
"""Two of the handshake, and data."""


def tcp(number: int, payload_bytes: int) -> bytes:
    """The segments of one direction: a SYN, then data."""
    flags = 0x02 if number == 0 else 0x10
    seq = 0 if number == 0 else 1 + (number - 1) * payload_bytes
    return struct.pack(">HHIIBBHHH", 1000, 80, seq, 1, 5 << 4, flags, 1000, 0, 0)


def ipv4(inner: bytes, length: int, protocol: int = 6, *, fragment: int = 0) -> bytes:
    """`length` of payload behind `inner`, which is all that is kept."""
    total = 20 + len(inner) + length
    head = struct.pack(">BBHHHBBH", 0x45, 0, total if total < 65536 else 0, 0, fragment, 64, protocol, 0)
    return head + bytes([10, 0, 0, 1, 10, 0, 0, 2]) + inner


def ipv6(inner: bytes, length: int, protocol: int = 6) -> bytes:
    total = len(inner) + length
    options = b""
    if total >= 65536:  # jumbo payload option
        options = bytes([protocol, 0, 0xC2, 4]) + struct.pack(">I", total + 8)
        total, protocol = 0, 0
    head = struct.pack(">IHBB", 6 << 28, total, protocol, 64)
    return head + bytes(15) + b"\x01" + bytes(15) + b"\x02" + options + inner


def udp(port: int, inner: bytes) -> bytes:
    return struct.pack(">HHHH", 49152, port, 8 + len(inner), 0) + inner


def frame(kind: int, inner: bytes) -> bytes:
    return MACS + struct.pack(">H", kind) + inner


def gre(kind: int, inner: bytes, flags: int = 0) -> bytes:
    optional = bytes(4 * ((flags >> 15 & 1) + (flags >> 13 & 1) + (flags >> 12 & 1)))
    return struct.pack(">HH", flags, kind) + optional + inner


def mpls(inner: bytes, *labels: int) -> bytes:
    stack = [label << 12 | (at == len(labels) - 1) << 8 | 64 for at, label in enumerate(labels)]
    return b"".join(struct.pack(">I", entry) for entry in stack) + inner


def pppoe(inner: bytes, protocol: int = 0x21) -> bytes:
    return struct.pack(">BBHHH", 0x11, 0, 1, len(inner) + 2, protocol) + inner


def pcap(path: Path, packets: list[bytes], link_type: int = ETHERNET, more_bytes: int = 0) -> Path:
    """`more_bytes`: payload that was on the wire and is not kept."""
    head = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, link_type)
    records = (struct.pack("<IIII", 0, at, len(one), len(one) + more_bytes) + one for at, one in enumerate(packets))
    path.write_bytes(head + b"".join(records))
    return path


NESTINGS = {
    "plain": lambda ip: frame(0x0800, ip),
    "two VLANs": lambda ip: frame(0x88A8, b"\x00\x01\x81\x00\x00\x02\x08\x00" + ip),
    "SNAP": lambda ip: frame(0x0100, b"\xaa\xaa\x03\x00\x00\x00\x08\x00" + ip),
    "PPPoE": lambda ip: frame(0x8864, pppoe(ip)),
    "PPPoE in a VLAN": lambda ip: frame(0x8100, b"\x00\x07\x88\x64" + pppoe(ip)),
    "MPLS": lambda ip: frame(0x8847, mpls(ip, 16, 17)),
    "MPLS pseudowire": lambda ip: frame(0x8847, mpls(bytes(4) + frame(0x0800, ip), 16)),
    "IP in IP": lambda ip: frame(0x0800, ipv4(ip, 100, 4)),
    "IPv4 in IPv6": lambda ip: frame(0x86DD, ipv6(ip, 100, 4)),
    "GRE": lambda ip: frame(0x0800, ipv4(gre(0x0800, ip), 100, 47)),
    "GRE with key and sequence": lambda ip: frame(0x0800, ipv4(gre(0x0800, ip, 0xB000), 100, 47)),
    "Ethernet in GRE": lambda ip: frame(0x0800, ipv4(gre(0x6558, frame(0x0800, ip)), 100, 47)),
    "MPLS in GRE": lambda ip: frame(0x0800, ipv4(gre(0x8847, mpls(ip, 3)), 100, 47)),
    "ERSPAN": lambda ip: frame(0x0800, ipv4(gre(0x88BE, bytes(8) + frame(0x0800, ip), 0x1000), 100, 47)),
    "VXLAN": lambda ip: frame(0x0800, ipv4(udp(4789, bytes([8, 0, 0, 0, 0, 0, 7, 0]) + frame(0x0800, ip)), 100, 17)),
    "VXLAN over IPv6": lambda ip: frame(0x86DD, ipv6(udp(8472, bytes(8) + frame(0x0800, ip)), 100, 17)),
    "Geneve": lambda ip: frame(0x0800, ipv4(udp(6081, b"\x01\x00\x65\x58" + bytes(8) + frame(0x0800, ip)), 100, 17)),
    "GTP-U": lambda ip: frame(0x0800, ipv4(udp(2152, b"\x30\xff" + bytes(6) + ip), 100, 17)),
    "AH": lambda ip: frame(0x0800, ipv4(bytes([4, 4]) + bytes(22) + ip, 100, 51)),
}


@pytest.mark.parametrize("name", NESTINGS)
@pytest.mark.parametrize("inner", [ipv4, ipv6])
def test_tcp_is_found_in_tunnels(tmp_path: Path, name: str, inner: Any) -> None:
    if inner is ipv6 and name not in ("MPLS", "MPLS pseudowire"):
        return  # the others name their content by a number, which is that of IPv4 here
    packets = [NESTINGS[name](inner(tcp(number, 100), 100 if number else 0)) for number in range(SEGMENTS)]
    read = capture(pcap(tmp_path / "x.pcap", packets))
    (connection,) = read.connections
    assert [(one.start, one.end) for one in connection.sent] == [(-1, 0), (0, 100), (100, 200), (200, 300), (300, 400)]
    assert (read.tcp_packets, read.left_out_text()) == (SEGMENTS, "")


@pytest.mark.parametrize("inner", [ipv4, ipv6])
def test_packets_beyond_64_kib(tmp_path: Path, inner: Any) -> None:
    """IPv4 has a length of 0, and the record tells it; IPv6 has the jumbo payload option."""
    kind, payload = (0x0800 if inner is ipv4 else 0x86DD), 180_000
    packets = [frame(kind, inner(tcp(number, payload), payload)) for number in range(1, 4)]
    (connection,) = capture(pcap(tmp_path / "x.pcap", packets, more_bytes=payload)).connections
    assert [(one.start, one.end) for one in connection.sent] == [(at * payload, (at + 1) * payload) for at in range(3)]


def test_an_ipv6_length_of_zero_without_option_is_that_of_the_record(tmp_path: Path) -> None:
    packet = bytearray(frame(0x86DD, ipv6(tcp(1, 1000), 1000)))
    packet[18:20] = bytes(2)
    (connection,) = capture(pcap(tmp_path / "x.pcap", [bytes(packet)], more_bytes=1000)).connections
    assert [one.end - one.start for one in connection.sent] == [1000]


def test_networks_with_the_same_addresses_are_apart(tmp_path: Path) -> None:
    def packet(network: int, number: int) -> bytes:
        inner = frame(0x0800, ipv4(tcp(number, 100), 100))
        return frame(0x0800, ipv4(udp(4789, bytes([8, 0, 0, 0, 0, 0, network, 0]) + inner), 100, 17))

    packets = [packet(network, number) for number in range(3) for network in (7, 8)]
    names = [one.name for one in capture(pcap(tmp_path / "x.pcap", packets)).connections]
    assert names == ["10.0.0.1:1000 to 10.0.0.2:80 in VXLAN 7", "10.0.0.1:1000 to 10.0.0.2:80 in VXLAN 8"]


OTHERS = {
    "ARP packets": (frame(0x0806, bytes(28)), False),
    "UDP packets": (frame(0x0800, ipv4(udp(53, b"x"), 0, 17)), False),
    "ESP packets (encrypted)": (frame(0x0800, ipv4(bytes(40), 0, 50)), True),
    "later fragments of IPv4 packets": (frame(0x0800, ipv4(bytes(40), 0, fragment=185)), True),
    "MACsec frames": (frame(0x88E5, bytes(40)), True),
    "packets of EtherType 0x1234": (frame(0x1234, bytes(40)), True),
    "PPPoE discovery packets": (frame(0x8863, bytes(20)), False),
    "PPP control packets": (frame(0x8864, pppoe(bytes(8), 0xC021)), False),
    "GRE packets with source routes": (frame(0x0800, ipv4(gre(0x0800, bytes(20), 0x4000), 0, 47)), True),
    "packets cut before the end of their headers (raise the capture's snap length)": (
        frame(0x0800, ipv4(tcp(1, 100), 100))[:40],
        True,
    ),
}


def test_what_is_not_read_is_named_with_a_count(cli: Any, tmp_path: Path) -> None:
    plain = [frame(0x0800, ipv4(tcp(number, 100), 100)) for number in range(3)]
    others = [packet for packet, _ in OTHERS.values()]
    path = pcap(tmp_path / "x.pcap", [*plain, *others, *others])
    read = capture(path)
    assert {one.what: (count, one.may_be_tcp) for one, count in read.not_read.items()} == {
        name: (2, may_be_tcp) for name, (_, may_be_tcp) in OTHERS.items()
    }
    outcome = cli("algorithm", "trace", path)
    assert outcome.status == 0
    (line,) = outcome.err.splitlines()
    assert line.startswith("3 TCP packets; not read: 2 ESP packets (encrypted), ")
    assert "; no TCP: 2 ARP packets, 2 UDP packets, " in line


def test_a_capture_without_tcp_says_what_it_has(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"has no TCP packets \(not read: 1 ESP packets \(encrypted\)\)"):
        capture(pcap(tmp_path / "x.pcap", [OTHERS["ESP packets (encrypted)"][0]]))
    with pytest.raises(FileError, match=r"802\.11 frames"):
        capture(pcap(tmp_path / "x.pcap", [bytes(100)], link_type=127))


def test_endless_nesting_ends(tmp_path: Path) -> None:
    deep = frame(0x0800, b"".join(ipv4(b"", 1000, 4) for _ in range(100)) + ipv4(tcp(1, 1), 1))
    snap = frame(0x0100, b"\xaa\xaa\x03\x00\x00\x00\x01\x00" * 20_000)
    heads = frame(0x0800, ipv4(bytes([51, 0, 0, 0, 0, 0, 0, 0]) * 20_000, 0, 51))
    plain = frame(0x0800, ipv4(tcp(1, 100), 100))
    read = capture(pcap(tmp_path / "x.pcap", [plain, deep, snap, heads, frame(0x8847, bytes(100_000))]))
    assert sum(read.not_read.values()) == 4
