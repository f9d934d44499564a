"""A batch: some finished runs as Parquet files in one folder, which appears whole and never changes."""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlane.engine import checksum
from fairlane.engine.libraries import pl
from fairlane.files import sync_folder
from fairlane.results.store import journal, ledger, row_bounds, table_form
from fairlane.results.store.checksummed_json import (
    BROKEN,
    Damage,
    DamagedError,
    content_of,
    damage_of,
    digest,
    opened,
    seal,
    unseal,
)
from fairlane.results.store.layout import FORMAT, Layout, StoreError, cannot_write
from fairlane.results.store.memory import Budget
from fairlane.results.store.run_tables import parquet, tables
from fairlane.results.store.table_size import NO_PARQUET, TableSize, check_parquet

_MANIFEST = "manifest.json"
_LEFTOVER_AGE_S = 60.0
"""An unlocked temporary folder older than this was left by a process that died."""


@dataclass(frozen=True)
class Batch:
    """A batch on disk, as its manifest describes it."""

    folder: Path
    keys: tuple[str, ...]
    files: dict[str, dict[str, Any]]
    """`bytes` and `blake3` of each file."""
    manifest: str
    """The checksum of the manifest."""
    _verified: dict[str, tuple[int, int]] = field(default_factory=dict, compare=False)
    """Size and time of change of the files that matched their checksum."""
    _sizes: dict[str, TableSize] = field(default_factory=dict, compare=False)
    """Of their tables."""

    def damage(self, *, deep: bool, tables: bool = False) -> list[Damage]:
        """The damaged files. `deep` reads the files, `tables` their tables; otherwise only their sizes are checked."""
        found = []
        for name, expected in self.files.items():
            try:
                if tables and name.endswith(".parquet"):
                    self.read(name.removesuffix(".parquet"))
                elif deep:
                    self.content(name)
                else:
                    self._check_size(name, (self.folder / name).stat().st_size, expected["bytes"])
            except (DamagedError, OSError) as error:
                found.append(damage_of(self.folder / name, error))
        return found

    def content(self, name: str) -> bytes:
        """The content of a file, which is what was written. Raises DamagedError, or OSError."""
        expected = self.files[name]
        with opened(self.folder / name) as file:
            state = os.fstat(file.fileno())
            self._check_size(name, state.st_size, expected["bytes"])
            Budget().take(self.folder / name, state.st_size)
            found = file.read()
        self._check_size(name, len(found), expected["bytes"])
        seen = (state.st_size, state.st_mtime_ns)
        if self._verified.get(name) != seen:
            if checksum(found) != expected["blake3"]:
                raise DamagedError("does not match its checksum")
            if name.endswith(".parquet"):
                self._sizes[name] = check_parquet(found, len(self.keys) if name == "runs.parquet" else None)
                self._check_rows(name, len(found))
            self._verified[name] = seen
        return found

    def _check_rows(self, name: str, size_bytes: int) -> None:
        """Raises DamagedError if a table has more rows than the scenarios of its runs allow."""
        rows, table = self._sizes[name].rows, name.removesuffix(".parquet")
        if rows <= size_bytes or table == "runs":
            return
        runs = self.read("runs", ["scenario"])
        if runs is not None and "scenario" in runs.columns:
            row_bounds.check(table, rows, runs["scenario"])

    def read(
        self,
        table: str,
        columns: Sequence[str] | None = None,
        without: Sequence[str] = (),
        budget: Budget | None = None,
    ) -> "pl.DataFrame | None":
        """A table of this batch, None if it has none of that name. Raises DamagedError, StoreError, or OSError.

        All columns by default, or those of `columns` that it has; and none of `without`.
        """
        name = f"{table}.parquet"
        if name not in self.files:
            return None
        content = self.content(name)
        try:
            present = pl.read_parquet_schema(content)
            table_form.check_names(table, present)
            if columns is not None or without:
                columns = [column for column in columns or present if column in present and column not in without]
            (budget or Budget()).take(self.folder / name, self._sizes[name].in_memory(columns))
            found = pl.read_parquet(content, columns=columns)
        except pl.exceptions.PolarsError:
            raise DamagedError(NO_PARQUET) from None
        table_form.check(table, found)
        return found

    def columns(self, table: str) -> list[str]:
        """The columns of a table of this batch. Raises DamagedError, or OSError."""
        name = f"{table}.parquet"
        try:
            return list(pl.read_parquet_schema(self.content(name))) if name in self.files else []
        except pl.exceptions.PolarsError:
            raise DamagedError(NO_PARQUET) from None

    def _check_size(self, name: str, found: int, expected: int) -> None:
        if found != expected:
            raise DamagedError(f"has {found} bytes instead of {expected}")


