"""Hosts at the ends of a simulated network."""

import os
from dataclasses import dataclass

from fairlane.runs.emulation import devices, namespaces

DEVICE = "eth0"


@dataclass(frozen=True)
class Host:
    """One end of a flow."""

    network: int
    """Its network namespace."""
    device: int
    """Its TUN device."""
    address: str


def host(network: str, address: str, mtu_bytes: int, route: str = "default") -> Host:
    """A host with one TUN device, in a network namespace that was made for it."""
    descriptor = os.open(network, os.O_RDONLY | os.O_CLOEXEC)
    with namespaces.inside(descriptor):
        device = devices.create(DEVICE)
        devices.set_up(DEVICE, address=f"{address}/32", mtu_bytes=mtu_bytes, route=route)
    return Host(descriptor, device, address)
