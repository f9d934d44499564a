"""Computes a table or figure from the results and adds the paper's numbers."""

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from fairlane import files
from fairlane.engine.libraries import pl
from fairlane.engine.messages import unknown
from fairlane.results.metrics import MetricError
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.summary import mean_of, relative
from fairlane.results.statistics import FEW, Interval
from fairlane.results.tables import ResultTables
from fairlane.study.paper.definition import Item, Key, PublishedNumbers, Study, StudyError, Value

Place = tuple[Key, ...]
"""Values of the columns `by`."""


@dataclass(frozen=True)
class Cell:
    """A number: ours and the paper's."""

    ours: float | None
    interval: Interval | None
    """The 95 % confidence interval, where the rows averaged are repeats and enough."""
    paper: float | None
    sample: tuple[float, ...] = ()
    """The values that ours is the mean of."""
    paper_interval: Interval | None = None
    """That of the other number, which only a recording has: a paper prints one number."""

    @property
    def differs(self) -> bool:
        """Whether the two intervals have no value in common."""
        ours, theirs = self.interval, self.paper_interval
        return ours is not None and theirs is not None and (ours.low > theirs.high or theirs.low > ours.high)


@dataclass(frozen=True)
class Row:
    """A row of a table, or a point of a figure."""

    experiment: str
    place: Place
    """Values of the columns `by`."""
    cells: tuple[Cell, ...]
    """One per value."""
    runs: int
    """The number of runs behind it."""
    points: frozenset[tuple[Any, ...]] = frozenset()
    """The points of the sweep that it averages: equal rows of two tables have the same."""


@dataclass(frozen=True)
class Comparison:
    """A table or figure of the paper with our values."""

    item: Item
    rows: tuple[Row, ...]
    headings: Mapping[str, str]
    """The headings of the columns `by`."""
    other: str = "paper"
    """The origin of the numbers beside ours."""
    planned_panels: tuple[tuple[str, Place], ...] = ()
    """Experiment and values of `item.panels`, in the order of the sweep, whether a run of it is finished or not."""

    @property
    def experiments(self) -> list[str]:
        """Those with results."""
        return list(dict.fromkeys(row.experiment for row in self.rows))

    @property
    def has_paper(self) -> bool:
        """Whether the paper has any number of it."""
        return any(cell.paper is not None for row in self.rows for cell in row.cells)

    @property
    def has_few_repeats(self) -> bool:
        """Whether an interval promises less than it should."""
        return any(cell.interval and cell.interval.n < FEW for row in self.rows for cell in row.cells)


class Frames:
    """The metrics of an experiment's runs and groups of flows, computed once for all items that need them."""

    def __init__(self, results: ResultTables, items: Sequence[Item]) -> None:
        values = [(item, value) for item in items for value in item.values]
        whole = {value.metric for item, value in values if value.of is None and item.per == "run"}
        whole |= {value.metric for item, value in values if value.of == "run"}
        groups = {value.metric for item, value in values if value.of not in (None, "run") or item.per == "group"}
        self.axes = results.axes
        self.head = [column for column in results.head if column not in ("experiment", "run", "seed")]
        self.planned = [dict(axes) for axes in dict.fromkeys(_points(results))]
        runs = table(results, sorted(whole), per="run")
        self._frames = {"run": runs}
        if groups:
            grouped = table(results, sorted(groups), per="group")
            self._frames["run"] = self._with_names(runs, grouped, sorted(groups))
            self._frames["group"] = self._with_runs(grouped, runs, sorted(whole))

    def of(self, item: Item) -> "pl.DataFrame":
        """The runs or groups of an item. Metrics of a name, or of the whole run, are METRIC@NAME."""
        return self._frames[item.per]

    def only(self, chosen: Mapping[str, Any]) -> "Frames":
        """The runs with these values of axes, as if those axes did not exist."""
        made = copy.copy(self)
        conditions = [pl.col(column) == value for column, value in chosen.items()]
        made.axes = tuple(axis for axis in self.axes if axis.column not in chosen)
        made.head = [column for column in self.head if column not in chosen]
        made.planned = [axes for axes in self.planned if all(axes.get(one) == value for one, value in chosen.items())]
        made._frames = {per: frame.filter(*conditions).drop(*chosen) for per, frame in self._frames.items()}
        return made

    def _with_names(self, runs: "pl.DataFrame", groups: "pl.DataFrame", metrics: list[str]) -> "pl.DataFrame":
        for name in groups["name"].unique(maintain_order=True).drop_nulls().to_list():
            part = groups.filter(pl.col("name") == name)
            runs = self._joined(runs, part, {metric: f"{metric}@{name}" for metric in metrics})
        return runs

    def _with_runs(self, groups: "pl.DataFrame", runs: "pl.DataFrame", metrics: list[str]) -> "pl.DataFrame":
        return self._joined(groups, runs, {metric: f"{metric}@run" for metric in metrics})

    def _joined(self, frame: "pl.DataFrame", other: "pl.DataFrame", columns: dict[str, str]) -> "pl.DataFrame":
        part = other.select(*self.head, *(pl.col(old).alias(new) for old, new in columns.items()))
        return frame.join(part.unique(self.head), on=self.head, how="left", nulls_equal=True, maintain_order="left")


