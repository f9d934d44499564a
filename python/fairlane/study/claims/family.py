"""The verdicts on a claim at each setting of the unknowns of its testbeds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.study.claims.judgement import Judgement, Verdict

ROUNDING = 0.01
"""The share by which rounding may change a printed number: two digits of Jain's index."""


@dataclass(frozen=True)
class Setting:
    """A combination of values, by the names of the unknowns, and the judgement there."""

    values: Mapping[str, Any]
    judgement: Judgement


@dataclass(frozen=True)
class Reach:
    """The range of a printed value over all settings, from the lowest to the highest end of an interval."""

    title: str
    unit: str
    low: float
    high: float
    paper: float

    @property
    def is_outside(self) -> bool:
        """Whether no setting gives the paper's value within its rounding."""
        return self.paper < self.low - ROUNDING * abs(self.paper) or self.paper > self.high + ROUNDING * abs(self.paper)


@dataclass(frozen=True)
class Family:
    """The testbeds that the paper's description allows, as far as the study's unknowns span them."""

    titles: Sequence[str]
    """The unknowns of each testbed, in words."""
    ranges: Mapping[str, Sequence[Any]]
    """The values of each unknown that were run."""
    settings: Sequence[Setting]
    reaches: Sequence[Reach]
    """The ranges of the values that the claim compares and the paper prints."""

    @property
    def holding(self) -> list[Setting]:
        """The settings that turn the claim."""
        return [one for one in self.settings if one.judgement.verdict is Verdict.HOLDS]

    @property
    def is_refuted(self) -> bool:
        """Whether the claim fails at every setting. A setting that leaves it undecided refutes nothing."""
        return all(one.judgement.verdict is Verdict.FAILS for one in self.settings)


def reaches(judgements: Sequence[Judgement], own: Judgement | None) -> list[Reach]:
    """The range of each value that `own`, the judgement of the paper's own numbers, has a finite number for."""
    papers = printed(own)
    ends: dict[str, list[float]] = {}
    units: dict[str, str] = {}
    for one in (compared for judgement in judgements for compared in judgement.compared):
        for title, interval in ((one.title, one.value), (one.bound_title, one.bound)):
            if title in papers:
                found = [end for end in (interval.low, interval.estimate, interval.high) if math.isfinite(end)]
                ends.setdefault(title, []).extend(found)
                units[title] = one.unit
    return [Reach(title, units[title], min(of), max(of), papers[title]) for title, of in ends.items() if of]


def printed(own: Judgement | None) -> dict[str, float]:
    """The printed number of each compared value, and of each bound that is a value, by title."""
    found: dict[str, float] = {}
    for one in () if own is None else own.compared:
        for title, interval in ((one.title, one.value), (one.bound_title, one.bound)):
            if title and math.isfinite(interval.estimate):
                found.setdefault(title, interval.estimate)
    return found
