"""Fits testbed parameters that a paper omits and validates them on held-out numbers.

Each combination of the unknowns' values is run at the points of the training numbers. Its error is the mean absolute
logarithm of the ratio of ours to the paper's over these numbers, for all algorithms together. The best combination and
the defaults are then run at the points of the other numbers of the same experiments.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.results.tables import ResultTables
from fairlane.scenario.load import PlannedPoint
from fairlane.study.paper.comparison import Frames, compare, key
from fairlane.study.paper.definition import Item, Study, StudyError, Testbed
from fairlane.study.paper.numbers_met import BOUNDED, Number, numbers, typical_factor
from fairlane.study.paper.unknowns import Grid, Setting, shipped
from fairlane.study.rerun import Job, stored_experiments

NEAR = 1.5
"""The held-out error is near the training error if it is at most this many times as large."""
BELOW = 0.75
"""It is well below the default's if it is at most this share of it. Errors are logarithms of factors."""


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
        unknowns = self.testbed.unknowns
        self._grid = Grid(self.testbed, {unknown: one.values for unknown, one in unknowns.items()})
        self._loaded = {
            one: self._grid.experiment(study.folder / f"{one}.toml", f"{one}-calibrating-{name}", repeats)
            for one in self.testbed.experiments
        }
        self.choices = self._grid.settings
        self.default: Setting = tuple(one.values.index(one.default) for one in unknowns.values())

    def training_jobs(self) -> list[Job]:
        """The runs that the training numbers need, for every combination."""
        return self._jobs(self._trains)

    def other_jobs(self, best: Setting) -> list[Job]:
        """The runs that the other numbers need, for these values and for the defaults."""

        def wanted(name: str, point: PlannedPoint) -> bool:
            chosen = [self._grid.chosen(self._loaded[name].axes, setting) for setting in (best, self.default)]
            return any(one.items() <= point.axes.items() for one in chosen) and bool(self._shown(name, point))

        return self._jobs(wanted)

    def errors(self) -> list[tuple[float, Setting]]:
        """The training error of each combination, the smallest first; NaN, where no number has a logarithm, last."""
        frames = self._frames()
        found = [(typical_factor(self._parts(frames, choice)[0]), choice) for choice in self.choices]
        return sorted(found, key=lambda one: (math.isnan(one[0]), *one))

    def result(self, errors: Sequence[tuple[float, Setting]]) -> Calibration:
        """With the errors of the held-out numbers, once they have been run."""
        frames = self._frames()
        best, default = (self._fit(frames, choice) for choice in (errors[0][1], self.default))
        trained, held_out = self._parts(frames, errors[0][1])
        fits = [Fit(self._grid.values(choice), error) for error, choice in errors]
        return Calibration(fits, best, default, shipped(self._study, self.testbed), len(trained), len(held_out))

    def _fit(self, frames: Mapping[str, Frames], choice: Setting) -> Fit:
        return Fit(self._grid.values(choice), *map(typical_factor, self._parts(frames, choice)))

    def _parts(self, frames: Mapping[str, Frames], choice: Setting) -> tuple[list[Number], list[Number]]:
        """The numbers that are trained on, and the others that ours could miss."""
        only = {name: one.only(self._grid.chosen(self._loaded[name].axes, choice)) for name, one in frames.items()}
        found = numbers(self._study, [compare(self._study, item, only) for item in self._items])
        mine = [one for one in found if one.experiment in self.testbed.experiments and not one.is_bounded]
        return [one for one in mine if one.testbed == self._name], [one for one in mine if not one.testbed]

    @property
    def _items(self) -> list[Item]:
        return [item for item in self._study.file.items if set(item.experiments) & set(self.testbed.experiments)]

    def _frames(self) -> dict[str, Frames]:
        """The metrics of the experiments that have run."""
        stored = stored_experiments(self._folder)
        return {
            name: Frames(ResultTables(self._folder, one.name), [it for it in self._items if name in it.experiments])
            for name, one in self._loaded.items()
            if one.name in stored
        }

    def _jobs(self, wanted: Callable[[str, PlannedPoint], bool]) -> list[Job]:
        jobs = [
            Job(name, one, self._study.name, self._study.folder / f"{name}.toml", partial(wanted, name))
            for name, one in self._loaded.items()
        ]
        return [job for job in jobs if any(map(job.chosen, job.experiment.points))]

    def _shown(self, name: str, point: PlannedPoint) -> set[str]:
        """The counted metrics of which a table has a published number at the point."""
        return {
            value.metric
            for item in self._items
            if name in item.experiments and item.published and item.wants(point.axes)
            for value in item.values
            if value.published and value.metric not in BOUNDED
        }

    def _trains(self, name: str, point: PlannedPoint) -> bool:
        labels = dict(zip((axis.column for axis in self._loaded[name].axes), point.labels, strict=True))

        def has(column: str, values: Sequence[str | float | int]) -> bool:
            mine = {key(labels[column]), key(point.axes[column])} if column in labels else None
            return mine is None or bool(mine & set(map(key, values)))

        shown = self._shown(name, point)
        return any(one.covers(name, metric, has) for one in self.testbed.training for metric in shown)
