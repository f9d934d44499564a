"""The outcome of an experiment that belongs to no study: the finding, the trade-off, and the tables of metrics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import notes
from fairlane.results.metrics.catalogue import OWN
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.summary import summarise
from fairlane.results.statistics import FEW, LEAST
from fairlane.results.tables import ResultTables
from fairlane.show.report.finding import Finding, finding
from fairlane.show.report.matrices import ColouredMatrix, coloured_matrices
from fairlane.show.report.tradeoff import tradeoff
from fairlane.show.text.sweep_table import laid_out

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
    metrics = [find(name) for name in METRICS[per]]
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
    picture: Any
    """Markup; None where there is no trade-off to draw."""
    narrow_picture: Any
    """The same for a narrow page."""
    caption: str
    tables: Sequence[PlainTable]
    matrices: Sequence[ColouredMatrix]
    """Algorithms against each other, if the experiment has a matrix."""


def outcome(results: ResultTables, name: str, title: str) -> Outcome:
    """From the stored runs."""
    from markupsafe import Markup

    matrices = coloured_matrices(results)
    drawn = None if matrices else tradeoff(results, name)
    # Their texts are escaped where they are made.
    picture, narrow = (Markup(drawn.svg), Markup(drawn.narrow_svg)) if drawn else (None, None)
    return Outcome(
        name, title, finding(results), picture, narrow, drawn.caption if drawn else "", plain_tables(results), matrices
    )
