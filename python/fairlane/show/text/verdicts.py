"""The claims of a paper with their verdicts, as text and as CSV."""

import csv
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.files import replacing
from fairlane.show.text.aligned import LEFT, RIGHT, text_table
from fairlane.study.claims import ClaimVerdict, Status, Verdict
from fairlane.study.claims.claim import Cause
from fairlane.study.claims.family import Family
from fairlane.study.claims.verdict import OPEN, TESTED, Tally

if TYPE_CHECKING:
    from fairlane.study.paper.definition import Variant

MOST_VALUES = 240
"""Characters of a list of values that the text shows; the CSV has all of them."""
_NO_LISTS = (
    "predicate changed",
    "paper",
    "why",
    "reason",
    "cause",
    "no evidence",
    "the paper contradicts itself",
    "the paper elsewhere",
    "",
)


Variants = Mapping[str, "Variant"]
"""The variants of a study by name."""


def verdicts_text(verdicts: Sequence[ClaimVerdict], width: int, variants: Variants = {}) -> str:  # noqa: B006
    """All claims by their verdict, and a sentence that counts them."""
    order = list(Status)
    parts = [sentence(verdicts)]
    for verdict in sorted(verdicts, key=lambda one: order.index(one.status)):
        published = verdict.claim.published
        head = f"{verdict.status:<12}  {published.section}: {published.claim}"
        parts.append(textwrap.fill(head, width, subsequent_indent=" " * 14))
        parts += [
            textwrap.fill(line, width, initial_indent=" " * 14, subsequent_indent=" " * 16)
            for line in _more(verdict, variants)
        ]
    return "\n".join(parts)


def sentence(verdicts: Sequence[ClaimVerdict]) -> str:
    """The numbers of claims that hold, fail, ...

    >>> sentence([])
    'Claims: none'
    """
    counts = {status: sum(one.status is status for one in verdicts) for status in Status}
    counted = f"Claims: {', '.join(f'{count} {status}' for status, count in counts.items() if count) or 'none'}"
    failing = [one for one in verdicts if one.status is Status.FAILS and one.supported is Verdict.FAILS]
    return f"{counted}; {len(failing)} of those that fail also fail on the paper's own numbers" if failing else counted


def write_csv(path: Path, verdicts: Sequence[ClaimVerdict]) -> None:
    """A row for each claim, in the order of the paper."""
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                *("id", "section", "claim", "verdict", "cause", "on_own_numbers", "ours", "paper", "own_numbers"),
                *("contradicted", "calibrated", "explanation", "variant", "varied", "remedy", "note"),
            ]
        )
        for verdict in verdicts:
            claim, published, own, varied = (
                verdict.claim,
                verdict.claim.published,
                verdict.on_own_numbers,
                verdict.varied,
            )
            ours = (verdict.status, verdict.cause or "", verdict.supported or "", verdict.summary, published.threshold)
            why = ("" if own is None else own.summary, claim.contradicted, verdict.calibrated, verdict.explanation)
            change = (claim.variant, "" if varied is None else varied.verdict)
            head = (published.id, published.section, published.claim)
            writer.writerow([*head, *ours, *why, *change, verdict.remedy, published.note])


def remarks(verdict: ClaimVerdict, variants: Variants) -> list[tuple[str, str]]:
    """All remarks on a claim, each with its label; "" where none is needed."""
    published, claim = verdict.claim.published, verdict.claim
    tested = verdict.status in TESTED
    own = ""
    if verdict.on_own_numbers is not None and verdict.supported is Verdict.FAILS:
        own = f"fail this claim too: {verdict.on_own_numbers.summary}"
    is_open = verdict.status in OPEN and not verdict.by_estimate
    pairs = [
        ("ours" if tested else "", verdict.summary),
        ("paper", published.threshold if tested else ""),
        ("the paper's own numbers", own if tested else ""),
        ("the paper contradicts itself", _elsewhere(verdict)),
        ("the paper elsewhere", claim.contradicted),
        ("no evidence", f"calibrated: {verdict.calibrated}" if tested and verdict.calibrated else ""),
        ("cause", _cause(verdict) if tested and not verdict.by_estimate else ""),
        ("why", verdict.explanation if is_open else ""),
        ("read in another way", _otherwise(verdict) if verdict.cause else ""),
        *(_variant(verdict, variants) if verdict.cause and claim.variant else []),
        *(("predicate changed", one.summary) for one in claim.changes if tested),
        *([] if verdict.family is None else [tuple(line.split(": ", 1)) for line in family_lines(verdict.family)]),
        ("", verdict.remedy),
    ]
    return [(word, text) for word, text in pairs if text]


