"""Scores simulated results against what real Linux did.

NAME-r2, NAME-r3, ... repeat NAME with another start time: their values are averaged, on both sides, before they
are compared. Three errors per scenario:

- goodput: |sum of ours - sum of Linux's| / sum of Linux's, over the flows, in per cent
- share: largest |our share - Linux's share| of a flow, in points, where there are several flows
- rtt: |ours - Linux's| / Linux's, mean over the flows, in per cent

and retransmits as a factor: (ours + 20) / (Linux's + 20) or its inverse, whichever is above 1.
"""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from pathlib import Path
from statistics import median
from typing import Any

from fairlane import files
from fairlane.files import FileError

FIGURES = ("goodput_mbps", "mean_rtt_ms", "retransmits")
ERRORS = ("goodput", "share", "rtt", "retransmits")
TITLES = {"goodput": "goodput\n%", "share": "share\npoints", "rtt": "RTT\n%", "retransmits": "retransmits\nfactor"}

Figures = dict[str, dict[int, dict[str, float]]]


def load(path: Path, only: Collection[str] | None = None) -> Figures:
    """Maps scenario to flow to its metrics, averaged over the scenario's repeats, or over those in `only`."""
    return averaged(row for row in _rows(path) if only is None or row["scenario"] in only)


def _rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file with these columns, checked. Raises FileError."""
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


def averaged(rows: Iterable[dict[str, Any]]) -> Figures:
    """The same of rows that are in memory."""
    runs: dict[str, dict[int, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        runs[without_repeat(row["scenario"])][int(row["flow"])].append(row)
    return {
        name: {
            flow: {key: sum(float(row[key]) for row in rows) / len(rows) for key in FIGURES}
            for flow, rows in flows.items()
        }
        for name, flows in runs.items()
    }


def score(truth_folder: Path, results: Path, *, only_present: bool = False) -> list[dict[str, Any]]:
    """The errors of each scenario. One that is absent from the results counts as 100 %, or is left out."""
    return compare(load(truth_folder / "linux.csv"), load(results), only_present=only_present)


def compare(linux: Figures, ours: Figures, *, only_present: bool = False) -> list[dict[str, Any]]:
    """The same for metrics in memory."""
    return [
        _compare(name, want, ours.get(name, {})) for name, want in linux.items() if name in ours or not only_present
    ]


def without_repeat(name: str) -> str:
    """The scenario that NAME-r2, NAME-r3 and so on repeat.

    >>> without_repeat("pair-20m-bbr-vs-cubic-r2")
    'pair-20m-bbr-vs-cubic'
    """
    return re.sub(r"-r[0-9]+$", "", name)


def _compare(name: str, want: dict[int, dict[str, float]], got: dict[int, dict[str, float]]) -> dict[str, Any]:
    if set(got) != set(want):
        share = 100.0 if len(want) > 1 else None
        return {"scenario": name, "missing": True, "goodput": 100.0, "share": share, "rtt": 100.0, "retransmits": 99.0}
    want_total, got_total = _total(want, "goodput_mbps"), _total(got, "goodput_mbps")
    want_total = max(want_total, 1e-9)  # a recording in which nothing arrived differs from everything
    shares = [abs(got[i]["goodput_mbps"] / max(got_total, 1e-9) - want[i]["goodput_mbps"] / want_total) for i in want]
    rtts = [abs(got[i]["mean_rtt_ms"] / max(want[i]["mean_rtt_ms"], 1e-9) - 1) for i in want]
    ratio = (_total(got, "retransmits") + 20) / (_total(want, "retransmits") + 20)
    return {
        "scenario": name,
        "missing": False,
        "goodput": 100 * abs(got_total / want_total - 1),
        "share": 100 * max(shares) if len(want) > 1 else None,
        "rtt": 100 * sum(rtts) / len(rtts),
        "retransmits": max(ratio, 1 / ratio),
    }


def _total(flows: dict[int, dict[str, float]], key: str) -> float:
    return sum(flow[key] for flow in flows.values())


def summarise(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Median, 90th percentile and worst of each error."""
    rows = list(rows)
    summary: dict[str, Any] = {"scenarios": len(rows), "missing": sum(row["missing"] for row in rows)}
    for key in ERRORS:
        values = sorted(row[key] for row in rows if row[key] is not None)
        if values:
            p90 = values[min(len(values) - 1, int(0.9 * len(values)))]
            summary[key] = {"median": round(median(values), 2), "p90": round(p90, 2), "worst": round(values[-1], 2)}
    return summary


def groups(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The rows by kind of scenario, which is the first word of its name."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["scenario"].removeprefix("h-").split("-")[0]].append(row)
    return dict(sorted(found.items()))
