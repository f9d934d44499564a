"""A batch: some finished runs as Parquet files in one folder, which appears whole and never changes."""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.store.layout import FORMAT, Layout, StoreError, cannot_write, sync_folder
from fairlane.store.tables import parquet, tables

if TYPE_CHECKING:
    import polars as pl

_MANIFEST = "manifest.json"
_LEFTOVER_AGE_S = 60.0
"""An unlocked temporary folder older than this was left by a process that died."""


@dataclass(frozen=True)
class Batch:
    """A batch on disk, as its manifest describes it."""

    folder: Path
    keys: tuple[str, ...]
    files: dict[str, dict[str, int]]
    """Bytes, checksum and time of change of each file."""

    def fault(self, *, deep: bool) -> str | None:
        """What is damaged, if anything. `deep` reads even files that look untouched."""
        for name, expected in self.files.items():
            path = self.folder / name
            try:
                found = path.stat()
                if found.st_size != expected["bytes"]:
                    return f"{path} has {found.st_size} bytes instead of {expected['bytes']}"
                if (deep or found.st_mtime_ns != expected["mtime_ns"]) and _crc(path) != expected["crc32"]:
                    return f"{path} does not match its checksum"
            except OSError as error:
                return f"{path} cannot be read ({error.strerror})"
        return None

    def read(self, table: str, columns: Sequence[str] | None = None) -> "pl.DataFrame | None":
        """A table of this batch, None if it has none of that name."""
        import polars as pl

        name = f"{table}.parquet"
        if name not in self.files:
            return None
        path = self.folder / name
        try:
            if columns is not None:
                present = pl.read_parquet_schema(path)
                columns = [column for column in columns if column in present]
            return pl.read_parquet(path, columns=columns)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise StoreError(f"'{path}' is damaged ({_first_line(error)}); run the experiment again") from None


def write(layout: Layout, runs: Sequence[tuple[dict[str, Any], bytes | memoryview]]) -> None:
    """Stores finished runs, given as description and result. When it returns they outlive a power cut."""
    unique = {meta["run"]: (meta, body) for meta, body in runs}
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
                path = temporary / f"{table}.parquet"
                files[path.name] = _written(path, parquet(frame))
            manifest = {"format": FORMAT, "keys": list(unique), "files": files}
            _written(temporary / _MANIFEST, json.dumps(manifest).encode())
            sync_folder(temporary)
            try:
                temporary.rename(target)
            except OSError:
                if not (target / _MANIFEST).exists():
                    raise
                shutil.rmtree(temporary)  # the same runs are there already
            sync_folder(layout.batches)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise cannot_write(layout.batches, error) from None


def read_all(layout: Layout, known: frozenset[str] = frozenset()) -> Iterator[Batch | Path]:
    """All batches whose name is not in `known`; a bare path represents a batch with a damaged manifest."""
    try:
        names = sorted(os.listdir(layout.batches))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot read '{layout.batches}' ({error.strerror}); change its permissions") from None
    for name in names:
        if name.startswith(".") or name in known:
            continue
        folder = layout.batches / name
        try:
            manifest = json.loads((folder / _MANIFEST).read_bytes())
            yield Batch(folder, tuple(manifest["keys"]), dict(manifest["files"]))
        except (OSError, ValueError, KeyError, TypeError):
            yield folder


def set_aside(layout: Layout, folder: Path) -> None:
    """Moves a damaged batch out of the way."""
    try:
        layout.corrupt.mkdir(exist_ok=True)
        folder.rename(layout.corrupt / f"{folder.name}-{os.urandom(3).hex()}")
    except FileNotFoundError:
        pass  # another process did it
    except OSError as error:
        raise cannot_write(layout.corrupt, error) from None


def remove_leftovers(layout: Layout) -> None:
    """Removes batches that a killed process left half made."""
    for folder in layout.batches.glob(".*"):
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


def _written(path: Path, content: bytes) -> dict[str, int]:
    """Writes a file, to the disk and not only to the system's memory; returns what the manifest says of it."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return {"bytes": len(content), "crc32": zlib.crc32(content), "mtime_ns": path.stat().st_mtime_ns}


def _crc(path: Path) -> int:
    crc = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            crc = zlib.crc32(block, crc)
    return crc


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