def _cause(verdict: ClaimVerdict) -> str:
    return str(verdict.cause or "none was looked for") if verdict.status in OPEN else ""


def _elsewhere(verdict: ClaimVerdict) -> str:
    """The place of the paper on which the claim fails."""
    contradiction = verdict.claim.contradiction
    if contradiction is None or verdict.elsewhere is None or verdict.elsewhere.verdict is not Verdict.FAILS:
        return ""
    return f"{inspect.getdoc(contradiction)} {verdict.elsewhere.summary}"


def _otherwise(verdict: ClaimVerdict) -> str:
    reading = verdict.claim.other_reading
    if reading is None or verdict.otherwise is None:
        return ""
    return f"{verdict.otherwise.verdict}: {inspect.getdoc(reading)} {verdict.otherwise.summary}"


def _variant(verdict: ClaimVerdict, variants: Variants) -> list[tuple[str, str]]:
    """The change of the claim's variant, and the verdict of its runs."""
    variant = variants.get(verdict.claim.variant)
    if variant is None:
        return []
    if verdict.varied is None:
        study, _, id = verdict.claim.published.id.partition("-")
        found = f"not run; fairlane explain {study} {id} runs it"
    else:
        found = f"{verdict.varied.verdict}: {verdict.varied.summary}"
    return [("with " + variant.title, found), ("reason", variant.reason)]


MOST_REACHES = 4
"""The most ranges that a text shows; those without the paper's value come first."""


def family_lines(family: Family) -> list[str]:
    """The settings that were run, those at which the claim holds, and the range of the paper's values."""
    spans = "; ".join(f"{name} {', '.join(map(str, values))}" for name, values in family.ranges.items())
    counts = [(word, sum(one.judgement.verdict is word for one in family.settings)) for word in Verdict]
    counted = ", ".join(f"{verdict} at {count}" for verdict, count in counts if count)
    lines = [f"unknown: {'; '.join(family.titles)} ({spans})", f"over {len(family.settings)} settings: {counted}"]
    if family.holding:
        first = family.holding[0]
        values = ", ".join(f"{name} {value}" for name, value in first.values.items())
        return [*lines, f"holds with: {values}; {first.judgement.summary}"]
    shown = sorted(family.reaches, key=lambda one: not one.is_outside)[:MOST_REACHES]
    lines += [
        f"range: {one.title} {one.low:.4g} to {one.high:.4g} {one.unit}".rstrip()
        + f", the paper {one.paper:.4g}{' (outside)' if one.is_outside else ''}"
        for one in shown
    ]
    left = len(family.reaches) - len(shown)
    return [*lines, f"range: {left} more values"] if left else lines


def _more(verdict: ClaimVerdict, variants: Variants) -> list[str]:
    lines = []
    for word, text in remarks(verdict, variants):
        shown = textwrap.shorten(text, MOST_VALUES, placeholder=" ...") if word not in _NO_LISTS else text
        lines.append(f"{word}: {shown}" if word else shown)
    return lines


