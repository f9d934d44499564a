"""Texts that a page shows where the pointer rests on a drawn value. A file for print has none.

A drawing names the artists that may have a text. The code that puts the drawing into a page collects the texts and
finds the elements of the SVG by their names.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

NAME = "tip-"
"""What the names of such elements begin with; the number of the texts follows."""
_COLLECTED: ContextVar[list[Sequence[str]] | None] = ContextVar("tips", default=None)


@contextmanager
def collected() -> Iterator[list[Sequence[str]]]:
    """The texts of everything that is drawn inside."""
    tips: list[Sequence[str]] = []
    token = _COLLECTED.set(tips)
    try:
        yield tips
    finally:
        _COLLECTED.reset(token)


def tell(artist: Any, texts: Sequence[str]) -> None:
    """Gives each marker of a line its text, in their order, or a single shape its only one."""
    tips = _COLLECTED.get()
    if tips is not None:
        artist.set_gid(f"{NAME}{len(tips)}")
        tips.append(texts)
