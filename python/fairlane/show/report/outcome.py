"""What came of an experiment that belongs to no study: the finding first, then the trade-off, then the tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairlane.show.report.finding import Finding, finding
from fairlane.show.report.plain_table import PlainTable, plain_tables
from fairlane.show.report.tradeoff import tradeoff

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables


@dataclass(frozen=True)
class Outcome:
    """Of one experiment."""

    name: str
    title: str
    finding: Finding
    picture: Any
    """Markup; None where there is no trade-off to draw."""
    caption: str
    tables: Sequence[PlainTable]


def outcome(results: "ResultTables", name: str, title: str) -> Outcome:
    """From the stored runs."""
    from markupsafe import Markup

    drawn = tradeoff(results)
    picture = Markup(drawn.svg) if drawn else None  # its texts are escaped where it is made
    return Outcome(name, title, finding(results), picture, drawn.caption if drawn else "", plain_tables(results))
