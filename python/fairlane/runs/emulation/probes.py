"""Traffic of the checks: round trips of ICMP echo requests (RFC 792), and UDP packets beyond a link's rate."""

import itertools
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fairlane.runs.emulation import namespaces, priority

PAYLOAD_BYTES = 56
"""As ping sends them."""
PACKET_BYTES = 20 + 8 + PAYLOAD_BYTES
_REPLY, _REQUEST = 0, 8
_SO_TIMESTAMPNS = 35
"""asm-generic/socket.h, and the same in every architecture that Python runs on but PA-RISC and SPARC."""
_LONGEST_WAIT_S = 1.0
_identifiers = itertools.count(os.getpid())
"""A raw socket also gets the replies to others."""


@dataclass(frozen=True)
class Echo:
    """One round trip."""

    rtt_ns: int
    """Until the kernel had the reply, as for an RTT that TCP or `ping` measures."""
    woken_ns: int
    """Until the program that waited for it had the reply."""


def echoes(address: str, count: int, gap_s: float) -> Iterator[Echo]:
    """Asks this often, one after the other, with a pause before each; what no reply comes to is left out.

    From this process's network namespace, whose root it has to be. The kernel's time of a reply is that of the wall
    clock, so setting the clock disturbs one round trip.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as link:
        link.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        link.connect((address, 0))
        link.settimeout(_LONGEST_WAIT_S)
        identifier = struct.pack("!H", next(_identifiers) & 0xFFFF)
        for number in range(count):
            time.sleep(gap_s)
            request = _request(identifier, number)
            sent_ns = time.time_ns()
            link.send(request)
            try:
                received_ns = _reply_ns(link, request[4:8])
            except TimeoutError:
                continue
            yield Echo(received_ns - sent_ns, time.time_ns() - sent_ns)


def _request(identifier: bytes, number: int) -> bytes:
    tail = identifier + struct.pack("!H", number) + bytes(PAYLOAD_BYTES)
    return struct.pack("!BBH", _REQUEST, 0, _checksum(bytes([_REQUEST, 0]) + tail)) + tail


def _checksum(content: bytes) -> int:
    total: int = sum(struct.unpack(f"!{len(content) // 2}H", content))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _reply_ns(link: socket.socket, name: bytes) -> int:
    """The time at which the kernel had the reply to this request. Raises TimeoutError."""
    while True:
        packet, control, _, _ = link.recvmsg(256, 256)
        if packet[20] == _REPLY and packet[24:28] == name:
            seconds, ns = struct.unpack("@ll", control[0][2][: struct.calcsize("@ll")])
            return int(seconds) * 1_000_000_000 + int(ns)


@contextmanager
def meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """A process does this until the context ends; it dies with its parent, too."""
    child = os.fork()
    if child == 0:
        try:
            namespaces.die_with_parent()
            priority.gain(priority.SENDER)
            work()
        finally:
            os._exit(0)
    try:
        yield
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


DISCARD_PORT = 9
"""RFC 863"""
_LONGEST_FLOOD_NS = 60_000_000_000


@dataclass(frozen=True)
class Flood:
    """UDP packets from one network namespace to another, beyond the rate of the link between them."""

    sender: int
    receiver: int
    address: str
    """The receiver's."""
    mtu_bytes: int
    rate_bps: int
    """Of the link; a quarter more is sent."""
    ahead_ns: int
    """Packets that the rate takes in this time are sent at once."""

    @contextmanager
    def sent(self, after_s: float = 0.0) -> Iterator[None]:
        """Sends until the context ends, beginning after this time."""
        with namespaces.inside(self.receiver):
            sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with sink:
            sink.bind((self.address, DISCARD_PORT))
            with meanwhile(lambda: self._send(after_s)):
                yield

    def _send(self, after_s: float) -> None:
        time.sleep(after_s)
        namespaces.enter(self.sender)
        packet = bytes(self.mtu_bytes - 28)
        gap_ns = self.mtu_bytes * 8_000_000_000 * 4 // (5 * self.rate_bps)
        source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        source.connect((self.address, DISCARD_PORT))
        begin_ns, sent = time.monotonic_ns() - self.ahead_ns, 0
        while (now_ns := time.monotonic_ns()) < begin_ns + _LONGEST_FLOOD_NS:
            due = (now_ns - begin_ns) // gap_ns + 1
            for _ in range(due - sent):
                source.send(packet)
            sent = due
            time.sleep(0.0005)
