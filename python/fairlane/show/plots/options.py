"""Options of plots, and labels of axes."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairlane.results.metrics.metric import Metric, MetricError
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import Axis

COLUMN_INCHES = 3.46
"""One column: 88 mm."""
PAGE_INCHES = 7.16
"""Two columns: 182 mm."""
WIDTHS = {"column": COLUMN_INCHES, "page": PAGE_INCHES}


class PlotError(MetricError):
    """A plot that cannot be drawn from these results; one line with the remedy."""


@dataclass(frozen=True)
class Options:
    """All have a default that suits most plots."""

    metric: Metric | None = None
    """The metric on the y axis."""
    against: Metric | None = None
    """The metric on the x axis, where that is a metric."""
    x: Axis | None = None
    """The axis of the sweep on the x axis."""
    lines: str | None = None
    """Column of the results whose values get lines, boxes or points of their own; groups of like flows by default."""
    panels: Axis | None = None
    """An axis whose values get panels of their own."""
    filters: Mapping[str, object] = field(default_factory=dict)
    """Which flows are drawn."""
    width_inches: float = COLUMN_INCHES
    may_be_wider: bool = False
    """Whether a plot that needs more width than that takes it: nobody has asked for this one."""
    height_inches: float | None = None
    title: str | None = None
    bin_s: float | None = None
    """Length of the time bins of rates."""
    until_s: float | None = None
    """The end of the time axis."""
    log_x: bool = False


def titled(options: Options, notes: Sequence[str]) -> str | None:
    """The title of a plot: the requested one, and notes below it."""
    width = int(options.width_inches * CHARACTERS_PER_INCH)
    lines = [options.title] if options.title else []
    lines += [line for note in notes for line in textwrap.wrap(note, width)]
    return "\n".join(lines) or None


CHARACTERS_PER_INCH = 16
"""Of a title."""


def chosen_axis(options: Options, results: ResultTables, *, numeric: bool = True) -> Axis:
    """The axis of the sweep on the x axis: the chosen one, or the first with numbers."""
    if options.x:
        return options.x
    axes = [axis for axis in results.axes if len(axis.values) > 1]
    fitting = [axis for axis in axes if not numeric or axis.is_numeric] or axes
    if not fitting:
        raise PlotError("nothing was swept; draw the run over time, or sweep an axis")
    return fitting[0]


def name_of(axis: Axis) -> str:
    """An axis of the sweep in the words of a paper.

    >>> from fairlane.scenario.plan import Axis
    >>> name_of(Axis("rival_rtt", "rival_rtt_ms", "ms", (20.0,), ("20ms",)))
    'rival RTT'
    """
    words = axis.name.replace("_", " ").replace(".", " ").split()
    return " ".join(word.upper() if word in _SHORT_FORMS else word for word in words)


def label_of(axis: Axis) -> str:
    """The label of an axis of the sweep: name and unit."""
    return f"{name_of(axis)}, {axis.unit}" if axis.unit else name_of(axis)


_SHORT_FORMS = frozenset({"rtt", "mtu", "ecn", "bdp", "aqm", "mss", "tcp"})
