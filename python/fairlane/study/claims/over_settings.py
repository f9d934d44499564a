"""The verdicts on a claim under each variant of its study, and at each setting of the unknowns of its testbeds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairlane.results.statistics import Interval
from fairlane.study.claims.judgement import Compared, Judgement, Verdict

ROUNDING = 0.01
"""The share by which rounding may change a printed number: two digits of Jain's index."""


@dataclass(frozen=True)
class Effect:
    """The effect of a variant or of a setting of a testbed on all claims of a study."""

    name: str
    kind: str
    """"default", "variant" or "testbed"."""
    of: str
    """The name of the variant or testbed; empty for the default."""
    values: str
    """The values of the unknowns, in words; empty for a variant."""
    gained: Sequence[str] = ()
    """Claims that hold with it and not with the default, without those that the paper contradicts itself."""
    lost: Sequence[str] = ()
    """Claims that hold with the default and not with it."""
    numbers: int = 0
    """Published numbers within 25 % with it, less those with the default; bounded metrics do not count."""
    net_pct: float = 0.0
    """The change of the share of claims that hold, plus that of the share of numbers within 25 %, in percent."""
    in_part: bool = False
    """Whether it changes experiments that were left out, so that its costs are not known."""

    @property
    def is_free(self) -> bool:
        """Whether it costs the study nothing: no claims on balance, nor more numbers than it gains claims."""
        return not self.in_part and self.net >= 0 and self.net_pct >= 0

    @property
    def cost(self) -> str:
        """The costs in words, for one that is not free."""
        if self.in_part:
            return "other experiments that it changes were not run with it"
        if self.net < 0:
            return f"costs {len(self.lost)} claims and gains {len(self.gained)}"
        return f"gains {self.net} claims on balance and costs {-self.numbers} of the numbers within 25 %"

    @property
    def net(self) -> int:
        """The claims that it gains, less those that it loses."""
        return len(self.gained) - len(self.lost)

    @property
    def title(self) -> str:
        """Its name for a reader."""
        return f"{self.of}: {self.values}" if self.values else self.of or self.name


@dataclass(frozen=True)
class Reach:
    """The range over all settings of a value that a claim compares."""

    title: str
    unit: str
    low: float
    high: float
    """The lowest and highest estimate."""
    width: float
    """The width of its confidence interval at the default."""
    paper: float
    """The printed number; NaN if there is none."""

    @property
    def is_sensitive(self) -> bool:
        """Whether the settings move it by more than its random variation."""
        return self.high - self.low > self.width

    @property
    def is_outside(self) -> bool:
        """Whether no setting gives the paper's value within its rounding."""
        slack = ROUNDING * abs(self.paper)
        return self.paper < self.low - slack or self.paper > self.high + slack


@dataclass(frozen=True)
class OverSettings:
    """The verdicts on one claim."""

    verdicts: Sequence[tuple[Effect, Verdict, str]]
    """At each setting and variant that changes one of its experiments, with the values in short."""
    reach: Reach | None
    """The value that the settings move most, relative to its interval, of those that decide the claim."""

    @property
    def at_settings(self) -> list[tuple[Effect, Verdict, str]]:
        """Those of the testbeds' unknowns."""
        return [one for one in self.verdicts if one[0].kind == "testbed"]

    @property
    def turning(self) -> tuple[Effect, str] | None:
        """The setting or variant that turns the claim at the least cost, and the values there."""
        found = [(effect, text) for effect, verdict, text in self.verdicts if verdict is Verdict.HOLDS]
        return max(found, key=lambda one: (one[0].is_free, one[0].net_pct), default=None)

    @property
    def is_refuted(self) -> bool:
        """Whether the claim fails at every setting. A setting that leaves it undecided refutes nothing."""
        settings = self.at_settings
        return bool(settings) and all(verdict is Verdict.FAILS for _, verdict, _ in settings)

    @property
    def is_unanimous(self) -> bool:
        """Whether the claim holds at every setting, so that no choice among them can have made it hold."""
        settings = self.at_settings
        return bool(settings) and all(verdict is Verdict.HOLDS for _, verdict, _ in settings)

    @property
    def is_sensitive(self) -> bool:
        """Whether a value that decides the claim depends on the unknowns."""
        return self.reach is not None and self.reach.is_sensitive

    def under(self, variant: str) -> tuple[Effect, Verdict, str] | None:
        """The effect of a variant, the verdict under it and the values; None if it was not run for the claim."""
        return next((one for one in self.verdicts if one[0].kind == "variant" and one[0].of == variant), None)


def reach(default: Judgement, others: Sequence[Judgement], own: Judgement | None) -> Reach | None:
    """The widest range of a comparison that does not hold at the default, in units of its interval there.

    The comparison is of a value with a bound, which may be a value, too: then it is the range of their difference.
    """
    printed_numbers = printed(own)
    found = []
    for number, one in enumerate(default.compared):
        if one.verdict is Verdict.HOLDS:
            continue
        same = [other.compared[number] for other in others if _is_same(other, number, one)]
        margins = [_margin(compared) for compared in (one, *same)]
        known = [margin for margin in margins if math.isfinite(margin)]
        if not known:
            continue
        shift = 0.0 if one.bound_title else one.bound.estimate
        title = f"{one.title} - {one.bound_title}" if one.bound_title else one.title
        paper = printed_numbers.get(one.title, math.nan)
        if one.bound_title:
            paper -= printed_numbers.get(one.bound_title, math.nan)
        found.append(Reach(title, one.unit, min(known) + shift, max(known) + shift, _width(one), paper))
    return max(found, key=lambda one: (one.high - one.low) / (one.width or math.ulp(1.0)), default=None)


def moves(default: Judgement, other: Judgement) -> bool:
    """Whether a setting changes the verdict on a claim, or one of its numbers by more than the confidence interval.

    The interval is that of the default; without one any change counts. So does a setting at which other things are
    compared.
    """
    if default.verdict is not other.verdict or len(default.compared) != len(other.compared):
        return True
    return any(
        (one.title, one.bound_title) != (two.title, two.bound_title)
        or _is_moved(one.value, two.value)
        or _is_moved(one.bound, two.bound)
        for one, two in zip(default.compared, other.compared, strict=True)
    )


def _is_moved(default: Interval, other: Interval) -> bool:
    width = default.high - default.low if default.is_known else 0.0
    return not abs(other.estimate - default.estimate) <= width


def _is_same(judgement: Judgement, number: int, one: Compared) -> bool:
    if number >= len(judgement.compared):
        return False
    other = judgement.compared[number]
    return (other.title, other.bound_title) == (one.title, one.bound_title)


def _margin(one: Compared) -> float:
    return one.value.estimate - one.bound.estimate


def _width(one: Compared) -> float:
    """Of the difference of both, as if they were independent; infinite without an interval."""
    return math.hypot(one.value.high - one.value.low, one.bound.high - one.bound.low)


def printed(own: Judgement | None) -> Mapping[str, float]:
    """The printed number of each compared value, and of each bound that is a value, by title."""
    found: dict[str, float] = {}
    for one in () if own is None else own.compared:
        for title, interval in ((one.title, one.value), (one.bound_title, one.bound)):
            if title and math.isfinite(interval.estimate):
                found.setdefault(title, interval.estimate)
    return found
