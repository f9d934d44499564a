"""Counts the claims that hold, of those that the paper's own numbers do not contradict, and the others by cause."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.study.claims.claim import Cause
from fairlane.study.claims.verdict import ClaimVerdict, Status

OPEN = (Status.FAILS, Status.UNDECIDED)
"""The verdicts that need a cause."""


@dataclass(frozen=True)
class Tally:
    """Counts over tested claims: of one study, or of several together."""

    holds: int
    """Whether the paper's own numbers contradict them or not."""
    calibrated: int
    """Claims that hold and are about numbers that a testbed was fitted to."""
    contradicted: int
    """Claims that the paper's own numbers contradict, regardless of their verdict."""
    holds_uncontradicted: int
    open: Mapping[Status, Mapping[Cause, int]]
    """Claims that fail or are undecided, by cause."""

    @classmethod
    def of(cls, verdicts: Sequence[ClaimVerdict]) -> "Tally":
        """Counts those verdicts that are based on runs."""
        holding = [one for one in verdicts if one.status is Status.HOLDS]
        left = [one for one in verdicts if one.status in OPEN]
        return cls(
            holds=len(holding),
            calibrated=sum(bool(one.calibrated) for one in holding),
            contradicted=sum(one.is_contradicted for one in [*holding, *left]),
            holds_uncontradicted=sum(not one.is_contradicted for one in holding),
            open={
                status: {
                    cause: sum(one.status is status and (one.cause or Cause.UNEXPLAINED) is cause for one in left)
                    for cause in Cause
                }
                for status in OPEN
            },
        )

    @classmethod
    def total(cls, parts: Sequence["Tally"]) -> "Tally":
        """The sum."""
        return cls(
            holds=sum(one.holds for one in parts),
            calibrated=sum(one.calibrated for one in parts),
            contradicted=sum(one.contradicted for one in parts),
            holds_uncontradicted=sum(one.holds_uncontradicted for one in parts),
            open={status: {cause: sum(one.open[status][cause] for one in parts) for cause in Cause} for status in OPEN},
        )

    @property
    def fails(self) -> int:
        """The number that fail."""
        return sum(self.open[Status.FAILS].values())

    @property
    def undecided(self) -> int:
        """The number that are undecided."""
        return sum(self.open[Status.UNDECIDED].values())

    @property
    def uncontradicted(self) -> int:
        """The number of tested claims that the paper's own numbers do not contradict."""
        return self.holds + self.fails + self.undecided - self.contradicted

    def as_json(self) -> dict[str, Any]:
        """All counts."""
        return {
            "tested": self.holds + self.fails + self.undecided,
            "holds": self.holds,
            "holds_calibrated": self.calibrated,
            "fails": self.fails,
            "undecided": self.undecided,
            "not_contradicted": self.uncontradicted,
            "not_contradicted_holds": self.holds_uncontradicted,
            "causes": {str(status): {str(cause): n for cause, n in of.items()} for status, of in self.open.items()},
        }
