"""Decides tests and criteria by intervals of paired differences: same networks, same seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from fairlane.results.statistics import LEVEL, Interval, interval_of_paired, repeats_needed
from fairlane.search.evidence.criteria import Criterion, Networks, Test
from fairlane.search.evidence.measures import Value


class Outcome(StrEnum):
    """The verdict on a criterion, a test or a group of networks; of several the first one decides."""

    FAILS = "does not meet"
    UNTESTED = "not tested"
    UNDECIDED = "undecided"
    MEETS = "meets"
    STATED = "stated"
    INAPPLICABLE = "not applicable"


def joint(outcomes: Sequence[Outcome]) -> Outcome:
    """The verdict of several together. `INAPPLICABLE` decides only if there is no other.

    >>> joint([Outcome.MEETS, Outcome.INAPPLICABLE]), joint([Outcome.MEETS, Outcome.UNTESTED])
    (<Outcome.MEETS: 'meets'>, <Outcome.UNTESTED: 'not tested'>)
    """
    return next(one for one in Outcome if one in outcomes)


@dataclass(frozen=True)
class Group:
    """Networks that are judged together."""

    label: str
    outcome: Outcome
    networks: int
    repeats: int
    excess: Interval
    """How far the value is beyond the bound, as a share of the bound; above 0 it is on the wrong side."""
    value: Interval
    baseline: Interval | None
    bound: float
    needed: int | None = None
    """Of an undecided one: the repeats that might decide it; None if too many."""
    reason: str = ""
    """Why it is not tested."""


@dataclass(frozen=True)
class JudgedTest:
    """A test with its groups."""

    test: Test
    groups: Sequence[Group]
    reason: str = ""
    """Why it has no groups."""
    inapplicable: bool = False

    @cached_property
    def outcome(self) -> Outcome:
        """All groups have to meet the rule."""
        if not self.groups:
            return Outcome.INAPPLICABLE if self.inapplicable else Outcome.UNTESTED
        return joint([one.outcome for one in self.groups])

    @cached_property
    def worst(self) -> Group | None:
        """The group that decides: of those with the verdict, the one farthest beyond the bound."""
        those = [one for one in self.groups if one.outcome is self.outcome]
        return max(those, key=lambda one: one.excess.estimate, default=None)

    def counted(self, outcome: Outcome) -> int:
        """The number of groups with this verdict."""
        return sum(one.outcome is outcome for one in self.groups)


@dataclass(frozen=True)
class JudgedCriterion:
    """A criterion with its verdict."""

    criterion: Criterion
    tests: Sequence[JudgedTest]
    statement: str = ""
    """The paragraph of the program's header about it."""

    @cached_property
    def outcome(self) -> Outcome:
        """That of all tests together; without any, whether the header has a statement."""
        if self.tests:
            return joint([one.outcome for one in self.tests])
        if self.criterion.inapplicable:
            return Outcome.INAPPLICABLE
        return Outcome.STATED if self.statement else Outcome.UNTESTED

    @cached_property
    def deciding(self) -> JudgedTest | None:
        """The test that decides."""
        those = [one for one in self.tests if one.outcome is self.outcome]
        return max(those, key=lambda one: one.worst.excess.estimate if one.worst else 0.0, default=None)

    @property
    def needed(self) -> int | None:
        """Of an undecided one: the repeats that might decide all of it; None if too many."""
        if self.outcome is not Outcome.UNDECIDED:
            return None
        every = [one.needed for test in self.tests for one in test.groups if one.outcome is Outcome.UNDECIDED]
        return None if not every or None in every else max(one for one in every if one is not None)

    @property
    def reasons(self) -> list[str]:
        """Why parts of it were not tested, and the limits of its experiments."""
        found = [one.reason for one in self.tests if one.reason]
        found += [group.reason for one in self.tests for group in one.groups if group.reason]
        if self.outcome is Outcome.UNTESTED and not self.tests:
            found.append(
                f'the header of the program does not say; add a paragraph that begins with "{self.criterion.section}:"'
            )
        found += [self.criterion.inapplicable, self.criterion.untested]
        return list(dict.fromkeys(one for one in found if one))


