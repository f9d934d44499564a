"""The claims of a paper with their verdicts, as text and as CSV."""

import csv
import textwrap
from collections.abc import Sequence
from pathlib import Path

from fairlane.claims import Ruling, Status

MOST_FIGURES = 240
"""Characters of our figures that the text shows; the CSV has all of them."""


def rulings_text(rulings: Sequence[Ruling], width: int) -> str:
    """All claims by their verdict, and a sentence that counts them."""
    order = list(Status)
    parts = [sentence(rulings)]
    for ruling in sorted(rulings, key=lambda one: order.index(one.status)):
        published = ruling.claim.published
        head = f"{ruling.status:<12}  {published.section}: {published.claim}"
        parts.append(textwrap.fill(head, width, subsequent_indent=" " * 14))
        parts += [
            textwrap.fill(line, width, initial_indent=" " * 14, subsequent_indent=" " * 16) for line in _more(ruling)
        ]
    return "\n".join(parts)


def sentence(rulings: Sequence[Ruling]) -> str:
    """How many claims hold, fail, ...

    >>> sentence([])
    'Claims: none'
    """
    counts = {status: sum(one.status is status for one in rulings) for status in Status}
    return f"Claims: {', '.join(f'{count} {status}' for status, count in counts.items() if count) or 'none'}"


def write_csv(path: Path, rulings: Sequence[Ruling]) -> None:
    """A row for each claim, in the order of the paper."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                *("id", "section", "claim", "verdict", "ours", "paper", "contradicted", "calibrated", "explanation"),
                *("remedy", "note"),
            ]
        )
        for ruling in rulings:
            claim, published = ruling.claim, ruling.claim.published
            ours = [published.id, published.section, published.claim, ruling.status, ruling.says]
            remarks = [published.threshold, claim.contradicted, claim.calibrated, claim.explanation]
            writer.writerow([*ours, *remarks, ruling.remedy, published.note])


def remarks(ruling: Ruling) -> list[tuple[str, str]]:
    """All that is to be said of a claim, each with a word for what it is; "" where none is needed."""
    published, claim = ruling.claim.published, ruling.claim
    tested = ruling.status in (Status.HOLDS, Status.FAILS, Status.UNDECIDED)
    pairs = [
        ("ours" if tested else "", ruling.says),
        ("paper", published.threshold if tested else ""),
        ("the paper contradicts itself", claim.contradicted),
        ("but", claim.calibrated if tested else ""),
        ("why", claim.explanation if ruling.status in (Status.FAILS, Status.UNDECIDED) and not ruling.leaning else ""),
        ("", ruling.remedy),
    ]
    return [(word, text) for word, text in pairs if text]


def _more(ruling: Ruling) -> list[str]:
    return [
        f"{f'{word}: ' if word else ''}{textwrap.shorten(text, MOST_FIGURES, placeholder=' ...') if not i else text}"
        for i, (word, text) in enumerate(remarks(ruling))
    ]
