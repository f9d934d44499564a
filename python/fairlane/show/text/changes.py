"""A comparison of two results as text: what changed, and a sentence that sums it up."""

import json
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from fairlane.results.compare import Change, Comparison, Verdict
from fairlane.scenario.plan import Axis
from fairlane.show.text.aligned import LEFT, RIGHT, text_table, visible
from fairlane.show.text.sweep_table import axis_heading, axis_label, markdown_table, varying

FORMATS = ("text", "json", "markdown", "junit")


def render(comparison: Comparison, axes: Sequence["Axis"], everything: bool, form: str = "text") -> str:
    """A comparison in one of `FORMATS`, the worst first.

    A table ends with a summary and omits unchanged metrics unless `everything` is set; JSON and JUnit have all.
    """
    order = list(Verdict)
    every = sorted(comparison.changes, key=lambda change: order.index(change.verdict))
    if form == "json":
        return _json(comparison, every, axes)
    if form == "junit":
        return _junit(comparison, every, axes)
    shown = [change for change in every if everything or change.verdict is not Verdict.SAME]
    headings, rows, labels = _table(shown, comparison.changes, axes) if shown else ([], [], 0)
    if form == "markdown":
        table = markdown_table(headings, rows, labels)
    else:
        # The interval, in the last column but one, is words for an aligned table.
        sides = [LEFT if place < labels or place >= len(headings) - 2 else RIGHT for place in range(len(headings))]
        table = text_table(list(zip(headings, sides, strict=True)), rows) if shown else ""
    return "\n".join([*([table, ""] if shown else []), sentence(comparison)])


def sentence(comparison: Comparison) -> str:
    """The number of differences of each kind."""
    total = len(comparison.changes)
    counts = ", ".join(f"{comparison.count(verdict)} {verdict}" for verdict in Verdict if comparison.count(verdict))
    text = f"{total} values compared: {counts}."
    for count, which in ((comparison.only_before, "first"), (comparison.only_after, "second")):
        if count:
            text += f" {count} point{'s are' if count > 1 else ' is'} only in the {which} results."
    return text


def _table(
    shown: Sequence[Change], every: Sequence[Change], axes: Sequence["Axis"]
) -> tuple[list[str], list[list[str]], int]:
    """Headings, rows, and how many columns at the left are words."""
    columns = varying({name: [change.place[name] for change in every] for name in every[0].place})
    headings = [*(axis_heading(name, axes) for name in columns), "metric"]
    rows = [[*(axis_label(change.place[n], n, axes) for n in columns), *_cells(change)] for change in shown]
    return [*headings, "before", "after", "change", "95 % interval", "verdict"], rows, len(headings)


def _named(change: Change, axes: Sequence["Axis"]) -> dict[str, str]:
    """The place of the change, in the words of the experiment file."""
    return {axis_heading(name, axes): axis_label(value, name, axes) for name, value in change.place.items()}


def _json(comparison: Comparison, every: Sequence[Change], axes: Sequence["Axis"]) -> str:
    changes = [
        {
            "place": _named(change, axes),
            "metric": change.metric.name,
            "unit": change.metric.unit,
            "before": change.before,
            "after": change.after,
            "difference": change.difference.estimate,
            "ci95": [change.difference.low, change.difference.high] if change.difference.is_known else None,
            "verdict": str(change.verdict),
            "repeats_needed": change.repeats,
        }
        for change in every
    ]
    summary = {
        "regressed": comparison.regressed,
        "counts": {str(verdict): comparison.count(verdict) for verdict in Verdict},
        "only_before": comparison.only_before,
        "only_after": comparison.only_after,
    }
    return json.dumps({**summary, "changes": changes}, indent=1)


def _junit(comparison: Comparison, every: Sequence[Change], axes: Sequence["Axis"]) -> str:
    """A test for each metric at each point: one that became worse failed, an undecided one was skipped."""
    counts = {"failures": Verdict.WORSE, "skipped": Verdict.UNDECIDED}
    suite = Element("testsuite", name="fairlane compare", tests=str(len(every)), errors="0")
    for name, verdict in counts.items():
        suite.set(name, str(comparison.count(verdict)))
    for change in every:
        place = " ".join(f"{name}={value}" for name, value in _named(change, axes).items())
        case = SubElement(suite, "testcase", classname=place, name=change.metric.name)
        metric, before, after, percent, interval, verdict_text = _cells(change)
        message = f"{metric}: {before} before, {after} after, {percent} (95 % interval {interval}), {verdict_text}"
        if change.verdict in counts.values():
            kind = "failure" if change.verdict is Verdict.WORSE else "skipped"
            SubElement(case, kind, message=message)
        else:
            SubElement(case, "system-out").text = message
    indent(suite)
    return tostring(suite, encoding="unicode", xml_declaration=True)


def _cells(change: Change) -> list[str]:
    metric, digits = change.metric, change.metric.digits
    cells = [metric.axis_label, visible(change.before, digits), visible(change.after, digits)]
    known = change.difference.is_known
    if change.percent is not None:
        middle, low, high = change.percent
        cells += [f"{middle:+.1f} %", f"{low:+.1f} to {high:+.1f}" if known else "-"]
    else:
        interval = change.difference
        cells += [f"{interval.estimate:+.{digits}f}", f"{interval.low:+.{digits}f} to {interval.high:+.{digits}f}"]
        cells[-1] = cells[-1] if known else "-"
    return [*cells, _verdict(change)]


def _verdict(change: Change) -> str:
    if change.verdict is not Verdict.UNDECIDED:
        return str(change.verdict)
    if change.repeats is None:
        return "undecided: at the border of the tolerance"
    return f"undecided: {change.repeats} repeats might tell"
