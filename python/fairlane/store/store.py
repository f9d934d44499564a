"""A store opened for work: which runs are there, recovery of what a killed process left, batches from journals."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlane.store import batch, journal
from fairlane.store.batch import Batch
from fairlane.store.layout import Layout

DEEP_CHECK_LIMIT_BYTES = 4_000_000_000
"""Stores up to this size are read whole when they are checked; beyond it only files that changed since."""


@dataclass
class Store:
    """What is in a store, kept up to date by `refresh`."""

    layout: Layout
    batches: dict[str, Batch] = field(default_factory=dict)
    damaged: list[Path] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    """Every finished run that was seen, in batches and journals."""
    memory: tuple[tuple[dict[str, Any], bytes], ...] = ()
    """Runs that are on no disk."""
    own_journals: set[str] = field(default_factory=set)
    """Journals that our own workers write: what is in them we hear from the workers."""
    _read: dict[str, int] = field(default_factory=dict)
    """How far each journal was read."""

    @classmethod
    def at(cls, root: Path) -> "Store":
        """Looks at a store without changing it."""
        store = cls(Layout(root))
        store.layout.check_format()
        store.refresh()
        return store

    def refresh(self) -> None:
        """Sees what other processes finished since."""
        if self.memory:
            return
        # Journals first: one that becomes a batch meanwhile is then seen twice, and never missed.
        for path in self.journals():
            if path.name in self.own_journals:
                continue
            start = self._read.get(path.name, 0)
            try:
                if path.stat().st_size <= start:
                    continue
            except FileNotFoundError:
                continue
            for record in journal.records(path, start):
                self.keys.add(record.meta["run"])
                self._read[path.name] = record.end
        for found in batch.read_all(self.layout, frozenset(self.batches)):
            if isinstance(found, Batch):
                self.batches[found.folder.name] = found
                self.keys.update(found.keys)
            elif found not in self.damaged:
                self.damaged.append(found)

    def journals(self) -> list[Path]:
        """The journals there are now."""
        return sorted(self.layout.journals.glob("*.journal"))

    def check(self, wanted: Iterable[str]) -> list[str]:
        """Sets damaged batches aside and forgets their runs; returns what was found, a line each.

        Only batches that contain one of these runs are checked.
        """
        wanted = set(wanted)
        complaints = []
        for folder in self.damaged:
            complaints.append(f"{folder} has a damaged manifest")
            batch.set_aside(self.layout, folder)
        self.damaged = []
        needed = [found for found in self.batches.values() if not wanted.isdisjoint(found.keys)]
        size = sum(file["bytes"] for found in needed for file in found.files.values())
        for found in needed:
            fault = found.fault(deep=size <= DEEP_CHECK_LIMIT_BYTES)
            if fault:
                complaints.append(fault)
                batch.set_aside(self.layout, found.folder)
                del self.batches[found.folder.name]
        if complaints:
            self.keys = set()
            self._read.clear()
            for found in self.batches.values():
                self.keys.update(found.keys)
            self.refresh()
        return complaints

    def recover(self) -> int:
        """Makes batches of the journals that killed processes left; returns how many runs that saved."""
        saved = 0
        for path in self.journals():
            with journal.taken_over(path) as ours:
                if ours:
                    runs = [(record.meta, record.body) for record in journal.records(path)]
                    batch.write(self.layout, runs)
                    path.unlink(missing_ok=True)
                    saved += len(runs)
        for path in self.layout.journals.glob(".*.new"):
            with journal.taken_over(path) as ours:
                if ours:
                    path.unlink(missing_ok=True)
        batch.remove_leftovers(self.layout)
        self.refresh()
        return saved

    def free_bytes(self) -> int:
        """How much the disk has left."""
        folder = self.layout.root
        while not folder.exists():
            folder = folder.parent
        return shutil.disk_usage(folder).free
