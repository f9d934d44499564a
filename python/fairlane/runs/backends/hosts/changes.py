"""Changes of hosts, and how they are taken back; and who may change them.

How a change is taken back is on this machine's disk before it is made. A run takes its changes back at its end; what
a killed process left is taken back by the next start, before anything else is done.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlane.files import cache_folder, write_bytes
from fairlane.runs.backends.hosts.connection import Connection, HostError
from fairlane.runs.backends.hosts.inventory import Host, Testbed

SSH_PORT = 22
_DEFAULT_HANDLE = "0:"
"""Of a queueing discipline that the kernel chose itself."""


class Journal:
    """Undoes the changes of a testbed: a file for each host, which every testbed with that host reads.

    It begins with what a killed process left.
    """

    def __init__(self, testbed: Testbed) -> None:
        self.paths = {host.name: _path(host) for host in testbed.hosts}
        self.entries: list[dict[str, Any]] = []
        for path, name in {path: name for name, path in self.paths.items()}.items():
            with contextlib.suppress(FileNotFoundError, ValueError):
                self.entries += [{**entry, "host": name} for entry in json.loads(path.read_bytes())]

    def note(self, host: str, kind: str, words: list[str]) -> None:
        """Writes down how the next change is taken back."""
        self.entries.append({"host": host, "kind": kind, "words": words})
        self._save(host)

    async def take_back(self, connections: Mapping[str, Connection]) -> list[str]:
        """Takes back everything, of each host the last change first; returns the hosts that were not there for it."""
        hosts = {entry["host"] for entry in self.entries}
        found = await asyncio.gather(*(self._not_taken_back(connections.get(host), host) for host in sorted(hosts)))
        kept = [entry for entries in found for entry in entries]
        self.entries = [entry for entry in self.entries if entry in kept]
        for host in hosts:
            self._save(host)
        return sorted({entry["host"] for entry in kept})

    async def _not_taken_back(self, connection: Connection | None, host: str) -> list[dict[str, Any]]:
        """The remaining entries of one host."""
        kept = []
        for entry in [entry for entry in reversed(self.entries) if entry["host"] == host]:
            try:
                if connection is None:
                    raise HostError("")
                if entry["kind"] == "remove":
                    await connection.remove(entry["words"][0])
                else:
                    await connection.result(*entry["words"])  # fails if the change was never made
            except HostError:
                kept.append(entry)
        return kept

    def _save(self, host: str) -> None:
        path = self.paths[host]
        entries = [entry for entry in self.entries if self.paths[entry["host"]] == path]
        if entries:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, json.dumps(entries).encode())
        else:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def alone(testbed: Testbed) -> Iterator[None]:
    """Runs would disturb each other, so all processes of this user take turns at each host.

    Two testbeds may share a host. All take the locks in the same order, so none waits for one that waits for it.
    """
    with contextlib.ExitStack() as held:
        for path in sorted({_path(host) for host in testbed.hosts}):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = held.enter_context(open(f"{path}.lock", "ab"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _path(host: Host) -> Path:
    """Of a host's journal; the same in all testbeds that call the host by this address."""
    digest = hashlib.blake2b(json.dumps([host.host, host.port or SSH_PORT]).encode(), digest_size=8).hexdigest()
    return cache_folder() / "testbeds" / f"{digest}.json"


async def free(connection: Connection, journal: Journal, device: str) -> None:
    """Makes room for a queueing discipline of ours at a device; what is there comes back at the end.

    Raises HostError if it could not come back: then nothing is changed.
    """
    host = connection.host.name
    said = await connection.output("tc", "qdisc", "show", "dev", device)
    lines = [line.split() for line in said.splitlines() if line.startswith("qdisc ")]
    own = [words for words in lines if words[2] != _DEFAULT_HANDLE and "parent" not in words]
    if any("parent" in words and words[2] != _DEFAULT_HANDLE for words in lines) or len(own) > 1:
        raise HostError(
            f"{host}: {device} has queueing disciplines with classes, which could not be restored; remove them:"
            f" tc qdisc del dev {device} root"
        )
    if own:
        again = ["tc", "qdisc", "replace", "dev", device, "root", "handle", own[0][2], own[0][1], *_options(own[0])]
        # Trying it now, while nothing is lost, shows whether tc accepts what it printed.
        await connection.output(*again)
        if _options((await connection.output("tc", "qdisc", "show", "dev", device)).split()) != _options(own[0]):
            raise HostError(f"{host}: {device} has a {own[0][1]} that tc does not restore as it was; remove it first")
        journal.note(host, "command", again)
    journal.note(host, "command", ["tc", "qdisc", "del", "dev", device, "root"])
    if own:
        await connection.output("tc", "qdisc", "del", "dev", device, "root")


def _options(words: list[str]) -> list[str]:
    """The options of `tc qdisc show`, as tc takes them: it prints packets as 100p, and refuses that."""
    rest = words[words.index("refcnt") + 2 :] if "refcnt" in words else words[4:]
    return [word[:-1] if word[:-1].isdigit() and word.endswith("p") else word for word in rest]


async def switch(connection: Connection, journal: Journal, device: str, features: Mapping[str, bool]) -> None:
    """Switches offloads of a device, where they are not as wanted and can be switched."""
    names = {
        "tso": "tcp-segmentation-offload",
        "gso": "generic-segmentation-offload",
        "gro": "generic-receive-offload",
    }
    said = await connection.output("ethtool", "-k", device)
    states = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in said.splitlines())}
    was, changed = [], []
    for short, wanted in features.items():
        state = states.get(names[short], "off [fixed]")
        is_on = state.startswith("on")
        if is_on != wanted and "[fixed]" not in state:
            was += [short, "on" if is_on else "off"]
            changed += [short, "on" if wanted else "off"]
    if changed:
        journal.note(connection.host.name, "command", ["ethtool", "-K", device, *was])
        await connection.output("ethtool", "-K", device, *changed)
