"""The finding of an experiment: a few sentences with intervals.

The first sentence is about how flows of different kinds share the link, if there are such flows; otherwise about the
axis of the sweep that changes a metric most. Only differences are reported that random variation does not explain
(the 95 % confidence interval excludes 0) and that exceed `MATTERS`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairlane.results import identical_algorithms
from fairlane.results.limits import limits_text
from fairlane.results.metrics.averaging import listed, time_in_common
from fairlane.results.metrics.catalogue import find
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.summary import mean_of
from fairlane.results.statistics import LEAST, Interval
from fairlane.show.plots.options import name_of
from fairlane.show.report.effects import OF_GROUPS, effects, mean_text, sentence_of, with_interval
from fairlane.show.report.experiments import repeat_counts
from fairlane.show.report.series import telling

if TYPE_CHECKING:
    import polars as pl

    from fairlane.results.tables import ResultTables
    from fairlane.scenario.plan import Axis

MOST_MORE = 2
"""Sentences after the first."""


@dataclass(frozen=True)
class Finding:
    """The finding of an experiment."""

    first: str
    more: Sequence[str]
    caveat: str
    """The reason why it is only a hint; empty if there are enough repeats."""
    checks: Sequence[str] = ()
    """Limits other than congestion control, algorithms that the experiment does not tell apart, and loss-based rivals
    without losses."""


def finding(results: "ResultTables") -> Finding:
    """The finding, from the stored runs."""
    least = min(repeat_counts(results), default=0)
    caveat = "" if least >= LEAST else f"{'One repeat' if least == 1 else 'Two repeats'}: there is no interval, and "
    caveat += "the values may be random variation; run at least three repeats." if caveat else ""
    found = effects(results)
    sentences = [text for text in [sharing(results)] if text]
    sentences += [sentence_of(one, explained=not sentences and not place) for place, one in enumerate(found)]
    if not sentences:
        sentences = [_nothing(results, known=not caveat)]
    checks = [text for text in (limits_text(results), *identical_algorithms.sentences(results)) if text]
    return Finding(sentences[0], sentences[1 : 1 + MOST_MORE], caveat, checks)


def _nothing(results: "ResultTables", *, known: bool) -> str:
    """Of a single point its values; of a sweep, that nothing differs."""
    swept = [axis.name for axis in results.axes if len(axis.values) > 1]
    if swept:
        reason = "by more than 2 % and by more than random variation" if known else "enough to report"
        return f"Neither goodput nor delay differs {reason} along {' or '.join(swept)}."
    runs, groups = (
        (table(results, names, per), names)
        for names, per in ((["total_goodput_mbps", "p95_queue_delay_ms"], "run"), (list(OF_GROUPS), "group"))
    )
    texts = [mean_text(frame, name) for frame, names in (runs, groups) for name in names]
    parts = [text for text in texts if text]
    return f"{'; '.join(parts)}." if parts else "Nothing was measured."


MOST_LISTED = 6
"""Points of a sweep that a sentence names."""


@dataclass(frozen=True)
class Point:
    """A point of the sweep, and the share of the first kind of flows there."""

    labels: tuple[str, ...]
    share: Interval
    """Of the goodput of all flows, in per cent, over the repeats."""
    fair: float
    """Its part of the flows, in per cent."""

    @property
    def winner(self) -> int | None:
        """0 if the first kind gets more than its fair share, 1 if it gets less, None if the interval includes it."""
        if self.share.lies_above(self.fair) or (not self.share.is_known and self.share.estimate > self.fair):
            return 0
        return 1 if self.share.lies_below(self.fair) or not self.share.is_known else None


def sharing(results: "ResultTables") -> str | None:
    """The sentence on shares, if the flows of each run are of two kinds or more and all have a share."""
    shares = table(results, ["share_pct"], "flow")
    if not shares.height or shares["share_pct"].null_count():
        return None
    kinds = _kinds(shares)
    if len(kinds) < 2:
        return None
    axes = [axis for axis in telling(results) if axis.column in shares.columns]
    when = time_in_common(results, [find("share_pct")])
    time = f" Shares are over the time that all flows have in common, {when}." if when else ""
    if len(kinds) == 2:
        return _of_two(_points(shares, kinds, axes), [*kinds.values()], axes) + time
    return _of_many(shares, kinds, axes) + time


def _kinds(shares: "pl.DataFrame") -> dict[Any, str]:
    """The groups of flows by what they are called: their algorithm if each has one of its own, else their name."""
    import polars as pl

    groups = shares.group_by("group", maintain_order=True).agg(pl.col("name").first(), pl.col("algorithm").unique())
    rows = groups.rows()
    single = [algorithms[0] if len(algorithms) == 1 else None for _, _, algorithms in rows]
    if None not in single and len(set(single)) == len(single):
        return {group: str(algorithm) for (group, _, _), algorithm in zip(rows, single, strict=True)}
    if len(set(single)) == 1 and None not in single:
        return {}  # flows of one algorithm throughout: how they share is Jain's index
    names = [name or f"flow {group}" for group, name, _ in rows]
    return {group: str(name) for (group, _, _), name in zip(rows, names, strict=True)} if len(set(names)) > 1 else {}


def _points(shares: "pl.DataFrame", kinds: Mapping[Any, str], axes: "Sequence[Axis]") -> list[Point]:
    import polars as pl

    first = next(iter(kinds))
    columns = [axis.column for axis in axes]
    found = []
    groups = shares.group_by(columns, maintain_order=True) if columns else [((), shares)]
    for key, rows in groups:
        sums = rows.group_by("repeat", maintain_order=True).agg(
            pl.col("share_pct").filter(pl.col("group") == first).sum(),
            fair=100 * (pl.col("group") == first).sum() / pl.len(),
        )
        share = mean_of(sums["share_pct"].to_list())
        labels = tuple(axis.label(value) for axis, value in zip(axes, key, strict=True))
        if share is not None:
            found.append(Point(labels, share, float(sums["fair"][0])))
    return found


def _of_two(points: Sequence[Point], names: Sequence[str], axes: "Sequence[Axis]") -> str:
    """About two kinds of flows."""
    fair = sorted({round(point.fair, 1) for point in points})
    of_fair = f"where {fair[0]:g} % would be fair" if len(fair) == 1 else "where its part of the flows would be fair"
    if len(points) == 1:
        share = with_interval(points[0].share, "%", explained=True)
        return f"{names[0]} gets {share} of the goodput next to {names[1]}, {of_fair}."
    won = {side: [point for point in points if point.winner == side] for side in (0, 1, None)}
    telling = [side for side in (0, 1) if won[side]]
    if not telling:
        return (
            f"Neither {names[0]} nor {names[1]} gets more than a fair share at any of {len(points)} points: all "
            "intervals include it."
        )
    if len(telling) == 1 and not won[None]:
        side = telling[0]
        low, high = _ends(won[side], side)
        least = f"{_share(low, side, explained=True)}{_at(low, axes)}"
        return (
            f"{names[side]} gets more than its fair share of the goodput next to {names[1 - side]} at all "
            f"{len(points)} points of the sweep: {least} to {_share(high, side)}{_at(high, axes)}."
        )
    parts: list[str] = []
    for side in telling:
        _, most = _ends(won[side], side)
        parts.append(
            f"{names[side]} gets more than its fair share {_where(won[side], axes, len(points))}, "
            f"{'at most ' if len(won[side]) > 1 else ''}{_share(most, side, explained=not parts)}"
            f"{_at(most, axes, len(won[side]) > 1)}"
        )
    tied = f"; {_where(won[None], axes, len(points))}, the interval includes the fair share" if won[None] else ""
    return f"{'; '.join(parts)}{tied}."


def _share(point: Point, side: int, *, explained: bool = False) -> str:
    one = point.share
    seen = one if side == 0 else Interval(100 - one.estimate, 100 - one.high, 100 - one.low, one.n)
    return with_interval(seen, "%", explained=explained)


def _ends(points: Sequence[Point], side: int) -> tuple[Point, Point]:
    """The points with the smallest and the largest share of this side."""
    ordered = sorted(points, key=lambda point: point.share.estimate - point.fair, reverse=side == 1)
    return ordered[0], ordered[-1]


def _at(point: Point, axes: "Sequence[Axis]", wanted: bool = True) -> str:
    return f" at {_named(point.labels, axes)}" if wanted and axes else ""


def _named(labels: Sequence[str], axes: "Sequence[Axis]") -> str:
    return ", ".join(f"{name_of(axis)} {label}" for axis, label in zip(axes, labels, strict=True))


def _where(points: Sequence[Point], axes: "Sequence[Axis]", total: int) -> str:
    """At which points: by their labels along one axis, or else how many."""
    if len(axes) == 1 and len(points) <= MOST_LISTED:
        return f"at {name_of(axes[0])} {listed([point.labels[0] for point in points])}"
    return f"at {len(points)} of {total} points"


def _of_many(shares: "pl.DataFrame", kinds: Mapping[Any, str], axes: "Sequence[Axis]") -> str:
    """About more kinds: who gets most per flow, averaged over the sweep."""
    import polars as pl

    each = shares.group_by("group", "repeat", maintain_order=True).agg(pl.col("share_pct").mean())
    means = {group: mean_of(each.filter(pl.col("group") == group)["share_pct"].to_list()) for group in kinds}
    known = {group: mean for group, mean in means.items() if mean is not None}
    most, least = (choose(known, key=lambda group: known[group].estimate) for choose in (max, min))
    average = f" (mean over {listed([name_of(axis) for axis in axes])})" if axes else ""
    return (
        f"Of {len(kinds)} kinds of flows, {kinds[most]} gets the most of the goodput: "
        f"{with_interval(known[most], '%', explained=True)} per flow{average}; {kinds[least]} the least: "
        f"{with_interval(known[least], '%')}."
    )
