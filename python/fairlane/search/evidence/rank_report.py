"""The ranking as tables for the terminal and for Markdown, and as one page."""

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from markupsafe import Markup

from fairlane.files import json_value
from fairlane.search.evidence.ranking import Form, Ranked, UseCase, front, name_of
from fairlane.search.evidence.report import with_interval
from fairlane.show.report.html import rendered, svg
from fairlane.show.text.aligned import LEFT, RIGHT, text_table

SIDE, MARGIN = 380, 34
LETTER, LINE = 6.4, 11.0
"""Width and height of text in the picture."""


def ordered(every: Sequence[Ranked], use: UseCase) -> list[Ranked]:
    """By score, the best first; those without a score last."""
    scores = {one.algorithm: one.score(use) for one in every}
    return sorted(every, key=lambda one: -(scores[one.algorithm] or _NOTHING).estimate)


class _Nothing:
    estimate = -math.inf


_NOTHING = _Nothing()


def table(form: Form, every: Sequence[Ranked], criteria: Path | None = None) -> tuple[list[str], list[list[str]]]:
    """Headings and rows: an algorithm's score in each use case, `*` on the Pareto front of goodput and delay."""
    fronts = {use.name: front(every, use.name) for use in form.uses}
    met = {one.algorithm: criteria_met(criteria, one.algorithm) for one in every}
    headings = ["algorithm", *(use.name for use in form.uses)]
    headings += ["worst cases"] if any(one.worst_cases for one in every) else []
    headings += ["MUSTs not met"] if any(met.values()) else []
    rows = []
    for one in sorted(every, key=lambda ranked: -_overall(form, ranked)):
        row = [name_of(one.algorithm)]
        for use in form.uses:
            star = "*" if one.algorithm in fronts[use.name] else ""
            row.append(f"{_score(one, use)}{star}")
        if "worst cases" in headings:
            row.append("-" if one.worst_cases is None else f"{one.worst_cases[0]} of {one.worst_cases[1]}")
        if "MUSTs not met" in headings:
            row.append(met[one.algorithm] or "-")
        rows.append(row)
    return headings, rows


def _score(one: Ranked, use: UseCase) -> str:
    found = one.score(use)
    return "-" if found is None else with_interval(found)


def _overall(form: Form, one: Ranked) -> float:
    """For the order of rows only: the mean of the logarithms of the scores. No overall score is shown."""
    found = [math.log(score.estimate) for use in form.uses if (score := one.score(use))]
    return sum(found) / len(found) if found else -math.inf


def criteria_met(folder: Path | None, word: str) -> str:
    """The MUSTs of RFC 9743 that experiments show not to be met, from a published file; empty if there is none.

    A file of the user's has none, whatever its name.
    """
    path = folder / f"{word}.json" if folder else None
    if path is None or not path.is_file():
        return ""
    found = json_value(path, "make it with `fairlane evidence`")["criteria"]
    those = [one for one in found if one["keyword"] == "MUST" and one["tests"]]
    failing = [one["section"] for one in those if one["verdict"] == "does not meet"]
    named = f" ({', '.join(failing)})" if failing else ""
    return f"{len(failing)} of {len(those)}{named}"


NOTE = "1 is CUBIC in the same networks; above 1 is better. * is on the Pareto front of goodput against delay."


def as_text(form: Form, every: Sequence[Ranked], criteria: Path | None = None) -> str:
    """For the terminal."""
    headings, rows = table(form, every, criteria)
    sides = [LEFT, *[RIGHT] * (len(headings) - 1)]
    return "\n".join([text_table(list(zip(headings, sides, strict=True)), rows), "", NOTE])


def as_markdown(form: Form, every: Sequence[Ranked], criteria: Path | None = None) -> str:
    """For the documentation: the best of each use case, and the table."""
    lines = ["| use case | best | then | goodput | p95 RTT |", "|---|---|---|--:|--:|"]
    for use in form.uses:
        best, *rest = ordered(every, use)
        then = ", ".join(f"{name_of(one.algorithm)} {_score(one, use)}" for one in rest[:2])
        goodput, delay = (with_interval(best.ratio(use.name, value)) for value in ("goodput", "delay"))
        lines.append(
            f"| {use.title} | **{name_of(best.algorithm)}** {_score(best, use)} | {then} | {goodput} | {delay} |"
        )
    headings, rows = table(form, every, criteria)
    lines += ["", f"| {' | '.join(headings)} |", f"|---|{'--:|' * (len(headings) - 1)}"]
    short = [[cell.partition(" (")[0] for cell in row] for row in rows]  # the sections of criteria make rows tall
    lines += [f"| {' | '.join(row).replace('*', chr(92) + '*')} |" for row in short]
    return "\n".join(lines)


