"""What a report says: gathered from results folders, with nothing run and nothing drawn yet."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fairlane.claims import Ruling
from fairlane.locations import data_folder
from fairlane.report.experiments import Experiment, Making, experiment, making
from fairlane.store.layout import StoreError
from fairlane.store.results import Results
from fairlane.study.findings import findings
from fairlane.study.rerun import stored_name
from fairlane.study.study import Study, load, names

if TYPE_CHECKING:
    from fairlane.study.compare import Comparison

_STUDY = re.compile(r"\breproduce\s+(\S+)")


@dataclass(frozen=True)
class Part:
    """A study, or the results of experiments that belong to none."""

    name: str
    title: str
    folder: Path
    experiments: Sequence[Experiment]
    making: Making
    study: Study | None = None
    quick: bool = False
    comparisons: "Sequence[Comparison]" = ()
    rulings: Sequence[Ruling] = ()
    results: Mapping[str, Results] = field(default_factory=dict)


def gather(folders: Sequence[Path], *, quick: bool | None = None) -> list[Part]:
    """The parts of a report on these folders. `quick` chooses a form of studies; None the whole, where there is one.

    Raises StoreError and StudyError.
    """
    opened = [(folder, Results(folder)) for folder in folders]
    for folder, results in opened:
        if not results.runs.height:
            raise StoreError(f"no run in '{folder}' is finished; run an experiment into it first")
    parts: list[Part] = []
    for folder, results in opened:
        parts += _parts(folder, results, quick)
    return parts


def _parts(folder: Path, results: Results, quick: bool | None) -> list[Part]:
    studies = data_folder("studies")
    commands = results.runs["command"].unique().to_list() if "command" in results.runs.columns else []
    asked = {name for command in commands for name in _STUDY.findall(command or "")}
    parts, used = [], set[str]()
    for name in names(studies):
        if name in asked:
            part = _study(load(studies / name), folder, results, quick)
            parts.append(part)
            for one in part.study.file.experiments if part.study else ():
                used |= {one, stored_name(one, quick=True)}
    rest = [plan.experiment for plan in results.plans if plan.experiment not in used]
    alone = {name: Results(folder, name) for name in rest}
    alone = {name: one for name, one in alone.items() if one.runs.height}
    if alone:
        pages = [experiment(one, name) for name, one in alone.items()]
        title = pages[0].title if len(pages) == 1 and pages[0].title else folder.resolve().name
        parts.append(Part(folder.resolve().name, title, folder, pages, making(list(alone.values())), results=alone))
    return parts


def _study(study: Study, folder: Path, results: Results, quick: bool | None) -> Part:
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
    return Part(
        study.name,
        study.file.title,
        folder,
        pages,
        making(list(opened.values())),
        study,
        quick,
        [comparison for comparison in found.comparisons if comparison.rows],
        found.judge(),
        opened,
    )
