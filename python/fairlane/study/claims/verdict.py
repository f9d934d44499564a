"""The verdict on a claim from measurements, and counts of verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fairlane.study.claims.called import NotJudged, explained, judged
from fairlane.study.claims.claim import Cause, Claim, Predicate
from fairlane.study.claims.evidence import Evidence
from fairlane.study.claims.family import Family
from fairlane.study.claims.judgement import Judgement, Sample, Verdict
from fairlane.study.claims.measurement import NotMeasured


class Status(StrEnum):
    """The status of a claim, in the order of a report."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_RUN = "not run"
    NOT_JUDGED = "not judged"
    """Its predicate fails with an error of its own."""
    UNSUPPORTED = "not supported"
    NOT_TESTABLE = "not testable"


OPEN = (Status.FAILS, Status.UNDECIDED)
"""The verdicts that need a cause."""
TESTED = (Status.HOLDS, *OPEN)


@dataclass(frozen=True)
class ClaimVerdict:
    """A claim and its verdict."""

    claim: Claim
    status: Status
    summary: str
    """Our values with their intervals, or the reason why there are none."""
    on_own_numbers: Judgement | None = None
    """The judgement on the paper's own numbers; undecided if too few of them are published."""
    calibrated: str = ""
    """The testbeds fitted to numbers of the claim, so that its verdict is not evidence."""
    varied: Judgement | None = None
    """The judgement on the claim's variant, if its runs are stored."""
    family: Family | None = None
    """The judgements at each setting of the testbeds' unknowns, if nothing else explains it and they were run."""
    otherwise: Judgement | None = None
    """The judgement of the claim's other reading on our runs."""
    elsewhere: Judgement | None = None
    """The judgement of the claim's contradiction on the paper's own numbers."""
    judgement: Judgement | None = None
    """The judgement on our runs, with each comparison; None if there is no predicate or a run is missing."""
    explanation: str = ""
    """The cause of the difference from the paper's value, with numbers from the runs."""

    @property
    def by_estimate(self) -> bool | None:
        """For an undecided one: whether it holds by the estimates alone."""
        return None if self.judgement is None else self.judgement.by_estimate

    @property
    def supported(self) -> Verdict | None:
        """Whether the paper's own numbers support it."""
        return None if self.on_own_numbers is None else self.on_own_numbers.verdict

    @property
    def is_contradicted(self) -> bool:
        """Whether its predicate fails on the paper's own numbers or, where these are too few, on another place's."""
        elsewhere = self.elsewhere is not None and self.elsewhere.verdict is Verdict.FAILS
        return self.supported is Verdict.FAILS or (elsewhere and self.supported is not Verdict.HOLDS)

    @property
    def cause(self) -> Cause | None:
        """The cause; None if it holds, is not tested, or no cause is declared."""
        if self.status not in OPEN:
            return None
        if self.is_contradicted:
            return Cause.CONTRADICTED
        if self.claim.cause is Cause.UNEXPLAINED and self.family is not None:
            if self.family.holding:
                return Cause.TESTBED
            return Cause.NO_TESTBED if self.family.is_refuted else Cause.UNEXPLAINED
        return self.claim.cause or (Cause.CHANCE if self.status is Status.UNDECIDED else None)

    @property
    def remedy(self) -> str:
        """The additional runs that might decide it; empty if there are none."""
        if self.status is not Status.UNDECIDED or self.judgement is None:
            return ""
        needed = self.judgement.needed
        by_estimate = (
            "" if self.by_estimate is None else f"by the estimates it {'holds' if self.by_estimate else 'fails'}; "
        )
        hopeless = [sample for sample in Sample if needed.get(sample, 0) is None]
        if hopeless:
            return (
                f"{by_estimate}the interval ends too close to the threshold: no reasonable number of "
                f"{' or '.join(hopeless)} would decide it"
            )
        counts = [_ENOUGH[sample].format(needed[sample]) for sample in Sample if sample in needed]
        return by_estimate + "; ".join(counts) if counts else by_estimate.removesuffix("; ")


_ENOUGH = {
    Sample.REPEATS: "{} repeats in all might decide it",
    Sample.RUNS: "{} runs in all might decide it, which more repeats give",
    Sample.CONFIGURATIONS: "the interval is over configurations, and {} of them in all might decide it: "
    "a wider sweep, not more repeats",
}


def judge(
    claim: Claim, evidence: Evidence, own_numbers: Evidence | None = None, varied: Evidence | None = None
) -> ClaimVerdict:
    """Judges a claim by our runs and, if given, by the paper's own numbers and by the runs of its variant."""
    explanation = _explained(claim, evidence)
    if claim.predicate is None:
        status = Status.UNSUPPORTED if claim.unsupported else Status.NOT_TESTABLE
        return ClaimVerdict(claim, status, claim.unsupported or claim.untestable, explanation=explanation)
    ours = _judged(claim.predicate, evidence)
    own = _judged(claim.predicate, own_numbers)
    otherwise = _judged(claim.other_reading, evidence)
    changed = _judged(claim.predicate, varied)
    elsewhere = _judged(claim.contradiction, own_numbers)
    return ClaimVerdict(
        claim,
        _status(ours),
        ours.summary if isinstance(ours, Judgement) else str(ours),
        on_own_numbers=Judgement(Verdict.UNDECIDED, str(own)) if isinstance(own, NotMeasured) else own,
        varied=changed if isinstance(changed, Judgement) else None,
        otherwise=otherwise if isinstance(otherwise, Judgement) else None,
        elsewhere=elsewhere if isinstance(elsewhere, Judgement) else None,
        judgement=ours if isinstance(ours, Judgement) else None,
        explanation=explanation,
    )


def _status(ours: Judgement | NotMeasured | None) -> Status:
    if isinstance(ours, Judgement):
        return Status(ours.verdict)
    return Status.NOT_JUDGED if isinstance(ours, NotJudged) else Status.NOT_RUN


def _judged(predicate: Predicate | None, evidence: Evidence | None) -> Judgement | NotMeasured | None:
    """The judgement, or the value that is missing; None without a predicate or evidence."""
    if predicate is None or evidence is None:
        return None
    try:
        return judged(predicate, evidence)
    except NotMeasured as error:
        return error


def _explained(claim: Claim, evidence: Evidence) -> str:
    """The claim's explanation; if its numbers are missing, which runs it needs."""
    if isinstance(claim.explanation, str):
        return claim.explanation
    try:
        return explained(claim.explanation, evidence)
    except NotJudged as error:
        return str(error)
    except NotMeasured as error:
        return f"computed from runs that are not stored: {error}"


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
    def uncontradicted(self) -> int:
        """Tested claims that the paper's own numbers do not contradict."""
        return sum(one.status in TESTED and not one.is_contradicted for one in self.verdicts)

    @property
    def holds_uncontradicted(self) -> int:
        """Those of them that hold."""
        return sum(one.status is Status.HOLDS and not one.is_contradicted for one in self.verdicts)

    def as_json(self) -> dict[str, Any]:
        """All counts."""
        return {
            "tested": sum(map(self.count, TESTED)),
            "holds": self.count(Status.HOLDS),
            "holds_calibrated": self.calibrated,
            "fails": self.count(Status.FAILS),
            "undecided": self.count(Status.UNDECIDED),
            "not_contradicted": self.uncontradicted,
            "not_contradicted_holds": self.holds_uncontradicted,
            "causes": {str(status): {str(cause): self.count(status, cause) for cause in Cause} for status in OPEN},
        }
