"""UDP packets, more than a link takes."""

import os
import socket
import time

from fairlane.runs.emulation import namespaces, priority

DISCARD_PORT = 9
"""RFC 863"""


def flood(network: int, address: str, mtu_bytes: int, rate_bps: int, ahead_ns: int, duration_ns: int) -> None:
    """Sends from a network namespace what the rate takes in `ahead_ns`, and then a quarter more than the rate.

    Does not return: the process ends after the duration, or with its parent.
    """
    try:
        namespaces.die_with_parent()
        namespaces.enter(network)
        priority.gain(priority.SENDER)
        packet = bytes(mtu_bytes - 28)
        gap_ns = mtu_bytes * 8_000_000_000 * 4 // (5 * rate_bps)
        source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        source.connect((address, DISCARD_PORT))
        begin_ns, sent = time.monotonic_ns() - ahead_ns, 0
        end_ns = begin_ns + duration_ns
        while (now_ns := time.monotonic_ns()) < end_ns:
            due = (now_ns - begin_ns) // gap_ns + 1
            for _ in range(due - sent):
                source.send(packet)
            sent = due
            time.sleep(0.0005)
    finally:
        os._exit(0)
