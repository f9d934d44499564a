"""Outcomes of comparisons, and their three-valued logic."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from fairlane.results.statistics import Interval


class Verdict(StrEnum):
    """The outcome of a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    """The interval includes the threshold."""


class Sample(StrEnum):
    """The kind of values in a sample: more of them would narrow the interval."""

    REPEATS = "repeats"
    RUNS = "runs"
    """Repeats of several configurations, pooled."""
    CONFIGURATIONS = "configurations"
    """One value per configuration; their variation leaves a claim undecided, and more repeats do not help."""


@dataclass(frozen=True)
class Compared:
    """A value that was compared with a bound, for a drawing of the evidence."""

    title: str
    unit: str
    value: Interval
    bound: Interval
    """A number has no width."""
    bound_title: str
    """The name of the bound; empty for a number."""
    is_below: bool
    """Whether the claim requires the value below the bound, and not above it."""
    verdict: Verdict


@dataclass(frozen=True)
class Judgement:
    """The outcome of a comparison, or of several together."""

    verdict: Verdict
    summary: str
    """Our values, with their intervals."""
    needed: Mapping[Sample, int | None] = field(default_factory=dict)
    """For an undecided one: the total number of each kind of value that might decide it; None if too many."""
    by_estimate: bool | None = None
    """For an undecided one: whether it holds by the estimates alone; None if not evaluated."""
    compared: tuple[Compared, ...] = field(default=(), compare=False)
    """Each comparison that it is made of."""
    parts: tuple[Verdict, ...] = field(default=(), compare=False)
    """The verdicts of the statements that it puts together."""

    @property
    def holds_by_estimate(self) -> bool:
        """Whether it holds, or would hold by the estimates alone."""
        return self.verdict is Verdict.HOLDS or (self.verdict is Verdict.UNDECIDED and bool(self.by_estimate))

    def __bool__(self) -> bool:
        """Raises: `a < b < c`, `and`, `or` and `not` would drop all but one of the comparisons."""
        raise TypeError(
            "a comparison of measurements is not a truth value: combine comparisons with all_of, any_of, negated"
        )


def all_of(judgements: Iterable[Judgement]) -> Judgement:
    """Holds if all do, fails if one does.

    The summary lists the failures if there are any, otherwise the undecided ones.
    """
    return _first_of(judgements, (Verdict.FAILS, Verdict.UNDECIDED, Verdict.HOLDS), all)


def any_of(judgements: Iterable[Judgement]) -> Judgement:
    """Holds if one does, fails if all do."""
    return _first_of(judgements, (Verdict.HOLDS, Verdict.UNDECIDED, Verdict.FAILS), any)


def _first_of(
    judgements: Iterable[Judgement], order: Sequence[Verdict], enough: Callable[[Iterable[bool]], bool]
) -> Judgement:
    """The first of these verdicts that some have; `enough` says which of them hold by the estimates alone."""
    every = _checked(judgements)
    verdict = next(verdict for verdict in order if any(one.verdict is verdict for one in every))
    found = [one for one in every if one.verdict is verdict]
    return _evident(_joined(verdict, found, by_estimate=enough(one.holds_by_estimate for one in every)), every)


def at_least(count: int, judgements: Iterable[Judgement]) -> Judgement:
    """Holds if at least `count` hold, fails if fewer can; for claims about "most"."""
    every = _checked(judgements)
    of = {verdict: [one for one in every if one.verdict is verdict] for verdict in Verdict}
    if len(of[Verdict.HOLDS]) >= count:
        return _counted(Verdict.HOLDS, of[Verdict.HOLDS], every)
    if len(of[Verdict.HOLDS]) + len(of[Verdict.UNDECIDED]) < count:
        return _counted(Verdict.FAILS, of[Verdict.FAILS], every)
    by_estimate = sum(one.holds_by_estimate for one in every) >= count
    return _counted(Verdict.UNDECIDED, of[Verdict.UNDECIDED], every, by_estimate=by_estimate)


def most(judgements: Iterable[Judgement]) -> Judgement:
    """Holds if more than half do."""
    every = _checked(judgements)
    return at_least(len(every) // 2 + 1, every)


GENERALLY = 0.9
"""The share of all pairs or configurations for which a sentence about them in general must hold."""


def generally(judgements: Iterable[Judgement]) -> Judgement:
    """Holds if at least nine of ten do: for a sentence about many pairs or configurations, none of which it names."""
    every = _checked(judgements)
    return at_least(math.ceil(GENERALLY * len(every) - 1e-9), every)


def negated(judgement: Judgement) -> Judgement:
    """Holds where the other fails."""
    opposite = {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS}
    by_estimate = None if judgement.by_estimate is None else not judgement.by_estimate
    return Judgement(
        opposite.get(judgement.verdict, judgement.verdict),
        judgement.summary,
        judgement.needed,
        by_estimate,
        tuple(
            replace(one, is_below=not one.is_below, verdict=opposite.get(one.verdict, one.verdict))
            for one in judgement.compared
        ),
        tuple(opposite.get(one, one) for one in judgement.parts),
    )


def _checked(judgements: Iterable[Judgement]) -> list[Judgement]:
    every = list(judgements)
    if not every:
        raise ValueError("nothing to judge: a claim without measurements neither holds nor fails")
    return every


def _counted(
    verdict: Verdict, found: list[Judgement], every: list[Judgement], *, by_estimate: bool | None = None
) -> Judgement:
    joined = _joined(verdict, found, by_estimate=by_estimate)
    holding = sum(one.verdict is Verdict.HOLDS for one in every)
    kind = "" if verdict is Verdict.HOLDS else f"; {verdict} in {len(found)}"
    summary = f"holds in {holding} of {len(every)}{kind}: {joined.summary}"
    return _evident(Judgement(verdict, summary, joined.needed, joined.by_estimate), every)


def _evident(judgement: Judgement, every: list[Judgement]) -> Judgement:
    """With the comparisons of all parts, whether they decided it or not."""
    compared = tuple(one for part in every for one in part.compared)
    parts = every[0].parts if len(every) == 1 else tuple(one.verdict for one in every)
    return replace(judgement, compared=compared, parts=parts)


def _joined(verdict: Verdict, found: list[Judgement], *, by_estimate: bool | None = None) -> Judgement:
    if verdict is not Verdict.UNDECIDED:
        return Judgement(verdict, _said(found))
    # Parts that contradict the verdict by estimates are omitted.
    telling = [one for one in found if one.holds_by_estimate == by_estimate] or found
    return Judgement(verdict, _said(telling), _needed(found), by_estimate)


def _needed(judgements: list[Judgement]) -> dict[Sample, int | None]:
    """The number of each kind of value that might decide all of them: the maximum."""
    needed: dict[Sample, int | None] = {}
    for one in judgements:
        for sample, count in one.needed.items():
            most = needed.get(sample, 0)
            needed[sample] = None if count is None or most is None else max(count, most)
    return needed


def _said(judgements: list[Judgement]) -> str:
    return "; ".join(dict.fromkeys(one.summary for one in judgements))
