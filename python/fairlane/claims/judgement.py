"""What a comparison says, and how comparisons are put together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    """An interval reaches across the border between the two."""


class Sample(StrEnum):
    """What the values of a sample are, and so what there would have to be more of to know better."""

    REPEATS = "repeats"
    RUNS = "runs"
    """Repeats of several configurations thrown together."""
    CONFIGURATIONS = "configurations"
    """One value of each; it is how they differ that leaves a claim open, and repeats do not change that."""


@dataclass(frozen=True)
class Judgement:
    """The outcome of a comparison, or of several together."""

    verdict: Verdict
    says: str
    """Our figures, with their intervals."""
    needed: Mapping[Sample, int | None] = field(default_factory=dict)
    """Of an undecided one: how many of what might decide it in all, judged by those there are; None if too many."""
    leaning: bool | None = None
    """Of an undecided one: whether it would hold if the estimates were true; None if nobody looked."""

    @property
    def holds_by_estimate(self) -> bool:
        """Whether it holds, or would if the estimates were true."""
        return self.verdict is Verdict.HOLDS or (self.verdict is Verdict.UNDECIDED and bool(self.leaning))

    def __bool__(self) -> bool:
        """Refused: `a < b < c`, `and`, `or` and `not` would forget all but one of the comparisons."""
        raise TypeError("a comparison of figures is no truth value: join comparisons with all_of, any_of, negated")


def all_of(judgements: Iterable[Judgement]) -> Judgement:
    """Holds if all do, fails if one does.

    What is said is what decided it: the failures if there are any, or else what is undecided.
    """
    every = _checked(judgements)
    for verdict in (Verdict.FAILS, Verdict.UNDECIDED):
        found = [one for one in every if one.verdict is verdict]
        if found:
            return _joined(verdict, found, leaning=all(one.holds_by_estimate for one in every))
    return _joined(Verdict.HOLDS, every)


def any_of(judgements: Iterable[Judgement]) -> Judgement:
    """Holds if one does, fails if all do."""
    every = _checked(judgements)
    for verdict in (Verdict.HOLDS, Verdict.UNDECIDED):
        found = [one for one in every if one.verdict is verdict]
        if found:
            return _joined(verdict, found, leaning=any(one.holds_by_estimate for one in every))
    return _joined(Verdict.FAILS, every)


def at_least(count: int, judgements: Iterable[Judgement]) -> Judgement:
    """Holds if so many do, fails if too few can; what a claim about "most" needs."""
    every = _checked(judgements)
    of = {verdict: [one for one in every if one.verdict is verdict] for verdict in Verdict}
    if len(of[Verdict.HOLDS]) >= count:
        return _counted(Verdict.HOLDS, of[Verdict.HOLDS], every)
    if len(of[Verdict.HOLDS]) + len(of[Verdict.UNDECIDED]) < count:
        return _counted(Verdict.FAILS, of[Verdict.FAILS], every)
    leaning = sum(one.holds_by_estimate for one in every) >= count
    return _counted(Verdict.UNDECIDED, of[Verdict.UNDECIDED], every, leaning=leaning)


def most(judgements: Iterable[Judgement]) -> Judgement:
    """Holds if more than half do."""
    every = _checked(judgements)
    return at_least(len(every) // 2 + 1, every)


def negated(judgement: Judgement) -> Judgement:
    """Holds where the other fails."""
    opposite = {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS}
    leaning = None if judgement.leaning is None else not judgement.leaning
    return Judgement(opposite.get(judgement.verdict, judgement.verdict), judgement.says, judgement.needed, leaning)


def _checked(judgements: Iterable[Judgement]) -> list[Judgement]:
    every = list(judgements)
    if not every:
        raise ValueError("nothing to judge: a claim about no figure at all neither holds nor fails")
    return every


def _counted(
    verdict: Verdict, found: list[Judgement], every: list[Judgement], *, leaning: bool | None = None
) -> Judgement:
    joined = _joined(verdict, found, leaning=leaning)
    return Judgement(verdict, f"{len(found)} of {len(every)}: {joined.says}", joined.needed, joined.leaning)


def _joined(verdict: Verdict, found: list[Judgement], *, leaning: bool | None = None) -> Judgement:
    if verdict is not Verdict.UNDECIDED:
        return Judgement(verdict, _said(found))
    # What stands against the estimates' verdict of the whole is of no interest.
    telling = [one for one in found if one.holds_by_estimate == leaning] or found
    return Judgement(verdict, _said(telling), _needed(found), leaning)


def _needed(judgements: list[Judgement]) -> dict[Sample, int | None]:
    """What decides them all: the most that one of them needs, of each kind."""
    needed: dict[Sample, int | None] = {}
    for one in judgements:
        for sample, count in one.needed.items():
            most = needed.get(sample, 0)
            needed[sample] = None if count is None or most is None else max(count, most)
    return needed


def _said(judgements: list[Judgement]) -> str:
    return "; ".join(dict.fromkeys(one.says for one in judgements))
