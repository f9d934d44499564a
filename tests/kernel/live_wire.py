"""Packets in the notation of behaviour scripts and on a tun device, and `tcp_info` of a socket."""

import ctypes
import fcntl
import os
import re
import socket
import struct
import subprocess
from dataclasses import dataclass, field, replace

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
FLAGS = {"F": 0x01, "S": 0x02, "R": 0x04, "P": 0x08, ".": 0x10, "E": 0x40, "W": 0x80}
ECN = {"noecn": 0, "ect1": 1, "ect0": 2, "ce": 3}
Option = tuple[str, tuple[int, ...]]


def enter_namespace() -> None:
    """Gives this process a network of its own."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"no network namespace: {os.strerror(number)}")


def open_tun(name: str) -> int:
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return tun


def run(command: str) -> None:
    done = subprocess.run(command.split(), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr.strip()}"


@dataclass
class Packet:
    flags: str
    seq: int
    length: int
    ack: int | None
    window: int | None
    options: list[Option] | None
    ecn: str | None

    @classmethod
    def read(cls, text: str) -> "Packet":
        """`< [ect0] P. 1:1001(1000) ack 1 win 511 <sack 1:2,nop,nop>`"""
        match = re.match(
            r"[<>]\s*(?:\[(\w+)\]\s*)?([FSRP.EW]+)\s+(\d+):(\d+)\((\d+)\)"
            r"(?:\s+ack\s+(\d+))?(?:\s+win\s+(\d+))?(?:\s*<(.*)>)?",
            text,
        )
        assert match, text
        number = [None if group is None else int(group) for group in match.groups()[2:7]]
        options = None if match[8] is None or match[8] == "..." else read_options(match[8])
        # The order of flags does not matter.
        flags = "".join(sorted(match[2]))
        seq, _, length, ack, window = number
        return cls(flags, seq or 0, length or 0, ack, window, options, match[1])

    def joined(self, other: "Packet") -> "Packet":
        flags = "".join(sorted(set(self.flags.replace("P", "")) | set(other.flags)))
        return replace(self, length=self.length + other.length, flags=flags)

    def difference(self, found: "Packet") -> str:
        """Differences between script and kernel."""
        for name in ("flags", "seq", "length", "ack", "window", "options", "ecn"):
            wanted, have = getattr(self, name), getattr(found, name)
            if name == "options" and wanted is not None:
                wanted, have = without_times(wanted), without_times(have)
            if wanted is not None and wanted != have:
                return f"{name}: script {wanted}, kernel {have}"
        return ""


@dataclass
class Endpoint:
    """The two ends of the connection, and how their sequence numbers relate to the script's."""

    local: tuple[str, int] = ("192.0.2.1", 8080)
    remote: tuple[str, int] = ("192.0.2.2", 5555)
    local_isn: int | None = None
    remote_isn: int = 1_000_000
    tsval: dict[int, int] = field(default_factory=dict)
    """The kernel's timestamps by the script's."""

    def encode(self, packet: Packet) -> bytes:
        """An IPv4 packet from the peer."""
        ack = 0 if packet.ack is None else (packet.ack + (self.local_isn or 0)) & 0xFFFFFFFF
        options = b"".join(self.option_bytes(option) for option in packet.options or [])
        options += b"\x01" * (-len(options) % 4)
        bits = sum(FLAGS[flag] for flag in packet.flags)
        header = struct.pack(
            "!HHIIBBHHH",
            self.remote[1],
            self.local[1],
            (packet.seq + self.remote_isn) & 0xFFFFFFFF,
            ack,
            (5 + len(options) // 4) << 4,
            bits,
            packet.window or 0,
            0,
            0,
        )
        segment = header + options + bytes(packet.length)
        addresses = socket.inet_aton(self.remote[0]) + socket.inet_aton(self.local[0])
        sum_ = checksum(addresses + struct.pack("!HH", 6, len(segment)) + segment)
        segment = segment[:16] + struct.pack("!H", sum_) + segment[18:]
        tos = ECN[packet.ecn] if packet.ecn else 0
        ip = struct.pack("!BBHHHBBH", 0x45, tos, 20 + len(segment), 0, 0x4000, 64, 6, 0) + addresses
        return ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:] + segment

    def learn_time(self, wanted: Packet, found: Packet) -> None:
        """The script's number for the kernel's timestamp."""
        for (name, script), (_, kernel) in zip(wanted.options or [], found.options or [], strict=False):
            if name == "TS":
                self.tsval[script[0]] = kernel[0]

    def decode(self, data: bytes, wanted: Packet) -> Packet | None:
        """A packet of the kernel's as the script would write it; None if it is not the connection's."""
        if data[0] >> 4 != 4 or data[9] != 6:
            return None
        tcp = data[4 * (data[0] & 15) :]
        source, _, seq, ack, offset, bits, window = struct.unpack_from("!HHIIBBH", tcp)
        if bits & FLAGS["S"] and self.local_isn is None:
            self.local_isn = (seq - wanted.seq) & 0xFFFFFFFF
            self.local = (self.local[0], source)
        header = 4 * (offset >> 4)
        flags = "".join(sorted(letter for letter, bit in FLAGS.items() if bits & bit))
        return Packet(
            flags,
            (seq - (self.local_isn or 0)) & 0xFFFFFFFF,
            len(tcp) - header,
            (ack - self.remote_isn) & 0xFFFFFFFF if bits & FLAGS["."] else None,
            window,
            self.options_of(tcp[20:header]),
            {value: name for name, value in ECN.items()}[data[1] & 3],
        )

    def option_bytes(self, option: Option) -> bytes:
        name, values = option
        match name:
            case "nop":
                return b"\x01"
            case "mss":
                return struct.pack("!BBH", 2, 4, *values)
            case "wscale":
                return struct.pack("!BBB", 3, 3, *values)
            case "sackOK":
                return b"\x04\x02"
            case "sack":
                edges = [(value + (self.local_isn or 0)) & 0xFFFFFFFF for value in values]
                return struct.pack(f"!BB{len(edges)}I", 5, 2 + 4 * len(edges), *edges)
            case "TS":
                echo = self.tsval.get(values[1], values[1])
                return struct.pack("!BBII", 8, 10, values[0], echo)
        raise AssertionError(name)

    def options_of(self, data: bytes) -> list[Option]:
        found: list[Option] = []
        while data:
            kind, size = data[0], 1 if data[0] < 2 else data[1]
            body = data[2:size]
            match kind:
                case 1:
                    found.append(("nop", ()))
                case 2:
                    found.append(("mss", struct.unpack("!H", body)))
                case 3:
                    found.append(("wscale", (body[0],)))
                case 4:
                    found.append(("sackOK", ()))
                case 5:
                    edges = struct.unpack(f"!{len(body) // 4}I", body)
                    found.append(("sack", tuple((edge - self.remote_isn) & 0xFFFFFFFF for edge in edges)))
                case 8:
                    found.append(("TS", struct.unpack("!II", body)))
            data = data[size:]
        return found


