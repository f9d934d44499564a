"""Counts of verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlane.study.claims.claim import Cause
from fairlane.study.claims.verdict import OPEN, TESTED, ClaimVerdict, Status


@dataclass(frozen=True)
class Tally:
    """Counts of claims: of one study, or of several together."""

    verdicts: Sequence[ClaimVerdict]

    def count(self, status: Status, cause: Cause | None = None) -> int:
        """The claims of this status, or those of them with this cause; without a cause they are unexplained."""
        found = [one for one in self.verdicts if one.status is status]
        return sum(cause in (None, one.cause or Cause.UNEXPLAINED) for one in found)

    @property
    def calibrated(self) -> int:
        """Claims that hold and are about numbers that a testbed was fitted to."""
        return sum(one.status is Status.HOLDS and bool(one.calibrated) for one in self.verdicts)

    @property
    def calibrated_everywhere(self) -> int:
        """Those of them that hold at every setting of their testbeds' unknowns, so that no fit made them hold."""
        return sum(bool(one.calibrated) and one.holds_everywhere for one in self.verdicts)

    @property
    def uncontradicted(self) -> int:
        """Tested claims that the paper's own numbers do not contradict."""
        return sum(one.status in TESTED and not one.is_contradicted for one in self.verdicts)

    @property
    def holds_uncontradicted(self) -> int:
        """Those of them that hold."""
        return sum(one.status is Status.HOLDS and not one.is_contradicted for one in self.verdicts)

    def as_json(self) -> dict[str, object]:
        """All counts."""
        return {
            "tested": sum(map(self.count, TESTED)),
            "holds": self.count(Status.HOLDS),
            "holds_calibrated": self.calibrated,
            "holds_calibrated_everywhere": self.calibrated_everywhere,
            "fails": self.count(Status.FAILS),
            "undecided": self.count(Status.UNDECIDED),
            "not_contradicted": self.uncontradicted,
            "not_contradicted_holds": self.holds_uncontradicted,
            "causes": {str(status): {str(cause): self.count(status, cause) for cause in Cause} for status in OPEN},
        }
