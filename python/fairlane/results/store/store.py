"""A store opened for work: which runs are there, recovery of what a killed process left, batches from journals."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from fairlane.engine.libraries import pl
from fairlane.results.store import batch, journal, ledger
from fairlane.results.store.batch import Batch
from fairlane.results.store.checksummed_json import Damage, DamagedError, damage_of
from fairlane.results.store.layout import Layout
from fairlane.results.store.memory import Budget

T = TypeVar("T")
DEEP_CHECK_LIMIT_BYTES = 4_000_000_000
"""Stores up to this size are read whole before a sweep; of larger ones only the sizes of files are checked then."""


@dataclass
class Store:
    """The content of a store, kept up to date by `refresh`."""

    layout: Layout
    batches: dict[str, Batch] = field(default_factory=dict)
    """Those that are not known to be damaged."""
    damage: dict[str, Damage] = field(default_factory=dict)
    """The damage found so far, by the path of the file."""
    on_damage: Callable[[Damage], None] = lambda damage: None
    """Is told of damage when it is found."""
    keys: set[str] = field(default_factory=set)
    """Every finished run that was seen, in batches and journals."""
    memory: tuple[tuple[Mapping[str, object], bytes], ...] = ()
    """Runs that are on no disk."""
    own_journals: set[str] = field(default_factory=set)
    """Journals that our own workers write: what is in them we hear from the workers."""
    _read: dict[str, int] = field(default_factory=dict)
    """The offset up to which each journal was read."""
    _damaged_batches: set[str] = field(default_factory=set)

    @classmethod
    def at(cls, root: Path) -> "Store":
        """Looks at a store without changing it."""
        store = cls(Layout(root))
        store.layout.check_format(store.note)
        expected = ledger.read(store.layout)
        store.refresh()
        store._compare(expected)
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
            for record in journal.records(path, start, self.note):
                self.keys.add(record.run)
                self._read[path.name] = record.end
        for found in batch.read_all(self.layout, frozenset(self.batches) | self._damaged_batches):
            if isinstance(found, Batch):
                self.batches[found.folder.name] = found
                self.keys.update(found.keys)
            else:
                self._damaged_batches.add(found.path.parent.name)
                self.note(found)

    def note(self, damage: Damage) -> None:
        """Remembers damage."""
        if str(damage.path) not in self.damage:
            self.damage[str(damage.path)] = damage
            self.on_damage(damage)

    def read(
        self,
        name: str,
        table: str,
        columns: Sequence[str] | None = None,
        without: Sequence[str] = (),
        budget: Budget | None = None,
    ) -> "pl.DataFrame | None":
        """A table of a batch; None if it has none of that name, or is damaged, which is noted. Raises StoreError."""
        return self._tried(name, table, lambda found: found.read(table, columns, without, budget))

    def names(self, name: str, table: str) -> list[str]:
        """The columns that a table of a batch has; none if it is damaged, which is noted."""
        return self._tried(name, table, lambda found: found.columns(table)) or []

    def _tried(self, name: str, table: str, read: Callable[[Batch], T]) -> T | None:
        found = self.batches[name]
        try:
            return read(found)
        except (DamagedError, OSError) as error:
            self._lose(found, damage_of(found.folder / f"{table}.parquet", error))
        return None

    def journals(self) -> list[Path]:
        """The journals there are now."""
        return sorted(self.layout.journals.glob("*.journal"))

    def verify(self) -> None:
        """Reads everything that batches and journals hold, and notes what is damaged."""
        for found in list(self.batches.values()):
            for damage in found.damage(deep=True, tables=True):
                self._lose(found, damage)

    def check(self, wanted: Iterable[str]) -> list[str]:
        """Sets damaged batches aside and forgets their runs; returns what was found, a line each.

        Only batches that contain one of these runs are read.
        """
        wanted = set(wanted)
        needed = [found for found in self.batches.values() if not wanted.isdisjoint(found.keys)]
        size = sum(file["bytes"] for found in needed for file in found.files.values())
        for found in needed:
            for damage in found.damage(deep=size <= DEEP_CHECK_LIMIT_BYTES):
                self._lose(found, damage)
        return self.set_damage_aside()

    def set_damage_aside(self) -> list[str]:
        """Moves damaged batches away, and forgets the missing ones; returns what was damaged, a line each."""
        if not self.damage:
            return []
        complaints = [str(damage) for damage in self.damage.values()]
        for name in self._damaged_batches:
            batch.set_aside(self.layout, self.layout.batches / name)
        self._damaged_batches.clear()
        self.damage.clear()
        self.batches.clear()
        self.keys.clear()
        self._read.clear()
        self.refresh()
        self.settle()
        return complaints

    def recover(self) -> int:
        """Makes batches of the journals that killed processes left; returns how many runs that saved."""
        saved = 0
        for path in self.journals():
            with journal.taken_over(path) as ours:
                if ours:
                    saved += batch.of_journal(self.layout, path, self.note)
        for path in self.layout.journals.glob(".*.new"):
            with journal.taken_over(path) as ours:
                if ours:
                    journal.discard(path)
        batch.remove_leftovers(self.layout)
        self.refresh()
        return saved

    def settle(self) -> None:
        """Makes the ledger say what is there: batches whose line is missing, lines whose batch is gone or replaced."""
        expected = ledger.read(self.layout)
        there = {name: found.manifest for name, found in self.batches.items()}
        if expected.damage:
            ledger.rewrite(self.layout, there)
            return
        gone = [(name, manifest) for name, manifest in expected.batches.items() if there.get(name) != manifest]
        come = [(name, manifest) for name, manifest in there.items() if expected.batches.get(name) != manifest]
        if gone:
            ledger.append(self.layout, "-", gone)
        if come:
            ledger.append(self.layout, "+", come)

    def _lose(self, found: Batch, damage: Damage) -> None:
        """Leaves a damaged batch out from here on."""
        self.note(damage)
        name = found.folder.name
        self._damaged_batches.add(name)
        if self.batches.pop(name, None):
            self.keys.difference_update(found.keys)
            for other in self.batches.values():
                self.keys.update(other.keys)

    def _compare(self, expected: ledger.Ledger) -> None:
        """Notes batches that the ledger has and the folder has not, or whose manifest is another one."""
        if expected.damage:
            self.note(expected.damage)
        doubtful = {
            name: manifest
            for name, manifest in expected.batches.items()
            if name not in self._damaged_batches
            and (name not in self.batches or self.batches[name].manifest != manifest)
        }
        if not doubtful:
            return
        now = ledger.read(self.layout).batches  # a batch may have been set aside since
        for name, manifest in doubtful.items():
            if now.get(name) == manifest:
                found = self.batches.get(name)
                damage = Damage(
                    self.layout.batches / name, "is another batch than the ledger says" if found else "is missing"
                )
                if found:
                    self._lose(found, damage)
                else:
                    self.note(damage)
