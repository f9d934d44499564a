"""The sentences on how bulk flows of different kinds share a link.

Flows compete if their data crosses a link in common and no application limits them (`flow_roles`); their shares are of
the goodput of such flows alone. Nothing is averaged over the sweep: a share holds at a point.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.metrics.averaging import listed, time_in_common
from fairlane.results.metrics.catalogue import find
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.summary import mean_of
from fairlane.results.statistics import Interval
from fairlane.results.tables import ResultTables
from fairlane.scenario.pairs import NAMES
from fairlane.scenario.plan import Axis
from fairlane.show.plots.groups import is_number
from fairlane.show.plots.options import name_of
from fairlane.show.report.effects import with_interval
from fairlane.show.report.flow_roles import competing
from fairlane.show.report.series import telling

MOST_LISTED = 6
"""Points of a sweep, or algorithms, that a sentence names."""


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


def sharing(results: ResultTables, *, explained: bool = True) -> list[str]:
    """A sentence for each link that bulk flows of two kinds or more share, and each of which has a share."""
    shares = table(results, ["share_pct"], "flow")
    if not shares.height:
        return []
    axes = [axis for axis in telling(results) if axis.column in shares.columns]
    found: list[str] = []
    for groups in competing(results):
        text = _of_link(shares.filter(shares["group"].is_in(groups)), axes, explained=explained and not found)
        found += [text] if text else []
    if found and (when := time_in_common(results, [find("share_pct")])):
        found[0] += f" Shares are over the time that all flows have in common, {when}."
    return found


def _of_link(shares: "pl.DataFrame", axes: Sequence[Axis], *, explained: bool) -> str | None:
    """The sentence on the flows that compete for one link."""
    if not shares.height or shares["share_pct"].null_count():
        return None
    total = pl.col("share_pct").sum().over("run")
    shares = shares.with_columns(pl.when(total > 0).then(100 * pl.col("share_pct") / total).alias("share_pct"))
    if shares["share_pct"].null_count():
        return None
    kinds = _kinds(shares)
    if len(kinds) < 2:
        return None
    if None in kinds.values():
        return _of_pairs(shares, axes, explained=explained)
    names = [str(name) for name in kinds.values()]
    if len(kinds) == 2:
        return _of_two(_points(shares, next(iter(kinds)), axes), names, axes, explained=explained)
    return _of_many(shares, dict(zip(kinds, names, strict=True)), axes, explained=explained)


def _kinds(shares: "pl.DataFrame") -> dict[Any, str | None]:
    """The groups of flows by what they are called: their algorithm if each has one of its own, else their name.

    None stands for a group whose algorithm is swept, and that has no name of its own: a number says nothing.
    """
    groups = shares.group_by("group", maintain_order=True).agg(
        pl.col("name").unique(maintain_order=True), pl.col("algorithm").unique(maintain_order=True)
    )
    rows = groups.rows()
    single = [algorithms[0] if len(algorithms) == 1 else None for _, _, algorithms in rows]
    if None not in single and len(set(single)) == len(single):
        return {group: str(algorithm) for (group, _, _), algorithm in zip(rows, single, strict=True)}
    if len(set(single)) == 1 and None not in single:
        return {}  # flows of one algorithm throughout: how they share is Jain's index
    names = [_named_by_user(names, algorithms) for _, names, algorithms in rows]
    known = [name or algorithm for name, algorithm in zip(names, single, strict=True)]
    if None not in known and len(set(known)) < len(known):
        return {}
    return {group: name for (group, _, _), name in zip(rows, known, strict=True)}


def _named_by_user(names: Sequence[str | None], algorithms: Sequence[str]) -> str | None:
    """The name that an experiment gives a group; None for a number, or the algorithm's name."""
    if len(names) != 1 or names[0] is None or is_number(names[0]) or names[0] in algorithms:
        return None
    return names[0]


def _points(shares: "pl.DataFrame", first: Any, axes: Sequence[Axis]) -> list[Point]:
    """The share of the group `first` at each point of the sweep."""
    found = []
    for labels, rows in _parts(shares, axes):
        sums = rows.group_by("repeat", maintain_order=True).agg(
            pl.col("share_pct").filter(pl.col("group") == first).sum(),
            fair=100 * (pl.col("group") == first).sum() / pl.len(),
        )
        share = mean_of(sums["share_pct"].to_list())
        if share is not None:
            found.append(Point(labels, share, float(sums["fair"][0])))
    return found


