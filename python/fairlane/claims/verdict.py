"""The verdict on a claim, given what was measured."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from fairlane.claims.claim import Claim
from fairlane.claims.evidence import Evidence, NotMeasured
from fairlane.claims.judgement import Sample, Verdict


class Status(StrEnum):
    """What can be said of a claim; the order is that of a report."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_RUN = "not run"
    WAITING = "waiting"
    NOT_TESTABLE = "not testable"


_OF_VERDICT = {
    Verdict.HOLDS: Status.HOLDS,
    Verdict.FAILS: Status.FAILS,
    Verdict.UNDECIDED: Status.UNDECIDED,
}


@dataclass(frozen=True)
class Ruling:
    """A claim and what became of it."""

    claim: Claim
    status: Status
    says: str
    """Our figures with their intervals; or the reason why there are none."""
    needed: Mapping[Sample, int | None] = field(default_factory=dict)
    """Of an undecided one: how many of what might decide it in all; None where no reasonable number would."""
    leaning: bool | None = None
    """Of an undecided one: whether the estimates alone say that it holds."""

    @property
    def remedy(self) -> str:
        """What would decide it, if something would."""
        if self.status is not Status.UNDECIDED:
            return ""
        leaning = "" if self.leaning is None else f"by the estimates it {'holds' if self.leaning else 'fails'}; "
        hopeless = [sample for sample in Sample if self.needed.get(sample, 0) is None]
        if hopeless:
            return (
                f"{leaning}the interval ends so near to the border that no reasonable number of "
                f"{' or '.join(hopeless)} would decide it"
            )
        counts = [_ENOUGH[sample].format(self.needed[sample]) for sample in Sample if sample in self.needed]
        return leaning + "; ".join(counts) if counts else leaning.removesuffix("; ")


_ENOUGH = {
    Sample.REPEATS: "{} repeats in all might decide it",
    Sample.RUNS: "{} runs in all might decide it, which more repeats give",
    Sample.CONFIGURATIONS: "the interval is over configurations, and {} of them in all might decide it: "
    "a wider sweep, not more repeats",
}


def rule(claim: Claim, evidence: Evidence) -> Ruling:
    """Judges a claim."""
    if claim.waiting:
        return Ruling(claim, Status.WAITING, claim.waiting)
    if claim.predicate is None:
        return Ruling(claim, Status.NOT_TESTABLE, claim.untestable)
    try:
        judgement = claim.predicate(evidence)
    except NotMeasured as error:
        return Ruling(claim, Status.NOT_RUN, str(error))
    return Ruling(claim, _OF_VERDICT[judgement.verdict], judgement.says, judgement.needed, judgement.leaning)
