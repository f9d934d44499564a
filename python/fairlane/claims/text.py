"""The claims of a paper with their verdicts, as text and as CSV."""

import csv
import textwrap
from collections.abc import Sequence
from pathlib import Path

from fairlane.claims import ClaimVerdict, Status

MOST_FIGURES = 240
"""Characters of our values that the text shows; the CSV has all of them."""


def verdicts_text(verdicts: Sequence[ClaimVerdict], width: int) -> str:
    """All claims by their verdict, and a sentence that counts them."""
    order = list(Status)
    parts = [sentence(verdicts)]
    for verdict in sorted(verdicts, key=lambda one: order.index(one.status)):
        published = verdict.claim.published
        head = f"{verdict.status:<12}  {published.section}: {published.claim}"
        parts.append(textwrap.fill(head, width, subsequent_indent=" " * 14))
        parts += [
            textwrap.fill(line, width, initial_indent=" " * 14, subsequent_indent=" " * 16) for line in _more(verdict)
        ]
    return "\n".join(parts)


def sentence(verdicts: Sequence[ClaimVerdict]) -> str:
    """How many claims hold, fail, ...

    >>> sentence([])
    'Claims: none'
    """
    counts = {status: sum(one.status is status for one in verdicts) for status in Status}
    return f"Claims: {', '.join(f'{count} {status}' for status, count in counts.items() if count) or 'none'}"


def write_csv(path: Path, verdicts: Sequence[ClaimVerdict]) -> None:
    """A row for each claim, in the order of the paper."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                *("id", "section", "claim", "verdict", "ours", "paper", "contradicted", "calibrated", "explanation"),
                *("remedy", "note"),
            ]
        )
        for verdict in verdicts:
            claim, published = verdict.claim, verdict.claim.published
            ours = [published.id, published.section, published.claim, verdict.status, verdict.summary]
            remarks = [published.threshold, claim.contradicted, claim.calibrated, claim.explanation]
            writer.writerow([*ours, *remarks, verdict.remedy, published.note])


def remarks(verdict: ClaimVerdict) -> list[tuple[str, str]]:
    """All that is to be said of a claim, each with a word for what it is; "" where none is needed."""
    published, claim = verdict.claim.published, verdict.claim
    tested = verdict.status in (Status.HOLDS, Status.FAILS, Status.UNDECIDED)
    is_open = verdict.status in (Status.FAILS, Status.UNDECIDED) and not verdict.by_estimate
    pairs = [
        ("ours" if tested else "", verdict.summary),
        ("paper", published.threshold if tested else ""),
        ("the paper contradicts itself", claim.contradicted),
        ("but", claim.calibrated if tested else ""),
        (
            "why",
            claim.explanation if is_open else "",
        ),
        ("", verdict.remedy),
    ]
    return [(word, text) for word, text in pairs if text]


def _more(verdict: ClaimVerdict) -> list[str]:
    return [
        f"{f'{word}: ' if word else ''}{textwrap.shorten(text, MOST_FIGURES, placeholder=' ...') if not i else text}"
        for i, (word, text) in enumerate(remarks(verdict))
    ]
