"""The variants of a study and the settings of its testbeds' unknowns, and the runs that they need."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.scenario.load import LoadedExperiment, PlannedPoint, load
from fairlane.study.claims.over_settings import Effect
from fairlane.study.explain import changes, load_varied, over_unknowns, with_change
from fairlane.study.paper.definition import Item, Study, StudyError
from fairlane.study.paper.unknowns import Grid, Setting, shipped
from fairlane.study.requirements import Need
from fairlane.study.rerun import Job

MOST_COMBINATIONS = 8
"""A testbed with more combinations of its unknowns is varied one unknown at a time; all combinations of ends are added
where that makes no more settings.
"""
DEFAULT = Effect("default", "default", "", "")


def as_shipped(experiment: str) -> str:
    """The name in the store of an experiment as it is, in a joint judgement."""
    return f"{experiment}-jointly"


@dataclass(frozen=True)
class TestbedSettings:
    """The settings of a testbed's unknowns that are judged: all of them, or a star around the shipped values."""

    study: Study
    name: str
    most: int | None = None
    """The most settings that are judged, if not all."""

    @cached_property
    def grid(self) -> Grid:
        """The ends and the middle of each unknown's range, its default and the value in the experiment files."""
        testbed = self.study.file.testbeds[self.name]
        ranges = {
            name: [
                value
                for number, value in enumerate(one.values)
                if number in (0, (len(one.values) - 1) // 2, len(one.values) - 1)
                or value in (one.default, self._shipped[name])
            ]
            for name, one in testbed.unknowns.items()
        }
        return Grid(testbed, ranges)

    @cached_property
    def chosen(self) -> list[Setting]:
        """The settings, without the shipped one."""
        return self._all[: self.most]

    @cached_property
    def _all(self) -> list[Setting]:
        lengths = [len(values) for values in self.grid.ranges.values()]
        here = self._here
        if len(self.grid.settings) <= MOST_COMBINATIONS:
            return [setting for setting in self.grid.settings if setting != here]
        alone = [
            (*here[:unknown], value, *here[unknown + 1 :])
            for unknown, length in enumerate(lengths)
            for value in range(length)
        ]
        ends = itertools.product(*(sorted({0, length - 1}) for length in lengths))
        both = list(dict.fromkeys([*alone, *ends]))
        return [one for one in (both if len(both) <= MOST_COMBINATIONS else dict.fromkeys(alone)) if one != here]

    @cached_property
    def _shipped(self) -> dict[str, Any]:
        return shipped(self.study, self.study.file.testbeds[self.name])

    @property
    def _here(self) -> Setting:
        """The values of the experiment files; the default of an unknown that they do not agree on."""
        unknowns = self.study.file.testbeds[self.name].unknowns
        return tuple(
            values.index(self._shipped[name] if self._shipped[name] in values else unknowns[name].default)
            for name, values in self.grid.ranges.items()
        )

    def words(self, setting: Setting) -> str:
        """A setting for a reader."""
        return ", ".join(f"{name} {value_words(value)}" for name, value in self.grid.values(setting).items())


@dataclass(frozen=True)
class Settings:
    """All of them in a study, or those of the variants and testbeds in `only`. Raises StudyError for other names."""

    study: Study
    quick: bool
    repeats: int | None = None
    only: Sequence[str] = ()
    most: int | None = None
    """The most settings of each testbed, if not all."""
    without: Sequence[str] = ()
    """Experiments that are left out."""

    def __post_init__(self) -> None:
        known = [*self.study.file.variants, *self.study.file.testbeds]
        for of, names, there in (
            ("variant or testbed", self.only, known),
            ("experiment", self.without, list(self.study.file.experiments)),
        ):
            for name in names:
                if name not in there:
                    raise StudyError(unknown(f"{of} of {self.study.name}", name, there))

    @cached_property
    def variants(self) -> list[str]:
        """The names of the variants."""
        return [name for name in self.study.file.variants if not self.only or name in self.only]

    @cached_property
    def testbeds(self) -> dict[str, TestbedSettings]:
        """The settings of each testbed."""
        names = [name for name in self.study.file.testbeds if not self.only or name in self.only]
        return {name: TestbedSettings(self.study, name, self.most) for name in names}

    def effects(self) -> Iterator[tuple[Effect, Setting | None]]:
        """Each variant and each setting, without its effect yet."""
        for name in self.variants:
            yield Effect(f"variant {name}", "variant", name, ""), None
        for name, one in self.testbeds.items():
            for setting in one.chosen:
                words = one.words(setting)
                yield Effect(f"testbed {name}: {words}", "testbed", name, words), setting

    def changed(self, effect: Effect) -> list[str]:
        """The experiments that a variant or a testbed changes."""
        if effect.kind == "testbed":
            return self.study.file.testbeds[effect.of].experiments
        variant = self.study.file.variants[effect.of]
        return [name for name in self.study.file.experiments if changes(variant, name)]

    def jobs(self, needs: Sequence[Need], items: Sequence[Item]) -> list[Job]:
        """The runs that the needs of claims and the published numbers of items take. Raises ExperimentError."""
        jobs = []
        names = dict.fromkeys(
            [*(need.experiment for need in needs), *(name for it in items for name in it.experiments)]
        )
        for name in names:
            path, stored = self.study.source(name, quick=self.quick)
            wanted = _wanted([one for one in needs if one.experiment == name], items, name)
            made = [(replace(load(path, repeats=self.repeats), name=as_shipped(stored)), wanted)]
            for variant in self.variants:
                if changes(self.study.file.variants[variant], name):
                    varied = load_varied(self.study, path, variant, repeats=self.repeats)
                    made.append((replace(varied, name=stored + with_change(variant)), wanted))
            for testbed, one in self.testbeds.items():
                if name in self.study.file.testbeds[testbed].experiments:
                    made.append(self._over(one, path, stored + over_unknowns(testbed), wanted))
            jobs += [
                Job(name, experiment, self.study.name, path, chosen)
                for experiment, chosen in made
                if any(map(chosen, experiment.points))
            ]
        return jobs

    def _over(
        self, one: TestbedSettings, path: Path, name: str, wanted: "Chooser"
    ) -> "tuple[LoadedExperiment, Chooser]":
        experiment = one.grid.experiment(path, name, self.repeats)
        places = [one.grid.chosen(experiment.axes, setting) for setting in one.chosen]

        def chosen(point: PlannedPoint) -> bool:
            return wanted(point) and any(place.items() <= point.axes.items() for place in places)

        return experiment, chosen


Chooser = Callable[[PlannedPoint], bool]


def _wanted(needs: Sequence[Need], items: Sequence[Item], experiment: str) -> Chooser:
    mine = [item for item in items if experiment in item.experiments and item.published]
    return lambda point: (
        any(need.includes(point.axes) for need in needs) or any(item.wants(point.axes) for item in mine)
    )


def value_words(value: object) -> str:
    """The value of a setting for a reader.

    >>> value_words({"kind": "policer", "rate": "100mbit"}), value_words("1ms")
    ('kind=policer rate=100mbit', '1ms')
    """
    if isinstance(value, dict):
        return " ".join(f"{name}={one}" for name, one in value.items())
    return str(value)