def as_json(form: Form, every: Sequence[Ranked]) -> dict[str, Any]:
    """For programs."""
    return {
        "baseline": form.baseline,
        "uses": {
            use.name: [
                {
                    "algorithm": one.algorithm,
                    "score": score.estimate,
                    "low": score.low if score.is_known else None,
                    "high": score.high if score.is_known else None,
                    "on_front": one.algorithm in front(every, use.name),
                    "values": {
                        name: ratio.estimate for name in use.weights if (ratio := one.ratio(use.name, name)) is not None
                    },
                    "networks_without_a_value": one.failures.get(use.name, 0),
                }
                for one in ordered(every, use)
                if (score := one.score(use)) is not None
            ]
            for use in form.uses
        },
    }


def page(form: Form, every: Sequence[Ranked], command: str, note: str, criteria: Path | None = None) -> str:
    """One HTML file; `command` makes it again, `note` says where its values are from."""
    headings, rows = table(form, every, criteria)
    return rendered(
        "ranking.html",
        ["evidence.css"],
        title=form.title,
        form=form,
        headings=headings,
        rows=rows,
        uses=[
            {
                "use": use,
                "columns": [form.values[name].title for name in use.weights],
                "weights": ", ".join(f"{form.values[name].title} {weight:g}" for name, weight in use.weights.items()),
                "rows": [
                    (
                        name_of(one.algorithm),
                        _score(one, use),
                        one.algorithm in front(every, use.name),
                        [with_interval(one.ratio(use.name, name)) for name in use.weights],
                        one.failures.get(use.name, 0),
                    )
                    for one in ordered(every, use)
                ],
                "picture": picture(every, use),
            }
            for use in form.uses
        ],
        note=note,
        explained=NOTE,
        command=command,
    )


Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


def _free(left: float, top: float, width: float, taken: Sequence[Box]) -> Box | None:
    """A place for the name of a dot that hides nothing: beside it, above or below; None if there is none."""
    places = [(left + 6, top - LINE / 2), (left - 6 - width, top - LINE / 2)]
    places += [(left - width / 2, top - 6 - LINE), (left - width / 2, top + 6)]
    for x, y in places:
        box = (x, y, x + width, y + LINE)
        inside = x > 0 and x + width < SIDE and MARGIN < y < SIDE - MARGIN
        if inside and not any(x < b[2] and b[0] < box[2] and y < b[3] and b[1] < box[3] for b in taken):
            return box
    return None


def picture(every: Sequence[Ranked], use: UseCase) -> Markup:
    """Goodput against delay, both relative to the baseline's and logarithmic; better is up and to the right."""
    points: list[tuple[str, float, float]] = [
        (one.algorithm, math.log10(delay.estimate), math.log10(goodput.estimate))
        for one in every
        if (goodput := one.ratio(use.name, "goodput")) and (delay := one.ratio(use.name, "delay"))
    ]
    if not points:
        return Markup("")
    on_front = front(every, use.name)
    delays, goodputs = [0.0, *(one[1] for one in points)], [0.0, *(one[2] for one in points)]
    left_end, right_end = min(delays) - 0.05, max(delays) + 0.05
    low_end, high_end = min(goodputs) - 0.05, max(goodputs) + 0.05

    def at(x: float, y: float) -> tuple[float, float]:
        size = SIDE - 2 * MARGIN
        across, up = (x - left_end) / (right_end - left_end), (y - low_end) / (high_end - low_end)
        return MARGIN + across * size, SIDE - MARGIN - up * size

    zero = at(0, 0)
    parts = [
        f'<path class="middle" d="M{zero[0]:.1f} {MARGIN}V{SIDE - MARGIN}M{MARGIN} {zero[1]:.1f}H{SIDE - MARGIN}"/>'
    ]
    dots = [at(log_delay, log_goodput) for _, log_delay, log_goodput in points]
    taken = [(left - 4, top - 4, left + 4, top + 4) for left, top in dots]
    for word, log_delay, log_goodput in sorted(points, key=lambda point: (point[0] not in on_front, point[0])):
        left, top = at(log_delay, log_goodput)
        style = "holds" if word in on_front else ""
        parts.append(f'<g class="{style}"><circle cx="{left:.1f}" cy="{top:.1f}" r="3.5"/>')
        name = name_of(word)
        if (box := _free(left, top, LETTER * len(name), taken)) is not None:
            taken.append(box)
            parts.append(f'<text x="{box[0]:.1f}" y="{box[3] - 2:.1f}">{escape(name)}</text>')
        parts.append("</g>")
    captions: Sequence[tuple[str, float, float, str]] = (
        (f"p95 RTT over CUBIC’s: {10**-left_end:.2g} to {10**-right_end:.2g}", SIDE / 2, SIDE - 8, "middle"),
        (f"goodput over CUBIC’s: {10**low_end:.2g} to {10**high_end:.2g}", MARGIN, MARGIN - 12, "start"),
    )
    for text, x, y, anchor in captions:
        parts.append(f'<text class="axis" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>')
    return svg("front", SIDE, SIDE, f"goodput against delay: {use.title}", parts)
