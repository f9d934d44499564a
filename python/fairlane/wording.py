"""Sentences that every error message needs."""

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at what was meant, or nothing when no known word is near.

    >>> nearest("cubicc", ["cubic", "reno"]), nearest("zzz", ["cubic", "reno"])
    ('; did you mean cubic?', '')
    """
    near = difflib.get_close_matches(word, list(known), n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """Says that `word` does not exist, and what does.

    >>> unknown("queue", "fifi", ["fifo"])
    "unknown queue 'fifi'; did you mean fifo? Known: fifo"
    """
    known = list(known)
    return f"unknown {what} '{word}'{nearest(word, known) or '.'} Known: {', '.join(known) or 'none'}"
