"""Writes the errors of all recorded scenarios with what each scenario was: `calibration/agreement.csv`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlane.scenario.load import load
from fairlane.show.report.recordings import ERRORS, Recording, conditions, write
from fairlane.study.linux import kernels, truth

KERNEL = "6.12"
"""Of the kernels that ran the same experiments, the one that the page begins with."""


def write_table(
    path: Path,
    folder: Path,
    rows: Sequence[Mapping[str, Any]],
    kernel_folder: Path,
    kernel_rows: Mapping[str, Sequence[Mapping[str, Any]]],
) -> None:
    """`rows` are the errors in the scenarios of `folder`, `kernel_rows` those in `kernel_folder` by release."""
    scenarios = {one["name"]: one for one in truth.load(folder)}
    version = folder.name.removeprefix("linux-")
    found = [_recording(version, row, truth.as_scenario(scenarios[row["scenario"]])) for row in rows]
    points = {
        f"{file.stem}: {point.label}": point.point.repeat(0)
        for file in kernels.files(kernel_folder)
        for point in load(file).points
    }
    found += [_recording(KERNEL, row, points[row["scenario"]]) for row in kernel_rows.get(KERNEL, [])]
    write(path, [one for one in found if one is not None])


def _recording(kernel: str, row: Mapping[str, Any], scenario: Mapping[str, Any]) -> Recording | None:
    known = conditions(scenario)
    return None if known is None else Recording(kernel, row["scenario"], known, tuple(row[key] for key in ERRORS))
