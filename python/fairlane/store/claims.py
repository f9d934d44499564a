"""Who computes a run right now: a lock on one byte of a file for each run.

The kernel drops the lock when the process ends, however it ends, so no claim is ever left behind. Where the
file system knows no locks everything may be claimed: two processes then compute the same run, to the same result.
"""

import contextlib
import errno
import fcntl
import os
from collections import deque

from fairlane.store.layout import Layout

_KEPT = 64
"""Claims are kept for a while after the run: whoever looked for its result just before is still kept off."""


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
    """The byte that stands for a run; that two runs share one would only make one wait."""
    return int(key[:15], 16)
