"""Evidence as a table for the terminal, as JSON, as one page, and as a table for LaTeX."""

import json
import math
from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any

from markupsafe import Markup

from fairlane.algorithm.name import Algorithm
from fairlane.results.statistics import Interval
from fairlane.search.evidence import KEYWORDS
from fairlane.search.evidence.confirm import RULE, Cell
from fairlane.search.evidence.evidence import Evidence
from fairlane.search.evidence.judge import Group, JudgedCriterion, JudgedTest, Outcome
from fairlane.show.report.experiments import toml_text
from fairlane.show.report.html import rendered, svg
from fairlane.show.text.aligned import LEFT, short, text_table
from fairlane.show.text.latex_table import latex_of_words
from fairlane.study.claims.history import changes
from fairlane.study.linux.similar_recordings import agreement_with_linux

STYLES = {
    Outcome.MEETS: "holds",
    Outcome.FAILS: "fails",
    Outcome.UNDECIDED: "undecided",
    Outcome.UNTESTED: "not-run",
    Outcome.STATED: "holds",
    Outcome.INAPPLICABLE: "not-run",
}
"""The class of a verdict in the page's style."""
COUNTED = {
    Outcome.FAILS: "not met",
    Outcome.UNDECIDED: "undecided",
    Outcome.UNTESTED: "not tested",
    Outcome.MEETS: "met",
    Outcome.STATED: "stated",
    Outcome.INAPPLICABLE: "not applicable",
}
WIDTH, ROW, MOST_HEIGHT, EDGE = 164, 5, 40, 4
MOST_LETTERS = 90
"""Of a statement in tables; the page has all of it below."""
CLIPPED = 1.0
"""Beyond the bound by its own size; more is drawn at the edge."""


def with_interval(found: Interval | None, unit: str = "") -> str:
    """A value with half of its interval, `17.40 ±0.50 %`; `-` if there is none.

    >>> with_interval(Interval(17.4, 16.9, 17.9, 3), "%"), with_interval(Interval(2.0, 2.0, 2.0, 3))
    ('17.40 ±0.50 %', '2')
    """
    if found is None or found.n == 0:
        return "-"
    unit = f" {unit}" if unit else ""
    if not found.is_known or found.half_width < abs(found.estimate) / 1000:
        return f"{short(found.estimate, 3)}{unit}"
    digits = found.few_digits
    return f"{found.estimate:,.{digits}f} ±{found.half_width:,.{digits}f}{unit}"


def deciding(one: JudgedCriterion) -> tuple[str, str, str]:
    """The quantity that decides, the algorithm's value, and the baseline's; empty if there is none."""
    test = one.deciding
    if test is None or test.worst is None:
        return shorten(one.statement, MOST_LETTERS, placeholder=" ...") or "".join(one.reasons[:1]), "", ""
    worst = test.worst
    several = f" ({test.counted(one.outcome)} of {len(test.groups)})" if len(test.groups) > 1 else ""
    where = f"; {worst.label}{several}" if len(test.groups) > 1 else ""
    baseline = with_interval(worst.baseline) if worst.baseline else f"limit {worst.bound:g}"
    return f"{test.test.title}{where}", with_interval(worst.value, test.test.unit), baseline


def headline(evidence: Evidence) -> list[str]:
    """For each keyword how many criteria are met, and which are not; never one grade for all."""
    found = []
    for keyword in KEYWORDS:
        those = [one for one in evidence.criteria if one.criterion.keyword == keyword]
        parts = []
        for outcome, word in COUNTED.items():
            named = [one.criterion.section for one in those if one.outcome is outcome]
            if named:
                parts.append(f"{len(named)} {word} ({', '.join(named)})")
        if parts:
            found.append(f"{'no keyword' if keyword == 'none' else keyword}: {'; '.join(parts)}")
    return found


def rows(evidence: Evidence) -> list[list[str]]:
    """A row for each criterion, for tables of text."""
    made = []
    for one in evidence.criteria:
        what, ours, theirs = deciding(one)
        needed = f" ({one.needed} repeats needed)" if one.needed else ""
        made.append([one.criterion.section, one.criterion.keyword, f"{one.outcome}{needed}", ours, theirs, what])
    return made


def headings(evidence: Evidence) -> list[str]:
    """Those of `rows`."""
    name, other = (Algorithm(word).name for word in (evidence.question.algorithm, evidence.question.against))
    return ["section", "keyword", "verdict", name, other if other != name else f"{other} (baseline)", "decided by"]


def as_text(evidence: Evidence, width: int) -> str:
    """The table, cut at that many columns, and the counts of verdicts by keyword."""
    every = rows(evidence)
    room = max(24, width - sum(2 + max(len(row[place]) for row in [headings(evidence), *every]) for place in range(5)))
    cut = [[*row[:5], row[5] if len(row[5]) <= room else f"{row[5][: room - 3]}..."] for row in every]
    table = text_table([(heading, LEFT) for heading in headings(evidence)], cut)
    return "\n".join([table, "", *headline(evidence)])


def as_json(evidence: Evidence, cells: Sequence[Cell] = ()) -> dict[str, Any]:
    """Everything, for programs; the same inputs give the same bytes."""
    question = evidence.question
    return {
        "document": question.criteria.title,
        "algorithm": question.algorithm,
        "against": question.against,
        "quick": question.quick,
        "versions": evidence.versions,
        "runs": evidence.runs,
        "criteria": [
            {
                "section": one.criterion.section,
                "title": one.criterion.title,
                "keyword": one.criterion.keyword,
                "verdict": str(one.outcome),
                "repeats_needed": one.needed,
                "statement": one.statement,
                "reasons": one.reasons,
                "tests": [_test(test) for test in one.tests],
            }
            for one in evidence.criteria
        ],
        "confirmed": [cell.as_json() for cell in cells],
    }


