"""A comparison of two results as text: what changed, and a sentence that sums it up."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairlane.compare import Change, Comparison, Verdict
from fairlane.display.sweep_table import axis_heading, axis_label
from fairlane.display.table import LEFT, RIGHT, number, text_table

if TYPE_CHECKING:
    from fairlane.experiment.plan import Axis


def render(comparison: Comparison, axes: Sequence["Axis"], everything: bool) -> str:
    """A table with the worst first, and a summary; unchanged metrics are omitted unless `everything` is set."""
    order = list(Verdict)
    shown = [change for change in comparison.changes if everything or change.verdict is not Verdict.SAME]
    shown.sort(key=lambda change: order.index(change.verdict))
    parts = [_table(shown, comparison.changes, axes), ""] if shown else []
    return "\n".join([*parts, sentence(comparison)])


def sentence(comparison: Comparison) -> str:
    """How many differences there are of each kind."""
    total = len(comparison.changes)
    counts = ", ".join(f"{comparison.count(verdict)} {verdict}" for verdict in Verdict if comparison.count(verdict))
    text = f"{total} values compared: {counts}."
    for count, which in ((comparison.only_before, "first"), (comparison.only_after, "second")):
        if count:
            text += f" {count} point{'s are' if count > 1 else ' is'} only in the {which} results."
    return text


def _table(shown: Sequence[Change], every: Sequence[Change], axes: Sequence["Axis"]) -> str:
    columns = [name for name in every[0].place if len({change.place[name] for change in every}) > 1]
    headings = [(axis_heading(name, axes), LEFT) for name in columns]
    headings += [
        ("", LEFT),
        ("before", RIGHT),
        ("after", RIGHT),
        ("change", RIGHT),
        ("95 % interval", LEFT),
        ("", LEFT),
    ]
    return text_table(
        headings, [[*(axis_label(change.place[n], n, axes) for n in columns), *_cells(change)] for change in shown]
    )


def _cells(change: Change) -> list[str]:
    metric, digits = change.metric, change.metric.digits
    cells = [metric.axis_label, number(change.before, digits), number(change.after, digits)]
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
