"""Errors of results against recordings of Linux.

NAME-r2, NAME-r3, ... repeat NAME with another start time: their values are averaged, on both sides, before they
are compared. Three errors per scenario:

- goodput: |sum of ours - sum of Linux's| / sum of Linux's, over the flows, in per cent
- share: largest |our share - Linux's share| of a flow, in points, where there are several flows
- rtt: |ours - Linux's| / Linux's, mean over the flows, in per cent

and retransmits as a factor: (ours + 20) / (Linux's + 20) or its inverse, whichever is above 1.
"""

import csv
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from fairlane import files
from fairlane.files import FileError, replacing

COLUMNS = ["scenario", "flow", "algorithm", "goodput_mbps", "mean_rtt_ms", "max_rtt_ms", "retransmits"]
FIGURES = ("goodput_mbps", "mean_rtt_ms", "retransmits")
ERRORS = {"goodput": 1, "share": 1, "rtt": 1, "retransmits": 2}
"""Each error with the decimals that it is shown with."""
NOT_EXPLAINED = "not explained yet."

FlowRow = dict[str, str]
"""A row of `COLUMNS`: the results of a flow as they are written."""
Figures = dict[str, dict[int, dict[str, float]]]
"""The `FIGURES` of each flow, by scenario."""


@dataclass(frozen=True)
class Errors:
    """The errors in a scenario."""

    scenario: str
    goodput: float
    share: float | None
    """None for a single flow."""
    rtt: float
    retransmits: float
    missing: bool = False
    """Whether the results lack the scenario, or a flow of it."""
    far: tuple[str, ...] = ()
    """The errors that are beyond random variation, where that is known."""
    runs: int = 0
    """The number of runs that are averaged, where it is counted."""

    def beyond(self, limits: Mapping[str, float]) -> list[str]:
        """The errors that exceed these limits."""
        return [key for key, limit in limits.items() if (self[key] or 0.0) > limit]

    def __getitem__(self, key: str) -> float | None:
        """An error by its name in `ERRORS`."""
        found: float | None = getattr(self, key)
        return found

    @property
    def cells(self) -> list[str]:
        """The errors as text."""
        return ["-" if (error := self[key]) is None else f"{error:.{n}f}" for key, n in ERRORS.items()]


class Spread(NamedTuple):
    """An error over several scenarios."""

    median: float
    p90: float
    worst: float


def flow_rows(name: str, flows: Iterable[Mapping[str, Any]]) -> list[FlowRow]:
    """One row per flow of a run."""
    return [
        {
            "scenario": name,
            "flow": str(number),
            "algorithm": flow["algorithm"],
            "goodput_mbps": f"{flow['goodput_mbps']:.4f}",
            "mean_rtt_ms": f"{flow['mean_rtt_ms'] or 0:.3f}",
            "max_rtt_ms": f"{flow['max_rtt_ms'] or 0:.3f}",
            "retransmits": str(flow["retransmits"]),
        }
        for number, flow in enumerate(flows)
    ]


def write_rows(path: Path, table: Iterable[FlowRow]) -> None:
    """Writes the rows to a CSV file."""
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def load_rows(path: Path) -> list[FlowRow]:
    """The checked rows of a file with these columns. Raises FileError."""
    remedy = "name a file that `fairlane fidelity --out` could have written"
    columns, rows = files.csv_rows(path, remedy)
    absent = [name for name in ("scenario", "flow", *FIGURES) if name not in columns]
    if absent:
        raise FileError(path, f"has no column {absent[0]}", remedy)
    for line, row in enumerate(rows, 2):
        if not re.fullmatch(r"[0-9]{1,5}", row["flow"]):
            raise FileError(path, f"row {line}: flow is not a number from 0", "fix that row")
        for name in FIGURES:
            try:
                usable = 0 <= float(row[name]) < math.inf
            except ValueError:
                usable = False
            if not usable:
                raise FileError(path, f"row {line}: {name} is not a number of 0 or more", "fix that row")
    return rows


def load(path: Path, only: Collection[str] | None = None) -> Figures:
    """The figures in a file, averaged over each scenario's repeats, or over those in `only`. Raises FileError."""
    return averaged(row for row in load_rows(path) if only is None or row["scenario"] in only)


