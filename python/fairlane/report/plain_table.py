"""The metrics of an experiment that belongs to no study, as `fairlane table` would print them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlane.display.sweep_table import laid_out
from fairlane.metrics import find
from fairlane.metrics.catalogue import OWN, USUAL
from fairlane.metrics.summary import summarise
from fairlane.metrics.table import table
from fairlane.statistics import FEW, LEAST

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

PER = "group"


@dataclass(frozen=True)
class PlainTable:
    """Headings and rows; the first `labels` columns say what a row is about."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int
    few: bool
    """Whether intervals promise less than they should."""


def plain_table(results: "ResultTables", title: str) -> PlainTable:
    """A row for each group of flows at each point of the sweep."""
    metrics = [find(name) for name in USUAL[PER]]
    frame = table(results, metrics, PER)
    axes = [axis.column for axis in results.axes if axis.column not in OWN[PER]]
    by = [column for column in [*axes, *OWN[PER]] if column in frame.columns]
    summary = summarise(frame, by, [metric.name for metric in metrics])
    few = bool(summary["repeats"].is_between(LEAST, FEW - 1).any())
    headings, rows, labels = laid_out(summary, metrics, results.axes)
    return PlainTable(title, [heading.replace("\n", ", ") for heading in headings], rows, labels, few)
