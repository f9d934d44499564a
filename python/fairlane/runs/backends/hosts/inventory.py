"""Hosts by role: what is known of each, and what a testbed needs."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fairlane.algorithm.kernel import KernelError
from fairlane.files import FileError

ROLES = ("sender", "router", "receiver")
REMEDY = "write it as docs/guides/your-machines.md shows"


@dataclass(frozen=True)
class Host:
    """A machine, how it is reached, and what it does."""

    name: str
    role: str
    host: str
    """Name or address for SSH."""
    user: str | None = None
    port: int | None = None
    address: str | None = None
    """Its IPv4 address in the network under test; routers have none here."""
    key: str | None = None
    """File of a private key; without one those of the agent and of ~/.ssh."""
    jump: str | None = None
    """USER@HOST:PORT of a machine through which it is reached."""
    jump_key: str | None = None
    """File of the private key for that machine."""
    sudo: bool = False
    """Whether its commands begin with sudo, because the user is not root."""


@dataclass(frozen=True)
class Testbed:
    """All hosts."""

    name: str
    """Its name in messages: a file, or fabric:SLICE."""
    hosts: tuple[Host, ...]
    known_hosts: Path | None = None
    """The file of host keys; None for OpenSSH's own."""

    def of(self, role: str) -> list[Host]:
        """The hosts of a role."""
        return [host for host in self.hosts if host.role == role]


_HOST = r"(?!-)(?:[\w.-]+|[0-9a-fA-F:.]+(?:%\w+)?)"
_USER = r"(?!-)[\w.-]+"
"""Others could be options, or code where the user's SSH configuration has a command with %h or %r in it."""
PORTS = range(1, 65536)


def target(path: Path, key: str, text: str) -> tuple[str | None, str, int | None]:
    """User, host and port of USER@HOST:PORT, where user and port may be absent; an IPv6 address is in brackets."""
    found = re.fullmatch(rf"(?:({_USER})@)?(\[[0-9a-fA-F:.%\w]+\]|(?!-)[\w.-]+)(?::([0-9]+))?", text)
    if not found:
        raise FileError(path, f"{key}: '{text}' is not USER@HOST:PORT", REMEDY)
    return found[1], found[2].strip("[]"), port(path, key, found[3]) if found[3] else None


def port(path: Path, key: str, text: str) -> int:
    """The number of a port. Raises FileError."""
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) not in PORTS:
        raise FileError(path, f"{key}: '{text}' is not a port, a number from 1 to {PORTS[-1]}", "fix it")
    return int(text)


def checked(testbed: Testbed) -> Testbed:
    """The testbed, if each role is there, and names and addresses are such. Raises KernelError."""
    for host in testbed.hosts:
        for kind, form, text in (("host", _HOST, host.host), ("user", _USER, host.user)):
            if text is not None and not re.fullmatch(form, text):
                raise KernelError(f"{testbed.name}: hosts.{host.name}: '{text}' cannot be the name of a {kind}; fix it")
        if host.address is not None:
            try:
                ipaddress.IPv4Address(host.address)
            except ValueError:
                raise KernelError(
                    f"{testbed.name}: hosts.{host.name}.address: '{host.address}' is not an IPv4 address; {REMEDY}"
                ) from None
    for role in ROLES:
        if not testbed.of(role):
            raise KernelError(f"{testbed.name}: there is no {role}; give one host the role '{role}'")
    if len(testbed.of("router")) > 1:
        names = ", ".join(host.name for host in testbed.of("router"))
        raise KernelError(f"{testbed.name}: there are several routers ({names}); keep one, which has the bottleneck")
    return testbed


def role_of(names: Iterable[str]) -> str | None:
    """The role that groups or a name give a host: `senders`, `router`, `receiver-2`."""
    for name in names:
        for role in ROLES:
            if re.match(rf"{role}s?(\b|[-_0-9]|$)", name):
                return role
    return None