def write(layout: Layout, runs: Sequence[tuple[Mapping[str, object], bytes | memoryview]]) -> None:
    """Stores finished runs, given as description and result. When it returns they outlive a power failure."""
    unique = {str(meta["run"]): (meta, body) for meta, body in runs}
    if not unique:
        return
    name = hashlib.blake2b("\n".join(sorted(unique)).encode(), digest_size=12).hexdigest()
    target = layout.batches / name
    temporary = layout.batches / f".{os.getpid()}-{os.urandom(6).hex()}"
    try:
        temporary.mkdir()
        with _held(temporary):
            files = {}
            for table, frame in tables(unique.values()).items():
                content = parquet(frame)
                _write(temporary / f"{table}.parquet", content)
                files[f"{table}.parquet"] = {"bytes": len(content), "blake3": checksum(content)}
            manifest = seal({"format": FORMAT, "keys": list(unique), "files": files})
            _write(temporary / _MANIFEST, manifest)
            sync_folder(temporary)
            try:
                temporary.rename(target)
            except OSError:
                there = _open(target)
                if not isinstance(there, Batch):
                    raise
                shutil.rmtree(temporary)  # the same runs are there already
                manifest = content_of(target / _MANIFEST)
            sync_folder(layout.batches)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, OSError):
            raise cannot_write(layout.batches, error) from None
        raise
    ledger.append(layout, "+", [(name, digest(manifest))])


def of_journal(layout: Layout, path: Path, note: Callable[[Damage], None]) -> int:
    """Stores the runs of a journal as a batch, and removes it; returns how many. A damaged journal is set aside."""
    damaged = False

    def on_damage(damage: Damage) -> None:
        nonlocal damaged
        damaged = True
        note(damage)

    runs = [(record.meta, record.body) for record in journal.records(path, note=on_damage)]
    write(layout, runs)
    if damaged:
        set_aside(layout, path)
    else:
        journal.discard(path)
    return len(runs)


def read_all(layout: Layout, known: frozenset[str] = frozenset()) -> Iterator[Batch | Damage]:
    """All batches whose name is not in `known`; for one whose manifest is damaged, the damage to its folder."""
    try:
        names = sorted(os.listdir(layout.batches))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot read '{layout.batches}' ({error.strerror}); change its permissions") from None
    for name in names:
        if not name.startswith(".") and name not in known:
            yield _open(layout.batches / name)


def _open(folder: Path) -> Batch | Damage:
    from fairlane.results.store.json_forms import MANIFEST

    try:
        content = content_of(folder / _MANIFEST)
        manifest = unseal(content)
        MANIFEST.validate_python(manifest, strict=True)
        if folder.is_symlink() or any("/" in file for file in manifest["files"]):
            return Damage(folder / _MANIFEST, "names files outside of the store")
        return Batch(folder, tuple(manifest["keys"]), manifest["files"], digest(content))
    except BROKEN as error:
        return damage_of(folder / _MANIFEST, error, "the form of a manifest")


def set_aside(layout: Layout, damaged: Path) -> None:
    """Moves a damaged batch or file out of the way."""
    try:
        layout.corrupt.mkdir(exist_ok=True)
        damaged.rename(layout.corrupt / f"{damaged.name}-{os.urandom(3).hex()}")
        sync_folder(damaged.parent)
    except FileNotFoundError:
        pass  # another process did it
    except OSError as error:
        raise cannot_write(layout.corrupt, error) from None


_UNFINISHED = re.compile(r"\.\d+-[0-9a-f]{12}")
"""The names of batches in the making (`write`)."""


def remove_leftovers(layout: Layout) -> None:
    """Removes batches that a killed process left half made."""
    for folder in layout.batches.glob(".*"):
        if not _UNFINISHED.fullmatch(folder.name):
            continue
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _LEFTOVER_AGE_S:
                with _held(folder):
                    shutil.rmtree(folder)


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Holds a lock on a folder in the making."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _write(path: Path, content: bytes) -> None:
    """Writes a file, to the disk and not only to the system's memory."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
