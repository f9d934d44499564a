"""What the results say about a study, tables and claims, and the contents of a report; runs nothing."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fairlane.files import data_folder
from fairlane.results.store.layout import StoreError
from fairlane.results.tables import ResultTables
from fairlane.show.report.claim_cards import cards
from fairlane.show.report.content import Part
from fairlane.show.report.experiments import experiment, making
from fairlane.study.claims import Claim, ClaimError, ClaimVerdict, Status, judge
from fairlane.study.claims import load as load_claims
from fairlane.study.claims.claim import Cause
from fairlane.study.claims.stored_runs import rows_for, stored_evidence
from fairlane.study.families import Families, over_name
from fairlane.study.paper.comparison import Comparison, Frames, compare
from fairlane.study.paper.definition import Item, Study, StudyError, load, names
from fairlane.study.requirements import Asked, Need
from fairlane.study.rerun import open_results, stored_name
from fairlane.study.variants import StoredVariants, varied_name


def gather(folders: Sequence[Path], *, quick: bool | None = None) -> list[Part]:
    """The parts of a report on these folders. `quick` selects quick subsets; None the whole study if it is stored.

    Raises StoreError and StudyError.
    """
    opened = [(folder, ResultTables(folder)) for folder in folders]
    for folder, results in opened:
        if results.is_empty:
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
                forms = [one, stored_name(one, quick=True)]
                variants = part.study.file.variants if part.study else ()
                testbeds = part.study.file.testbeds if part.study else ()
                used |= {*forms, *(varied_name(form, variant) for form in forms for variant in variants)}
                used |= {over_name(form, testbed) for form in forms for testbed in testbeds}
    rest = [plan.experiment for plan in results.plans if plan.experiment not in used]
    alone = {name: ResultTables(folder, name) for name in rest}
    alone = {name: one for name, one in alone.items() if one.runs.height}
    if alone:
        pages = [experiment(one, name) for name, one in alone.items()]
        title = pages[0].title if len(pages) == 1 and pages[0].title else folder.resolve().name
        parts.append(Part(folder.resolve().name, title, folder, pages, making(list(alone.values())), results=alone))
    return parts


def _study(study: Study, folder: Path, results: ResultTables, quick: bool | None) -> Part:
    if quick is None:
        quick = only_quick(study, {plan.experiment for plan in results.plans})
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
        cards(study, verdicts),
        [(status, count) for status, count in counts if count],
        opened,
    )


def only_quick(study: Study, stored: Container[str]) -> bool:
    """Whether the quick subset is stored, and nothing of the whole."""
    forms = [name for name, part in study.file.experiments.items() if part.quick]
    return any(stored_name(name, quick=True) in stored for name in forms) and not any(n in stored for n in forms)


@dataclass(frozen=True)
class Findings:
    """The findings of a study."""

    study: Study
    results: Mapping[str, ResultTables]
    """Results by the study's names of experiments, if any are stored."""
    comparisons: Sequence[Comparison]

    folder: Path
    quick: bool

    def judge(self, wanted: Callable[[Claim], bool] = lambda _: True) -> list[ClaimVerdict]:
        """The verdict on each of the paper's claims; none if the study has no claims. Raises StudyError."""
        if not self.study.has_claims:
            return []
        try:
            claims = [claim for claim in load_claims(self.study.folder) if wanted(claim)]
        except ClaimError as error:
            raise StudyError(str(error)) from None
        asked = Asked(self.study)
        expected: dict[str, set[tuple[str, str]]] = {}
        for need in [need for claim in claims for need in asked.of(claim)]:
            expected.setdefault(need.experiment, set()).add((need.metric, rows_for(need.flow)))
        evidence = stored_evidence(self.results.get, expected)
        variants = StoredVariants(self.study, self.folder, self.results, quick=self.quick)
        varied = {name: stored_evidence(partial(variants.of, name), expected) for name in self.study.file.variants}
        families = Families(self.study, quick=self.quick).stored(self.folder, self.results.get)
        verdicts = []
        for claim in claims:
            before = len(asked.needs)
            verdict = judge(claim, evidence, asked.evidence, varied.get(claim.variant))
            needs = asked.needs[before:]
            if verdict.cause is Cause.UNEXPLAINED:
                verdict = replace(verdict, family=families.judge(claim, needs, expected, verdict.on_own_numbers))
            verdicts.append(replace(verdict, calibrated=self._calibrated(needs)))
        return verdicts

    def _calibrated(self, needs: Sequence[Need]) -> str:
        """What was fitted to the numbers that a claim is about."""
        found = [
            f"{testbed.title} was inferred from such numbers (fairlane calibrate {self.study.name} {name})"
            for name, testbed in self.study.file.testbeds.items()
            if any(need.is_trained_by(one) for need in needs for one in testbed.training)
        ]
        return "; ".join(found)


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
    return Findings(study, results, [compare(study, item, frames) for item in items], folder, quick)
