"""The verdict on a claim from measurements, and its cause: declared by the study, accepted if the runs show it."""

from dataclasses import dataclass
from enum import StrEnum

from fairlane.study.claims.called import NotJudged, explained, judged
from fairlane.study.claims.claim import Cause, Claim, Predicate
from fairlane.study.claims.evidence import Evidence
from fairlane.study.claims.judgement import Judgement, Sample, Verdict
from fairlane.study.claims.measurement import NotMeasured
from fairlane.study.claims.over_settings import OverSettings


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
    over: OverSettings | None = None
    """The verdicts under each variant and at each setting of the testbeds' unknowns, if they were computed."""
    otherwise: Judgement | None = None
    """The judgement of the claim's other reading on our runs."""
    elsewhere: Judgement | None = None
    """The judgement of the claim's contradiction on the paper's own numbers."""
    judgement: Judgement | None = None
    """The judgement on our runs, with each comparison; None if there is no predicate or a run is missing."""
    explanation: str = ""
    """The cause of the difference from the paper's value, with numbers from the runs; empty if there is none."""
    single_repeats_holding: int = 0
    """The number of our repeats on which it holds if the repeat is all that there is, as in a paper of one run."""

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
    def has_few_repeats(self) -> bool:
        """Whether it is undecided because a sample is too small for an interval."""
        compared = () if self.judgement is None else self.judgement.compared
        return self.status is Status.UNDECIDED and any(
            one.verdict is Verdict.UNDECIDED and not (one.value.is_known and one.bound.is_known) for one in compared
        )

    @property
    def holds_everywhere(self) -> bool:
        """Whether it holds, also at every setting of the unknowns of its testbeds."""
        return self.status is Status.HOLDS and self.over is not None and self.over.is_unanimous

    @property
    def cause(self) -> Cause | None:
        """The cause; None if it holds, is not tested, or no cause is declared."""
        return _cause(self)[0] if self.status in OPEN else None

    @property
    def cause_remark(self) -> str:
        """The reason why the declared cause is not accepted, or the setting that shows another one."""
        return _cause(self)[1] if self.status in OPEN else ""

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
    if claim.predicate is None:
        status = Status.UNSUPPORTED if claim.unsupported else Status.NOT_TESTABLE
        return ClaimVerdict(
            claim, status, claim.unsupported or claim.untestable, explanation=_explained(claim, evidence)
        )
    ours = _judged(claim.predicate, evidence)
    own = _judged(claim.predicate, own_numbers)
    otherwise = _judged(claim.other_reading, evidence)
    changed = _judged(claim.predicate, varied)
    elsewhere = _judged(claim.contradiction, own_numbers)
    alone = claim.cause is Cause.CHANCE and isinstance(ours, Judgement) and ours.verdict is Verdict.FAILS
    return ClaimVerdict(
        claim,
        _status(ours),
        ours.summary if isinstance(ours, Judgement) else str(ours),
        on_own_numbers=Judgement(Verdict.UNDECIDED, str(own)) if isinstance(own, NotMeasured) else own,
        varied=changed if isinstance(changed, Judgement) else None,
        otherwise=otherwise if isinstance(otherwise, Judgement) else None,
        elsewhere=elsewhere if isinstance(elsewhere, Judgement) else None,
        judgement=ours if isinstance(ours, Judgement) else None,
        explanation=_explained(claim, evidence) if _status(ours) in OPEN else "",
        single_repeats_holding=_holding_alone(claim.predicate, evidence) if alone else 0,
    )


def _status(ours: Judgement | NotMeasured | None) -> Status:
    if isinstance(ours, Judgement):
        return Status(ours.verdict)
    return Status.NOT_JUDGED if isinstance(ours, NotJudged) else Status.NOT_RUN


MOST_REPEATS = 20
"""The most repeats that are judged alone."""


def _holding_alone(predicate: Predicate, evidence: Evidence) -> int:
    """The number of repeats on which the claim holds without the others."""
    found = (_judged(predicate, evidence.of_repeat(number)) for number in range(MOST_REPEATS))
    return sum(isinstance(one, Judgement) and one.verdict is Verdict.HOLDS for one in found)


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


def _cause(verdict: ClaimVerdict) -> tuple[Cause | None, str]:
    """The cause, and a remark: why a declared one is not accepted, or which setting shows a computed one.

    None if no cause is declared or found.
    """
    declared = verdict.claim.cause
    fails = verdict.status is Status.FAILS
    if verdict.is_contradicted:
        return Cause.CONTRADICTED, ""
    if verdict.has_few_repeats and declared in (None, Cause.CHANCE, Cause.UNEXPLAINED):
        return Cause.FEW_REPEATS, ""
    if declared is Cause.CHANCE and fails and not verdict.single_repeats_holding:
        return _over_settings(verdict, "it holds on none of our repeats alone, so chance does not give it")
    if declared is Cause.PREDICATE:
        shown = verdict.otherwise is not None and verdict.otherwise.verdict is Verdict.HOLDS
        return (declared, "") if shown else _over_settings(verdict, "the other reading does not hold either")
    if declared is Cause.TESTBED:
        return _variant(verdict)
    if declared is Cause.UNEXPLAINED or (declared is None and fails and verdict.over is not None):
        found = _over_settings(verdict, "")
        return (Cause.CHANCE, "") if found[0] is Cause.UNEXPLAINED and not fails and verdict.by_estimate else found
    return declared or (None if fails else Cause.CHANCE), ""


def _variant(verdict: ClaimVerdict) -> tuple[Cause, str]:
    """A variant shows the testbed as the cause if it turns the claim and costs the study nothing."""
    known = None if verdict.over is None else verdict.over.under(verdict.claim.variant)
    turned = verdict.varied.verdict if verdict.varied is not None else known[1] if known else None
    if turned is None:
        return Cause.UNEXPLAINED, f"the variant {verdict.claim.variant} was not run"
    if turned is not Verdict.HOLDS:
        return _over_settings(verdict, f"the variant {verdict.claim.variant} does not turn it")
    if known is not None and not known[0].is_free:
        return _over_settings(verdict, f"the variant {verdict.claim.variant} turns it, but {known[0].cost}")
    return Cause.TESTBED, ""


def _over_settings(verdict: ClaimVerdict, complaint: str) -> tuple[Cause, str]:
    """The verdicts at the settings of the unknowns decide; `complaint` tells why the declared cause is not accepted."""
    over = verdict.over
    if over is None:
        return Cause.UNEXPLAINED, complaint
    if over.turning is not None:
        effect, values = over.turning
        if effect.is_free:
            return Cause.TESTBED, f"it holds with {effect.title} ({values})"
        return Cause.UNEXPLAINED, _joined(
            complaint, "" if effect.of in complaint else f"{effect.title} turns it, but {effect.cost}"
        )
    if not over.is_refuted:
        return Cause.UNEXPLAINED, complaint
    if over.is_sensitive:
        return Cause.NO_TESTBED, complaint
    return Cause.UNEXPLAINED, _joined(complaint, "its values do not depend on the unknowns of its testbed")


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