def _of_two(points: Sequence[Point], names: Sequence[str], axes: Sequence[Axis], *, explained: bool) -> str:
    """About two kinds of flows."""
    fair = sorted({round(point.fair, 1) for point in points})
    of_fair = f"where {fair[0]:g} % would be fair" if len(fair) == 1 else "where its part of the flows would be fair"
    if len(points) == 1:
        share = with_interval(points[0].share, "%", explained=explained)
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
        least = f"{_share(low, side, explained=explained)}{_at(low, axes)}"
        return (
            f"{names[side]} gets more than its fair share of the goodput next to {names[1 - side]} at all "
            f"{len(points)} points of the sweep: {least} to {_share(high, side)}{_at(high, axes)}."
        )
    parts: list[str] = []
    for side in telling:
        _, most = _ends(won[side], side)
        parts.append(
            f"{names[side]} gets more than its fair share {_where(won[side], axes, len(points))}, "
            f"{'at most ' if len(won[side]) > 1 else ''}{_share(most, side, explained=explained and not parts)}"
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


def _at(point: Point, axes: Sequence[Axis], wanted: bool = True) -> str:
    return f" at {_named(point.labels, axes)}" if wanted and axes else ""


def _named(labels: Sequence[str], axes: Sequence[Axis]) -> str:
    return ", ".join(f"{name_of(axis)} {label}" for axis, label in zip(axes, labels, strict=True))


def _where(points: Sequence[Point], axes: Sequence[Axis], total: int) -> str:
    """At which points: by their labels along one axis, or else how many."""
    if len(axes) == 1 and len(points) <= MOST_LISTED:
        return f"at {name_of(axes[0])} {listed([point.labels[0] for point in points])}"
    return f"at {len(points)} of {total} points"


def _of_pairs(shares: "pl.DataFrame", axes: Sequence[Axis], *, explained: bool) -> str | None:
    """About flows whose algorithms are swept: the pairs of algorithms whose shares are furthest from fair."""
    found: list[tuple[str, list[str], Point]] = []
    for labels, rows in _parts(shares, axes):
        algorithms = {
            group: str(part["algorithm"][0]) for (group,), part in rows.group_by("group", maintain_order=True)
        }
        if len(set(algorithms.values())) < 2:
            continue
        for group, name in algorithms.items():
            (point,) = _points(rows, group, ())
            rivals = [one for one in algorithms.values() if one != name]
            if list(algorithms.values()).count(name) == 1:
                found.append((name, rivals, Point(labels, point.share, point.fair)))
    won = [one for one in found if one[2].winner == 0]
    if not found:
        return None
    pairs = len({point.labels for _, _, point in found})
    if not won:
        return f"At none of {pairs} points with different algorithms does one get more than its fair share."
    name, rivals, point = max(won, key=lambda one: one[2].share.estimate - one[2].fair)
    others = [axis for axis in axes if "algorithm" not in axis.name and axis.name not in NAMES]
    at = [f"{name_of(axis)} {label}" for axis, label in zip(axes, point.labels, strict=True) if axis in others]
    where = f" at {', '.join(at)}" if at else ""
    counts = Counter(winner for winner, _, _ in won)
    more = ""
    if pairs > 1 and set(counts) == {name}:
        more = f"; it gets more than its fair share at {counts[name]} of {pairs} points with different algorithms"
    elif pairs > 1:
        often = listed([f"{winner} at {count}" for winner, count in counts.most_common(MOST_LISTED)])
        more = f"; of {pairs} points with different algorithms, {often} get more than a fair share"
    return (
        f"{name} gets up to {with_interval(point.share, '%', explained=explained)} of the goodput next to "
        f"{listed(list(dict.fromkeys(rivals)))}{where}, where {point.fair:.3g} % would be fair{more}."
    )


def _of_many(shares: "pl.DataFrame", kinds: Mapping[Any, str], axes: Sequence[Axis], *, explained: bool) -> str:
    """About more kinds: which gets most per flow at how many points of the sweep, and the most and the least there."""
    most: dict[str, list[tuple[Interval, str]]] = {}
    least: list[tuple[Interval, str, str]] = []
    points = 0
    for labels, rows in _parts(shares, axes):
        each = rows.group_by("group", "repeat", maintain_order=True).agg(pl.col("share_pct").mean())
        means = {group: mean_of(each.filter(pl.col("group") == group)["share_pct"].to_list()) for group in kinds}
        known = {group: mean for group, mean in means.items() if mean is not None}
        if len(known) < 2:
            continue
        first, last = (choose(known, key=lambda group: known[group].estimate) for choose in (max, min))
        where = f" at {_named(labels, axes)}" if axes else ""
        most.setdefault(kinds[first], []).append((known[first], where))
        least.append((known[last], kinds[last], where))
        points += 1
    name = max(most, key=lambda one: len(most[one]))
    share, where = max(most[name], key=lambda one: one[0].estimate)
    low, loser, at = min(least, key=lambda one: one[0].estimate)
    often = f" at {len(most[name])} of {points} points" if points > 1 else ""
    upto = "at most " if len(most[name]) > 1 else ""
    return (
        f"Of {len(kinds)} kinds of flows, {name} gets the most of the goodput{often}: {upto}"
        f"{with_interval(share, '%', explained=explained)} per flow{where}; {loser} the least: "
        f"{with_interval(low, '%')}{at}."
    )


def _parts(shares: "pl.DataFrame", axes: Sequence[Axis]) -> "Iterator[tuple[tuple[str, ...], pl.DataFrame]]":
    """The rows of each point of the sweep, with the labels of its values."""
    columns = [axis.column for axis in axes]
    if not columns:
        yield (), shares
        return
    for key, rows in shares.group_by(columns, maintain_order=True):
        yield tuple(axis.label(value) for axis, value in zip(axes, key, strict=True)), rows
