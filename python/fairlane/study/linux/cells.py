"""One cell of each study on real kernels: what `--against` found, in files, and its part of the page on agreement."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlane.files import write_text
from fairlane.results.statistics import Interval
from fairlane.scenario.load import load as load_experiment
from fairlane.show.agreement.markdown import table
from fairlane.study.linux.against import Row
from fairlane.study.linux.explanations import UNKNOWN, explain

SHOWN = {"share_pct": "share, %", "mean_rtt_ms": "mean RTT, ms", "retransmits": "retransmissions"}
"""The metrics of the page's table."""
HEAD = """## One cell of each study

The experiments of [calibration/cells](../../calibration/cells/README.md) are one point of each published study, shorter
than in the paper. They ran by the simulator, on a kernel in virtual time, and on a kernel over the simulator's network
in real time; that page has the commands. Means of the runs with their 95 % intervals, simulator / kernel; a metric is
marked with **≠** if the two intervals have no value in common:
"""
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


def section(folder: Path) -> str:
    """The part of the page; empty if the folder has no recordings."""
    recorded = [load(path) for path in sorted(folder.glob("*.csv"), reverse=True)]
    if not recorded:
        return ""
    lines: list[list[str]] = []
    reasons: dict[tuple[str, str], list[str]] = {}
    for cells in recorded:
        for name in dict.fromkeys((cell.experiment, cell.kernel, cell.place) for cell in cells):
            rows = [cell.row for cell in cells if (cell.experiment, cell.kernel, cell.place) == name]
            experiment, kernel, place = name
            algorithms = _algorithms(folder / f"{experiment}.toml")
            for number, flow in enumerate(dict.fromkeys(row.flow for row in rows)):
                shown = {row.metric: row for row in rows if row.flow == flow}
                cells_of_flow = [_shown(shown[metric]) for metric in SHOWN]
                shown_flow = algorithms[number] if algorithms else flow
                lines.append([f"`{experiment}`", f"{kernel}, {place.partition(':')[0]}", shown_flow, *cells_of_flow])
            reason = explain(folder, f"{experiment} {place}", experiment)
            if reason != UNKNOWN or any(row.differs for row in rows if row.metric in SHOWN):
                reasons.setdefault((experiment, reason), []).append(place)
    parts = [
        HEAD,
        table(["experiment", "kernel", "flow", *SHOWN.values()], lines),
        *(f"- `{experiment}` ({', '.join(places)}): {text}\n" for (experiment, text), places in reasons.items()),
    ]
    return "\n".join(parts)


def _algorithms(path: Path) -> list[str]:
    """The algorithm of each flow, if the experiment is in the folder."""
    return (
        [flow["algorithm"] for flow in load_experiment(path).points[0].point.repeat(0)["flows"]]
        if path.exists()
        else []
    )


def _shown(row: Row) -> str:
    both: Sequence[Interval] = (row.ours, row.kernel)
    text = " / ".join(f"{one.estimate:.1f} ± {one.half_width:.1f}" for one in both)
    return f"**≠** {text}" if row.differs else text
