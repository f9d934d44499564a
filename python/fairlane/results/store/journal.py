"""A journal: one append per finished run, so that a run is safe the moment it ends.

A record is a header (mark, lengths, checksum), a description of the run as JSON, and the engine's result as it
came. The writer of a journal holds a lock on it; a journal without a lock has lost its writer, and any process
may turn it into a batch. A record that a kill cut short is recognised by its length, a damaged one by its checksum.
"""

import contextlib
import fcntl
import json
import os
import struct
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fairlane.files import FORGED, sync_folder
from fairlane.results.store.checksummed_json import Damage, DamagedError, damage_of, opened
from fairlane.results.store.layout import cannot_write

_HEADER = struct.Struct("<4sIII")
_MARK = b"FLR1"
_SYNC_AFTER_S = 4.0
"""A record is on the disk at most this much later, and the time that the disk takes: a kill loses nothing, a power
failure the last 5 s."""


@dataclass(frozen=True)
class Record:
    """A finished run."""

    meta: Mapping[str, object]
    """Its description: key, scenario, provenance, usage."""
    body: memoryview
    """The result, packed."""
    end: int
    """The start of the next record."""

    @property
    def run(self) -> str:
        """The key of the run."""
        return str(self.meta["run"])


class Journal:
    """A journal that this process writes."""

    def __init__(self, folder: Path) -> None:
        name = f"{os.getpid()}-{os.urandom(6).hex()}"
        # Locked before it is renamed to its final name, so that it is never visible without a lock.
        new, self.path = folder / f".{name}.new", folder / f"{name}.journal"
        try:
            self._file = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o644)
            fcntl.flock(self._file, fcntl.LOCK_EX)
            new.rename(self.path)
            sync_folder(folder)
        except OSError as error:
            raise cannot_write(folder, error) from None
        self.size, self.count = 0, 0
        self._sync_due: threading.Timer | None = None
        self._sync_error: OSError | None = None
        self._syncing = threading.Lock()

    def append(self, meta: Mapping[str, object], *body: bytes) -> None:
        """Adds a finished run. If it does not fit on the disk, the journal stays as it was.

        Large results come in pieces, so that they need not be in memory a second time.
        """
        head = json.dumps(meta).encode()
        crc = zlib.crc32(head)
        for piece in body:
            crc = zlib.crc32(piece, crc)
        header = _HEADER.pack(_MARK, len(head), sum(map(len, body)), crc)
        first, *others = body
        try:
            if self._sync_error:
                raise self._sync_error
            for data in (header + head + first, *others):
                self._write(data)
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self.size)
            if isinstance(error, OSError):
                raise cannot_write(self.path, error) from None
            raise
        self.size += len(header) + len(head) + sum(map(len, body))
        self.count += 1
        with self._syncing:
            if self._sync_due is None:  # no later record waits for this one's timer longer than its own
                self._sync_due = threading.Timer(_SYNC_AFTER_S, self._sync)
                self._sync_due.daemon = True
                self._sync_due.start()

    def _sync(self) -> None:
        """Brings the records to the disk, whether or not another run ends."""
        with self._syncing:
            if self._sync_due is None:
                return  # closed
            self._sync_due = None  # a record that is appended from here on gets a timer of its own
            try:
                os.fdatasync(self._file)
            except OSError as error:
                self._sync_error = error

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def remove(self) -> None:
        """Takes the journal away once its runs are in a batch."""
        discard(self.path)
        self.close()

    def close(self) -> None:
        """Gives up the lock; the records stay."""
        with self._syncing:
            if self._sync_due is not None:
                self._sync_due.cancel()
                self._sync_due = None
            os.close(self._file)


def records(path: Path, start: int = 0, note: Callable[[Damage], None] = lambda damage: None) -> Iterator[Record]:
    """The intact records of a journal, from byte `start` on; `note` is told of damaged ones.

    A record at the end that a kill cut short was no finished run, and is not damage.
    """
    try:
        with opened(path) as file:
            file.seek(start)
            data = file.read()
    except FileNotFoundError:
        return  # it became a batch
    except (DamagedError, OSError) as error:
        note(damage_of(path, error))
        return
    at = 0
    while at + _HEADER.size <= len(data):
        mark, head_length, body_length, crc = _HEADER.unpack_from(data, at)
        begin = at + _HEADER.size
        middle, end = begin + head_length, begin + head_length + body_length
        if mark == _MARK and end <= len(data):
            head, body = data[begin:middle], memoryview(data)[middle:end]
            if zlib.crc32(body, zlib.crc32(head)) == crc:
                try:
                    yield Record(_checked(head, body), body, start + end)
                except (DamagedError, *FORGED):
                    note(Damage(path, f"has a record of another form at byte {start + at}"))
                at = end
                continue
        following = data.find(_MARK, at + 1)
        if mark != _MARK or end <= len(data) or following >= 0:
            note(Damage(path, f"has a damaged record at byte {start + at}"))
        if following < 0:
            return
        at = following


@contextlib.contextmanager
def taken_over(path: Path) -> Iterator[bool]:
    """Whether `path` is a journal whose writer is gone; if so, it is ours for the time of the block."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ours = os.fstat(file).st_nlink > 0  # another process may have taken it over and removed it
        except OSError:
            ours = False
        yield ours
    finally:
        os.close(file)


def discard(path: Path) -> None:
    """Removes a journal whose runs are in a batch. Raises StoreError; it may stay, since batches come first."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from None


def _checked(head: bytes, body: memoryview) -> dict[str, object]:
    """The description of a run whose result can be made tables of. Raises DamagedError, or one of FORGED."""
    from fairlane.results.store.run_tables import check  # which writers do without

    meta: dict[str, object] = json.loads(head)
    if not isinstance(meta["run"], str):
        raise DamagedError("does not name its run")
    check(body, meta.get("scenario"))
    return meta
