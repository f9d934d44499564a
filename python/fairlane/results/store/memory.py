"""The memory that files and tables of a store may take: a part of what the system has left."""

import re
import resource
from pathlib import Path

from fairlane.results.store.layout import StoreError

_SHARE = 3
"""Tables take a third of the memory: joins and new columns copy them."""
_ALWAYS_BYTES = 100_000_000
"""May be read in any case; with less memory than that, no command works."""


def available_bytes() -> int | None:
    """The memory that this process can still get, by the machine, its control group and its limit; None if unknown."""
    found = [
        _number("/proc/meminfo", r"MemAvailable: *(\d+)", 1024),
        _left(_number("/sys/fs/cgroup/memory.max", r"(\d+)"), _number("/sys/fs/cgroup/memory.current", r"(\d+)")),
    ]
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY:
        found.append(_left(limit, _number("/proc/self/status", r"VmSize:\s*(\d+)", 1024)))
    return min((one for one in found if one is not None), default=None)


class Budget:
    """Memory for files or tables that are read together."""

    def __init__(self) -> None:
        """A part of the memory that is available now."""
        available = available_bytes()
        self._most = None if available is None else max(available // _SHARE, _ALWAYS_BYTES)
        self._taken = 0

    def take(self, path: Path, size_bytes: int) -> None:
        """Raises StoreError if a file, or the table in it, does not fit beside what was taken before."""
        self._taken += size_bytes
        if self._most is not None and self._taken > self._most:
            raise StoreError(
                f"reading '{path}' takes {self._taken / 1e9:.1f} GB, and {self._most / 1e9:.1f} GB of memory are free "
                f"for it; name fewer experiments or columns, or use a machine with more memory"
            )


def _left(limit: int | None, used: int | None) -> int | None:
    return None if limit is None or used is None else max(0, limit - used)


def _number(path: str, pattern: str, unit: int = 1) -> int | None:
    """A number of a file of the system; None without it."""
    try:
        found = re.search(pattern, Path(path).read_text())
    except OSError:
        return None
    return int(found[1]) * unit if found else None
