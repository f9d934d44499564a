"""Which runs and metrics a plot shows, and the names of its lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.metrics.averaging import listed
from fairlane.results.metrics.bottleneck import bottlenecks
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.metric import Metric
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Flow, Run
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import Axis
from fairlane.show.plots.options import Options, PlotError, name_of
from fairlane.show.plots.styles import Style, named_algorithm, styles_of
from fairlane.show.text.sweep_table import axis_label


def line_column(frame: "pl.DataFrame", options: Options) -> str:
    """The column whose values get lines of their own: as chosen, or the flows' names, or their algorithms."""
    if options.lines:
        return options.lines
    for column in ("algorithm", "name") if names_change(frame) else ("name", "algorithm"):
        if column in frame.columns and frame[column].null_count() == 0:
            return column
    return "run"


def names_change(frame: "pl.DataFrame") -> bool:
    """Whether flows of one name have several algorithms, as in a sweep over algorithms."""
    if not {"name", "algorithm"} <= set(frame.columns):
        return False
    pairs = frame.select("name", "algorithm").unique()
    return pairs["name"].n_unique() < pairs.height


def shown(value: Any, column: str, results: ResultTables, *, unit: bool = True) -> str:
    """A value as a paper prints it: `20 ms`; without the unit where the label of an axis has it."""
    for axis in results.axes:
        if axis.column == column and axis.unit and isinstance(value, (int, float)):
            return f"{value:g} {axis.unit}".replace(" %", "%") if unit else f"{value:g}"
    return axis_label(value, column, results.axes)


def averaged(results: ResultTables, drawn: Iterable[Sequence[Run]]) -> list[str]:
    """The note on a plot that names the axes along which runs of one line differ, if there are any."""
    parts = list(drawn)
    axes = [axis for axis in results.axes if any(len({run[axis.column] for run in part}) > 1 for part in parts)]
    return [f"averaged over {listed([axis.name for axis in axes])}"] if axes else []


def in_order(values: Iterable[Any], column: str | None, results: ResultTables) -> list[Any]:
    """Distinct values: those of an axis as the sweep has them, others as they appear."""
    present = list(dict.fromkeys(values))
    for axis in results.axes:
        if axis.column == column:
            return [value for value in axis.values if value in present]
    return present


def labels_of(flows: Sequence[Flow], results: ResultTables) -> list[str]:
    """The labels of flows in a legend: their names, or their algorithms where one name has several."""
    if not names_change(results.flows):
        if all(is_number(flow["name"]) for flow in flows):
            return flow_names([(flow["name"], str(flow["algorithm"])) for flow in flows])
        return [flow.label for flow in flows]
    algorithms = [str(flow["algorithm"]) for flow in flows]
    names = [flow.label for flow in flows]
    same = {one for one in algorithms if len({n for n, a in zip(names, algorithms, strict=True) if a == one}) > 1}
    return [f"{a} ({n})" if a in same else a for n, a in zip(names, algorithms, strict=True)]


def is_number(name: str | None) -> bool:
    """Whether a flow's name says nothing but its place.

    >>> [is_number(name) for name in ("1", "flow-2", "call", None)]
    [True, True, False, True]
    """
    return name is None or name.removeprefix("flow").strip("- _").isdigit()


def flow_names(flows: Sequence[tuple[str | None, str]]) -> list[str]:
    """The names of the flows of one run, given their names and algorithms: never a number alone.

    >>> flow_names([("1", "bbr"), ("2", "cubic")]), flow_names([("1", "bbr"), ("2", "bbr")])
    (['bbr', 'cubic'], ['bbr (1)', 'bbr (2)'])
    >>> flow_names([("call", "cubic"), ("reno", "reno"), ("1", "reno")])
    ['call: cubic', 'reno', 'reno (1)']
    """
    plain = [a if name is None or is_number(name) or name == a else f"{name}: {a}" for name, a in flows]
    return [
        f"{label} ({name})" if plain.count(label) > 1 and name not in (None, algorithm) and is_number(name) else label
        for label, (name, algorithm) in zip(plain, flows, strict=True)
    ]


def flow_labels(names: list[str]) -> list[str]:
    """Distinct names of flows: equal names get numbers."""
    counts = {name: names.count(name) for name in names}
    seen: dict[str, int] = {}
    labels = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        labels.append(f"{name} {seen[name]}" if counts[name] > 1 else name)
    return labels


