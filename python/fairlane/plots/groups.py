"""How the things in a plot are called and told apart."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fairlane.plots.options import Options

if TYPE_CHECKING:
    import polars as pl

    from fairlane.metrics.subject import Flow
    from fairlane.store.results import Results


def line_column(frame: "pl.DataFrame", options: Options) -> str:
    """The column whose values get lines of their own: as chosen, or the flows' names, or their algorithms."""
    if options.lines:
        return options.lines
    for column in ("algorithm", "name") if names_change(frame) else ("name", "algorithm"):
        if column in frame.columns and frame[column].null_count() == 0:
            return column
    return "run"


def names_change(frame: "pl.DataFrame") -> bool:
    """Whether a flow's name stands for several algorithms, as when the algorithm is what is swept."""
    if not {"name", "algorithm"} <= set(frame.columns):
        return False
    pairs = frame.select("name", "algorithm").unique()
    return pairs["name"].n_unique() < pairs.height


def shown(value: Any, column: str, results: "Results", *, unit: bool = True) -> str:
    """A value as a paper prints it: `20 ms`; without the unit where an axis says it already."""
    for axis in results.axes:
        if axis.column == column and axis.unit and isinstance(value, (int, float)):
            return f"{value:g} {axis.unit}".replace(" %", "%") if unit else f"{value:g}"
    return words(value, column, results)


def words(value: Any, column: str, results: "Results") -> str:
    """A value as the experiment file writes it."""
    for axis in results.axes:
        if axis.column == column and value in axis.values:
            return axis.labels[axis.values.index(value)]
    return str(value)


def in_order(values: Iterable[Any], column: str, results: "Results") -> list[Any]:
    """Distinct values: those of an axis as the sweep has them, others as they appear."""
    present = list(dict.fromkeys(values))
    for axis in results.axes:
        if axis.column == column:
            return [value for value in axis.values if value in present]
    return present


def labels_of(flows: "list[Flow]", results: "Results") -> list[str]:
    """What a legend calls flows: their names, or their algorithms where the names do not say them."""
    if not names_change(results.flows):
        return [flow.label for flow in flows]
    algorithms = [str(flow["algorithm"]) for flow in flows]
    names = [flow.label for flow in flows]
    same = {one for one in algorithms if len({n for n, a in zip(names, algorithms, strict=True) if a == one}) > 1}
    return [f"{a} ({n})" if a in same else a for n, a in zip(names, algorithms, strict=True)]


def flow_labels(names: list[str]) -> list[str]:
    """Names of flows that can be told apart: like ones get numbers."""
    counts = {name: names.count(name) for name in names}
    seen: dict[str, int] = {}
    labels = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        labels.append(f"{name} {seen[name]}" if counts[name] > 1 else name)
    return labels
