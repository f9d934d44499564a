"""Entry time of a packet that was read late, because the reading thread had to be woken.

Sockets stand for devices, so no privileges are needed. Times are long, so that the machine's load does not hide them.
"""

import os
import socket
import struct
import threading
import time

from fairlane import engine

DELAY_NS = 600_000_000
WAKE_NS = 500_000_000
SLEPT_S = 0.7
"""Longer than it takes to wake up here."""


def arrival_ns(wake_ns: int, after_s: float) -> int:
    """Delay of a packet that is sent this long after the network began to sleep."""
    network = {
        "seed": 1,
        "duration_ns": 10**9,
        "series_interval_ns": 10**10,
        "links": [{"name": "there", "delay_ns": DELAY_NS}, {"name": "back"}],
        "flows": [{"algorithm": "reno", "forward": ["there"], "reverse": ["back"]}],
    }
    near, device = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    far, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    reading, writing = os.pipe()
    for one in (device, other):
        one.setblocking(False)

    def carry() -> None:
        ports = [device.fileno(), other.fileno()]
        engine.emulate(network, ports, reading, origin_ns=time.monotonic_ns(), wake_ns=wake_ns)

    carrier = threading.Thread(target=carry)
    carrier.start()
    time.sleep(after_s)
    begin_ns = time.monotonic_ns()
    near.send(packet())
    far.recv(2048)
    took_ns = time.monotonic_ns() - begin_ns
    os.write(writing, b".")
    carrier.join()
    for one in (near, device, far, other):
        one.close()
    os.close(reading)
    os.close(writing)
    return took_ns


def packet() -> bytes:
    """UDP over IPv4, without data; the checksum is not verified."""
    return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28, 0, 0, 64, 17, 0, bytes(4), bytes(4)) + bytes(8)


def test_a_packet_enters_when_it_is_read():
    assert arrival_ns(0, SLEPT_S) >= DELAY_NS


def test_waking_up_is_made_up_for():
    assert DELAY_NS - WAKE_NS <= arrival_ns(WAKE_NS, SLEPT_S) < DELAY_NS


def test_no_packet_enters_before_the_sleep_that_it_ended():
    assert arrival_ns(WAKE_NS, 0.0) >= DELAY_NS - 300_000_000