def as_json(verdicts: Sequence[ClaimVerdict]) -> list[dict[str, Any]]:
    """A dictionary for each claim, in the order of the paper."""
    return [
        {
            "id": verdict.claim.published.id,
            "section": verdict.claim.published.section,
            "claim": verdict.claim.published.claim,
            "verdict": str(verdict.status),
            "cause": str(verdict.cause) if verdict.cause else None,
            "on_own_numbers": str(verdict.supported) if verdict.supported else None,
            "calibrated": bool(verdict.calibrated),
            "ours": verdict.summary,
            "own_numbers": None if verdict.on_own_numbers is None else verdict.on_own_numbers.summary,
            "paper": verdict.claim.published.threshold,
            "explanation": verdict.explanation,
            "variant": verdict.claim.variant or None,
            "with_variant": None if verdict.varied is None else str(verdict.varied.verdict),
            "read_in_another_way": None if verdict.otherwise is None else str(verdict.otherwise.verdict),
            "over_unknowns": None if verdict.family is None else _over_unknowns(verdict.family),
            "predicate_changes": [one.model_dump(mode="json") for one in verdict.claim.changes],
            "ours_with_variant": None if verdict.varied is None else verdict.varied.summary,
        }
        for verdict in verdicts
    ]


def _over_unknowns(family: Family) -> dict[str, Any]:
    return {
        "values": {name: list(values) for name, values in family.ranges.items()},
        "settings": [{"values": one.values, "verdict": str(one.judgement.verdict)} for one in family.settings],
        "ranges": [
            {"value": one.title, "unit": one.unit, "low": one.low, "high": one.high, "paper": one.paper}
            for one in family.reaches
        ],
    }


def overview(verdicts: Sequence[ClaimVerdict], width: int) -> str:
    """A line for each claim: verdict, verdict on the paper's own numbers, cause, identifier, start of the claim.

    A line for each predicate that fails follows, with its error and place.
    """
    head = ("verdict", "own numbers", "cause", "id", "claim")
    rows = [
        [str(one.status), str(one.supported or ""), str(one.cause or ""), one.claim.published.id] for one in verdicts
    ]
    used = sum(max(map(len, column)) + 2 for column in zip(head[:-1], *rows, strict=True))
    for row, one in zip(rows, verdicts, strict=True):
        row.append(textwrap.shorten(one.claim.published.claim, max(20, width - used), placeholder=" ..."))
    failures = [f"{one.claim.published.id}: {one.summary}\n" for one in verdicts if one.status is Status.NOT_JUDGED]
    return (
        text_table([(heading, LEFT) for heading in head], rows) + "\n\n" * bool(failures) + "".join(failures).rstrip()
    )


def tally_text(tallies: Mapping[str, Tally]) -> str:
    """A row for each study, by its title, and their sum."""
    head = [
        ("study", LEFT),
        ("not\ncontradicted", RIGHT),
        ("of these\nhold", RIGHT),
        ("all\nhold", RIGHT),
        ("of these\ncalibrated", RIGHT),
        ("fail", RIGHT),
        ("un-\ndecided", RIGHT),
        *((str(cause), RIGHT) for cause in Cause),
    ]
    rows = [_row(title, one) for title, one in tallies.items()]
    together = Tally([verdict for one in tallies.values() for verdict in one.verdicts])
    if len(rows) > 1:
        rows.append(_row("together", together))
    unexplained, no_testbed = (
        sum(together.count(status, cause) for status in OPEN) for cause in (Cause.UNEXPLAINED, Cause.NO_TESTBED)
    )
    return (
        f"{text_table(head, rows)}\n\n"
        '"Not contradicted": tested claims that the paper\'s own numbers do not contradict.\n'
        "Under each cause: claims that fail + claims that are undecided.\n"
        f'"{Cause.NO_TESTBED}": they fail at every value that the study gives to the unknowns of their testbeds.\n'
        f"Claims without an explanation: {unexplained}; with those of no testbed: {unexplained + no_testbed}."
    )


def _row(title: str, one: Tally) -> list[str]:
    counts = (one.uncontradicted, one.holds_uncontradicted, one.count(Status.HOLDS), one.calibrated)
    causes = ["+".join(str(one.count(status, cause)) for status in OPEN) for cause in Cause]
    return [title, *map(str, counts), *(str(one.count(status)) for status in OPEN), *causes]
