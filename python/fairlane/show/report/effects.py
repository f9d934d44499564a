"""The effect of each axis of a sweep on each headline metric, and the sentence that says so.

Means are taken over other axes only if these do not change the effect; where one does, the effect is that at the value
of this axis at which it is largest, and the sentence adds the value at which it is smallest.
"""

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from fairlane.engine.libraries import np, pl
from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import listed
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.metric import Metric
from fairlane.results.metrics.summary import mean_of
from fairlane.results.statistics import LEAST, Interval, interval_of_difference
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import Axis
from fairlane.show.plots.groups import flow_names
from fairlane.show.plots.options import name_of
from fairlane.show.report.flow_roles import OF_APPLICATIONS, all_compete
from fairlane.show.report.series import telling
from fairlane.show.text.aligned import in_unit

MATTERS = 0.02
"""Relative differences below this are not reported."""
OF_RUNS = ("total_goodput_mbps", "p95_queue_delay_ms", "jain_index")
NEGLIGIBLE = {"ms": 0.5, "s": 0.001}
"""Delays below this are equal to each other."""


@dataclass(frozen=True)
class Effect:
    """The change of a metric along an axis."""

    metric: Metric
    of: str
    """The group of flows; empty for a metric of the run."""
    axis: Axis
    low: tuple[int, Interval]
    """Place on the axis and mean of the smallest value."""
    high: tuple[int, Interval]
    """The same of the largest."""
    best: Sequence[int]
    """The best place, and those whose difference from it may be random variation."""
    averaged: Sequence[str]
    """Other axes over which the means are taken."""
    condition: str = ""
    """The values of axes that change the effect, at which this is the effect: `queue fifo`."""
    elsewhere: str = ""
    """The same at the value at which the effect is smallest, in words."""

    @property
    def size(self) -> float:
        """The logarithm of the ratio of the largest to the smallest value."""
        least = NEGLIGIBLE.get(self.metric.unit, 1e-9)
        return math.log(max(self.high[1].estimate, least) / max(self.low[1].estimate, least))


def effects(results: ResultTables) -> list[Effect]:
    """For each metric the axis that changes it most, if one does; the largest change first."""
    axes = telling(results)
    found: list[Effect] = []
    for metric, of, frame in _frames(results):
        of_metric = [one for axis in axes if (one := _largest(metric, of, frame, axis, axes)) is not None]
        found += [max(of_metric, key=lambda one: one.size)] if of_metric else []
    return sorted(found, key=lambda one: -one.size)


def _frames(results: ResultTables) -> "Iterator[tuple[Metric, str, pl.DataFrame]]":
    """The values of each metric that all runs have; of flows one frame for each group that has it."""
    runs = table(results, list(OF_RUNS), "run")
    for name in OF_RUNS:
        if name == "jain_index" and not all_compete(results):
            continue
        if name in runs.columns and not runs[name].null_count():
            yield find(name), "", runs
    groups = table(results, list(OF_APPLICATIONS), "group")
    for _, part in groups.group_by(["group"], maintain_order=True):
        own = next((one for one in OF_APPLICATIONS if not part[one].null_count()), None)
        if own:
            yield find(own), _name(part, groups), part


def _name(group: "pl.DataFrame", every: "pl.DataFrame") -> str:
    """The name of a group of flows, which is that of its algorithm unless the experiment gives one."""
    if group["name"].n_unique() > 1:  # a sweep changes the algorithm
        return "all flows" if every["group"].n_unique() == 1 else f"flows {group['group'][0]}"
    return flow_names([(group["name"][0], group["algorithm"][0])])[0].partition(":")[0]


INTERACTS = 0.5
"""Another axis changes an effect if the effect differs along it by more than this part of the largest."""
LEAST_INTERACTION = 0.1
"""Differences of effects below 10 % are no reason to tell them apart."""


def _largest(metric: Metric, of: str, frame: "pl.DataFrame", axis: Axis, axes: Sequence[Axis]) -> Effect | None:
    """The effect along an axis, at the values of axes that change it at which it is largest."""
    if axis.column not in frame.columns:
        return None
    others = [one for one in axes if one is not axis and frame[one.column].n_unique() > 1]
    strengths = {one.name: _interaction(metric, frame, axis, one) for one in others}
    other = max(others, key=lambda one: strengths[one.name], default=None)
    if other is None or strengths[other.name] == 0:
        return _effect(metric, of, frame, axis, others)
    rest = [one for one in axes if one is not other]
    parts = {place: frame.filter(frame[other.column] == value) for place, value in enumerate(other.values)}
    found = {place: _largest(metric, of, part, axis, rest) for place, part in parts.items() if part.height}
    sizes = {place: one.size if one else 0.0 for place, one in found.items()}
    place = max(sizes, key=lambda one: sizes[one])
    effect, least = found[place], min(sizes, key=lambda one: sizes[one])
    if effect is None:
        return None
    condition = ", ".join(filter(None, [f"{name_of(other)} {other.labels[place]}", effect.condition]))
    return replace(effect, condition=condition, elsewhere=_elsewhere(effect, parts[least], other, least))


