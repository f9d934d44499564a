"""Asks Optuna what to try next, trial after trial.

Each trial has a sampler of its own, seeded by the file's seed and the trial's number: what it proposes depends on
only these and the previous trials, so that an interrupted search resumes as if it had not been interrupted.
"""

import hashlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairlane.results.metrics.frame import table
from fairlane.results.tables import ResultTables
from fairlane.runs.executors import Place
from fairlane.runs.sweep.runner import run
from fairlane.scenario.load import LoadedExperiment, PlannedPoint
from fairlane.scenario.plan import RESERVED, Axis
from fairlane.search.tune.loading import LoadedTuning


@dataclass(frozen=True)
class Trial:
    """A choice of parameters, and what it is worth."""

    number: int
    parameters: dict[str, int]
    values: tuple[float, ...]
    """One for each objective; empty where a run failed."""
    failure: str = ""
    computed: int = 0
    """Runs that were not in the store."""


class NothingToMeasure(ValueError):
    """An objective that has no value in these networks."""


def evaluate(tuning: LoadedTuning, number: int, parameters: Mapping[str, int], folder: Path, place: Place) -> Trial:
    """Runs all networks with these parameters. Raises ExperimentError, StoreError and NothingToMeasure."""
    experiment = tuning.experiment(parameters)
    done = run(experiment, folder, jobs=place.jobs, executor=place.executor, source=tuning.source)
    if done.failures:
        return Trial(number, dict(parameters), (), done.failures[0].message, done.report.computed)
    results = ResultTables(folder, experiment.name)
    values = tuple(_value(tuning, results, index) for index in range(len(tuning.metrics)))
    return Trial(number, dict(parameters), values, computed=done.report.computed)


def _value(tuning: LoadedTuning, results: ResultTables, index: int) -> float:
    """The mean over all networks, repeats and flows."""
    metric, objective = tuning.metrics[index], tuning.form.objectives[index]
    if metric.of == "flow":
        frame = table(results, [metric], "flow")
        is_tuned = frame["group"].is_in(list(tuning.tuned))
        if objective.group != "all":
            frame = frame.filter(is_tuned if objective.group == "tuned" else ~is_tuned)
    else:
        frame = table(results, [metric], "run")
    values = frame[metric.name].drop_nulls()
    if not values.len():
        raise NothingToMeasure(f"{metric.name} has no value in these networks; take another metric")
    return float(values.mean())  # type: ignore[arg-type]


INSTALL = "pip install optuna"


class OptunaMissing(RuntimeError):
    """The library that searches is not installed."""


def optuna() -> Any:
    """The library. Raises OptunaMissing."""
    try:
        import optuna as library
    except ImportError:
        raise OptunaMissing(f"tuning needs Optuna, which is not installed; install it: {INSTALL}") from None
    library.logging.set_verbosity(library.logging.ERROR)
    return library


def search(
    tuning: LoadedTuning,
    folder: Path,
    place: Place,
    evaluated: Callable[[LoadedTuning, int, dict[str, int], Path, Place], Trial] = evaluate,
) -> Iterator[Trial]:
    """The trials in their order, each as soon as it is done. The first one has the defaults."""
    library = optuna()
    goals = ["maximize" if objective.goal == "highest" else "minimize" for objective in tuning.form.objectives]
    study = library.create_study(directions=goals, sampler=_sampler(library, tuning, 0))
    study.enqueue_trial(_within(tuning))
    known: dict[tuple[int, ...], Trial] = {}
    for number in range(tuning.form.trials):
        study.sampler = _sampler(library, tuning, number)
        asked = study.ask(_distributions(library, tuning))
        chosen = {name: int(asked.params[name]) for name in tuning.form.parameters}
        if number == 0:
            chosen = dict(tuning.defaults)  # even where they lie outside of the ranges
        before = known.get(tuple(chosen.values()))
        if before is None:
            trial = evaluated(tuning, number, chosen, folder, place)
        else:
            trial = Trial(number, chosen, before.values, before.failure)
        known.setdefault(tuple(chosen.values()), trial)
        if trial.values:
            study.tell(asked, trial.values)
        else:
            study.tell(asked, state=library.trial.TrialState.FAIL)
        yield trial