def read_options(text: str) -> list[Option]:
    options: list[Option] = []
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, *rest = item.split(None, 1)
        options.append((name, tuple(int(number) for number in re.findall(r"\d+", rest[0] if rest else ""))))
    return options


def without_times(options: list[Option]) -> list[Option]:
    return [(name, ()) if name == "TS" else (name, values) for name, values in options]


def checksum(data: bytes) -> int:
    """RFC 1071."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


# Fields of struct tcp_info (include/uapi/linux/tcp.h) in their order: format and names.
FIELDS = (
    ("B", "state ca_state retransmits probes backoff options wscales app_limited"),
    (
        "I",
        "rto ato snd_mss rcv_mss unacked sacked lost retrans fackets last_data_sent last_ack_sent last_data_recv "
        "last_ack_recv pmtu rcv_ssthresh rtt rttvar snd_ssthresh snd_cwnd advmss reordering rcv_rtt rcv_space "
        "total_retrans",
    ),
    ("Q", "pacing_rate max_pacing_rate bytes_acked bytes_received"),
    ("I", "segs_out segs_in notsent_bytes min_rtt data_segs_in data_segs_out"),
    ("Q", "delivery_rate busy_time rwnd_limited sndbuf_limited"),
    ("I", "delivered delivered_ce"),
    ("Q", "bytes_sent bytes_retrans"),
    ("I", "dsack_dups reord_seen rcv_ooopack snd_wnd rcv_wnd rehash"),
)


def tcp_info(connection: socket.socket | None) -> dict[str, int]:
    """`tcp_info` of the kernel, by the names of scripts."""
    if connection is None:
        return {}
    data = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    layout = "=" + "".join(kind * len(names.split()) for kind, names in FIELDS)
    names = [name for _, names in FIELDS for name in names.split()]
    return {f"tcpi_{name}": value for name, value in zip(names, struct.unpack_from(layout, data), strict=True)}
