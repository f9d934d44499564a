"""The outcome of an experiment that belongs to no study: the finding, the trade-off, and the tables of metrics.

The finding is a few sentences with intervals. Flows with an application come first, each with its own metric. Then
comes how bulk flows of different kinds share a link, and the axis of the sweep that changes a metric of the run most.
Only differences are reported that random variation does not explain (the 95 % confidence interval excludes 0) and that
exceed `MATTERS`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlane.results import identical_algorithms
from fairlane.results.limits import limits_text
from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import notes
from fairlane.results.metrics.catalogue import OWN
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.summary import summarise
from fairlane.results.pairs import is_matrix
from fairlane.results.statistics import FEW, LEAST
from fairlane.results.tables import ResultTables
from fairlane.scenario.pairs import NAMES
from fairlane.show.report.effects import effects, mean_text, sentence_of, steady
from fairlane.show.report.experiments import repeat_counts
from fairlane.show.report.flow_roles import OF_APPLICATIONS, all_compete
from fairlane.show.report.matrices import ColouredMatrix, coloured_matrices, harm_of_pairs
from fairlane.show.report.sharing import sharing
from fairlane.show.report.tradeoff import Tradeoff, tradeoff
from fairlane.show.text.sweep_table import laid_out

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
    found = [one for one in effects(results) if not (is_matrix(results) and one.axis.name in NAMES)]
    of_runs = [one for one in found if not one.of]
    of_applications = [one for one in found if one.of]
    sentences = [sentence_of(one, explained=not place) for place, one in enumerate(of_applications)]
    sentences += steady(results, {one.of for one in of_applications}, explained=not sentences)
    sentences += harm_of_pairs(results)
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


HEADINGS = {"run": "All flows together", "group": "Flows"}
FOLDED_FROM = 40
"""Tables with more rows are folded."""
METRICS = {
    "run": ["total_goodput_mbps", "p95_queue_delay_ms", "jain_index", "bottleneck_utilisation_pct"],
    "group": ["goodput_mbps", "share_pct", "packet_rtt_p95_ms", "retransmits_per_packet_pct"],
}
"""By the subject of a row; metrics without any value are left out."""


@dataclass(frozen=True)
class PlainTable:
    """Headings and rows; the first `labels` columns name the subject of a row."""

    per: str
    """The subject of a row: `run` or `group`."""
    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int
    few: bool
    """Whether intervals promise less than they should."""
    notes: Sequence[str]
    """Axes over which rows are means, and the time to which shares refer."""

    @property
    def folded(self) -> bool:
        """Whether the page hides it until it is asked for."""
        return len(self.rows) > FOLDED_FROM


def plain_tables(results: ResultTables) -> list[PlainTable]:
    """A row for each point of the sweep, and one for each group of flows there."""
    found = [_table(results, per) for per in HEADINGS]
    return [one for one in found if one is not None]


def _table(results: ResultTables, per: str) -> PlainTable | None:
    metrics = [metric for metric in map(find, METRICS[per]) if not metric.together or all_compete(results)]
    frame = table(results, metrics, per)
    metrics = [metric for metric in metrics if frame[metric.name].drop_nulls().len()]
    if not metrics:
        return None
    axes = [axis.column for axis in results.axes if axis.column not in OWN[per]]
    by = [column for column in [*axes, *OWN[per]] if column in frame.columns]
    summary = summarise(frame, by, [metric.name for metric in metrics])
    few = bool(summary["repeats"].is_between(LEAST, FEW - 1).any())
    headings, rows, labels = laid_out(summary, metrics, results.axes)
    said = notes(frame, by, results, metrics, per, {})
    return PlainTable(
        per, HEADINGS[per], [heading.replace("\n", ", ") for heading in headings], rows, labels, few, list(said)
    )


@dataclass(frozen=True)
class Outcome:
    """Of one experiment."""

    name: str
    title: str
    finding: Finding
    tradeoff: Tradeoff | None
    tables: Sequence[PlainTable]
    matrices: Sequence[ColouredMatrix]
    """Algorithms against each other, if the experiment has a matrix."""


def outcome(results: ResultTables, name: str, title: str) -> Outcome:
    """From the stored runs."""
    matrices = coloured_matrices(results)
    drawn = None if matrices else tradeoff(results, name)
    return Outcome(name, title, finding(results), drawn, plain_tables(results), matrices)
