"""Phrases that many messages share."""

import difflib
from collections.abc import Iterable, Sequence


def nearest(word: str, known: Iterable[str]) -> str:
    """A suggestion for a mistyped word; empty if no known word is similar.

    >>> nearest("cubicc", ["cubic", "reno"]), nearest("zzz", ["cubic", "reno"])
    ('; did you mean cubic?', '')
    """
    similar = similar_to(word, known)
    return f"; did you mean {' or '.join(similar)}?" if similar else ""


def similar_to(word: str, known: Iterable[str]) -> list[str]:
    """The most similar known words, at most two; the case of letters does not count.

    >>> similar_to("rte", ["rate", "rtt", "queue"]), similar_to("QUIC", ["tcp", "quic"])
    (['rate', 'rtt'], ['quic'])
    """
    lower = {one.lower(): one for one in reversed(list(known))}
    return [lower[one] for one in difflib.get_close_matches(word.lower(), lower, n=2, cutoff=0.6)]


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """Says that `word` does not exist, and lists the known words.

    >>> unknown("queue", "fifi", ["fifo"])
    "unknown queue 'fifi'; did you mean fifo? Known: fifo"
    """
    known = list(known)
    hint = nearest(word, known)
    stop = "" if hint.endswith("?") else "."
    return f"unknown {what} '{word}'{hint}{stop} {listed_near(word, known)}"


def listed_near(word: str, known: Iterable[str]) -> str:
    """The known words; of many those that are most like `word`.

    >>> listed_near("fifi", ["fifo", "pie", "fifo"]), listed_near("a7", [f"a{number}" for number in range(100)])
    ('Known: fifo, pie', 'Nearest of 100: a7, a97, a87, a79, a78')
    """
    known = list(dict.fromkeys(known))
    if len(known) <= MANY:
        return f"Known: {', '.join(known) or 'none'}"
    most = difflib.get_close_matches(word, known, n=FEW, cutoff=0.0) if word else known[:FEW]
    return f"Nearest of {len(known)}: {', '.join(most)}"


MANY = 24
"""A list of more words is shortened to the nearest."""


def counted(number: int, noun: str) -> str:
    """A number with its noun, which is in the singular after 1 only.

    >>> counted(1, "run"), counted(0, "run"), counted(3000, "run")
    ('1 run', '0 runs', '3,000 runs')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def show_duration(seconds: float) -> str:
    """A duration in words.

    >>> show_duration(0.2), show_duration(75), show_duration(7300)
    ('1 s', '1 min 15 s', '2 h 1 min')
    """
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


FEW = 5
"""Lines of a list that may be long."""


def first_few(lines: Sequence[object]) -> list[str]:
    """The first lines of a list, and how many more there are."""
    more = [f"  and {len(lines) - FEW} more"] if len(lines) > FEW else []
    return [f"  {line}" for line in lines[:FEW]] + more
