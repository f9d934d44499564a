"""The finding of an experiment: a few sentences with intervals.

Flows with an application come first, each with its own metric. Then comes how bulk flows of different kinds share a
link, and the axis of the sweep that changes a metric of the run most. Only differences are reported that random
variation does not explain (the 95 % confidence interval excludes 0) and that exceed `MATTERS`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlane.results import identical_algorithms
from fairlane.results.limits import limits_text
from fairlane.results.metrics.frame import table
from fairlane.results.statistics import LEAST
from fairlane.results.tables import ResultTables
from fairlane.show.report.effects import effects, mean_text, sentence_of, steady
from fairlane.show.report.experiments import repeat_counts
from fairlane.show.report.flow_roles import OF_APPLICATIONS
from fairlane.show.report.sharing import sharing

MOST_MORE = 2
"""Sentences after the first."""


@dataclass(frozen=True)
class Finding:
    """The finding of an experiment."""

    first: str
    more: Sequence[str]
    caveat: str
    """The reason why it is only a hint; empty if there are enough repeats."""
    checks: Sequence[str] = ()
    """Limits other than congestion control, algorithms that the experiment does not tell apart, and loss-based rivals
    without losses."""


def finding(results: ResultTables) -> Finding:
    """The finding, from the stored runs."""
    least = min(repeat_counts(results), default=0)
    caveat = "" if least >= LEAST else f"{'One repeat' if least == 1 else 'Two repeats'}: there is no interval, and "
    caveat += "the values may be random variation; run at least three repeats." if caveat else ""
    found = effects(results)
    of_runs = [one for one in found if not one.of]
    of_applications = [one for one in found if one.of]
    sentences = [sentence_of(one, explained=not place) for place, one in enumerate(of_applications)]
    sentences += steady(results, {one.of for one in of_applications}, explained=not sentences)
    sentences += sharing(results, explained=not sentences)
    sentences += [sentence_of(one, explained=not sentences and not place) for place, one in enumerate(of_runs)]
    if not sentences:
        sentences = [_nothing(results, known=not caveat)]
    checks = [text for text in (limits_text(results), *identical_algorithms.sentences(results)) if text]
    return Finding(sentences[0], sentences[1 : 1 + MOST_MORE], caveat, checks)


def _nothing(results: ResultTables, *, known: bool) -> str:
    """Of a single point its values; of a sweep, that nothing differs."""
    swept = [axis.name for axis in results.axes if len(axis.values) > 1]
    if swept:
        reason = "by more than 2 % and by more than random variation" if known else "enough to report"
        return f"Neither goodput nor delay differs {reason} along {' or '.join(swept)}."
    runs, groups = (
        (table(results, names, per), names)
        for names, per in ((["total_goodput_mbps", "p95_queue_delay_ms"], "run"), (list(OF_APPLICATIONS), "group"))
    )
    texts = [mean_text(frame, name) for frame, names in (runs, groups) for name in names]
    parts = [text for text in texts if text]
    return f"{'; '.join(parts)}." if parts else "Nothing was measured."