def averaged(rows: Iterable[FlowRow]) -> Figures:
    """The figures of rows, averaged over each scenario's repeats."""
    runs: dict[str, dict[int, list[FlowRow]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        runs[without_repeat(row["scenario"])][int(row["flow"])].append(row)
    return {
        name: {
            flow: {key: sum(float(row[key]) for row in rows) / len(rows) for key in FIGURES}
            for flow, rows in flows.items()
        }
        for name, flows in runs.items()
    }


def without_repeat(name: str) -> str:
    """The scenario that NAME-r2, NAME-r3 and so on repeat.

    >>> without_repeat("pair-20m-bbr-vs-cubic-r2")
    'pair-20m-bbr-vs-cubic'
    """
    return re.sub(r"-r[0-9]+$", "", name)


def compare(linux: Figures, ours: Figures, *, only_present: bool = False) -> list[Errors]:
    """The errors of each scenario. One that ours lack counts as 100 %, or is left out."""
    return [
        _compare(name, want, ours.get(name, {})) for name, want in linux.items() if name in ours or not only_present
    ]


def _compare(name: str, want: dict[int, dict[str, float]], got: dict[int, dict[str, float]]) -> Errors:
    if set(got) != set(want):
        return Errors(name, 100.0, 100.0 if len(want) > 1 else None, 100.0, 99.0, missing=True)
    want_total, got_total = _total(want, "goodput_mbps"), _total(got, "goodput_mbps")
    want_total = max(want_total, 1e-9)  # a recording in which nothing arrived differs from everything
    shares = [abs(got[i]["goodput_mbps"] / max(got_total, 1e-9) - want[i]["goodput_mbps"] / want_total) for i in want]
    rtts = [abs(got[i]["mean_rtt_ms"] / max(want[i]["mean_rtt_ms"], 1e-9) - 1) for i in want]
    ratio = (_total(got, "retransmits") + 20) / (_total(want, "retransmits") + 20)
    return Errors(
        name,
        goodput=100 * abs(got_total / want_total - 1),
        share=100 * max(shares) if len(want) > 1 else None,
        rtt=100 * sum(rtts) / len(rtts),
        retransmits=max(ratio, 1 / ratio),
    )


def _total(flows: dict[int, dict[str, float]], key: str) -> float:
    return sum(flow[key] for flow in flows.values())


def summarise(rows: Iterable[Errors]) -> dict[str, Spread]:
    """Median, 90th percentile and worst of each error that any of the scenarios has."""
    rows, found = list(rows), {}
    for key in ERRORS:
        values = sorted(error for row in rows if (error := row[key]) is not None)
        if values:
            p90 = values[min(len(values) - 1, int(0.9 * len(values)))]
            found[key] = Spread(*(round(one, 2) for one in (median(values), p90, values[-1])))
    return found


def groups(rows: Sequence[Errors]) -> dict[str, list[Errors]]:
    """All rows, and those of each kind of scenario: the file that it is from, or the first word of its name."""
    found: dict[str, list[Errors]] = defaultdict(list)
    for row in rows:
        file, colon, _ = row.scenario.partition(":")
        found[file if colon else file.removeprefix("h-").split("-")[0]].append(row)
    return {"all": list(rows), **dict(sorted(found.items()))}


def worst_first(rows: Iterable[Errors]) -> list[Errors]:
    """The rows by the sum of their errors, the largest first."""
    return sorted(rows, key=lambda row: -(row.goodput + (row.share or 0) + row.rtt))


def explain(folder: Path, *names: str) -> str:
    """The explanation of the first of these names that has one, or of a pattern `NAME*` that matches it."""
    known = explanations(folder)
    for name in names:
        if name in known:
            return str(known[name])
    for name in names:
        for pattern, text in known.items():
            if pattern.endswith("*") and name.startswith(pattern[:-1]):
                return str(text)
    return NOT_EXPLAINED


def explanations(folder: Path) -> dict[str, Any]:
    """The explanations of large differences in `explanations.toml` of a folder. Raises FileError."""
    path = folder / "explanations.toml"
    if not path.is_file():
        return {}
    found = files.toml(path, "fix the file, or remove it")
    divergences = found.get("divergences", {})
    if not isinstance(divergences, dict) or not all(isinstance(text, str) for text in divergences.values()):
        raise FileError(path, "divergences is not a table of text", "fix it, or remove it")
    return found
