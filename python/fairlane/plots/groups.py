"""How the things in a plot are called and told apart."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fairlane.plots.options import Options

if TYPE_CHECKING:
    import polars as pl

    from fairlane.store.results import Results


def line_column(frame: "pl.DataFrame", options: Options) -> str:
    """The column whose values get lines of their own: as chosen, or the flows' names, or their algorithms."""
    if options.lines:
        return options.lines
    for column in ("name", "algorithm"):
        if column in frame.columns and frame[column].null_count() == 0:
            return column
    return "run"


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


def flow_labels(names: list[str]) -> list[str]:
    """Names of flows that can be told apart: like ones get numbers."""
    counts = {name: names.count(name) for name in names}
    seen: dict[str, int] = {}
    labels = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        labels.append(f"{name} {seen[name]}" if counts[name] > 1 else name)
    return labels
