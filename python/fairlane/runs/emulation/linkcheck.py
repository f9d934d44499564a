"""Whether a link that the kernel makes is as it was asked for: `python -m fairlane.runs.emulation.linkcheck FILE`.

The file (JSON) has what `LinkCheck` has. The link is saturated by UDP, and the rate measured at the far end, from one
packet to another; then pings cross the idle link. The measurements are written to `output`.
"""

import ctypes
import fcntl
import json
import os
import socket
import struct
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from fairlane.runs.emulation import devices, namespaces, priority
from fairlane.runs.emulation.devices import DEVICE
from fairlane.runs.emulation.probes import Flood, echoes
from fairlane.runs.emulation.selfcheck import processor_times, saturation

_SIOCETHTOOL = 0x8946
"""linux/sockios.h"""
_FEATURES = {"tso": 0x1E, "gso": 0x23, "gro": 0x2B}
"""Commands that ask for these (linux/ethtool.h)."""
_PINGS = 50
_PING_GAP_S = 0.002


@dataclass(frozen=True)
class LinkCheck:
    """The link to check."""

    sender: str
    """The network namespace of the host before the link, as a path."""
    receiver: str
    """That of the host after it."""
    address: str
    """The receiver's."""
    mtu_bytes: int
    rate_bps: int
    """0 of a network without one: then nothing is saturated."""
    asked_mbps: float
    """The link's rate of IP packets."""
    ahead_ns: int
    """Time at the rate that fills queue and bucket."""
    duration_ns: int
    """Duration of the measurement of the rate."""
    rtt_ns: int
    """Of a ping, if no timer is late."""
    offloads: dict[str, dict[str, int]]
    """By network namespace, what is to be on (1) and off (0)."""
    output: str


def main(path: str) -> None:
    """Measures, and writes the measurements."""
    asked = LinkCheck(**json.loads(Path(path).read_text(encoding="utf-8")))
    priority.gain(priority.SENDER)
    priority.keep_awake()
    sender, receiver = (os.open(one, os.O_RDONLY | os.O_CLOEXEC) for one in (asked.sender, asked.receiver))
    found = _saturated(asked, sender, receiver) if asked.rate_bps else {}
    found |= _lateness(asked, sender)
    found["offload_differences"] = float(sum(_differences(one, wanted) for one, wanted in asked.offloads.items()))
    found["has_priority"] = float(priority.has_any())
    Path(asked.output).write_text(json.dumps(found), encoding="ascii")


def _saturated(asked: LinkCheck, sender: int, receiver: int) -> dict[str, float]:
    flood = Flood(sender, receiver, asked.address, asked.mtu_bytes, asked.rate_bps, asked.ahead_ns)
    with flood.sent(), namespaces.inside(receiver):
        time.sleep(asked.ahead_ns / 2e9)
        before = processor_times()
        first_ns, first = _next_packet()
        time.sleep(asked.duration_ns / 1e9)
        last_ns, last = _next_packet()
        after = processor_times()
    time.sleep(asked.ahead_ns / 1e9)  # until the queue is empty again
    rate_mbps = (last - first) * asked.mtu_bytes * 8e3 / (last_ns - first_ns)
    return saturation(rate_mbps, asked.asked_mbps, before, after)


def _next_packet() -> tuple[int, int]:
    """The time of the next packet, and the count with it; now, if none comes for 0.1 s."""
    count = devices.received_packets(DEVICE)
    limit_ns = time.monotonic_ns() + 100_000_000
    while (now_ns := time.monotonic_ns()) < limit_ns:
        found = devices.received_packets(DEVICE)
        if found > count:
            return now_ns, found
    return now_ns, count


def _lateness(asked: LinkCheck, sender: int) -> dict[str, float]:
    with namespaces.inside(sender):
        late_us = [(echo.rtt_ns - asked.rtt_ns) / 1e3 for echo in echoes(asked.address, _PINGS, _PING_GAP_S)]
    if len(late_us) < 2:
        sys.exit("no ping came back")
    return {
        "added_rtt_us": median(late_us),
        "lateness_median_us": median(late_us),
        "lateness_p99_us": quantiles(late_us, n=100, method="inclusive")[98],
    }


def _differences(network: str, wanted: dict[str, int]) -> int:
    """The number of a host's offloads that differ from the request."""
    descriptor = os.open(network, os.O_RDONLY | os.O_CLOEXEC)
    with namespaces.inside(descriptor), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        return sum(_feature(link, name) != value for name, value in wanted.items())


def _feature(link: socket.socket, name: str) -> int:
    value = ctypes.create_string_buffer(struct.pack("=II", _FEATURES[name], 0))
    fcntl.ioctl(link, _SIOCETHTOOL, struct.pack("16sP16x", DEVICE.encode(), ctypes.addressof(value)))
    return int(struct.unpack_from("=II", value.raw)[1])


if __name__ == "__main__":
    main(sys.argv[1])
