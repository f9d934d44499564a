"""Simulates power failures while a store is written: unsynced data may be lost, in part and in any order.

Every sync and every change of a folder is recorded. An image of the disk is made of what was synced by then; of the
rest, each folder and each file has what it had when it was last synced, or what it has now, or a part of that.

Usage: python -m tests.store.power [IMAGES]
"""

import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from fairlane.results import view
from fairlane.results.store import batch, plans
from fairlane.results.store.journal import Journal
from fairlane.results.store.layout import Layout
from fairlane.results.store.store import Store
from fairlane.results.tables import ResultTables

from .conftest import finished, key, plan

RUNS = 12


@dataclass
class Disk:
    """Content that is certainly on the disk, by inode."""

    root: Path
    generator: random.Random
    entries: dict[int, dict[str, int]] = field(default_factory=dict)
    """The names in each folder when it was last synced."""
    content: dict[int, bytes] = field(default_factory=dict)
    """Of each file, when it was last synced."""
    at_change: Callable[[], None] = lambda: None
    busy: bool = False
    """An image is being made."""

    def synced(self, inode: int, path: Path) -> None:
        if path.is_dir():
            self.entries[inode] = {name: (path / name).stat().st_ino for name in os.listdir(path)}
        else:
            self.content[inode] = path.read_bytes()

    def image(self, target: Path) -> None:
        """Writes a possible state of the disk if the power fails now."""
        now = {path.stat().st_ino: path for path in [self.root, *self.root.rglob("*")]}
        self._folder(self.root.stat().st_ino, target, now)

    def _folder(self, inode: int, target: Path, now: dict[int, Path]) -> None:
        target.mkdir()
        names = self.entries.get(inode, {})
        if inode in now and self.generator.random() < 0.5:
            names = {name: (now[inode] / name).stat().st_ino for name in os.listdir(now[inode])}
        for name, inner in names.items():
            current = now.get(inner)
            if inner in self.entries or (current is not None and current.is_dir()):
                self._folder(inner, target / name, now)
            else:
                (target / name).write_bytes(self._content(inner, current))

    def _content(self, inode: int, current: Path | None) -> bytes:
        old = self.content.get(inode, b"")
        new = current.read_bytes() if current is not None else old
        way = self.generator.randrange(4)
        if way == 0 or not new.startswith(old):
            return old if inode in self.content else b""
        end = self.generator.randrange(len(old), len(new) + 1)
        return [old, new, new[:end], new[:end] + bytes(len(new) - end)][way]


@contextmanager
def recorded(disk: Disk) -> Iterator[None]:
    """Records changes of the disk by this process. Files are never deleted, so that inodes stay the same."""
    moved = disk.root.parent / "deleted"
    moved.mkdir()

    def sync(real: Callable[[int], None]) -> Callable[[int], None]:
        def wrapped(descriptor: int) -> None:
            disk.at_change()
            real(descriptor)
            disk.synced(os.fstat(descriptor).st_ino, Path(os.readlink(f"/proc/self/fd/{descriptor}")))
            disk.at_change()

        return wrapped

    def change(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            disk.at_change()
            found = real(*arguments, **options)
            disk.at_change()
            return found

        return wrapped

    rename, replace = os.rename, os.replace

    def keep(path: Any) -> None:
        rename(path, moved / os.urandom(8).hex())

    def over(source: Any, target: Any) -> None:
        if os.path.exists(target):
            keep(target)
        replace(source, target)

    with ExitStack() as stack:
        for name, made in (
            ("fsync", sync(os.fsync)),
            ("fdatasync", sync(os.fdatasync)),
            ("rename", change(rename)),
            ("replace", change(over)),
            ("unlink", change(keep)),
            ("mkdir", change(os.mkdir)),
        ):
            stack.enter_context(patch.object(os, name, made))
        yield


def work(disk: Disk, promised: set[str]) -> None:
    """Runs end, some are synced, journals become batches, tables are written; notes which runs must outlive a cut."""
    layout = Layout(disk.root)
    layout.create()
    plans.save(plan(RUNS), layout)
    number = 0
    while number < RUNS:
        journal = Journal(layout.journals)
        ended = set()
        for _ in range(4):
            journal.append(*finished(number))
            ended.add(key(number))
            disk.at_change()
            if disk.generator.random() < 0.6:
                journal._sync()
                promised |= ended
            number += 1
        batch.of_journal(layout, journal.path, lambda damage: None)
        promised |= ended
        journal.close()
    view.save(Store.at(disk.root), [plan(RUNS)])


def check(image: Path, promised: set[str]) -> None:
    """No promised run is missing, no value is wrong, and the store can be worked with."""
    store = Store.at(image)
    assert promised <= store.keys, "a run that was on the disk is lost"
    if promised:
        flows = ResultTables(image).flows
        assert promised <= set(flows["run"])
        expected = {key(number): {float(number), float(number + 1)} for number in range(RUNS)}
        for run, goodput_mbps in flows.select("run", "goodput_mbps").iter_rows():
            assert goodput_mbps in expected[run]
    store.layout.create()
    store.recover()
    store.set_damage_aside()
    store.settle()
    again = Store.at(image)
    assert promised <= again.keys, "a run was lost by the recovery"
    assert not again.damage


def cut(folder: Path, images: int, seed: int = 1) -> int:
    """Cuts the power so many times; returns how many images were made."""
    generator, made = random.Random(seed), 0
    while made < images:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            root = Path(place) / "results"
            root.mkdir()
            disk, promised = Disk(root, random.Random(generator.random())), set[str]()
            taken: list[tuple[Path, set[str]]] = []

            def at_change(
                disk: Disk = disk, promised: set[str] = promised, taken: list[Any] = taken, place: str = place
            ) -> None:
                if generator.random() < 0.1 and not disk.busy:
                    taken.append((Path(place) / f"image{len(taken)}", set(promised)))
                    disk.busy = True
                    disk.image(taken[-1][0])
                    disk.busy = False

            disk.synced(root.stat().st_ino, root)
            with recorded(disk):
                disk.at_change = at_change
                work(disk, promised)
                disk.at_change = lambda: None
            for image, safe in taken:
                check(image, safe)
            made += len(taken)
    return made


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(f"{cut(Path(folder), int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)} images, no run lost")
