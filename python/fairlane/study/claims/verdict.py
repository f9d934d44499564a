"""The verdict on a claim from measurements."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum

from fairlane.study.claims.claim import Cause, Claim
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
    UNSUPPORTED = "not supported"
    NOT_TESTABLE = "not testable"


_OF_VERDICT = {
    Verdict.HOLDS: Status.HOLDS,
    Verdict.FAILS: Status.FAILS,
    Verdict.UNDECIDED: Status.UNDECIDED,
}


@dataclass(frozen=True)
class ClaimVerdict:
    """A claim and its verdict."""

    claim: Claim
    status: Status
    summary: str
    """Our values with their intervals, or the reason why there are none."""
    needed: Mapping[Sample, int | None] = field(default_factory=dict)
    """For an undecided one: the total of each sample that might decide it; None where no reasonable number would."""
    by_estimate: bool | None = None
    """For an undecided one: whether it holds by the estimates alone."""
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
    judgement: Judgement | None = None
    """The judgement on our runs, with each comparison; None if there is no predicate or a run is missing."""
    explanation: str = ""
    """The cause of the difference from the paper's value, with numbers from the runs."""

    @property
    def supported(self) -> Verdict | None:
        """Whether the paper's own numbers support it."""
        return None if self.on_own_numbers is None else self.on_own_numbers.verdict

    @property
    def is_contradicted(self) -> bool:
        """Whether the paper's own numbers contradict it, by the predicate or, where it is undecided, by our reading."""
        return self.supported is Verdict.FAILS or (
            bool(self.claim.contradicted) and self.supported is not Verdict.HOLDS
        )

    @property
    def cause(self) -> Cause | None:
        """The cause; None if it holds, is not tested, or no cause is declared."""
        if self.status not in (Status.FAILS, Status.UNDECIDED):
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
        if self.status is not Status.UNDECIDED:
            return ""
        by_estimate = (
            "" if self.by_estimate is None else f"by the estimates it {'holds' if self.by_estimate else 'fails'}; "
        )
        hopeless = [sample for sample in Sample if self.needed.get(sample, 0) is None]
        if hopeless:
            return (
                f"{by_estimate}the interval ends too close to the threshold: no reasonable number of "
                f"{' or '.join(hopeless)} would decide it"
            )
        counts = [_ENOUGH[sample].format(self.needed[sample]) for sample in Sample if sample in self.needed]
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
    verdict = replace(_judge(claim, evidence), explanation=_explained(claim, evidence))
    if claim.predicate is None:
        return verdict
    if own_numbers is not None:
        try:
            verdict = replace(verdict, on_own_numbers=claim.predicate(own_numbers))
        except NotMeasured as error:
            verdict = replace(verdict, on_own_numbers=Judgement(Verdict.UNDECIDED, str(error)))
    if claim.other_reading is not None:
        with suppress(NotMeasured):
            verdict = replace(verdict, otherwise=claim.other_reading(evidence))
    if varied is not None:
        with suppress(NotMeasured):
            verdict = replace(verdict, varied=claim.predicate(varied))
    return verdict


def _explained(claim: Claim, evidence: Evidence) -> str:
    """The claim's explanation; if its numbers are missing, which runs it needs."""
    if isinstance(claim.explanation, str):
        return claim.explanation
    try:
        return claim.explanation(evidence)
    except NotMeasured as error:
        return f"computed from runs that are not stored: {error}"


def _judge(claim: Claim, evidence: Evidence) -> ClaimVerdict:
    if claim.unsupported:
        return ClaimVerdict(claim, Status.UNSUPPORTED, claim.unsupported)
    if claim.predicate is None:
        return ClaimVerdict(claim, Status.NOT_TESTABLE, claim.untestable)
    try:
        judgement = claim.predicate(evidence)
    except NotMeasured as error:
        return ClaimVerdict(claim, Status.NOT_RUN, str(error))
    return ClaimVerdict(
        claim,
        _OF_VERDICT[judgement.verdict],
        judgement.summary,
        judgement.needed,
        judgement.by_estimate,
        judgement=judgement,
    )
