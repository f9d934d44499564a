"""Claims in a report: verdict, cause, and each comparison in the paper's unit, with the paper's value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fairlane.results.metrics import find
from fairlane.results.statistics import Interval
from fairlane.show.report.evidence_drawing import EvidenceRow, on_shared_scales, shown_first
from fairlane.show.text.verdicts import remarks
from fairlane.study.claims import ClaimVerdict, Judgement, Status, Verdict
from fairlane.study.claims.claim import Cause
from fairlane.study.claims.judgement import Compared
from fairlane.study.claims.over_settings import printed
from fairlane.study.claims.verdict import TESTED
from fairlane.study.paper.definition import Study

CAUSES = {
    Cause.CONTRADICTED: "the paper contradicts itself",
    Cause.TESTBED: "setup differs",
    Cause.VERSION: "setup differs (another version of the software)",
    Cause.CHANCE: "random variation",
    Cause.FEW_REPEATS: "too few repeats",
    Cause.PREDICATE: "the wording allows other readings",
    Cause.NO_TESTBED: "no testbed as described gives it",
    Cause.UNEXPLAINED: "unexplained",
    None: "unexplained",
}
"""The cause of a claim that does not hold here, in a few words."""


@dataclass(frozen=True)
class JudgedClaim:
    """A claim of a paper and the verdict on it."""

    name: str
    section: str
    text: str
    algorithms: Sequence[str]
    """Those that the claim is about."""
    status: str
    remarks: Sequence[tuple[str, str]]
    """Our value, the paper's and other remarks, each with a label; "" where the status is the label."""
    remedy: str
    """The way to decide it; empty if there is none."""
    note: str
    cause: str = ""
    """The cause, in a few words; empty if it holds, or was not tested."""
    fitted: str = ""
    """The testbeds that were fitted to numbers of the claim, so that its verdict is no evidence."""
    rows: Sequence[EvidenceRow] = ()
    """Comparisons, those first that decided the verdict; no more than a page shows."""
    compared: int = 0
    """The number of all comparisons."""
    holding: tuple[int, int] = (0, 0)
    """In how many of how many statements it holds; (0, 0) if it has none."""


def card(study: Study, verdict: ClaimVerdict) -> JudgedClaim:
    """Everything that a report shows of a claim."""
    published, judgement = verdict.claim.published, verdict.judgement
    parts = () if judgement is None else judgement.parts
    compared = [] if judgement is None else rows(study, judgement, verdict.on_own_numbers)
    return JudgedClaim(
        name=published.id,
        section=published.section,
        text=published.claim,
        algorithms=[name for name in published.algorithms.split(";") if name],
        status=str(verdict.status),
        remarks=remarks(verdict, study.file.variants),
        remedy=verdict.remedy,
        note=published.note,
        cause=CAUSES[verdict.cause] if verdict.status in (Status.FAILS, Status.UNDECIDED) else "",
        fitted=verdict.calibrated if verdict.status in TESTED else "",
        rows=on_shared_scales(compared),
        compared=len(compared),
        holding=(sum(one is Verdict.HOLDS for one in parts), len(parts)),
    )


def rows(study: Study, judgement: Judgement, own: Judgement | None) -> list[EvidenceRow]:
    """The comparisons of a judgement; those of one value with two numbers are one row."""
    papers = printed(own)
    found: list[EvidenceRow] = []
    for one in judgement.compared:
        factor, unit = _unit(study, one)
        value, bound = _scaled(one.value, factor), _scaled(one.bound, factor)
        paper = papers.get(one.title)
        low, high = (None, bound) if one.is_below else (bound, None)
        row = EvidenceRow(
            title=one.title,
            unit=unit,
            value=value,
            paper=None if paper is None else paper * factor,
            low=low,
            high=high,
            bound_title=one.bound_title,
            verdict=str(one.verdict),
        )
        before = found[-1] if found else None
        if before and not one.bound_title and not before.bound_title and _completes(before, row):
            verdicts = {before.verdict, row.verdict}
            joint = next(str(kind) for kind in (Verdict.FAILS, Verdict.UNDECIDED, Verdict.HOLDS) if kind in verdicts)
            found[-1] = replace(before, low=before.low or row.low, high=before.high or row.high, verdict=joint)
        elif row not in found:
            found.append(row)
    return shown_first(found, str(judgement.verdict))


def _completes(before: EvidenceRow, row: EvidenceRow) -> bool:
    """Whether both are about one value, one with its lower and one with its upper limit."""
    return (
        before.title == row.title
        and (before.low is None) != (row.low is None)
        and (before.high is None or before.low is None)
    )


def _scaled(interval: Interval, factor: float) -> Interval:
    if factor == 1:
        return interval
    return Interval(interval.estimate * factor, interval.low * factor, interval.high * factor, interval.n)


def _unit(study: Study, one: Compared) -> tuple[float, str]:
    """The factor that converts a value to the paper's unit, and that unit: ours, unless the paper prints another."""
    label, _, place = one.title.partition(", ")
    experiment = place.split(" ", 1)[0]
    for item in study.file.items:
        if experiment in item.experiments and one.unit:
            for value in item.values:
                metric = find(value.metric)
                if value.scale != 1 and metric.label == label and metric.unit == one.unit:
                    return value.scale, value.heading.rpartition("\n")[2]
    return 1.0, one.unit


def cards(study: Study, verdicts: Sequence[ClaimVerdict]) -> list[JudgedClaim]:
    """The cards of all claims, in the order of the paper."""
    return [card(study, verdict) for verdict in verdicts]
