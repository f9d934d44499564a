"""The whole search as one experiment, whose axes are the parameters: what tables and plots of the store then show."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fairlane.experiment.axes import RESERVED
from fairlane.experiment.load import LoadedExperiment, PlannedPoint
from fairlane.store.plan import Axis
from fairlane.sweep.run import run
from fairlane.tune.evaluation import Trial
from fairlane.tune.loading import LoadedTuning


def keep(tuning: LoadedTuning, trials: Sequence[Trial], folder: Path, jobs: int) -> None:
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
    run(whole, folder, jobs=jobs, source=tuning.source)
