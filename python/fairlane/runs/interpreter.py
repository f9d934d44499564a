"""Python processes that Fairlane starts, which import nothing from the working folder.

`python -m` and `python -c` search the working folder for modules before all others, the standard library included. A
folder with files of others could hold a `json.py`, and every worker would run it.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

OPTIONS = ("-P",)
"""Options of the interpreter that keep the working folder out of `sys.path`."""
_VARIABLE = "PYTHONSAFEPATH"
"""The same for processes that a library starts."""
_WARNINGS = "PYTHONWARNINGS"


def module(name: str) -> list[str]:
    """The words that run a module in a process."""
    return [sys.executable, *OPTIONS, "-m", name]


@contextmanager
def without_signals(*numbers: int) -> Iterator[set[int]]:
    """These signals are blocked in this thread, and in processes and threads that it starts; the mask before.

    Ctrl-C in a terminal reaches every process of the command, and Python would print a traceback while it starts.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def safe_children() -> Iterator[None]:
    """Python processes that a library starts inside do not import from the working folder either.

    Nor do they complain of semaphores that a command left when a signal ended it; they remove them.
    """
    before = {name: os.environ.get(name) for name in (_VARIABLE, _WARNINGS)}
    os.environ[_VARIABLE] = "1"
    os.environ[_WARNINGS] = ",".join(filter(None, (before[_WARNINGS], "ignore:resource_tracker")))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