def compare(study: Study, item: Item, frames: Mapping[str, Frames]) -> Comparison:
    """The item from the metrics of its experiments, those that have results."""
    theirs = published(study, item)
    rows: list[Row] = []
    headings: dict[str, str] = {}
    panels: dict[tuple[str, Place], None] = {}
    for name in item.experiments:
        if name in frames:
            panels |= dict.fromkeys((name, place) for place in _planned_panels(study, item, name, frames[name]))
            rows += _rows(study, item, name, frames[name], theirs)
            headings = {axis.column: f"{axis.name}\n{axis.unit}".strip() for axis in frames[name].axes} | headings
    return Comparison(item, tuple(_related_to_best(item, rows)), headings, planned_panels=tuple(panels))


def _points(results: ResultTables) -> Iterator[tuple[tuple[str, Any], ...]]:
    """The axes of each planned run."""
    return (tuple(run.axes.items()) for plan in results.plans for run in plan.runs)


def _planned_panels(study: Study, item: Item, name: str, frames: Frames) -> Iterator[Place]:
    """The panels of an experiment's planned points; none if panels are about anything but axes and labels."""
    for axes in frames.planned:
        point = {**study.file.experiments[name].labels, **axes}
        if item.wants(point) and all(column in point for column in item.panels):
            yield tuple(key(point[column]) for column in item.panels)


def deviation(cell: Cell, value: Value, scale: float) -> float | None:
    """The deviation of ours from the paper's: 0.1 is a tenth more, -0.1 a tenth less; None where one is missing.

    A ratio counts symmetrically: twice as much is 1 and half as much is -1. Values that are compared as a difference,
    such as Jain's index, are divided by `scale`, the paper's largest.
    """
    ours, paper = cell.ours, cell.paper
    if ours is None or paper is None:
        return None
    if value.compare == "difference":
        return (ours - paper) / scale if scale else None
    if ours == paper:
        return 0.0
    if ours * paper <= 0:
        return math.copysign(math.inf, ours - paper)
    return ours / paper - 1 if ours > paper else 1 - paper / ours


def deviations(comparison: Comparison) -> list[list[float | None]]:
    """For each row of a comparison that of each of its values."""
    values = comparison.item.values
    scales = [
        max((abs(row.cells[index].paper or 0.0) for row in comparison.rows), default=0.0)
        for index in range(len(values))
    ]
    return [
        [deviation(cell, value, scale) for cell, value, scale in zip(row.cells, values, scales, strict=True)]
        for row in comparison.rows
    ]


def _rows(study: Study, item: Item, name: str, frames: Frames, theirs: Mapping[Place, list[float | None]]) -> list[Row]:
    labels = study.file.experiments[name].labels
    frame = frames.of(item).with_columns(pl.lit(text).alias(column) for column, text in labels.items())
    columns = []
    for number, value in enumerate(item.values):
        frame = _valued(frame, item, value, _own(frames, item), f"value_{number}")
        columns.append(f"value_{number}")
    study.check_rows(item, frame.columns)
    if item.where:
        frame = frame.filter(pl.any_horizontal(_fits(frame, alternative) for alternative in item.where))
    for one, other in pairwise(item.equal):
        frame = frame.filter(pl.col(one) == pl.col(other))
    rows = []
    for group_key, group in frame.group_by(item.by, maintain_order=True):
        place = tuple(key(one) for one in group_key)
        paper = theirs.get(place, [None] * len(columns))
        repeats_only = group["repeat"].n_unique() == group.height
        cells = []
        for column, printed in zip(columns, paper, strict=True):
            mean = mean_of(group[column].to_list())
            interval = mean if mean and mean.is_known and repeats_only else None
            sample = tuple(group[column].drop_nulls().drop_nans().to_list())
            cells.append(Cell(mean.estimate if mean else None, interval, printed, sample))
        points = group.select(axis.column for axis in frames.axes).iter_rows()
        rows.append(Row(name, place, tuple(cells), group.height, frozenset(points)))
    return rows


