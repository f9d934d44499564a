"""The trade-off of an experiment: goodput against delay, a mark for each point of the sweep, as SVG inside a page.

The good corner is at the top right, because the delay grows to the left. Colours belong to algorithms, shapes to the
values of the axis that comes next; marks that differ only along a numeric axis are joined by a line. Each mark has its
values as a tooltip, and its name next to it where there is room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup

from fairlane.engine.libraries import pl
from fairlane.results.metrics import find
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.metric import Metric
from fairlane.results.metrics.summary import mean_of
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import Axis
from fairlane.show.plots.delay_throughput import NARROW_INCHES, Mark, draw_marks
from fairlane.show.plots.styles import places
from fairlane.show.report.drawings import in_page
from fairlane.show.report.effects import with_interval
from fairlane.show.report.series import telling

MOST_MARKS = 150
"""With more, the picture would be a cloud; the table has the values."""
MOST_COLOURS = 8


@dataclass(frozen=True)
class Tradeoff:
    """The picture with its legend, and what it shows."""

    svg: Markup
    narrow_svg: Markup
    """For a narrow page."""
    caption: str


def tradeoff(results: ResultTables, name: str) -> Tradeoff | None:
    """None where there is no delay, or too many points; `name` makes its element names unique in the page."""
    per, up, right = _metrics(results)
    if up is None or right is None:
        return None
    frame = table(results, [up.name, right.name], per).drop_nulls([up.name, right.name])
    axes = [axis for axis in telling(results) if axis.column in frame.columns and frame[axis.column].n_unique() > 1]
    by = [axis.column for axis in axes] + ([] if per == "run" else ["group", "name", "algorithm"])
    groups = list(frame.group_by(by, maintain_order=True)) if by else [((), frame)]
    if not groups or len(groups) > MOST_MARKS:
        return None
    rows = [dict(zip(by, key, strict=True)) for key, _ in groups]
    if per == "run":
        rows = [{**row, "algorithm": _algorithm(results, row)} for row in rows]
    marks = _marks(rows, [part for _, part in groups], axes, up, right)
    title = f"{up.axis_label} against {right.axis_label}"
    draw = partial(draw_marks, marks=marks, right=right.axis_label, up=up.axis_label)
    svg = in_page(draw, f"{name}-tradeoff", title)
    narrow_svg = in_page(partial(draw, size_inches=NARROW_INCHES), f"{name}-tradeoff-narrow", title)
    of = "of all flows together" if per == "run" else "of a flow of each kind (mean over its flows)"
    whiskers = "; whiskers are 95 % confidence intervals" if any(mark.x.is_known for mark in marks) else ""
    caption = (
        f"{up.label.capitalize()} {of} against the {right.label}: good is up and to the right{whiskers}. "
        "Hold the pointer over a mark to see its values."
    )
    return Tradeoff(svg, narrow_svg, caption)


def _metrics(results: ResultTables) -> tuple[str, Metric | None, Metric | None]:
    """Per kind of flow if runs mix algorithms, else for the whole run; the delay is the queue's, or that of packets."""
    flows = results.flows.filter(pl.col("goodput_mbps").is_not_null())
    mixed = flows.group_by("run").agg(pl.col("algorithm").n_unique())["algorithm"].max()
    if isinstance(mixed, int) and mixed > 1 and not flows["packet_rtt_p95_ms"].null_count():
        return "group", find("goodput_mbps"), find("packet_rtt_p95_ms")
    runs = table(results, ["p95_queue_delay_ms", "packet_rtt_p95_ms"], "run")
    for name in ("p95_queue_delay_ms", "packet_rtt_p95_ms"):
        if runs.height and not runs[name].null_count():
            return "run", find("total_goodput_mbps"), find(name)
    return "run", None, None


def _algorithm(results: ResultTables, row: Mapping[str, Any]) -> str | None:
    """The algorithm of all flows at this point of the sweep."""
    found = results.select("flows", dict(row))["algorithm"].unique().to_list()
    return str(found[0]) if len(found) == 1 else None


def _marks(
    rows: Sequence[Mapping[str, Any]],
    parts: "Sequence[pl.DataFrame]",
    axes: Sequence[Axis],
    up: Metric,
    right: Metric,
) -> list[Mark]:
    """The marks; those of one colour and shape are one series."""
    distinct = list(dict.fromkeys(row["algorithm"] for row in rows))
    # An axis of algorithms says what the colour says.
    rest = [axis for axis in axes if not _says_algorithm(axis, rows)]
    kinds = [
        f"{row['algorithm']} ({row['name']})" if _is_ambiguous(row, rows) else str(row["algorithm"] or "")
        for row in rows
    ]
    colours: dict[Any, int]
    if len(distinct) > 1 or not rest:
        colours = dict(zip(distinct, places(distinct), strict=True))
        of_colour = [row["algorithm"] for row in rows]
    else:
        first = min(rest, key=lambda axis: (axis.is_numeric, len(axis.values)))
        fits = len(first.values) <= MOST_COLOURS
        colours = {value: place if fits else 0 for place, value in enumerate(first.values)}
        of_colour = [row[first.column] for row in rows]
        kinds = [first.label(row[first.column]) if fits else "" for row in rows]
        rest = [axis for axis in rest if axis is not first or not fits]
    joined = next((axis for axis in reversed(rest) if axis.is_numeric), None)
    shaped = [axis for axis in rest if axis is not joined]
    shapes: dict[tuple[Any, ...], int] = {}
    marks = []
    for row, part, kind, colour in zip(rows, parts, kinds, of_colour, strict=True):
        x, y = mean_of(part[right.name].to_list()), mean_of(part[up.name].to_list())
        if x is None or y is None:
            continue
        key = tuple(row[axis.column] for axis in shaped)
        label = " ".join([axis.label(row[axis.column]) for axis in rest])
        shown = f"{with_interval(y, up.unit)}; {with_interval(x, right.unit)}"
        marks.append(
            Mark(
                x=x,
                y=y,
                colour=colours[colour],
                shape=shapes.setdefault(key, len(shapes)),
                shape_name=" ".join(axis.label(row[axis.column]) for axis in shaped),
                kind=kind,
                label=label,
                title=f"{', '.join(filter(None, [kind, label]))}: {shown}",
                line=(kind, *map(str, key)) if joined else None,
            )
        )
    return marks


def _says_algorithm(axis: Axis, rows: Sequence[Mapping[str, Any]]) -> bool:
    return all(str(row[axis.column]) == row["algorithm"] for row in rows)


def _is_ambiguous(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether flows of another name have this algorithm, too."""
    return "name" in row and len({one["name"] for one in rows if one["algorithm"] == row["algorithm"]}) > 1
