"""Counts the paper's numbers that are reproduced, metric by metric.

A number that the paper prints in several tables counts once: two cells are the same number if they are of one metric
of one flow at the same points of the sweep.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fairlane.study.paper.comparison import Comparison, Row, key
from fairlane.study.paper.definition import Item, Study, Value

BOUNDED = ("jain_index", "jain_index_300ms", "jain_index_of_groups", "goodput_ratio_pct")
"""Metrics whose values lie so close together that any two are within a quarter: they are counted apart."""


@dataclass(frozen=True)
class Number:
    """A number of the paper, and ours."""

    item: str
    experiment: str
    metric: str
    of: str
    """The flow that it is about, or empty."""
    place: dict[str, str | float]
    """Values of the columns `by`."""
    ours: float
    paper: float
    testbed: str = ""
    """The testbed that was fitted to it, or empty."""

    @property
    def log_ratio(self) -> float | None:
        """The natural logarithm of ours by the paper's; None unless both are positive."""
        return math.log(self.ours / self.paper) if self.ours > 0 and self.paper > 0 else None

    @property
    def is_bounded(self) -> bool:
        """Whether its metric hardly tells good from bad."""
        return self.metric in BOUNDED

    def is_within(self, share: float) -> bool:
        """Whether ours differs by at most this share of the paper's."""
        return abs(self.ours - self.paper) <= share * abs(self.paper)

    @property
    def is_within_factor_2(self) -> bool:
        """Whether ours is at least half and at most twice the paper's."""
        return self.ours == self.paper or abs(self.log_ratio or math.inf) <= math.log(2)


@dataclass(frozen=True)
class Count:
    """The count of a metric's numbers that are reproduced."""

    metric: str
    numbers: int
    within_10: int
    within_25: int
    within_factor_2: int
    trained: int
    """The numbers that a testbed was fitted to."""
    factor: float
    """The typical factor by which ours differ."""


def numbers(study: Study, comparisons: Iterable[Comparison], *, distinct: bool = True) -> list[Number]:
    """The numbers of these tables that the paper prints and that were run; each once, unless not `distinct`."""
    found: dict[object, Number] = {}
    for comparison in comparisons:
        for row in comparison.rows:
            for column, (value, cell) in enumerate(zip(comparison.item.values, row.cells, strict=True)):
                if cell.ours is None or cell.paper is None or not _tells(comparison.item, row, value):
                    continue
                one = _number(study, comparison.item, row, value, cell.ours, cell.paper)
                same = (one.experiment, one.metric, one.of, value.divided_by, str(value.relative_to), row.points)
                found.setdefault(same if distinct else (comparison.item.name, row.experiment, row.place, column), one)
    return list(found.values())


def counts(found: Sequence[Number]) -> list[Count]:
    """The numbers by metric, those of bounded metrics last."""
    metrics = sorted(dict.fromkeys(one.metric for one in found), key=BOUNDED.__contains__)
    return [count(metric, [one for one in found if one.metric == metric]) for metric in metrics]


def count(name: str, found: Sequence[Number]) -> Count:
    """Counts these numbers together."""
    return Count(
        metric=name,
        numbers=len(found),
        within_10=sum(one.is_within(0.1) for one in found),
        within_25=sum(one.is_within(0.25) for one in found),
        within_factor_2=sum(one.is_within_factor_2 for one in found),
        trained=sum(bool(one.testbed) for one in found),
        factor=typical_factor(found),
    )


def typical_factor(found: Iterable[Number]) -> float:
    """The geometric mean of the factors, at least 1, by which ours differ; NaN without numbers."""
    logs = [abs(one.log_ratio) for one in found if one.log_ratio is not None]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def _tells(item: Item, row: Row, value: Value) -> bool:
    """Whether a number is independent: not 1 by definition, and not divided by the best of its table."""
    if value.published is None or value.relative_to == "best":
        return False
    place = dict(zip(item.by, row.place, strict=True))
    reference = value.relative_to or {}
    known = [(place[name], key(one)) for name, one in reference.items() if name in place]
    return not known or any(mine != theirs for mine, theirs in known)


def _number(study: Study, item: Item, row: Row, value: Value, ours: float, paper: float) -> Number:
    place = dict(zip(item.by, row.place, strict=True))
    of = value.of or str(place.get("name", ""))
    trained = next(_trained(study, row.experiment, value.metric, {**place, "name": of}), "")
    return Number(item.name, row.experiment, value.metric, of, place, ours, paper, trained)


def _trained(study: Study, experiment: str, metric: str, place: dict[str, str | float]) -> Iterator[str]:
    """The testbeds that were fitted to this number."""

    def has(column: str, values: Sequence[str | float | int]) -> bool:
        return place.get(column, "") in ("", *map(key, values))

    for name, testbed in study.file.testbeds.items():
        if any(one.covers(experiment, metric, has) for one in testbed.training):
            yield name
