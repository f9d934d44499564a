"""The metrics of an experiment that belongs to no study, as `fairlane table` would print them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import notes
from fairlane.results.metrics.catalogue import OWN
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.summary import summarise
from fairlane.results.statistics import FEW, LEAST
from fairlane.show.text.sweep_table import laid_out

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

HEADINGS = {"run": "All flows together", "group": "Flows"}
METRICS = {
    "run": ["total_goodput_mbps", "p95_queue_delay_ms", "jain_index", "bottleneck_utilisation_pct"],
    "group": ["goodput_mbps", "share_pct", "packet_rtt_p95_ms", "retransmits_per_packet_pct"],
}
"""By what has a row; metrics without any value are left out."""


@dataclass(frozen=True)
class PlainTable:
    """Headings and rows; the first `labels` columns say what a row is about."""

    per: str
    """What has a row: `run` or `group`."""
    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int
    few: bool
    """Whether intervals promise less than they should."""
    notes: Sequence[str]
    """What rows are means over, and which time shares refer to."""


def plain_tables(results: "ResultTables") -> list[PlainTable]:
    """A row for each point of the sweep, and one for each group of flows there."""
    found = [_table(results, per) for per in HEADINGS]
    return [one for one in found if one is not None]


def _table(results: "ResultTables", per: str) -> PlainTable | None:
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
