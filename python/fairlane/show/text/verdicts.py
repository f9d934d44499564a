"""The claims of a paper with their verdicts, as text and as CSV."""

import inspect
import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlane.engine.messages import counted
from fairlane.files import write_text
from fairlane.show.text.aligned import LEFT, text_table
from fairlane.show.text.spreadsheet import csv_text
from fairlane.show.text.tally import sentence
from fairlane.study.claims import ClaimVerdict, Status, Verdict
from fairlane.study.claims.claim import Cause
from fairlane.study.claims.over_settings import Effect, OverSettings, Reach
from fairlane.study.claims.verdict import OPEN, TESTED
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


def write_csv(path: Path, verdicts: Sequence[ClaimVerdict]) -> None:
    """A row for each claim, in the order of the paper."""
    rows: list[Sequence[Any]] = [
        (
            *("id", "section", "claim", "verdict", "cause", "on_own_numbers", "ours", "paper", "own_numbers"),
            *("contradicted", "calibrated", "explanation", "variant", "varied", "remedy", "note"),
        )
    ]
    for verdict in verdicts:
        claim, published, own, varied = verdict.claim, verdict.claim.published, verdict.on_own_numbers, verdict.varied
        ours = (verdict.status, verdict.cause or "", verdict.supported or "", verdict.summary, published.threshold)
        why = ("" if own is None else own.summary, claim.contradicted, verdict.calibrated, verdict.explanation)
        change = (claim.variant, "" if varied is None else varied.verdict)
        head = (published.id, published.section, published.claim)
        rows.append([*head, *ours, *why, *change, verdict.remedy, published.note])
    write_text(path, csv_text(rows))


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
        ("no evidence", _calibrated(verdict) if tested and verdict.calibrated else ""),
        ("cause", _cause(verdict) if tested and not verdict.by_estimate else ""),
        ("why", verdict.explanation if is_open else ""),
        ("read in another way", _otherwise(verdict) if verdict.cause else ""),
        *(_variant(verdict, variants) if verdict.cause and claim.variant else []),
        *(("predicate changed", one.summary) for one in claim.changes if tested),
        *(tuple(line.split(": ", 1)) for line in _over_lines(verdict)),
        ("", verdict.remedy),
    ]
    return [(word, text) for word, text in pairs if text]


def _calibrated(verdict: ClaimVerdict) -> str:
    everywhere = "; but it holds at every setting of the unknowns" if verdict.holds_everywhere else ""
    return f"calibrated: {verdict.calibrated}{everywhere}"


def _cause(verdict: ClaimVerdict) -> str:
    if verdict.status not in OPEN:
        return ""
    remark = f" ({verdict.cause_remark})" if verdict.cause_remark else ""
    return f"{verdict.cause or 'none was looked for'}{remark}"


def _over_lines(verdict: ClaimVerdict) -> list[str]:
    """The settings, where no other cause is shown."""
    telling = verdict.cause in (Cause.UNEXPLAINED, Cause.NO_TESTBED, Cause.TESTBED)
    return over_lines(verdict.over) if telling and verdict.over is not None else []


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
    known = None if verdict.over is None else verdict.over.under(verdict.claim.variant)
    if verdict.varied is not None:
        found = f"{verdict.varied.verdict}: {verdict.varied.summary}"
    elif known is not None:
        found = f"{known[1]}: {known[2]}"
    else:
        study, _, id = verdict.claim.published.id.partition("-")
        found = f"not run; fairlane explain {study} {id} runs it"
    effect = [] if known is None else [("this change", effect_text(known[0]))]
    return [("with " + variant.title, found), *effect, ("reason", variant.reason)]


def over_lines(over: OverSettings) -> list[str]:
    """The verdicts at the settings of the unknowns, the cheapest setting that turns the claim, and the range."""
    settings = over.at_settings
    if not settings:
        return []
    counts = [(word, sum(verdict is word for _, verdict, _ in settings)) for word in Verdict]
    found = ", ".join(f"{verdict} at {count}" for verdict, count in counts if count)
    testbeds = ", ".join(dict.fromkeys(effect.of for effect, _, _ in settings))
    lines = [f"over {len(settings)} settings of {testbeds}: {found}"]
    if over.turning is not None:
        effect, values = over.turning
        lines.append(f"holds with: {effect.title}, which {effect_text(effect)}; {values}")
    elif over.reach is not None:
        lines.append(f"range: {reach_text(over.reach)}")
    return lines


