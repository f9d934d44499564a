"""Runs what the tables and figures of a study need; what the store has already is not run again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairlane.experiment.load import LoadedExperiment, PlannedPoint
from fairlane.experiment.load import load as load_experiment
from fairlane.store.layout import Layout
from fairlane.store.plan import load_all
from fairlane.store.results import Results
from fairlane.store.store import Store
from fairlane.study.study import Item, Study
from fairlane.sweep.estimate import Work
from fairlane.sweep.pool import Watcher
from fairlane.sweep.run import Done, Preparation, plan, prepare, run, wanted_keys


@dataclass(frozen=True)
class Cost:
    """What an experiment asks of the machine."""

    runs: int
    different: set[str]
    """Their keys; runs with equal scenarios are one."""
    missing: dict[str, Work]
    """Of these the missing ones, and how long each takes."""
    missing_bytes: float
    """So much disk they need."""

    @property
    def estimated_s(self) -> float:
        """Of one processor, for the missing ones, on the machine of the constants."""
        return sum(work.seconds for work in self.missing.values())


@dataclass(frozen=True)
class Job:
    """An experiment of a study with the points that are wanted."""

    name: str
    """As `study.toml` calls it."""
    experiment: LoadedExperiment
    """Under the name that its results have in the store."""
    source: Path
    chosen: Callable[[PlannedPoint], bool]

    def run(self, folder: Path, jobs: int, watcher: Callable[[Preparation], Watcher] | None = None) -> Done:
        """Computes what is missing."""
        return run(self.experiment, folder, jobs=jobs, source=str(self.source), watcher=watcher, chosen=self.chosen)

    def cost(self, folder: Path) -> "Cost":
        """What is wanted, and what of it is missing."""
        planned = plan(self.experiment)
        missing = prepare(self.experiment, planned, Store.at(folder).keys, self.chosen)
        wanted = wanted_keys(self.experiment, planned, self.chosen)
        total = sum(point.repeats for point in self.experiment.points if self.chosen(point))
        return Cost(total, wanted, {task.run: task.work for task in missing.tasks}, missing.estimated_bytes)


def stored_name(name: str, *, quick: bool) -> str:
    """How the store calls an experiment: the quick form is another one."""
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
        made.append(Job(name, replace(experiment, name=stored_name(name, quick=bool(short))), path, chosen))
    return made


def _chooser(items: Sequence[Item]) -> Callable[[PlannedPoint], bool]:
    if not items:
        return lambda _point: True
    return lambda point: any(item.wants(point.axes) for item in items)


def open_results(study: Study, items: Sequence[Item], folder: Path, *, quick: bool = False) -> dict[str, Results]:
    """What the store has of every experiment that these items can show, by the study's names."""
    stored = {plan.experiment for plan in load_all(Layout(folder))}
    found = {}
    for name in dict.fromkeys(name for item in items for name in item.experiments):
        in_store = stored_name(name, quick=quick and study.file.experiments[name].quick is not None)
        if in_store in stored:
            results = Results(folder, in_store)
            if results.runs.height:
                found[name] = results
    return found
