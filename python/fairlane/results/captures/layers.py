"""From the link layer to the IP header next to TCP: VLANs, PPPoE, MPLS, GRE, IP in IP, VXLAN, Geneve, GTP-U.

A packet that is not read has a reason, which the caller counts. Layers may be nested.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass

from fairlane.results.captures.files import Captured

Bytes = memoryview


@dataclass(frozen=True)
class NotRead:
    """The reason why a packet is not read as TCP."""

    what: str
    """The kind of packet, in the plural."""
    may_be_tcp: bool = True
    """False for packets that are known to hold no TCP, such as ARP."""


class NotReadError(Exception):
    """Ends the search for TCP in a packet."""

    def __init__(self, what: str, may_be_tcp: bool = True) -> None:
        super().__init__(what)
        self.reason = NotRead(what, may_be_tcp)


@dataclass(frozen=True, slots=True)
class Internet:
    """The IP header above TCP."""

    source: bytes
    destination: bytes
    at: int
    """Where the TCP header begins in the packet."""
    tcp_bytes: int
    """Header and payload on the wire."""
    ecn: int
    tunnel: str
    """The virtual network, such as "VXLAN 7"; addresses of several may be the same."""


Layer = Callable[["_Packet", int], "tuple[Layer, int] | Internet"]
"""Reads a header: the layer above it and its place, or the end of the search."""
DEEPEST = 16
"""Layers of a packet."""
TCP, UDP = 6, 17
_VLANS = (0x8100, 0x88A8, 0x9100, 0x9200)
_FIRST_ETHERTYPE = 0x0600
"""Smaller values are lengths of IEEE 802.3 frames."""


@dataclass
class _Packet:
    data: Bytes
    wire_bytes: int
    tunnel: str = ""

    def u16(self, at: int) -> int:
        return int(struct.unpack_from(">H", self.data, at)[0])

    def u32(self, at: int) -> int:
        return int(struct.unpack_from(">I", self.data, at)[0])


def internet(captured: Captured) -> Internet:
    """The IP header above TCP. Raises NotReadError; IndexError or struct.error if too little of the packet was kept."""
    packet = _Packet(captured.data, captured.wire_bytes)
    found = _LINKS.get(captured.link_type)
    if found is None:
        raise NotReadError(_LINK_NAMES.get(captured.link_type, f"packets of link type {captured.link_type}"))
    layer, at = found
    for _ in range(DEEPEST):
        above = layer(packet, at)
        if isinstance(above, Internet):
            return above
        layer, at = above
    raise NotReadError(f"packets with more than {DEEPEST} headers")


def _ethernet(packet: _Packet, at: int) -> tuple[Layer, int]:
    return _by_ethertype(packet, at + 14, packet.u16(at + 12))


def _cooked(packet: _Packet, at: int) -> tuple[Layer, int]:
    return _by_ethertype(packet, at + 16, packet.u16(at + 14))


def _cooked_2(packet: _Packet, at: int) -> tuple[Layer, int]:
    return _by_ethertype(packet, at + 20, packet.u16(at))


def _by_ethertype(packet: _Packet, at: int, kind: int) -> tuple[Layer, int]:
    """The layer of an EtherType (IEEE 802 numbers) whose content begins here."""
    while kind in _VLANS or kind < _FIRST_ETHERTYPE:
        if kind in _VLANS:
            kind, at = packet.u16(at + 2), at + 4
        elif bytes(packet.data[at : at + 3]) == b"\xaa\xaa\x03":  # SNAP
            kind, at = packet.u16(at + 6), at + 8
        else:
            raise NotReadError("IEEE 802.2 frames", may_be_tcp=False)
    if kind not in _ETHERTYPES:
        name, may_be_tcp = _OTHER_ETHERTYPES.get(kind, (f"packets of EtherType 0x{kind:04x}", True))
        raise NotReadError(name, may_be_tcp)
    layer, header = _ETHERTYPES[kind]
    return layer, at + header


def _ppp(packet: _Packet, at: int) -> tuple[Layer, int]:
    """PPP after its address and control bytes (RFC 1661): the protocol, of one byte if it is odd."""
    if bytes(packet.data[at : at + 2]) == b"\xff\x03":
        at += 2
    first = packet.data[at]
    protocol, at = (first, at + 1) if first & 1 else (packet.u16(at), at + 2)
    if protocol in (0x0021, 0x0057):
        return _ip, at
    if protocol == 0x0281:
        return _mpls, at
    if protocol >= 0x8000:
        raise NotReadError("PPP control packets", may_be_tcp=False)
    raise NotReadError(f"packets of PPP protocol 0x{protocol:04x}")


def _pppoe(packet: _Packet, at: int) -> tuple[Layer, int]:
    return _ppp, at + 6


def _cisco_hdlc(packet: _Packet, at: int) -> tuple[Layer, int]:
    return _by_ethertype(packet, at + 4, packet.u16(at + 2))


def _mpls(packet: _Packet, at: int) -> tuple[Layer, int]:
    """Label stack (RFC 3032). What follows is not named: the first four bits tell (RFC 4928)."""
    while not packet.data[at + 2] & 1:
        at += 4
    at += 4
    version = packet.data[at] >> 4
    if version in (4, 6):
        return _ip, at
    return _ethernet, at + 4 if version == 0 else at  # a pseudowire, with its control word (RFC 4448)


def _gre(packet: _Packet, at: int) -> tuple[Layer, int]:
    """RFC 2784, RFC 2890; version 1 of PPTP (RFC 2637)."""
    flags, kind = packet.u16(at), packet.u16(at + 2)
    if flags & 0x4000:
        raise NotReadError("GRE packets with source routes")
    after = at + 4 + sum(4 for bit in (0x8000, 0x2000, 0x1000) if flags & bit)
    if flags & 7 == 1:
        return _ppp, after + (4 if flags & 0x0080 else 0)
    if kind == 0x88BE:  # ERSPAN: type I has no sequence number and no header of its own
        return _ethernet, after + (8 if flags & 0x1000 else 0)
    if kind == 0x22EB:  # ERSPAN III, with a subheader if its last bit says so
        return _ethernet, after + 12 + (8 if packet.data[after + 11] & 1 else 0)
    return _by_ethertype(packet, after, kind)


def _ip(packet: _Packet, at: int) -> tuple[Layer, int] | Internet:
    version = packet.data[at] >> 4
    if version == 4:
        return _ipv4(packet, at)
    if version == 6:
        return _ipv6(packet, at)
    raise NotReadError(f"packets of IP version {version}")


def _ipv4(packet: _Packet, at: int) -> tuple[Layer, int] | Internet:
    data = packet.data
    header, fragment = 4 * (data[at] & 15), packet.u16(at + 6)
    if fragment & 0x1FFF:
        raise NotReadError("later fragments of IPv4 packets")
    # A length of 0 is that of a packet beyond 64 KiB (BIG TCP), or of one before segmentation offload.
    ip_bytes = packet.u16(at + 2) or packet.wire_bytes - at
    addresses = bytes(data[at + 12 : at + 16]), bytes(data[at + 16 : at + 20])
    return _above_ip(packet, at + header, data[at + 9], ip_bytes - header, addresses, data[at + 1] & 3)


def _ipv6(packet: _Packet, at: int) -> tuple[Layer, int] | Internet:
    """RFC 8200, with the jumbo payload option (RFC 2675) that Linux writes for BIG TCP."""
    data = packet.data
    protocol, payload_bytes, above = data[at + 6], packet.u16(at + 4), at + 40
    jumbo_bytes = 0
    while protocol in _EXTENSIONS:
        if protocol == _HOP_BY_HOP:
            jumbo_bytes = _jumbo_bytes(packet, above) or jumbo_bytes
        protocol, above = data[above], above + 8 * (data[above + 1] + 1)
    if protocol == _FRAGMENT:
        if packet.u16(above + 2) & 0xFFF8:
            raise NotReadError("later fragments of IPv6 packets")
        protocol, above = data[above], above + 8
    end = at + 40 + (payload_bytes or jumbo_bytes or packet.wire_bytes - at - 40)
    addresses = bytes(data[at + 8 : at + 24]), bytes(data[at + 24 : at + 40])
    return _above_ip(packet, above, protocol, end - above, addresses, data[at + 1] >> 4 & 3)


def _jumbo_bytes(packet: _Packet, at: int) -> int:
    """The length in the jumbo payload option of hop-by-hop options; 0 without one."""
    data, end, at = packet.data, at + 8 * (packet.data[at + 1] + 1), at + 2
    while at + 1 < end:
        if data[at] == _PAD_1:
            at += 1
            continue
        if data[at] == _JUMBO and data[at + 1] == 4:
            return packet.u32(at + 2)
        at += 2 + data[at + 1]
    return 0


def _above_ip(
    packet: _Packet, at: int, protocol: int, length: int, addresses: tuple[bytes, bytes], ecn: int
) -> tuple[Layer, int] | Internet:
    while protocol == _AUTHENTICATION:  # RFC 4302: the packet behind it is plain
        header = 4 * (packet.data[at + 1] + 2)
        protocol, at, length = packet.data[at], at + header, length - header
    if protocol == TCP:
        return Internet(*addresses, at, length, ecn, packet.tunnel)
    if protocol == UDP:
        return _udp(packet, at)
    if protocol in _IP_PROTOCOLS:
        return _IP_PROTOCOLS[protocol], at
    name, may_be_tcp = _OTHER_PROTOCOLS.get(protocol, (f"packets of IP protocol {protocol}", False))
    raise NotReadError(name, may_be_tcp)


def _udp(packet: _Packet, at: int) -> tuple[Layer, int]:
    """Tunnels over UDP by their destination port."""
    port, at = packet.u16(at + 2), at + 8
    if port in (4789, 8472):  # VXLAN (RFC 7348); 8472 was Linux's port first
        packet.tunnel = f"VXLAN {packet.u32(at + 4) >> 8}"
        return _ethernet, at + 8
    if port == 4790:  # VXLAN-GPE
        packet.tunnel = f"VXLAN {packet.u32(at + 4) >> 8}"
        above = {1: _ip, 2: _ip, 3: _ethernet, 5: _mpls}.get(packet.data[at + 3])
        if above is None:
            raise NotReadError("VXLAN-GPE packets of other protocols")
        return above, at + 8
    if port == 6081:  # Geneve (RFC 8926)
        packet.tunnel = f"Geneve {packet.u32(at + 4) >> 8}"
        return _by_ethertype(packet, at + 8 + 4 * (packet.data[at] & 0x3F), packet.u16(at + 2))
    if port == 6635:  # RFC 7510
        return _mpls, at
    if port == 2152:
        return _gtp(packet, at)
    name, may_be_tcp = _UDP_PORTS.get(port, ("UDP packets", False))
    raise NotReadError(name, may_be_tcp)


def _gtp(packet: _Packet, at: int) -> tuple[Layer, int]:
    """GTP-U (3GPP TS 29.281) with its extension headers."""
    flags, kind = packet.data[at], packet.data[at + 1]
    if kind != 0xFF:
        raise NotReadError("GTP-U control packets", may_be_tcp=False)
    above = at + 8
    if flags & 7:
        following, above = packet.data[at + 11], at + 12
        while following:
            length = 4 * packet.data[above]
            if not length:
                raise NotReadError("damaged GTP-U packets")
            following, above = packet.data[above + length - 1], above + length
    return _ip, above


_LINKS: dict[int, tuple[Layer, int]] = {
    1: (_ethernet, 0),
    113: (_cooked, 0),
    276: (_cooked_2, 0),
    0: (_ip, 4),  # BSD loopback
    108: (_ip, 4),
    **dict.fromkeys((12, 14, 101, 228, 229), (_ip, 0)),
    9: (_ppp, 0),
    50: (_ppp, 0),
    51: (_pppoe, 0),
    104: (_cisco_hdlc, 0),
}
"""The first layer and its place by LINKTYPE_ (tcpdump.org)."""
_LINK_NAMES = {105: "802.11 frames", 119: "802.11 frames", 127: "802.11 frames", 163: "802.11 frames"}
_ETHERTYPES: dict[int, tuple[Layer, int]] = {
    0x0800: (_ip, 0),
    0x86DD: (_ip, 0),
    0x8847: (_mpls, 0),
    0x8848: (_mpls, 0),
    0x8864: (_pppoe, 0),
    0x880B: (_ppp, 0),
    0x6558: (_ethernet, 0),  # transparent Ethernet bridging
    0x88E7: (_ethernet, 4),  # provider backbone bridges
}
"""Layers by EtherType, and bytes before them."""
_OTHER_ETHERTYPES = {
    0x0806: ("ARP packets", False),
    0x8863: ("PPPoE discovery packets", False),
    0x88CC: ("LLDP packets", False),
    0x8808: ("Ethernet pause frames", False),
    0x8809: ("LACP packets", False),
    0x888E: ("EAPOL packets", False),
    0x88F7: ("PTP packets", False),
    0x88E5: ("MACsec frames", True),
    0x894F: ("NSH packets", True),
}
_IP_PROTOCOLS: dict[int, Layer] = {4: _ip, 41: _ip, 47: _gre, 137: _mpls, 143: _ethernet}
_OTHER_PROTOCOLS = {
    1: ("ICMP packets", False),
    2: ("IGMP packets", False),
    58: ("ICMPv6 packets", False),
    50: ("ESP packets (encrypted)", True),
    89: ("OSPF packets", False),
    108: ("IPComp packets", True),
    115: ("L2TP packets", True),
    132: ("SCTP packets", False),
}
_UDP_PORTS = {4500: ("ESP packets in UDP (encrypted)", True), 1701: ("L2TP packets", True)}
_HOP_BY_HOP, _FRAGMENT, _AUTHENTICATION = 0, 44, 51
_EXTENSIONS = (_HOP_BY_HOP, 43, 60, 135, 139, 140)
"""IPv6 extension headers with a length of their own: options, routing, mobility, HIP, Shim6."""
_PAD_1, _JUMBO = 0, 0xC2