def _test(one: JudgedTest) -> dict[str, Any]:
    test = one.test
    return {
        "title": test.title,
        "value": test.value,
        "unit": test.unit,
        "rule": test.rule,
        "absolute": not test.relative,
        "reason": test.reason,
        "experiment": test.experiment,
        "verdict": str(one.outcome),
        "groups": [
            {
                "networks": group.label,
                "count": group.networks,
                "verdict": str(group.outcome),
                "repeats": group.repeats,
                "repeats_needed": group.needed,
                "value": _interval(group.value),
                "baseline": _interval(group.baseline),
                "bound": group.bound,
                "excess": _interval(group.excess),
                "reason": group.reason,
            }
            for group in one.groups
        ],
    }


def _interval(found: Interval | None) -> Mapping[str, Any] | None:
    if found is None or found.n == 0:
        return None
    ends = {"low": found.low, "high": found.high} if found.is_known else {}
    return {"estimate": found.estimate, **ends}


def latex(evidence: Evidence) -> str:
    """The table, for booktabs."""
    lines = latex_of_words(headings(evidence), rows(evidence), 6, may_break=True)
    about = [
        "% " + " ".join(evidence.question.criteria.title.split()),
        "% Packages: booktabs, longtable. With 95 % intervals.",
    ]
    return "\n".join([*about, *lines, ""])


def page(evidence: Evidence, command: str, cells: Sequence[Cell] = ()) -> str:
    """One HTML file; `command` makes it again."""
    question = evidence.question
    name = Algorithm(question.algorithm).name
    scenarios = [json.dumps(point.point.repeat(0)) for point in evidence.networks]
    agreement = agreement_with_linux(scenarios)
    return rendered(
        "evidence.html",
        ["evidence.css"],
        title=f"Evidence on {name}",
        name=name,
        baseline=Algorithm(question.against).name,
        other=headings(evidence)[4],
        document=question.criteria.title,
        source=question.criteria.source,
        quick=question.quick,
        counts=headline(evidence),
        criteria=[_view(one) for one in evidence.criteria],
        changes=changes(question.criteria.folder),
        study=question.criteria.folder.name,
        shown=[one for one in evidence.criteria if one.outcome in (Outcome.UNTESTED, Outcome.INAPPLICABLE)],
        limits=[one for one in evidence.criteria if one.criterion.untested],
        undecided=[one for one in evidence.criteria if one.outcome is Outcome.UNDECIDED],
        agreement=agreement.sentence if agreement else "",
        cells=cells,
        rule=RULE,
        files=[(file, toml_text(content)) for file, content in evidence.settings.items()],
        versions=evidence.versions,
        runs=evidence.runs,
        command=command,
    )


def _view(one: JudgedCriterion) -> dict[str, Any]:
    what, ours, theirs = deciding(one)
    return {
        "one": one,
        "criterion": one.criterion,
        "outcome": str(one.outcome),
        "style": STYLES[one.outcome],
        "what": what,
        "ours": ours,
        "theirs": theirs,
        "picture": picture([group for test in one.tests for group in test.groups]),
        "tests": [
            {
                "test": test.test,
                "outcome": str(test.outcome),
                "style": STYLES[test.outcome],
                "reason": test.reason,
                "groups": [_group(test, group) for group in test.groups],
            }
            for test in one.tests
        ],
    }


def _group(test: JudgedTest, group: Group) -> dict[str, Any]:
    return {
        "group": group,
        "style": STYLES[group.outcome],
        "ours": with_interval(group.value, test.test.unit),
        "theirs": with_interval(group.baseline) if group.baseline else "",
        "bound": short(group.bound, 3),
        "picture": picture([group]),
    }


def picture(groups: Sequence[Group]) -> Markup:
    """For each group of networks the distance from its bound with the interval: left of the line is the right side."""
    those = [one for one in groups if one.excess.n]
    if not those:
        return Markup("")
    row = min(ROW, MOST_HEIGHT / len(those)) if len(those) > 1 else 12
    height = max(12.0, row * len(those)) + 4
    middle = WIDTH / 2

    def x(share: float) -> float:
        if not math.isfinite(share):
            share = math.copysign(CLIPPED, share)
        return middle + max(-CLIPPED, min(CLIPPED, share)) * (middle - EDGE) / CLIPPED

    parts = [f'<path class="middle" d="M{middle} 0V{height:g}"/>']
    for number, one in enumerate(those):
        y = 2 + (number + 0.5) * (height - 4) / len(those)
        low, high = x(one.excess.low), x(one.excess.high)
        style = STYLES[one.outcome]
        parts.append(
            f'<g class="{style}"><path d="M{low:.1f} {y:.1f}H{high:.1f}"/>'
            f'<circle cx="{x(one.excess.estimate):.1f}" cy="{y:.1f}" r="{min(3.0, row / 2):.1f}"/></g>'
        )
    bad = sum(one.excess.estimate > 0 for one in those)
    label = f"{len(those) - bad} of {len(those)} on the right side of the bound by their estimates"
    return svg("bounds", WIDTH, height, label, parts)
