"""Runs what the tables and figures of a study need, or only some points of it, unless the runs are stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.engine.types import Scenario
from fairlane.results.filters import FilterError, axis_and_values
from fairlane.results.store.layout import Layout
from fairlane.results.store.plans import load_all
from fairlane.results.store.store import Store
from fairlane.results.tables import ResultTables
from fairlane.runs.backends import SIMULATOR, backend
from fairlane.runs.executors import Executor
from fairlane.runs.sweep.dispatch import Watcher
from fairlane.runs.sweep.run_size import Work
from fairlane.runs.sweep.runner import Done, Preparation, check, plan, prepare, run, wanted_keys
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
    missing: Mapping[str, tuple[Scenario, Work]]
    """The missing ones, with their scenarios and sizes."""
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
        """Computes the missing runs on the backend of that name."""
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

    def cost(self, folder: Path, on: str = SIMULATOR) -> Cost:
        """The selected runs, and the missing ones among them.

        Raises ExperimentError if a real kernel refuses any of those; the simulator checks them when it runs them.
        """
        runner = backend(on)
        planned = plan(self.experiment, identity=runner.identity())
        missing = prepare(self.experiment, planned, Store.at(folder).keys, self.chosen)
        if on != SIMULATOR:
            check(self.experiment, missing, self.name, runner)
        wanted = wanted_keys(self.experiment, planned, self.chosen)
        total = sum(point.repeats for point in self.experiment.points if self.chosen(point))
        return Cost(total, wanted, missing.sized, missing.disk_bytes)


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
        path, stored = study.source(name, quick=quick)
        experiment = load_experiment(path, repeats=repeats, seed=seed)
        needing = [item for item in items if name in item.experiments]
        told = [*(axis.column for axis in experiment.axes), *study.file.experiments[name].labels]
        for item in needing:  # before hours of runs, not after
            study.check_rows(item, [*told, *item.own_columns, "experiment", "seed", "repeat"])
        chosen = _chooser([] if whole else needing)
        made.append(Job(name, replace(experiment, name=stored), study.name, path, chosen))
    return made


def _chooser(items: Sequence[Item]) -> Callable[[PlannedPoint], bool]:
    if not items:
        return lambda _point: True
    return lambda point: any(item.wants(point.axes) for item in items)


class StoredResults:
    """The stored results of a study's experiments, by the study's names; of the quick subset where there is one."""

    def __init__(self, study: Study, folder: Path, *, quick: bool = False) -> None:
        self._study, self._folder, self._quick = study, folder, quick
        self._stored = stored_experiments(folder)
        self._opened: dict[str, ResultTables] = {}

    def of(self, experiment: str, suffix: str = "") -> ResultTables | None:
        """The results; `suffix` names a changed experiment. None if there are no runs."""
        name = self._study.source(experiment, quick=self._quick)[1] + suffix
        if name in self._stored and name not in self._opened:
            self._opened[name] = ResultTables(self._folder, name, light=True)
        found = self._opened.get(name)
        return found if found is not None and found.runs.height else None

    def all(self) -> dict[str, ResultTables]:
        """The results of every experiment that has any and that a table or figure can show."""
        names = dict.fromkeys(name for item in self._study.file.items for name in item.experiments)
        return {name: found for name in names if (found := self.of(name)) is not None}


def stored_experiments(folder: Path) -> set[str]:
    """The names of the experiments that a store has plans of."""
    return {plan.experiment for plan in load_all(Layout(folder))}


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


def narrowed(jobs: Sequence[Job], texts: Sequence[str]) -> list[Job]:
    """The jobs with those of their points that have these values; an axis that one does not have excludes nothing.

    Raises FilterError for an axis or a value that none of them has, and if no point is left.
    """
    wanted: dict[str, set[Any]] = {}
    every = [axis for job in jobs for axis in job.experiment.axes]
    for text in texts:
        name, values = axis_and_values(text)
        named = [axis for axis in every if name in (axis.name, axis.column)]
        if not named:
            raise FilterError(unknown("axis", name, [axis.name for axis in every]))
        labels = {label: value for axis in named for label, value in zip(axis.labels, axis.values, strict=True)}
        for value in values:
            if value not in labels:
                raise FilterError(unknown(f"value of {name}", value, labels))
        wanted[named[0].column] = {labels[value] for value in values}
    made = [_with(job, wanted) for job in jobs]
    if texts and not any(job.chosen(point) for job in made for point in job.experiment.points):
        raise FilterError("no point has all of these values")
    return made


def _with(job: Job, wanted: Mapping[str, set[Any]]) -> Job:
    def is_chosen(point: PlannedPoint) -> bool:
        fits = all(point.axes[column] in values for column, values in wanted.items() if column in point.axes)
        return fits and job.chosen(point)

    return replace(job, chosen=is_chosen)
