"""The end of a rerun study's output: verdicts, the most telling differences, and the next commands."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from fairlane.show.comparison.comparison_table import heading, one_line, word
from fairlane.show.text.aligned import number
from fairlane.show.text.tally import sentence
from fairlane.study.claims import ClaimVerdict, Status
from fairlane.study.paper.comparison import Comparison, deviations

MOST_VALUES = 120
"""Characters of our values; claims.csv has all of them."""
TELLING = 2
"""Differences that are shown."""
Place = tuple[int, int, int]
"""Table, value and row."""


def summary(
    verdicts: Sequence[ClaimVerdict] | None,
    comparisons: Sequence[Comparison],
    folder: Path,
    again: str | None,
    width: int,
) -> str:
    """The end of the output. `verdicts`: None if the study has no claims; `again`: the command of the whole study."""
    lines: list[str] = []
    if verdicts is not None:
        lines += [sentence(verdicts), *_examples(verdicts, width)]
    differences = _differences(comparisons)
    if differences:
        lines += ["The largest differences from the paper:", *(_item(text, width) for text in differences)]
    lines += [f"Tables and pictures are in {folder}/. Next:"]
    lines.append(f"  fairlane report {folder}    writes all of it on one page, {folder / 'report.html'}")
    if again:
        lines.append(f"  {again}    runs the rest of the study")
    return "\n".join(lines)


def _examples(verdicts: Sequence[ClaimVerdict], width: int) -> list[str]:
    """A claim that holds, and one that does not, with the reason if one is known."""
    holds = [one for one in verdicts if one.status is Status.HOLDS]
    fails = sorted((one for one in verdicts if one.status is Status.FAILS), key=lambda one: not one.explanation)
    lines = []
    if holds:
        published = holds[0].claim.published
        lines.append(_item(f"holds, {published.section}: {published.claim} (ours: {_short(holds[0].summary)})", width))
    if fails:
        one = fails[0]
        published, cause = one.claim.published, f" Why: {one.explanation}" if one.explanation else ""
        cause = cause or (f" Cause: {one.cause}." if one.cause else "")
        lines.append(
            _item(f"fails, {published.section}: {published.claim} (ours: {_short(one.summary)}).{cause}", width)
        )
    return lines


def _differences(comparisons: Sequence[Comparison]) -> list[str]:
    """The largest differences: of several tables if there are several, else of several values and rows.

    Those that random variation explains are left out.
    """
    found = [one for place, comparison in enumerate(comparisons) for one in _of_one(place, comparison)]
    found.sort(key=lambda one: -one[0])
    chosen = found[:1]
    while found and len(chosen) < TELLING:
        unlike = [one for one in found if one not in chosen]
        if not unlike:
            break
        chosen.append(max(unlike, key=lambda one: min(_unlikeness(one[1], other[1]) for other in chosen)))
    return [text for _, _, text in sorted(chosen, key=lambda one: -one[0])]


def _unlikeness(one: Place, other: Place) -> int:
    """Another table tells most, then another value of another row."""
    return 2 if one[0] != other[0] else int(one[1] != other[1] and one[2] != other[2])


def _of_one(place: int, comparison: Comparison) -> Iterator[tuple[float, Place, str]]:
    """Each difference of a table: how large, where, and in words."""
    names = comparison.headings
    for line, (row, distances) in enumerate(zip(comparison.rows, deviations(comparison), strict=True)):
        for index, (cell, value) in enumerate(zip(row.cells, comparison.item.values, strict=True)):
            distance = distances[index]
            if not distance or not math.isfinite(distance):
                continue
            if cell.interval and cell.paper is not None and cell.interval.low <= cell.paper <= cell.interval.high:
                continue
            where = ", ".join(
                f"{heading(name, names)} {word(key)}" for name, key in zip(comparison.item.by, row.place, strict=True)
            )
            ours, paper = number(cell.ours, value.digits), number(cell.paper, value.digits)
            text = f"{comparison.item.source}, {where}: {value.heading} {ours}, the paper's {paper}"
            yield abs(distance), (place, index, line), " ".join(one_line(text).split())


def _short(text: str) -> str:
    return textwrap.shorten(text, MOST_VALUES, placeholder=" ...")


def _item(text: str, width: int) -> str:
    return textwrap.fill(text, width, initial_indent="  ", subsequent_indent="    ")
