"""The effect of each axis of a sweep on each headline metric, and the sentence that says so."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import listed
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.metric import Metric
from fairlane.results.metrics.summary import mean_of
from fairlane.results.statistics import LEAST, Interval, interval_of_difference
from fairlane.show.plots.options import name_of
from fairlane.show.report.series import telling

if TYPE_CHECKING:
    import polars as pl

    from fairlane.results.tables import ResultTables
    from fairlane.scenario.plan import Axis

MATTERS = 0.02
"""Relative differences below this are not reported."""
OF_RUNS = ("total_goodput_mbps", "p95_queue_delay_ms", "jain_index")
OF_GROUPS = ("request_p95_ms", "completion_s", "page_load_median_ms", "video_bitrate_mbps")
"""Headline metrics of flows that do more than send without end; the others have none."""
NEGLIGIBLE = {"ms": 0.5, "s": 0.001}
"""Delays below this are equal to each other."""


@dataclass(frozen=True)
class Effect:
    """The change of a metric along an axis."""

    metric: Metric
    of: str
    """The group of flows; empty for a metric of the run."""
    axis: "Axis"
    low: tuple[int, Interval]
    """Place on the axis and mean of the smallest value."""
    high: tuple[int, Interval]
    """The same of the largest."""
    best: Sequence[int]
    """The best place, and those whose difference from it may be random variation."""
    averaged: Sequence[str]
    """Other axes over which the means are taken."""

    @property
    def size(self) -> float:
        """The logarithm of the ratio of the largest to the smallest value."""
        least = NEGLIGIBLE.get(self.metric.unit, 1e-9)
        return math.log(max(self.high[1].estimate, least) / max(self.low[1].estimate, least))


def effects(results: "ResultTables") -> list[Effect]:
    """For each metric the axis that changes it most, if one does; the largest change first."""
    axes = telling(results)
    found: list[Effect] = []
    for metric, of, frame in _frames(results):
        of_metric = [one for axis in axes if (one := _effect(metric, of, frame, axis, axes)) is not None]
        found += [max(of_metric, key=lambda one: one.size)] if of_metric else []
    return sorted(found, key=lambda one: -one.size)


def _frames(results: "ResultTables") -> "Iterator[tuple[Metric, str, pl.DataFrame]]":
    """The values of each metric that all runs have; of flows one frame for each group that has it."""
    runs = table(results, list(OF_RUNS), "run")
    for name in OF_RUNS:
        if name in runs.columns and not runs[name].null_count():
            yield find(name), "", runs
    groups = table(results, list(OF_GROUPS), "group")
    for name in OF_GROUPS:
        present = groups.drop_nulls(name)
        for (group,), part in present.group_by(["group"], maintain_order=True):
            every = groups.filter(groups["group"] == group)
            if part.height == every.height:
                yield find(name), str(part["name"][0] or part["algorithm"][0]), part


def _effect(metric: Metric, of: str, frame: "pl.DataFrame", axis: "Axis", axes: "Sequence[Axis]") -> Effect | None:
    """None if the difference may be random variation, or does not matter."""
    import polars as pl

    column = axis.column
    if column not in frame.columns or len(axis.values) < 2:
        return None
    each = frame.group_by([column, "repeat"], maintain_order=True).agg(pl.col(metric.name).mean())
    values = {
        place: each.filter(pl.col(column) == value)[metric.name].to_list() for place, value in enumerate(axis.values)
    }
    means = {place: mean for place, sample in values.items() if (mean := mean_of(sample)) is not None}
    if len(means) < 2:
        return None
    low = min(means, key=lambda place: means[place].estimate)
    high = max(means, key=lambda place: means[place].estimate)
    others = [name_of(one) for one in axes if one is not axis and frame[one.column].n_unique() > 1]
    first = low if metric.better == "less" else high
    best = [place for place in means if place == first or not _differs(values[first], values[place])]
    found = Effect(metric, of, axis, (low, means[low]), (high, means[high]), best, others)
    if found.size <= MATTERS or not _differs(values[low], values[high]):
        return None
    return found


def _differs(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether the interval of the difference excludes 0; of too few values, whether they differ at all."""
    if min(len(first), len(second)) < LEAST:
        return mean_of(first) != mean_of(second)
    difference = interval_of_difference(first, second)
    return difference.lies_above(0.0) or difference.lies_below(0.0)


def sentence_of(effect: Effect, *, explained: bool = False) -> str:
    """The effect in words: from one end of an axis to the other, or which of its values is best and which worst."""
    metric, axis = effect.metric, effect.axis
    what = f"{metric.label}{f' of {effect.of}' if effect.of else ''}"
    average = f" (mean over {listed(list(effect.averaged))})" if effect.averaged else ""
    (low, least), (high, most) = effect.low, effect.high
    ends = {0, len(axis.values) - 1}
    if {low, high} == ends and axis.is_numeric:
        (_, before), (_, after) = (effect.low, effect.high) if low == 0 else (effect.high, effect.low)
        verb = "raises" if low == 0 else "lowers"
        return (
            f"Going from {axis.labels[0]} to {axis.labels[-1]} of {name_of(axis)} {verb} the {what}{average} from "
            f"{with_interval(before, metric.unit, explained=explained)} to {with_interval(after, metric.unit)}."
        )
    better = "lowest" if metric.better == "less" else "highest"
    best, rest = (least, most) if better == "lowest" else (most, least)
    worst = axis.labels[high if better == "lowest" else low]
    values = f"{with_interval(best, metric.unit, explained=explained)}, against {with_interval(rest, metric.unit)}"
    if len(axis.values) == 2:
        first = axis.labels[low if better == "lowest" else high]
        return (
            f"The {what}{average} is {better.replace('est', 'er')} with {name_of(axis)} {first} than with {worst}: "
            f"{values}."
        )
    names = listed([axis.labels[place] for place in effect.best])
    tie = " (their difference may be random variation)" if len(effect.best) > 1 else ""
    verb = "have" if len(effect.best) > 1 else "has"
    kinds = f"values of {name_of(axis)}" if axis.is_numeric else f"{name_of(axis)}s"
    return f"Of {len(axis.values)} {kinds}, {names}{tie} {verb} the {better} {what}{average}: {values} of {worst}."


def with_interval(mean: Interval, unit: str, *, explained: bool = False) -> str:
    """`293.1 Mbit/s (288.2 to 298.0)`, with the digits that the interval justifies."""
    digits = mean.few_digits
    number = f"{mean.estimate:,.{digits}f}{f'{_SPACE}{unit}' if unit else ''}"
    if not mean.is_known:
        return number
    word = "95 % confidence interval " if explained else ""
    return f"{number} ({word}{mean.low:,.{digits}f} to {mean.high:,.{digits}f})"


_SPACE = "\N{NO-BREAK SPACE}"


def mean_text(frame: "pl.DataFrame", name: str) -> str:
    """The mean of a metric over all rows with its interval, in words; empty if there is no value."""
    metric = find(name)
    mean = mean_of(frame[name].drop_nulls().to_list()) if name in frame.columns else None
    if mean is None:
        return ""
    label = metric.label[0].upper() + metric.label[1:]
    return f"{label} {with_interval(mean, metric.unit, explained=True)}"