def effect_text(effect: Effect) -> str:
    """The effect of a setting on the claims of the study.

    >>> effect_text(Effect("a", "variant", "a", "", ("x", "y"), ("z",)))
    'turns 2 claims of the study and costs 1; +0 numbers within 25 %'
    """
    claims = f"turns {counted(len(effect.gained), 'claim')} of the study and costs {len(effect.lost)}"
    return f"{claims}; {effect.numbers:+d} numbers within 25 %"


def reach_text(reach: Reach) -> str:
    """The range of the value that the settings move most."""
    text = f"{reach.title} {reach.low:.4g} to {reach.high:.4g} {reach.unit}".rstrip()
    if not reach.is_sensitive:
        text += ", which is less than its confidence interval"
    if math.isfinite(reach.paper):
        text += f"; the paper {reach.paper:.4g}{' (outside)' if reach.is_outside else ''}"
    return text


def _more(verdict: ClaimVerdict, variants: Variants) -> list[str]:
    lines = []
    for word, text in remarks(verdict, variants):
        shown = textwrap.shorten(text, MOST_VALUES, placeholder=" ...") if word not in _NO_LISTS else text
        lines.append(f"{word}: {shown}" if word else shown)
    return lines


def as_json(verdicts: Sequence[ClaimVerdict]) -> list[dict[str, object]]:
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
            "over_settings": None if verdict.over is None else _over(verdict.over),
            "cause_remark": verdict.cause_remark,
            "predicate_changes": [one.model_dump(mode="json") for one in verdict.claim.changes],
            "ours_with_variant": None if verdict.varied is None else verdict.varied.summary,
        }
        for verdict in verdicts
    ]


def _over(over: OverSettings) -> dict[str, object]:
    return {
        "settings": [
            {
                "kind": effect.kind,
                "of": effect.of,
                "values": effect.values,
                "verdict": str(verdict),
                "ours": ours,
                "gained": list(effect.gained),
                "lost": list(effect.lost),
            }
            for effect, verdict, ours in over.verdicts
        ],
        "range": None if over.reach is None else _reach(over.reach),
    }


def _reach(reach: Reach) -> dict[str, object]:
    paper = reach.paper if math.isfinite(reach.paper) else None
    return {"value": reach.title, "unit": reach.unit, "low": reach.low, "high": reach.high, "paper": paper}


def _without_study(ids: Sequence[str]) -> list[str]:
    """Without the name of the study that all begin with: the words of claims need the room.

    >>> _without_study(["a2019-s1", "a2019-s2-b"]), _without_study(["a-1", "b-1"])
    (['s1', 's2-b'], ['a-1', 'b-1'])
    """
    first = {name.partition("-")[0] for name in ids}
    return [name.partition("-")[2] or name for name in ids] if len(first) == 1 else list(ids)


def overview(verdicts: Sequence[ClaimVerdict], width: int) -> str:
    """A line for each claim: verdict, verdict on the paper's own numbers, cause, identifier, start of the claim.

    A line for each predicate that fails follows, with its error and place.
    """
    head = ("verdict", "own numbers", "cause", "id", "claim")
    names = _without_study([one.claim.published.id for one in verdicts])
    rows = [
        [str(one.status), str(one.supported or ""), str(one.cause or ""), name]
        for one, name in zip(verdicts, names, strict=True)
    ]
    used = sum(max(map(len, column)) + 2 for column in zip(head[:-1], *rows, strict=True))
    for row, one in zip(rows, verdicts, strict=True):
        row.append(textwrap.shorten(one.claim.published.claim, max(20, width - used), placeholder=" ..."))
    failures = [f"{one.claim.published.id}: {one.summary}\n" for one in verdicts if one.status is Status.NOT_JUDGED]
    return (
        text_table([(heading, LEFT) for heading in head], rows) + "\n\n" * bool(failures) + "".join(failures).rstrip()
    )
