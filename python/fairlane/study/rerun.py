"""Runs the experiments that the tables and figures of a study need, unless their runs are stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairlane.results.store.layout import Layout
from fairlane.results.store.plans import load_all
from fairlane.results.store.store import Store
from fairlane.results.tables import ResultTables
from fairlane.runs.backends import SIMULATOR, backend
from fairlane.runs.executors import Executor
from fairlane.runs.sweep.dispatch import Watcher
from fairlane.runs.sweep.runner import Done, Preparation, plan, prepare, run, wanted_keys
from fairlane.scenario.load import LoadedExperiment, PlannedPoint
from fairlane.scenario.load import load as load_experiment
from fairlane.study.paper.definition import Item, Study

PICTURE_S = 1.0
"""Drawing one."""
RUN_S = 0.008
"""Reading a run, comparing it and testing claims with it."""


@dataclass(frozen=True)
class Cost:
    """The cost of an experiment."""

    runs: int
    different: set[str]
    """Their keys; runs with equal scenarios count once."""
    missing: Mapping[str, Mapping[str, Any]]
    """The missing ones, with their scenarios."""
    missing_bytes: float
    """The disk space that they need."""


@dataclass(frozen=True)
class Job:
    """An experiment of a study with the selected points."""

    name: str
    """Its name in `study.toml`."""
    experiment: LoadedExperiment
    """With the name of its results in the store."""
    study: str
    source: Path
    chosen: Callable[[PlannedPoint], bool]

    def run(
        self,
        folder: Path,
        jobs: int,
        watcher: Callable[[Preparation], Watcher] | None = None,
        executor: Executor | None = None,
        on: str = SIMULATOR,
    ) -> Done:
        """Computes what is missing, by the backend of that name."""
        return run(
            self.experiment,
            folder,
            jobs=jobs,
            source=str(self.source),
            watcher=watcher,
            chosen=self.chosen,
            study=self.study,
            executor=executor,
            on=on,
        )

    def cost(self, folder: Path, on: str = SIMULATOR) -> "Cost":
        """The selected runs, and the missing ones among them."""
        planned = plan(self.experiment, identity=backend(on).identity())
        missing = prepare(self.experiment, planned, Store.at(folder).keys, self.chosen)
        wanted = wanted_keys(self.experiment, planned, self.chosen)
        total = sum(point.repeats for point in self.experiment.points if self.chosen(point))
        return Cost(total, wanted, missing.scenarios, missing.disk_bytes)


def stored_name(name: str, *, quick: bool) -> str:
    """The name of an experiment in the store; the quick subset is separate."""
    return f"{name}-quick" if quick else name


def jobs_for(
    study: Study,
    items: Sequence[Item],
    experiments: Sequence[str],
    *,
    quick: bool = False,
    whole: bool = False,
    repeats: int | None = None,
    seed: int | None = None,
) -> list[Job]:
    """The experiments with the points that these items need; all their points if `whole`.

    Raises ExperimentError, and StudyError for items that could not be shown afterwards.
    """
    made = []
    for name in experiments:
        short = study.file.experiments[name].quick if quick else None
        path = study.folder / (short or f"{name}.toml")
        experiment = load_experiment(path, repeats=repeats, seed=seed)
        needing = [item for item in items if name in item.experiments]
        told = [*(axis.column for axis in experiment.axes), *study.file.experiments[name].labels]
        for item in needing:  # before hours of runs, not after
            study.check_rows(item, [*told, *item.own_columns, "experiment", "seed", "repeat"])
        chosen = _chooser([] if whole else needing)
        experiment = replace(experiment, name=stored_name(name, quick=bool(short)))
        made.append(Job(name, experiment, study.name, path, chosen))
    return made


def _chooser(items: Sequence[Item]) -> Callable[[PlannedPoint], bool]:
    if not items:
        return lambda _point: True
    return lambda point: any(item.wants(point.axes) for item in items)


def open_results(study: Study, items: Sequence[Item], folder: Path, *, quick: bool = False) -> dict[str, ResultTables]:
    """The stored results of every experiment that these items can show, by the study's names."""
    stored = {plan.experiment for plan in load_all(Layout(folder))}
    found = {}
    for name in dict.fromkeys(name for item in items for name in item.experiments):
        in_store = stored_name(name, quick=quick and study.file.experiments[name].quick is not None)
        if in_store in stored:
            results = ResultTables(folder, in_store, light=True)
            if results.runs.height:
                found[name] = results
    return found


def showing_s(items: Sequence[Item], jobs: Sequence[Job], runs: int) -> float:
    """The approximate CPU seconds for these items and the claims about them."""
    return PICTURE_S * sum(pictures(item, jobs) for item in items) + RUN_S * runs


def pictures(item: Item, jobs: Sequence[Job]) -> int:
    """One of the item; those over time have one for each point, or one for all if every flow is alone."""
    count = 1
    for job in jobs:
        if item.time_series and job.name in item.experiments:
            wanted = [point.point for point in job.experiment.points if item.wants(point.axes)]
            alone = all(len(point.scenario["flows"]) == 1 for point in wanted)
            count += min(1, len(wanted)) if alone else len(wanted)
    return count
