"""Probes a host: its programs, its kernel, its congestion controls and queues."""

import asyncio
import contextlib
import gzip
import hashlib
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from fairlane.algorithm.kernel import Lacking, machine
from fairlane.files import cache_folder
from fairlane.runs.backends.hosts.changes import Journal
from fairlane.runs.backends.hosts.connection import Connection, HostError
from fairlane.runs.backends.linux import tc
from fairlane.runs.backends.linux.programs import Target

_PROGRAMS = {
    "ip": ("iproute2", "-V"),
    "tc": ("iproute2", "-V"),
    "ss": ("iproute2", "-V"),
    "ethtool": ("ethtool", "--version"),
    "iperf3": ("iperf3", "--version"),
}
"""Programs that run there, with the package of each, and an option that does nothing."""
_SETTINGS = "/proc/sys/net/ipv4/"
_HZ = 250
"""Of most distributions' kernels, where the configuration of this one cannot be read."""


@dataclass(frozen=True)
class Probed:
    """The abilities of a host."""

    release: str
    algorithms: frozenset[str]
    queues: frozenset[str]
    """Queueing disciplines, as tc calls them; those of senders are not asked for."""
    btf: Path | None
    """A copy of its description of its types, if it has one."""
    hz: int
    token: str = field(default_factory=lambda: secrets.token_hex(4))
    """In the names of our files there."""

    @property
    def version(self) -> tuple[int, int]:
        """Of the kernel: major and minor."""
        return machine.version(self.release, (0, 0))

    def target(self, name: str) -> Target:
        """The target of programs for it. Raises HostError."""
        if self.btf is None:
            raise HostError(f"{name}: Linux {self.release} has no BTF, so that programs cannot be fitted to it")
        return Target(self.release, self.version, self.hz, self.btf, prefix=f"fl_{self.token}_")


async def probe(connection: Connection, journal: Journal) -> Probed:
    """Looks at a host, and changes nothing that stays. Raises HostError or Lacking."""
    host = connection.host
    asked = (connection.result(program, word) for program, (_, word) in _PROGRAMS.items())
    for (program, (package, _)), (status, *_) in zip(_PROGRAMS.items(), await asyncio.gather(*asked), strict=True):
        if status in (126, 127):
            raise Lacking(f"{host.name}: the program {program} is missing there; install it: apt-get install {package}")
    release = (await connection.read("/proc/sys/kernel/osrelease")).decode().strip()
    algorithms: frozenset[str] = frozenset()
    btf = None
    if host.role == "sender":
        listed = await connection.read(f"{_SETTINGS}tcp_available_congestion_control")
        algorithms = frozenset(listed.decode().split())
        btf = await _types(connection, release)
    queues = await _queues(connection, journal) if host.role != "sender" else frozenset[str]()
    if host.role == "router" and (await connection.read(f"{_SETTINGS}ip_forward")).strip() != b"1":
        raise HostError(f"{host.name}: does not forward packets; write there: sysctl -w net.ipv4.ip_forward=1")
    return Probed(release, algorithms, queues, btf, await _hz(connection, release))


async def _types(connection: Connection, release: str) -> Path | None:
    """The host's BTF, copied once for each kernel."""
    digest = hashlib.blake2b(f"{connection.host.host} {release}".encode(), digest_size=8).hexdigest()
    path = cache_folder() / "testbeds" / f"{digest}.btf"
    if not path.exists():
        try:
            content = await connection.read("/sys/kernel/btf/vmlinux")
        except HostError:
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return path


async def _queues(connection: Connection, journal: Journal) -> frozenset[str]:
    """The queueing disciplines of the kernel, tried in a namespace of their own."""
    name = f"fairlane-{secrets.token_hex(4)}"
    tries = tc.tries()
    journal.note(connection.host.name, "command", ["ip", "netns", "del", name])
    await connection.output("ip", "netns", "add", name)
    await connection.output("ip", "-n", name, "link", "set", "lo", "up")
    lines = "".join(f"qdisc replace dev lo root {' '.join(words)}\n" for _, words in tries)
    *_, complaints = await connection.result("tc", "-n", name, "-force", "-batch", "-", given=lines)
    failed = {int(number) for number in re.findall(r"^Command failed -:(\d+)", complaints, re.MULTILINE)}
    return frozenset(kind for number, (kind, _) in enumerate(tries, 1) if number not in failed)


async def _hz(connection: Connection, release: str) -> int:
    """Timer interrupts per second, from the kernel's configuration."""
    for path in ("/proc/config.gz", f"/boot/config-{release}"):
        with contextlib.suppress(HostError, OSError):
            content = await connection.read(path)
            content = gzip.decompress(content) if path.endswith(".gz") else content
            found = re.search(rb"^CONFIG_HZ=(\d+)", content, re.MULTILINE)
            if found:
                return int(found[1])
    return _HZ
