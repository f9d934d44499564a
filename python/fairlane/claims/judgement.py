"""What a comparison says, and how comparisons are put together."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    """An interval reaches across the border between the two."""


@dataclass(frozen=True)
class Judgement:
    """The outcome of a comparison, or of several together."""

    verdict: Verdict
    says: str
    """Our figures, with their intervals."""
    repeats: int | None = None
    """Of an undecided one: repeats in all that might decide it, judged by those there are; None if too many."""

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
    return Judgement(opposite.get(judgement.verdict, judgement.verdict), judgement.says, judgement.repeats, leaning)


def _checked(judgements: Iterable[Judgement]) -> list[Judgement]:
    every = list(judgements)
    if not every:
        raise ValueError("nothing to judge: a claim about no figure at all neither holds nor fails")
    return every


def _counted(
    verdict: Verdict, found: list[Judgement], every: list[Judgement], *, leaning: bool | None = None
) -> Judgement:
    joined = _joined(verdict, found, leaning=leaning)
    return Judgement(verdict, f"{len(found)} of {len(every)}: {joined.says}", joined.repeats, joined.leaning)


def _joined(verdict: Verdict, found: list[Judgement], *, leaning: bool | None = None) -> Judgement:
    if verdict is not Verdict.UNDECIDED:
        return Judgement(verdict, _said(found))
    counts = [one.repeats for one in found]
    known = [count for count in counts if count is not None]
    # What stands against the estimates' verdict of the whole is of no interest.
    telling = [one for one in found if one.holds_by_estimate == leaning] or found
    return Judgement(verdict, _said(telling), max(known) if len(known) == len(counts) else None, leaning)


def _said(judgements: list[Judgement]) -> str:
    return "; ".join(dict.fromkeys(one.says for one in judgements))
