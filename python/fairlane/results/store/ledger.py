"""The ledger: which batches a store has, in the order in which they came and went.

Each line is `+ BATCH MANIFEST CHAIN` or `- BATCH MANIFEST CHAIN`: the name of a batch, the checksum of its manifest,
and a checksum over all lines so far. It reveals a batch that was deleted or replaced by an older copy. A
batch appears before its line does: one without a line was written by a process that died in between, and is sound if
its manifest is.
"""

import fcntl
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fairlane.engine import checksum
from fairlane.files import sync_folder, write_bytes
from fairlane.results.store.checksummed_json import Damage, DamagedError, content_of, damage_of
from fairlane.results.store.layout import Layout, cannot_write

_START = "0" * 32


@dataclass(frozen=True)
class Ledger:
    """The content of the ledger."""

    batches: Mapping[str, str]
    """The checksum of the manifest of each batch there should be."""
    damage: Damage | None = None
    """The lines from the first damaged one on say nothing."""


def read(layout: Layout) -> Ledger:
    """Reads the ledger; one that is absent is empty."""
    try:
        content = content_of(layout.ledger)
    except FileNotFoundError:
        return Ledger({})
    except (DamagedError, OSError) as error:
        return Ledger({}, damage_of(layout.ledger, error, loses_runs=False))
    return _parse(layout, content)[0]


def append(layout: Layout, mark: str, batches: Iterable[tuple[str, str]]) -> None:
    """Adds a line for each batch (name and checksum of the manifest), `mark` being "+" or "-"."""
    try:
        is_new = not layout.ledger.exists()
        file = os.open(layout.ledger, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            content = _whole(file)
            known, chain, end = _parse(layout, content)
            if known.damage:
                return  # `repair` writes it anew; a line after damage would say nothing
            lines = []
            for name, manifest in batches:
                if (known.batches.get(name) == manifest) != (mark == "+"):
                    chain = _next(chain, mark, name, manifest)
                    lines.append(f"{mark} {name} {manifest} {chain}\n")
            if lines:
                os.ftruncate(file, end)  # a line that a kill cut short
                os.pwrite(file, "".join(lines).encode(), end)
                os.fsync(file)
            if is_new:
                sync_folder(layout.root)
        finally:
            os.close(file)
    except OSError as error:
        raise cannot_write(layout.ledger, error) from None


def rewrite(layout: Layout, batches: Mapping[str, str]) -> None:
    """Replaces the ledger by one of these batches. No other process may work on the store."""
    chain, lines = _START, []
    for name, manifest in sorted(batches.items()):
        chain = _next(chain, "+", name, manifest)
        lines.append(f"+ {name} {manifest} {chain}\n")
    try:
        write_bytes(layout.ledger, "".join(lines).encode())
    except OSError as error:
        raise cannot_write(layout.ledger, error) from None


def _parse(layout: Layout, content: bytes) -> tuple[Ledger, str, int]:
    """The ledger, the chain so far, and where the next line goes."""
    batches: dict[str, str] = {}
    chain, end = _START, 0
    lines = content.split(b"\n")[:-1]  # behind the last line end is nothing, or a line that a kill cut short
    for number, line in enumerate(lines, 1):
        words = line.decode("ascii", "replace").split(" ")
        if len(words) != 4 or words[0] not in ("+", "-") or words[3] != _next(chain, *words[:3]):
            damage = Damage(layout.ledger, f"is damaged from line {number} on", loses_runs=False)
            return Ledger(batches, damage), chain, end
        mark, name, manifest, _ = words
        if mark == "+":
            batches[name] = manifest
        else:
            batches.pop(name, None)
        chain, end = words[3], end + len(line) + 1
    return Ledger(batches), chain, end


def _next(chain: str, mark: str, name: str, manifest: str) -> str:
    return checksum(f"{chain} {mark} {name} {manifest}".encode())


def _whole(file: int) -> bytes:
    return os.pread(file, os.fstat(file).st_size, 0)
