"""Python processes that Fairlane starts, which import nothing from the working folder.

`python -m` and `python -c` search the working folder for modules before all others, the standard library included. A
folder with files of others could hold a `json.py`, and every worker would run it.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

OPTIONS = ("-P",)
"""Options of the interpreter that keep the working folder out of `sys.path`."""
_VARIABLE = "PYTHONSAFEPATH"
"""The same for processes that a library starts."""


def module(name: str) -> list[str]:
    """The words that run a module in a process."""
    return [sys.executable, *OPTIONS, "-m", name]


@contextmanager
def safe_children() -> Iterator[None]:
    """Python processes that a library starts inside do not import from the working folder either."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before
