"""Texts that a page shows where the pointer rests on a drawn value. A file for print has none.

A drawing names the artists that may have a text. The code that puts the drawing into a page collects the texts and
finds the elements of the SVG by their names.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

NAME = "tip-"
"""Prefix of the ids of such elements; the number of the texts follows."""
_COLLECTED: ContextVar[list[Sequence[str]] | None] = ContextVar("tooltips", default=None)


@contextmanager
def collected() -> Iterator[list[Sequence[str]]]:
    """The texts of everything that is drawn inside."""
    texts_of: list[Sequence[str]] = []
    token = _COLLECTED.set(texts_of)
    try:
        yield texts_of
    finally:
        _COLLECTED.reset(token)


def tell(artist: Any, texts: Sequence[str]) -> None:
    """Gives each marker of a line its text, in their order, or a single shape its only one."""
    collecting = _COLLECTED.get()
    if collecting is not None:
        artist.set_gid(f"{NAME}{len(collecting)}")
        collecting.append(texts)
