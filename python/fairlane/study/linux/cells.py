"""One cell of each study on real kernels: what `--against` found, in files."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fairlane.files import write_text
from fairlane.results.statistics import Interval
from fairlane.study.linux.against import Row

_COLUMNS = ("experiment", "place", "kernel", "point", "flow", "metric")
_PARTS = ("estimate", "low", "high", "n")
_BOTH = ("ours", "kernel")


@dataclass(frozen=True)
class Cell:
    """A metric of an experiment, where the kernel ran it, and which kernel that was."""

    experiment: str
    place: str
    kernel: str
    row: Row


def write(path: Path, cells: Iterable[Cell]) -> None:
    """Writes a file with a row per metric. Raises OSError."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_COLUMNS, *(f"{side}_{part}" for side in _BOTH for part in _PARTS)])
    for cell in cells:
        row = cell.row
        numbers = [getattr(getattr(row, side), part) for side in _BOTH for part in _PARTS]
        writer.writerow([cell.experiment, cell.place, cell.kernel, row.point, row.flow, row.metric, *numbers])
    write_text(path, text.getvalue())


def load(path: Path) -> list[Cell]:
    """What such a file has."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Cell(line["experiment"], line["place"], line["kernel"], _row(line)) for line in csv.DictReader(file)]


def _row(line: dict[str, str]) -> Row:
    return Row(line["point"], line["flow"], line["metric"], _interval(line, "ours"), _interval(line, "kernel"))


def _interval(line: dict[str, str], side: str) -> Interval:
    estimate, low, high = (float(line[f"{side}_{part}"]) for part in _PARTS[:3])
    return Interval(estimate, low, high, int(line[f"{side}_n"]))
