"""TUN devices, and hosts with one each at the ends of a simulated network.

Reading the file of a device gives what the host sent there; what is written to the file arrives at the host.
"""

import fcntl
import os
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from fairlane.algorithm.kernel import KernelError, Lacking
from fairlane.runs.emulation import namespaces

TUN = Path("/dev/net/tun")
_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_NO_PI = 0x0001, 0x1000
"""linux/if_tun.h"""
QUEUE_PACKETS = 30_000
"""Packets that the device keeps for the emulator; the network's queues are elsewhere, so this one should never fill."""


def create(name: str) -> int:
    """A TUN device in the network namespace of this process, as a file that does not block. Raises Lacking."""
    try:
        device = os.open(TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Lacking(
            f"{TUN} cannot be opened ({error.strerror}); load the module tun, or ask who runs this machine for it"
        ) from None
    try:
        fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI))
    except OSError as error:
        os.close(device)
        raise Lacking(f"the device {name} cannot be created ({error.strerror}); {namespaces.remedy()}") from None
    return device


def set_up(name: str, *, address: str, mtu_bytes: int, route: str) -> None:
    """Gives a device of this process's network namespace an address and a route."""
    for number in ("all", name):
        _write_if_there(f"/proc/sys/net/ipv6/conf/{number}/disable_ipv6", "1")
    ip(
        "link set lo up",
        f"link set {name} mtu {mtu_bytes} txqueuelen {QUEUE_PACKETS} up",
        f"address add {address} dev {name}",
        f"route add {route}",
    )


def ip(*lines: str) -> None:
    """Runs `ip` in this process's network namespace. Raises KernelError."""
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(["ip", "-batch", "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        raise KernelError(f"ip: {done.stderr.strip().splitlines()[0]}")


def dropped_packets(name: str) -> int:
    """Packets that found the device's own queue full, in this process's network namespace."""
    return _counters(name)[11]


def received_packets(name: str) -> int:
    """Packets that arrived at a device of this process's network namespace."""
    return _counters(name)[1]


def _counters(name: str) -> list[int]:
    """Eight of what was received, beginning with bytes and packets, and eight of what was sent."""
    for line in Path("/proc/thread-self/net/dev").read_text(encoding="ascii").splitlines():
        device, _, numbers = line.partition(":")
        if device.strip() == name:
            return [int(number) for number in numbers.split()]
    raise KernelError(f"there is no device {name}")


def _write_if_there(path: str, value: str) -> None:
    if Path(path).exists():
        Path(path).write_text(value, encoding="ascii")


DEVICE = "eth0"


@dataclass(frozen=True)
class Host:
    """One end of a flow."""

    network: int
    """Its network namespace."""
    device: int
    """Its TUN device."""
    address: str


@dataclass(frozen=True)
class HostPlan:
    """A host to be made."""

    network: str
    """The network namespace that was made for it, as a path."""
    address: str
    mtu_bytes: int
    route: str = f"default dev {DEVICE}"
    """The route to its device, as `ip route add` wants it."""

    def create(self) -> Host:
        """The host, with one TUN device. Raises KernelError."""
        descriptor = os.open(self.network, os.O_RDONLY | os.O_CLOEXEC)
        with namespaces.inside(descriptor):
            device = create(DEVICE)
            set_up(DEVICE, address=f"{self.address}/32", mtu_bytes=self.mtu_bytes, route=self.route)
        return Host(descriptor, device, self.address)
