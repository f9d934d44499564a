"""Fits testbed parameters that a paper omits and validates them on held-out numbers.

Each combination of the unknowns' values is run at the points of the training numbers. Its error is the mean absolute
logarithm of the ratio of ours to the paper's over these numbers, for all algorithms together. The best combination and
the defaults are then run at the points of the other numbers of the same experiments.
"""

import itertools
import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.results.tables import ResultTables
from fairlane.scenario.load import LoadedExperiment, PlannedPoint
from fairlane.study.paper.comparison import Frames, compare, key
from fairlane.study.paper.definition import Item, Study, StudyError, Testbed, Training
from fairlane.study.paper.numbers_met import BOUNDED, Number, numbers, typical_factor
from fairlane.study.paper.unknowns import labels, shipped, width, with_unknowns
from fairlane.study.rerun import Job, stored_experiments

NEAR = 1.5
"""The held-out error is near the training error if it is at most this many times as large."""
BELOW = 0.75
"""It is well below the default's if it is at most this share of it. Errors are logarithms of factors."""

Choice = tuple[int, ...]
"""For each unknown, which of its values."""


@dataclass(frozen=True)
class Fit:
    """A combination of values, and the factors by which ours then differ from the paper's."""

    values: Mapping[str, Any]
    """By the name of the unknown."""
    training: float
    held_out: float = math.nan

    @property
    def log_errors(self) -> tuple[float, float]:
        """Mean absolute logarithms: of the training numbers, and of the others."""
        return math.log(self.training), math.log(self.held_out)


@dataclass(frozen=True)
class Calibration:
    """The fitted unknowns of a testbed, and the quality of the fit."""

    fits: Sequence[Fit]
    """All combinations, the best first."""
    best: Fit
    default: Fit
    shipped: Mapping[str, Any]
    """The values in the experiment files."""
    trained: int
    held_out: int
    """The count of numbers."""

    @property
    def is_confirmed(self) -> bool:
        """Whether the numbers that were not used support the fit."""
        training, held_out = self.best.log_errors
        return held_out <= NEAR * training and held_out <= BELOW * self.default.log_errors[1]


