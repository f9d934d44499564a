"""What a choice of parameters is worth: its runs, from the store or computed now, and the objectives of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairlane.metrics.table import table
from fairlane.store.results import Results
from fairlane.sweep.run import run
from fairlane.tune.loading import LoadedTuning


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


def evaluate(tuning: LoadedTuning, number: int, parameters: Mapping[str, int], folder: Path, jobs: int) -> Trial:
    """Runs all networks with these parameters. Raises ExperimentError, StoreError and NothingToMeasure."""
    experiment = tuning.experiment(parameters)
    done = run(experiment, folder, jobs=jobs, source=tuning.source)
    if done.failures:
        return Trial(number, dict(parameters), (), done.failures[0].message, done.report.computed)
    results = Results(folder, experiment.name)
    values = tuple(_value(tuning, results, index) for index in range(len(tuning.metrics)))
    return Trial(number, dict(parameters), values, computed=done.report.computed)


def _value(tuning: LoadedTuning, results: Results, index: int) -> float:
    """The mean over all networks, repeats and flows."""
    metric, objective = tuning.metrics[index], tuning.form.objectives[index]
    if metric.of == "flow":
        frame = table(results, [metric], "flow")
        is_tuned = frame["group"].is_in(list(tuning.tuned))
        if objective.flows != "all":
            frame = frame.filter(is_tuned if objective.flows == "tuned" else ~is_tuned)
    else:
        frame = table(results, [metric], "run")
    values = frame[metric.name].drop_nulls()
    if not values.len():
        raise NothingToMeasure(f"{metric.name} has no value in these networks; take another metric")
    return float(values.mean())  # type: ignore[arg-type]