def measured(results: ResultTables, metrics: Sequence[Metric], per: str, options: Options) -> "pl.DataFrame":
    """One row for each flow, group, link or run that has all these metrics; of links only bottlenecks."""
    frame = table(results, metrics, per, options.filters)
    if not frame.height:
        raise PlotError("no flow in the results is like that; widen --where")
    if per == "link":
        busiest = bottlenecks(results, options.filters)
        own = pl.Series([busiest.get(run) for run in frame["run"]], dtype=pl.String)
        named = frame.filter(frame["name"] == own)
        frame = (named if named.height else frame).rename({"name": "link"})
    frame = frame.drop_nulls([metric.name for metric in metrics])
    if not frame.height:
        raise PlotError(f"there is no {' with '.join(metric.name for metric in metrics)} in these results")
    return frame


MOST_LINES = 8
"""More are kept together, and the title says so."""
LINE = "_line"


@dataclass(frozen=True)
class Lines:
    """Rows; the column `LINE` names the line, box or point of each."""

    frame: "pl.DataFrame"
    labels: list[str]
    """In the order of the legend."""
    kept: list[str]
    """Columns whose values select the line of a row."""

    @property
    def styles(self) -> list[Style]:
        """The style of each line, by the algorithm of its rows."""
        return styles_of([_algorithm(self.frame, label) for label in self.labels])


def lines_of(
    frame: "pl.DataFrame",
    results: ResultTables,
    options: Options,
    used: Sequence[str],
    *,
    flows: bool,
    most: int = MOST_LINES,
) -> Lines:
    """Divides rows into lines, so that no line holds different points of the sweep, or different flows, unasked.

    Lines are those of `options.lines`, or else of the flows (if the rows are about `flows`) and of all axes that the
    columns `used` do not distinguish. Where that makes more than `most`, the last axes are left out; the title
    names them (`fairlane.results.metrics.averaging.notes`).
    """
    used = list(dict.fromkeys(used))
    kept = [options.lines] if options.lines and options.lines not in used else []
    candidates = [line_column(frame, replace(options, lines=None))] if flows else []
    candidates += [] if options.lines else [axis.column for axis in results.axes]
    for column in candidates:
        if column in used or column in kept or column not in frame.columns or column == "run":
            continue
        so_far = [*used, *kept]
        apart = frame.select([*so_far, column]).n_unique() > (frame.select(so_far).n_unique() if so_far else 1)
        if apart and frame.select([*kept, column]).n_unique() <= most:
            kept.append(column)
    if not kept:
        return Lines(frame.with_columns(pl.lit("").alias(LINE)), [""], [])
    rows = frame.select(kept).rows()
    values = [in_order(frame[column], column, results) for column in kept]
    ordered = sorted(set(rows), key=lambda row: [known.index(one) for known, one in zip(values, row, strict=True)])
    names = {row: ", ".join(map(partial(_named, results, kept), kept, row)) for row in ordered}
    column_of_names = pl.Series(LINE, [names[row] for row in rows])
    return Lines(frame.with_columns(column_of_names), list(dict.fromkeys(names.values())), kept)


def _algorithm(frame: "pl.DataFrame", label: str) -> str | None:
    """The one algorithm of a line's rows, or the one that its name says."""
    for column in ("algorithm", "algorithm_a"):
        if column in frame.columns:
            found = frame.filter(frame[LINE] == label)[column].unique().to_list()
            if len(found) == 1 and isinstance(found[0], str):
                return found[0]
    return named_algorithm(label)


def _named(results: ResultTables, kept: Sequence[str], column: str, value: Any) -> str:
    """A value; a number with the name of its axis, unless its unit says which one it is."""
    text = shown(value, column, results)
    axis = next((axis for axis in results.axes if axis.column == column), None)
    if axis is None or isinstance(value, bool) or not isinstance(value, (int, float)):
        return text
    alike = [other for other in results.axes if other.column in kept and other.unit == axis.unit]
    return text if axis.unit and len(alike) == 1 else f"{name_of(axis)} {text}"


MOST_PANELS = 8


def one_run_each(results: ResultTables, options: Options, axis: Axis | None) -> list[Run]:
    """The first repeat of the one point of the sweep that the filters leave, or of each value of `axis`."""
    found: dict[object, Run] = {}
    others: dict[str, set[object]] = {}
    for run in runs(results, options.filters):
        for other in results.axes:
            if other != axis:
                others.setdefault(other.name, set()).add(run[other.column])
        found.setdefault(run[axis.column] if axis else None, run)
    if not found:
        raise PlotError("no flow in the results is like that; widen --where")
    varying = [name for name, values in others.items() if len(values) > 1]
    if varying:
        raise PlotError(
            f"runs with different {' and '.join(varying)} match; choose with --where {varying[0]}=VALUE"
            + ("" if axis else f", or give each a panel with --panels {varying[0]}")
        )
    if axis is None:
        return list(found.values())
    ordered = [found[value] for value in axis.values if value in found]
    if len(ordered) > MOST_PANELS:
        raise PlotError(f"{len(ordered)} panels are too many for one plot; select with --where {axis.name}=VALUE,VALUE")
    return ordered
