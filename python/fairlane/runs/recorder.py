"""Stores finished runs: each in a journal before it is reported, many together as a batch.

A worker that can reach the store has its own recorder, so that runs are stored in parallel; for other workers, the
process that controls them has one. What computed a run makes no difference here.
"""

import contextlib
import errno
import fcntl
import os
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from fairlane.results.store.journal import Journal
from fairlane.results.store.layout import Layout, StoreError
from fairlane.runs.backends import Outcome
from fairlane.runs.executors import Answer, RecorderError, Request

BATCH_BYTES = 16_000_000
"""A journal of this size becomes a batch: large enough that files stay few, small enough to fit any memory."""


def open_recorder(folder: str, common: Mapping[str, object]) -> "Recorder":
    """For a store; `common` goes into the description of every run."""
    return Recorder(Layout(Path(folder)), common)


class Recorder:
    """Keeps runs in a journal, and the journal as a batch."""

    def __init__(self, layout: Layout, common: Mapping[str, object]) -> None:
        self.layout, self.common = layout, common
        self.claims = Claims(layout)
        self.journal: Journal | None = None

    def claim(self, run: str) -> bool:
        """Says that the run is computed now; False if another process does it."""
        return self.claims.take(run)

    def record(self, request: Request, outcome: Outcome) -> Answer:
        """Keeps a run. Answers with the journal that it is in."""
        assert outcome.pieces is not None
        meta = {
            "run": request["run"],
            **self.common,
            **request["meta"],
            **outcome.usage,
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "scenario": request["scenario"],
        }
        try:
            self.journal = self.journal or Journal(self.layout.journals)
            self.journal.append(meta, *outcome.pieces)
            name = self.journal.path.name
            if self.journal.size > BATCH_BYTES:
                self._make_batch()
        except StoreError as error:
            raise RecorderError(str(error)) from None
        return {"journal": name}

    def close(self) -> None:
        """Makes a batch of what is in the journal."""
        try:
            self._make_batch()
        except StoreError as error:
            raise RecorderError(str(error)) from None

    def _make_batch(self) -> None:
        from fairlane.results.store import batch

        if self.journal:
            # From the disk, so that a large journal need not be in memory.
            batch.of_journal(self.layout, self.journal.path, lambda damage: None)
            self.journal.close()
            self.journal = None


_KEPT = 64
"""Claims are kept for a while after the run, for processes that checked the store just before it was stored."""


class Claims:
    """The claims of this process."""

    def __init__(self, layout: Layout) -> None:
        self._file: int | None = None
        self._kept: deque[str] = deque()
        with contextlib.suppress(OSError):
            self._file = os.open(layout.claims, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def take(self, key: str) -> bool:
        """Claims a run; False if another process has it."""
        if self._file is None:
            return True
        if len(self._kept) >= _KEPT:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _place(self._kept.popleft()))
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(key))
        except OSError as error:
            return error.errno not in (errno.EAGAIN, errno.EACCES)
        self._kept.append(key)
        return True


def _place(key: str) -> int:
    """The byte that represents a run; if two runs share one, one of them only waits."""
    return int(key[:15], 16)
