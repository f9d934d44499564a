"""What the results say about a study, tables and claims, and the contents of a report; runs nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlane.claims import ClaimError, ClaimVerdict, Status, judge
from fairlane.claims import load as load_claims
from fairlane.claims.paper_numbers import paper_evidence
from fairlane.claims.stored_runs import stored_evidence
from fairlane.claims.text import remarks
from fairlane.locations import data_folder
from fairlane.paper.comparison import Comparison, Frames, compare
from fairlane.paper.study import Item, Study, StudyError, load, names
from fairlane.report.content import JudgedClaim, Part
from fairlane.report.experiments import experiment, making
from fairlane.results.tables import ResultTables
from fairlane.store.layout import StoreError
from fairlane.study.rerun import open_results, stored_name


def gather(folders: Sequence[Path], *, quick: bool | None = None) -> list[Part]:
    """The parts of a report on these folders. `quick` selects quick subsets; None the whole study if it is stored.

    Raises StoreError and StudyError.
    """
    opened = [(folder, ResultTables(folder)) for folder in folders]
    for folder, results in opened:
        if not results.runs.height:
            raise StoreError(f"'{folder}' has no finished run; run an experiment into it first")
    parts: list[Part] = []
    for folder, results in opened:
        parts += _parts(folder, results, quick)
    return parts


def _parts(folder: Path, results: ResultTables, quick: bool | None) -> list[Part]:
    studies = data_folder("studies")
    asked = {plan.study for plan in results.plans}
    parts, used = [], set[str]()
    for name in names(studies):
        if name in asked:
            part = _study(load(studies / name), folder, results, quick)
            parts.append(part)
            for one in part.study.file.experiments if part.study else ():
                used |= {one, stored_name(one, quick=True)}
    rest = [plan.experiment for plan in results.plans if plan.experiment not in used]
    alone = {name: ResultTables(folder, name) for name in rest}
    alone = {name: one for name, one in alone.items() if one.runs.height}
    if alone:
        pages = [experiment(one, name) for name, one in alone.items()]
        title = pages[0].title if len(pages) == 1 and pages[0].title else folder.resolve().name
        parts.append(Part(folder.resolve().name, title, folder, pages, making(list(alone.values())), results=alone))
    return parts


def _study(study: Study, folder: Path, results: ResultTables, quick: bool | None) -> Part:
    stored = {plan.experiment for plan in results.plans}
    if quick is None:
        forms = [name for name, part in study.file.experiments.items() if part.quick]
        quick = any(stored_name(name, quick=True) in stored for name in forms) and not any(n in stored for n in forms)
    found = findings(study, study.file.items, folder, quick=quick)
    opened = dict(found.results)
    pages = []
    for name, part in study.file.experiments.items():
        if name in opened:
            pages.append(experiment(opened[name], name, part.assumptions, part.differences))
    verdicts = found.judge()
    counts = [(str(status), sum(one.status is status for one in verdicts)) for status in Status]
    return Part(
        study.name,
        study.file.title,
        folder,
        pages,
        making(list(opened.values())),
        study,
        quick,
        [comparison for comparison in found.comparisons if comparison.rows],
        [_judged(verdict) for verdict in verdicts],
        [(status, count) for status, count in counts if count],
        opened,
    )


def _judged(verdict: ClaimVerdict) -> JudgedClaim:
    published = verdict.claim.published
    return JudgedClaim(
        name=published.id,
        section=published.section,
        text=published.claim,
        algorithms=[name for name in published.algorithms.split(";") if name],
        status=str(verdict.status),
        remarks=remarks(verdict),
        remedy=verdict.remedy,
        note=published.note,
    )


@dataclass(frozen=True)
class Findings:
    """The findings of a study."""

    study: Study
    results: Mapping[str, ResultTables]
    """Results by the study's names of experiments, if any are stored."""
    comparisons: Sequence[Comparison]

    def judge(self) -> list[ClaimVerdict]:
        """The verdict on each of the paper's claims; none if the study has no claims. Raises StudyError."""
        if not self.study.has_claims:
            return []
        try:
            evidence, own_numbers = stored_evidence(self.results.get), paper_evidence(self.study)
            return [judge(claim, evidence, own_numbers) for claim in load_claims(self.study.folder)]
        except ClaimError as error:
            raise StudyError(str(error)) from None


def findings(study: Study, items: Sequence[Item], folder: Path, *, quick: bool = False) -> Findings:
    """Compares these items with the paper without running anything. Raises StudyError.

    Claims use all stored runs, whether these items show them or not.
    """
    results = open_results(study, study.file.items, folder, quick=quick)
    frames = {
        name: Frames(one, needing)
        for name, one in results.items()
        if (needing := [item for item in items if name in item.experiments])
    }
    return Findings(study, results, [compare(study, item, frames) for item in items])