def _own(frames: Frames, item: Item) -> list[str]:
    """The columns that tell rows apart before anything is averaged."""
    return [*frames.head, *item.own_columns]


def _valued(frame: "pl.DataFrame", item: Item, value: Value, head: list[str], column: str) -> "pl.DataFrame":
    """Adds a value as a column."""
    source = value.metric if value.of is None else f"{value.metric}@{value.of}"
    if source not in frame.columns:
        raise StudyError(f"items.{item.name}.values: no flow is called '{value.of}'; name the flows of the experiment")
    frame = frame.with_columns((value.scale * pl.col(source).cast(pl.Float64)).alias(column))
    if value.divided_by is not None:
        if value.divided_by not in frame.columns:
            raise StudyError(f"items.{item.name}.values: {unknown('column', value.divided_by, frame.columns)}")
        frame = frame.with_columns(pl.col(column) / pl.col(value.divided_by))
    if isinstance(value.relative_to, dict):
        try:
            frame = relative(frame, column, [name for name in head if name in frame.columns], value.relative_to)
        except MetricError:  # the reference was not run: nothing to relate to
            return frame.with_columns(pl.lit(None, dtype=pl.Float64).alias(column))
        frame = frame.drop(column).rename({f"{column}_relative": column})
        if value.excess:
            frame = frame.with_columns((pl.col(column) - 1) * 100)
    return frame


def _fits(frame: "pl.DataFrame", alternative: Mapping[str, Sequence[Any]]) -> "pl.Expr":
    conditions = [
        pl.col(column).is_in(pl.Series(list(values)).cast(frame.schema[column], strict=False).implode())
        for column, values in alternative.items()
        if column in frame.columns
    ]
    return pl.all_horizontal(conditions) if conditions else pl.lit(value=True)


def _related_to_best(item: Item, rows: list[Row]) -> list[Row]:
    """Divides by the largest of all rows, ours by ours and the paper's by the paper's."""
    for number, value in enumerate(item.values):
        if value.relative_to != "best":
            continue
        ours = max((row.cells[number].ours or 0.0 for row in rows), default=0.0)
        paper = max((row.cells[number].paper or 0.0 for row in rows), default=0.0)
        for index, row in enumerate(rows):
            cells = list(row.cells)
            cells[number] = Cell(_percent(cells[number].ours, ours), None, _percent(cells[number].paper, paper))
            rows[index] = replace(row, cells=tuple(cells))
    return rows


def _percent(value: float | None, of: float) -> float | None:
    return 100 * value / of if value is not None and of else None


def published(study: Study, item: PublishedNumbers) -> dict[Place, list[float | None]]:
    """The paper's numbers: for each place one per value, None where the paper has none."""
    if item.published is None:
        return {}
    path = study.folder / item.published
    found: dict[Place, list[float | None]] = {}
    columns = [value.published for value in item.values]
    present, rows = files.csv_rows(path, "fix the file")
    for column in [*item.by, *item.select, *filter(None, columns)]:
        if column not in present:
            raise StudyError(f"{path}: {unknown('column', column, present)}")
    for row in rows:
        if all(row[column] == value for column, value in item.select.items()):
            place = tuple(key(row[column]) for column in item.by)
            found[place] = [float(row[column]) if column and row[column] else None for column in columns]
    return found


def key(value: Any) -> Key:
    """A value by which rows are matched: a number, whether it was written as one or as text, else the text.

    >>> key("0.5"), key(100), key("cubic")
    (0.5, 100.0, 'cubic')
    >>> key(True)
    'yes'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)
