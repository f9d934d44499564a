"""Experiments of a testbed with its unknowns as further axes of the sweep, which come last."""

import copy
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from fairlane.scenario import document
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.scenario.plan import Axis, AxisValue
from fairlane.study.paper.definition import Study, Testbed, Unknown

Setting = tuple[int, ...]
"""For each unknown, which of its values."""


@dataclass(frozen=True)
class Grid:
    """All combinations of some values of the unknowns of a testbed."""

    testbed: Testbed
    ranges: Mapping[str, Sequence[Any]]
    """The values of each unknown."""

    @cached_property
    def settings(self) -> list[Setting]:
        """The combinations."""
        return list(itertools.product(*(range(len(values)) for values in self.ranges.values())))

    def values(self, setting: Setting) -> dict[str, Any]:
        """The values of a combination, by the names of the unknowns."""
        return {name: values[index] for (name, values), index in zip(self.ranges.items(), setting, strict=True)}

    def experiment(self, path: Path, name: str, repeats: int | None = None) -> LoadedExperiment:
        """The experiment of this file at every combination, called `name`. Raises ExperimentError.

        Labels of the axes are the positions of the values in `ranges`.
        """
        data = copy.deepcopy(document.read(path).data)
        axes = data.setdefault("sweep", {}).setdefault("zip", [])
        axes += [_axis(unknown, one, self.ranges[unknown]) for unknown, one in self.testbed.unknowns.items()]
        return replace(load(data, repeats=repeats), name=name)

    def chosen(self, axes: Sequence[Axis], setting: Setting) -> dict[str, AxisValue]:
        """The value of each axis of an unknown, by column."""
        labels = [str(at) for one, at in zip(self.testbed.unknowns.values(), setting, strict=True) for _ in one.keys]
        own = zip(axes[-len(labels) :], labels, strict=True)
        return {axis.column: axis.values[axis.labels.index(label)] for axis, label in own}


def shipped(study: Study, testbed: Testbed) -> dict[str, Any]:
    """The values in the experiment files; None where they differ from each other, or where a file has none."""
    found = {}
    for name, one in testbed.unknowns.items():
        said = [_said(document.read(study.folder / f"{file}.toml").data, one) for file in testbed.experiments]
        found[name] = said[0] if said.count(said[0]) == len(said) else None
    return found


def _axis(name: str, one: Unknown, values: Sequence[Any]) -> dict[str, Any]:
    positions = [str(index) for index in range(len(values))]
    return {
        written: {
            "name": name if number == 0 else f"{name}_{number}",
            "values": [one.settings[value][number] if one.settings else value for value in values],
            "labels": positions,
        }
        for number, written in enumerate(one.keys)
    }


def _said(data: Any, one: Unknown) -> Any:
    """The value in an experiment file: of its first key, or the name of the setting that all of its keys have."""
    if not one.settings:
        return value_at(data, one.keys[0])
    each = [value_at(data, key) for key in one.keys]
    return next((name for name, values in one.settings.items() if values == each), None)


def value_at(data: Any, dotted: str) -> Any:
    """The value of a key such as `network.queue.limit` or `flows.*.sender.pacing`; None if it is not set."""
    for part in dotted.split("."):
        if isinstance(data, list):
            data = next((one for n, one in enumerate(data) if part in ("*", str(n), one.get("name"))), None)
        else:
            data = data.get(part) if isinstance(data, dict) else None
    return data