ValueOf = Callable[[Any, int], Value | None]
"""The value of a network's repeat, or of a log."""


def groups_of(test: Test, networks: Networks) -> Mapping[str, list[int]]:
    """The numbers of the networks that are judged together, by label."""
    axes = networks.experiment.axes
    wanted = [number for number, axis in enumerate(axes) if test.by is None or axis.name in test.by]
    found: dict[str, list[int]] = {}
    for number, point in enumerate(networks.points):
        words = [f"{_short(axes[place].name)} {point.labels[place]}" for place in wanted]
        found.setdefault(", ".join(words) or "all networks", []).append(number)
    return found


def _short(axis: str) -> str:
    return axis.rpartition(".")[2]


@dataclass(frozen=True)
class Pair:
    """Where the values of a group come from: planned points, or the name of an experiment that has logs."""

    label: str
    subject: Sequence[Any]
    baseline: Sequence[Any] | None


def judged(test: Test, pair: Pair, repeats: int, value_of: ValueOf, comparisons: int) -> Group:
    """The verdict on a group; `comparisons` is the number of groups of its criterion.

    It meets the rule if the 95 % interval of its excess lies below 0. It fails if the interval at the level
    1 - 0.05 / `comparisons` lies above 0 (Bonferroni): of twenty groups one would fail by chance.
    """
    values: list[float] = []
    baselines: list[float] = []
    bounds: list[float] = []
    excess: list[float] = []
    for repeat in range(repeats):
        rows = []
        for number, point in enumerate(pair.subject):
            ours = value_of(point, repeat) or Value(None, "was not run")
            theirs = (value_of(pair.baseline[number], repeat) or Value(None, "was not run")) if pair.baseline else None
            if ours.number is None:
                return _untested(pair, repeats, f"{pair.label}: {ours.failure}")
            if theirs is not None and theirs.number is None:
                return _untested(pair, repeats, f"{pair.label}: the baseline: {theirs.failure}")
            reference = theirs.number if theirs else None
            bound = test.bound(reference)
            scale = abs(bound) or test.slack or 1.0
            beyond = (ours.number - bound) if test.want == "at most" else (bound - ours.number)
            rows.append((ours.number, reference or 0.0, bound, beyond / scale))
        ours_mean, theirs_mean, bound_mean, beyond_mean = (
            sum(column) / len(rows) for column in zip(*rows, strict=True)
        )
        values.append(ours_mean)
        baselines.append(theirs_mean)
        bounds.append(bound_mean)
        excess.append(beyond_mean)
    found = interval_of_paired(excess)
    outcome = Outcome.UNDECIDED
    if found.is_known and found.high <= 0:
        outcome = Outcome.MEETS
    elif interval_of_paired(excess, 1 - (1 - LEVEL) / comparisons).lies_above(0):
        outcome = Outcome.FAILS
    return Group(
        pair.label,
        outcome,
        len(pair.subject),
        repeats,
        found,
        interval_of_paired(values),
        interval_of_paired(baselines) if pair.baseline else None,
        sum(bounds) / len(bounds),
        None if outcome is not Outcome.UNDECIDED else _needed(found),
    )


def _needed(found: Interval) -> int | None:
    """Repeats in all until the interval leaves the bound, judged by those there are."""
    needed = repeats_needed(found, abs(found.estimate))
    return None if needed is None else max(needed, found.n + 1)


def _untested(pair: Pair, repeats: int, reason: str) -> Group:
    nothing = Interval(0.0, float("-inf"), float("inf"), 0)
    return Group(pair.label, Outcome.UNTESTED, len(pair.subject), repeats, nothing, nothing, None, 0.0, reason=reason)