class Calibrating:
    """The calibration of one testbed of a study. Raises StudyError if there is none of that name."""

    def __init__(self, study: Study, name: str, folder: Path, repeats: int) -> None:
        testbeds = study.file.testbeds
        if name not in testbeds:
            raise StudyError(unknown(f"testbed of {study.name}", name, testbeds))
        self.testbed: Testbed = testbeds[name]
        if not self.testbed.training:
            raise StudyError(
                f"{study.folder / 'study.toml'}: testbeds.{name}: no numbers to fit its unknowns to; "
                "add `training`, or judge claims over their values with `fairlane explain`"
            )
        self._study, self._name, self._folder = study, name, folder
        self._loaded = {one: self._load(one, repeats) for one in self.testbed.experiments}
        self._unknowns = list(self.testbed.unknowns.values())
        self.choices: list[Choice] = list(itertools.product(*(range(len(one.values)) for one in self._unknowns)))
        self.default: Choice = tuple(one.values.index(one.default) for one in self._unknowns)

    def training_jobs(self) -> list[Job]:
        """The runs that the training numbers need, for every combination."""
        return self._jobs(lambda name, point: self._trains(name, point))

    def other_jobs(self, best: Choice) -> list[Job]:
        """The runs that the other numbers need, for these values and for the defaults."""
        wanted = {labels(self.testbed, choice) for choice in (best, self.default)}
        return self._jobs(
            lambda name, point: point.labels[-width(self.testbed) :] in wanted and self._shown(name, point)
        )

    def errors(self) -> list[tuple[float, Choice]]:
        """The training error of each combination, the smallest first; NaN, where no number has a logarithm, last."""
        frames = self._frames()
        found = [(typical_factor(self._parts(frames, choice)[0]), choice) for choice in self.choices]
        return sorted(found, key=lambda one: (math.isnan(one[0]), *one))

    def result(self, errors: Sequence[tuple[float, Choice]]) -> Calibration:
        """With the errors of the held-out numbers, once they have been run."""
        frames = self._frames()
        best, default = (self._fit(frames, choice) for choice in (errors[0][1], self.default))
        trained, held_out = self._parts(frames, errors[0][1])
        fits = [Fit(self.values(choice), error) for error, choice in errors]
        return Calibration(fits, best, default, shipped(self._study, self.testbed), len(trained), len(held_out))

    def values(self, choice: Choice) -> dict[str, Any]:
        """The values of a combination, by the names of the unknowns."""
        return {
            name: one.values[index] for (name, one), index in zip(self.testbed.unknowns.items(), choice, strict=True)
        }

    def _fit(self, frames: Mapping[str, Frames], choice: Choice) -> Fit:
        trained, held_out = self._parts(frames, choice)
        return Fit(self.values(choice), typical_factor(trained), typical_factor(held_out))

    def _parts(self, frames: Mapping[str, Frames], choice: Choice) -> tuple[list[Number], list[Number]]:
        """The numbers that are trained on, and the others that ours could miss."""
        only = {}
        for name, one in frames.items():
            axes = self._loaded[name].axes[-width(self.testbed) :]
            chosen = {
                axis.column: axis.values[axis.labels.index(w)]
                for axis, w in zip(axes, labels(self.testbed, choice), strict=True)
            }
            only[name] = one.only(chosen)
        found = numbers(self._study, [compare(self._study, item, only) for item in self._items])
        mine = [one for one in found if one.experiment in self.testbed.experiments and not one.is_bounded]
        return [one for one in mine if one.testbed == self._name], [one for one in mine if not one.testbed]

    @property
    def _items(self) -> list[Item]:
        return [item for item in self._study.file.items if set(item.experiments) & set(self.testbed.experiments)]

    def _frames(self) -> dict[str, Frames]:
        """The metrics of the experiments that have run."""
        frames = {}
        stored = stored_experiments(self._folder)
        for name, one in self._loaded.items():
            if one.name in stored:
                items = [item for item in self._items if name in item.experiments]
                frames[name] = Frames(ResultTables(self._folder, one.name), items)
        return frames

    def _jobs(self, wanted: Callable[[str, PlannedPoint], bool]) -> list[Job]:
        made = []
        for name, one in self._loaded.items():

            def chosen(point: PlannedPoint, name: str = name) -> bool:
                return wanted(name, point)

            if any(map(chosen, one.points)):
                made.append(Job(name, one, self._study.name, self._study.folder / f"{name}.toml", chosen))
        return made

    def _shown(self, name: str, point: PlannedPoint, metrics: Container[str] | None = None) -> bool:
        """Whether a table with a published number of one of these metrics, or of any that is counted, has the point."""
        return any(
            name in item.experiments
            and item.published
            and item.wants(point.axes)
            and any(
                value.published and value.metric not in BOUNDED and (metrics is None or value.metric in metrics)
                for value in item.values
            )
            for item in self._items
        )

    def _trains(self, name: str, point: PlannedPoint) -> bool:
        return any(
            name in one.experiments
            and self._shown(name, point, one.metrics)
            and _reaches(one, self._loaded[name], point)
            for one in self.testbed.training
        )

    def _load(self, name: str, repeats: int) -> LoadedExperiment:
        ranges = {unknown_name: one.values for unknown_name, one in self.testbed.unknowns.items()}
        loaded = with_unknowns(self._study.folder / f"{name}.toml", self.testbed, ranges, repeats)
        return replace(loaded, name=f"{name}-calibrating-{self._name}")


def _reaches(training: Training, experiment: LoadedExperiment, point: PlannedPoint) -> bool:
    """Whether a point has training numbers."""
    words = dict(zip((axis.column for axis in experiment.axes), point.labels, strict=True))

    def has(column: str, values: Sequence[str | float | int]) -> bool:
        wanted = {key(one) for one in values}
        return column not in words or bool({key(words[column]), key(point.axes[column])} & wanted)

    return not training.where or any(all(has(*one) for one in fits.items()) for fits in training.where)
