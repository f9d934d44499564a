"""Experiments of a testbed with its unknowns as further axes of the sweep, which come last."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlane.scenario import document
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.study.paper.definition import Study, Testbed, Unknown

Ranges = Mapping[str, Sequence[Any]]
"""The values of each unknown."""


def with_unknowns(path: Path, testbed: Testbed, ranges: Ranges, repeats: int | None = None) -> LoadedExperiment:
    """The experiment of this file at every combination of these values. Raises ExperimentError.

    Labels of the axes are the positions of the values in `ranges`.
    """
    data = copy.deepcopy(document.read(path).data)
    sweep = data.setdefault("sweep", {})
    for name, one in testbed.unknowns.items():
        sweep.setdefault("zip", []).append(_axis(name, one, ranges[name]))
    return load(data, repeats=repeats)


def width(testbed: Testbed) -> int:
    """The number of axes of the sweep that are keys of unknowns."""
    return sum(len(one.keys) for one in testbed.unknowns.values())


def labels(testbed: Testbed, choice: Sequence[int]) -> tuple[str, ...]:
    """The labels of these axes, given the position of each unknown's value."""
    return tuple(str(index) for one, index in zip(testbed.unknowns.values(), choice, strict=True) for _ in one.keys)


def shipped(study: Study, testbed: Testbed) -> dict[str, Any]:
    """The values in the experiment files; None where they differ from each other, or where a file has none."""
    found = {}
    for name, one in testbed.unknowns.items():
        said = [_at(document.read(study.folder / f"{file}.toml").data, one.keys[0]) for file in testbed.experiments]
        found[name] = said[0] if said.count(said[0]) == len(said) else None
    return found


def _axis(name: str, one: Unknown, values: Sequence[Any]) -> dict[str, Any]:
    positions = [str(index) for index in range(len(values))]
    return {
        written: {"name": name if number == 0 else f"{name}_{number}", "values": list(values), "labels": positions}
        for number, written in enumerate(one.keys)
    }


def _at(data: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        if isinstance(data, list):
            data = next((one for n, one in enumerate(data) if part in ("*", str(n), one.get("name"))), None)
        else:
            data = data.get(part) if isinstance(data, dict) else None
    return data
