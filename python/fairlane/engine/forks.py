"""Refuses tables in a process that was forked while polars had threads: it would wait for them forever.

`multiprocessing` forks on Linux unless told otherwise (before Python 3.14). The threads of polars, which it starts with
the first table, are not in the new process.
"""

import os
import re
from pathlib import Path

_has_threads = False
"""In the parent, at the time of the fork."""
_lost_threads = False
"""In the child."""


def check_threads() -> None:
    """Raises RuntimeError where tables would never be finished."""
    if _lost_threads:
        raise RuntimeError(
            "this process was forked from one in which polars, which has Fairlane's tables, had threads; they are "
            "missing here, and it would wait for them forever: start processes with "
            'multiprocessing.get_context("spawn"), or fork before the first result'
        )


def _look() -> None:
    global _has_threads
    # Its pool: `polars-0`, ... Its import alone starts `polars-ooc-cleaner`, for which nothing waits.
    _has_threads = any(re.match(r"polars-\d", name) for name in _names_of_threads())


def _names_of_threads() -> list[str]:
    found = []
    for thread in Path("/proc/self/task").glob("*/comm"):
        try:
            found.append(thread.read_text(encoding="utf-8", errors="replace"))
        except OSError:
            continue  # it has ended
    return found


def _remember() -> None:
    global _lost_threads
    _lost_threads = _lost_threads or _has_threads


os.register_at_fork(before=_look, after_in_child=_remember)