def _interaction(metric: Metric, frame: "pl.DataFrame", axis: Axis, other: Axis) -> float:
    """By how much the effect of `axis` differs along `other`, as a logarithm; 0 if that does not matter."""
    least = NEGLIGIBLE.get(metric.unit, 1e-9)
    cells = np.full((len(axis.values), len(other.values)), np.nan)
    means = frame.group_by([axis.column, other.column], maintain_order=True).agg(pl.col(metric.name).mean())
    for one, another, mean in means.iter_rows():
        if mean is not None and one in axis.values and another in other.values:
            cells[axis.values.index(one), other.values.index(another)] = math.log(max(mean, least))
    largest = strength = 0.0
    for place in range(1, len(cells)):
        differences = cells[place:] - cells[: len(cells) - place]  # between values that are `place` apart
        known = differences[np.isfinite(differences).sum(axis=1) > 1]
        if len(known):
            largest = max(largest, float(np.nanmax(np.abs(known))))
            strength = max(strength, float((np.nanmax(known, axis=1) - np.nanmin(known, axis=1)).max()))
    return strength if strength > max(INTERACTS * largest, LEAST_INTERACTION) else 0.0


def _elsewhere(effect: Effect, frame: "pl.DataFrame", other: Axis, place: int) -> str:
    """The means at another value of the axis that changes the effect."""
    axis, name = effect.axis, effect.metric.name
    ends = sorted(at for at, _ in (effect.low, effect.high))
    found = [mean_of(frame.filter(frame[axis.column] == axis.values[at])[name].to_list()) for at in ends]
    means = [mean for mean in found if mean is not None]
    if len(means) < len(ends):
        return ""
    values = with_intervals(means, effect.metric.unit)
    texts = [f"{value} with {axis.labels[at]}" for value, at in zip(values, ends, strict=True)]
    return f"with {name_of(other)} {other.labels[place]}, it is {' and '.join(texts)}"


def _effect(metric: Metric, of: str, frame: "pl.DataFrame", axis: Axis, others: Sequence[Axis]) -> Effect | None:
    """None if the difference may be random variation, or does not matter."""
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
    first = low if metric.better == "less" else high
    best = [place for place in means if place == first or not _differs(values[first], values[place])]
    found = Effect(metric, of, axis, (low, means[low]), (high, means[high]), best, [name_of(one) for one in others])
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
    """The effect in words, and where another axis changes it, at which of its values."""
    text = re.sub(r"\b[Tt]he (Jain's)", r"\1", _along(effect, explained=explained))  # a name has no article
    if not effect.condition:
        return text
    elsewhere = f"; {effect.elsewhere}" if effect.elsewhere else ""
    text = text if text.startswith("Jain's") else text[0].lower() + text[1:]
    return f"With {effect.condition}, {text.removesuffix('.')}{elsewhere}."


def _along(effect: Effect, *, explained: bool) -> str:
    """From one end of an axis to the other, or which of its values is best and which worst."""
    metric, axis = effect.metric, effect.axis
    what = f"{metric.label}{f' of {effect.of}' if effect.of else ''}"
    average = f" (mean over {listed(list(effect.averaged))})" if effect.averaged else ""
    (low, least), (high, most) = effect.low, effect.high
    ends = {0, len(axis.values) - 1}
    if {low, high} == ends and axis.is_numeric:
        (_, before), (_, after) = (effect.low, effect.high) if low == 0 else (effect.high, effect.low)
        verb = "raises" if low == 0 else "lowers"
        first, last = with_intervals([before, after], metric.unit, explained=explained)
        return (
            f"Going from {axis.labels[0]} to {axis.labels[-1]} of {name_of(axis)} {verb} the {what}{average} from "
            f"{first} to {last}."
        )
    better = "lowest" if metric.better == "less" else "highest"
    best, rest = (least, most) if better == "lowest" else (most, least)
    worst = axis.labels[high if better == "lowest" else low]
    values = ", against ".join(with_intervals([best, rest], metric.unit, explained=explained))
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


def steady(results: ResultTables, changed: Collection[str], *, explained: bool) -> list[str]:
    """The values of applications that no axis changes; those in `changed` have a sentence already."""
    axes = [axis.column for axis in telling(results)]
    found: list[str] = []
    for metric, of, frame in _frames(results):
        if not of or of in changed:
            continue
        parts = [part for _, part in frame.group_by(axes, maintain_order=True)] if axes else [frame]
        means = [mean for part in parts if (mean := mean_of(part[metric.name].to_list())) is not None]
        if not means:
            continue
        low, high = (choose(means, key=lambda one: one.estimate) for choose in (min, max))
        least, most = with_intervals([low, high], metric.unit, explained=explained and not found)
        text = f"The {metric.label} of {of} is {least}"
        found.append(f"{text} to {most} at {_every(len(means))}." if len(means) > 1 else f"{text}.")
    return found


def _every(points: int) -> str:
    return "both points" if points == 2 else f"all {points} points"


def with_intervals(means: Sequence[Interval], unit: str, *, explained: bool = False) -> list[str]:
    """The means of one sentence, in the unit in which they are read best; only the first is `explained`."""
    unit, factor = in_unit(unit, [one.estimate for one in means])
    scaled = [Interval(factor * one.estimate, factor * one.low, factor * one.high, one.n) for one in means]
    return [with_interval(one, unit, explained=explained and not place) for place, one in enumerate(scaled)]


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
