"""The contents of a report as data, collected from stored results; runs nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairlane.files import data_folder
from fairlane.results.store.layout import StoreError
from fairlane.results.tables import ResultTables
from fairlane.show.report.claim_cards import JudgedClaim, cards
from fairlane.show.report.experiments import Experiment, Making, experiment, making
from fairlane.study.claims import Status
from fairlane.study.explain import over_unknowns, with_change
from fairlane.study.findings import findings, only_quick
from fairlane.study.joint.saved import Saved
from fairlane.study.joint.settings import as_shipped
from fairlane.study.paper.comparison import Comparison
from fairlane.study.paper.definition import Study, load, names, quick_name


@dataclass
class Part:
    """A study, or the results of experiments that belong to none."""

    name: str
    title: str
    folder: Path
    experiments: Sequence[Experiment]
    making: Making
    study: Study | None = None
    quick: bool = False
    comparisons: Sequence[Comparison] = ()
    claims: Sequence[JudgedClaim] = ()
    counts: Sequence[tuple[str, int]] = ()
    """The numbers of claims that hold, fail, ..."""
    results: Mapping[str, ResultTables] = field(default_factory=dict)
    joint: Saved | None = None
    """The judgement of all variants and testbeds on all claims and numbers of the study."""

    @property
    def damage(self) -> list[str]:
        """A line for each store of results in which something that was read is damaged."""
        return list(dict.fromkeys(one.notice for one in self.results.values() if one.damage))


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
        found = _parts(folder, results, quick)
        if not found:
            cause = next(iter(results.damage), "its tables are damaged")
            raise StoreError(f"'{folder}' has no finished run that is intact ({cause}); run the experiment again")
        parts += found
    return parts


def _parts(folder: Path, results: ResultTables, quick: bool | None) -> list[Part]:
    studies = data_folder("studies")
    asked = {plan.study for plan in results.plans}
    parts, used = [], set[str]()
    for name in names(studies):
        if name in asked:
            study = load(studies / name)
            parts.append(_study(study, folder, results, quick))
            endings = [
                "",
                as_shipped(""),
                *map(with_change, study.file.variants),
                *map(over_unknowns, study.file.testbeds),
            ]
            for one in study.file.experiments:
                used |= {form + ending for form in (one, quick_name(one)) for ending in endings}
    rest = [plan.experiment for plan in results.plans if plan.experiment not in used]
    alone = {name: ResultTables(folder, name) for name in rest}
    alone = {name: one for name, one in alone.items() if one.runs.height and one.flows.height and one.links.height}
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
        found.joint,
    )
