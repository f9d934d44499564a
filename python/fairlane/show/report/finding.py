"""What the results of an experiment say, in a few sentences with their intervals.

The first sentence is about how flows of different kinds share the link, if there are such flows; otherwise about the
axis of the sweep that changes a metric most. Only differences are reported that random variation does not explain
(the 95 % confidence interval excludes 0) and that exceed `MATTERS`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlane.results.metrics.frame import table
from fairlane.results.statistics import LEAST
from fairlane.show.report.effects import OF_GROUPS, effects, mean_text, sentence_of
from fairlane.show.report.sharing import sharing

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

MOST_MORE = 2
"""Sentences after the first."""


@dataclass(frozen=True)
class Finding:
    """The finding of an experiment."""

    first: str
    more: Sequence[str]
    caveat: str
    """Why it is no more than a hint; empty if there are enough repeats."""


def finding(results: "ResultTables") -> Finding:
    """The finding, from the stored runs."""
    least = _least_repeats(results)
    caveat = "" if least >= LEAST else f"{'One repeat' if least == 1 else 'Two repeats'}: there is no interval, and "
    caveat += "the values may be random variation; run at least three repeats." if caveat else ""
    found = effects(results)
    sentences = [one.sentence for one in [sharing(results)] if one is not None]
    sentences += [sentence_of(one, explained=not sentences and not place) for place, one in enumerate(found)]
    if not sentences:
        sentences = [_nothing(results, known=not caveat)]
    return Finding(sentences[0], sentences[1 : 1 + MOST_MORE], caveat)


def _least_repeats(results: "ResultTables") -> int:
    axes = [axis.column for axis in results.axes if axis.column in results.runs.columns]
    counts = results.runs.group_by(axes).len()["len"] if axes else results.runs.select(len=results.runs.height)["len"]
    return int(counts.min() or 0)  # type: ignore[arg-type]


def _nothing(results: "ResultTables", *, known: bool) -> str:
    """Of a single point its values; of a sweep, that nothing differs."""
    swept = [axis.name for axis in results.axes if len(axis.values) > 1]
    if swept:
        reason = "by more than 2 % and by more than random variation" if known else "enough to report"
        return f"Neither goodput nor delay differs {reason} along {' or '.join(swept)}."
    runs, groups = (
        (table(results, names, per), names)
        for names, per in ((["total_goodput_mbps", "p95_queue_delay_ms"], "run"), (list(OF_GROUPS), "group"))
    )
    texts = [mean_text(frame, name) for frame, names in (runs, groups) for name in names]
    parts = [text for text in texts if text]
    return f"{'; '.join(parts)}." if parts else "Nothing was measured."