def _distributions(library: Any, tuning: LoadedTuning) -> dict[str, Any]:
    return {
        name: library.distributions.IntDistribution(one.low, _last(one), log=one.log, step=one.step)
        for name, one in tuning.form.parameters.items()
    }


def _last(parameter: Any) -> int:
    """The largest value that the steps reach."""
    return int(parameter.low + (parameter.high - parameter.low) // parameter.step * parameter.step)


def _within(tuning: LoadedTuning) -> dict[str, int]:
    """The defaults, or the closest values within the ranges."""
    found = {}
    for name, one in tuning.form.parameters.items():
        steps = round((min(max(tuning.defaults[name], one.low), _last(one)) - one.low) / one.step)
        found[name] = one.low + steps * one.step
    return found


def _sampler(library: Any, tuning: LoadedTuning, number: int) -> Any:
    digest = hashlib.blake2b(f"{tuning.form.seed} {number}".encode(), digest_size=4).digest()
    seed = int.from_bytes(digest, "big")
    kinds = {
        "tpe": library.samplers.TPESampler,
        "nsga2": library.samplers.NSGAIISampler,
        "random": library.samplers.RandomSampler,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", library.exceptions.ExperimentalWarning)
        return kinds[tuning.form.search](seed=seed)


def front(trials: Sequence[Trial], goals: Sequence[str]) -> list[Trial]:
    """The trials that no other one dominates, the best in the first objective first; one for each choice.

    >>> trials = [Trial(0, {"a": 1}, (3.0, 9.0)), Trial(1, {"a": 2}, (4.0, 8.0)), Trial(2, {"a": 3}, (3.0, 9.5))]
    >>> [trial.number for trial in front(trials, ["highest", "lowest"])]
    [1]
    """
    signs = [1.0 if goal == "highest" else -1.0 for goal in goals]
    scored: dict[tuple[tuple[str, int], ...], tuple[list[float], Trial]] = {}
    for trial in trials:
        if trial.values:
            score = [sign * value for sign, value in zip(signs, trial.values, strict=True)]
            scored.setdefault(tuple(trial.parameters.items()), (score, trial))
    best = [one for one in scored.values() if not any(_dominates(other, one[0]) for other, _ in scored.values())]
    return [trial for _, trial in sorted(best, key=lambda one: ([-value for value in one[0]], one[1].number))]


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a >= b for a, b in zip(one, other, strict=True)) and list(one) != list(other)


def keep(tuning: LoadedTuning, trials: Sequence[Trial], folder: Path) -> None:
    """Writes down what the search consists of; nothing is computed, as every run is in the store."""
    choices = list({tuple(trial.parameters.items()): trial.parameters for trial in trials if trial.values}.values())
    if not choices:
        return
    networks = [tuning.experiment(choice) for choice in choices]
    taken = {axis.column for axis in networks[0].axes} | {axis.name for axis in networks[0].axes} | RESERVED
    names = {name: f"parameter_{name}" if name in taken else name for name in tuning.form.parameters}
    axes = []
    for name, shown in names.items():
        values = sorted({choice[name] for choice in choices})
        axes.append(Axis(shown, shown, "", tuple(values), tuple(str(value) for value in values)))
    points: list[PlannedPoint] = []
    for choice, experiment in zip(choices, networks, strict=True):
        own = {names[name]: value for name, value in choice.items()}
        words = tuple(str(value) for value in choice.values())
        points += [
            replace(point, axes={**own, **point.axes}, labels=(*words, *point.labels)) for point in experiment.points
        ]
    whole = LoadedExperiment(
        tuning.name, tuning.form.title, (*axes, *networks[0].axes), tuple(points), networks[0].settings
    )
    run(whole, folder, jobs=1, source=tuning.source)
