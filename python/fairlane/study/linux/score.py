"""Errors of the simulator in scenarios that Linux ran: the recording is the paper, and a flow of a scenario is a row.

NAME-r2, NAME-r3, ... repeat NAME with another start time: their values are averaged, on both sides, before they
are compared. A paper's numbers are judged one by one; flows that share a link are judged together, by three errors per
scenario:

- goodput: |sum of ours - sum of Linux's| / sum of Linux's, over the flows, in per cent
- share: largest |our share - Linux's share| of a flow, in points, where there are several flows
- rtt: |ours - Linux's| / Linux's, mean over the flows, in per cent

and retransmits as a factor: (ours + 20) / (Linux's + 20) or its inverse, whichever is above 1.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from fairlane import files
from fairlane.files import FileError
from fairlane.study.paper.comparison import Cell, Comparison, Place, Row
from fairlane.study.paper.definition import Item, Value

COLUMNS = ["scenario", "flow", "algorithm", "goodput_mbps", "mean_rtt_ms", "max_rtt_ms", "retransmits"]
FIGURES = ("goodput_mbps", "mean_rtt_ms", "retransmits")
METRICS = [
    Value(metric=metric, heading=heading, compare="difference", published=metric)
    for metric, heading in (
        ("goodput_mbps", "goodput\nMbps"),
        ("share_pct", "share\n%"),
        ("mean_rtt_ms", "mean RTT\nms"),
        ("retransmits", "retransmits"),
    )
]
"""The numbers of a flow that are compared with a kernel."""
RECORDING = Item(
    name="recording",
    source="Linux",
    title="recorded scenarios",
    experiments=["recording"],
    by=["scenario", "flow"],
    values=[one for one in METRICS if one.metric in FIGURES],
)
ERRORS = {"goodput": 1, "share": 1, "rtt": 1, "retransmits": 2}
"""Each error with the decimals that it is shown with."""
NOT_EXPLAINED = "not explained yet."

FlowRow = dict[str, str]
"""A row of `COLUMNS`: the results of a flow as they are written."""


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
    """The number of ours that are averaged."""

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
    files.write_text(path, files.csv_text([COLUMNS, *([row[name] for name in COLUMNS] for row in table)]))


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


def without_repeat(name: str) -> str:
    """The scenario that NAME-r2, NAME-r3 and so on repeat.

    >>> without_repeat("pair-20m-bbr-vs-cubic-r2")
    'pair-20m-bbr-vs-cubic'
    """
    return re.sub(r"-r[0-9]+$", "", name)


def compare(linux: Iterable[FlowRow], ours: Iterable[FlowRow]) -> Comparison:
    """The means over each scenario's repeats, for each flow of the scenarios that Linux ran."""
    theirs, mine = _samples(linux), _samples(ours)
    recorded = {scenario for scenario, _ in theirs}
    rows = []
    for place in dict.fromkeys([*theirs, *(one for one in mine if one[0] in recorded)]):
        cells = tuple(
            Cell(_mean(our), None, _mean(their), our) for our, their in zip(mine[place], theirs[place], strict=True)
        )
        rows.append(Row("recording", place, cells, len(cells[0].sample)))
    return Comparison(RECORDING, tuple(rows), {})


def _samples(rows: Iterable[FlowRow]) -> dict[Place, list[tuple[float, ...]]]:
    """The values of the runs of each flow, for each of `FIGURES`."""
    found: dict[Place, list[tuple[float, ...]]] = defaultdict(lambda: [()] * len(FIGURES))
    for row in rows:
        place = without_repeat(row["scenario"]), float(row["flow"])
        found[place] = [(*values, float(row[key])) for key, values in zip(FIGURES, found[place], strict=True)]
    return found


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def by_scenario(comparison: Comparison) -> dict[str, list[Row]]:
    """The flows of each scenario."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in comparison.rows:
        found[str(row.place[0])].append(row)
    return found


def errors(comparison: Comparison, *, only_present: bool = False) -> list[Errors]:
    """The errors of each scenario. One that ours lack counts as 100 %, or is left out."""
    return [
        _errors(name, flows)
        for name, flows in by_scenario(comparison).items()
        if not only_present or any(row.runs for row in flows)
    ]


def _errors(name: str, flows: Sequence[Row]) -> Errors:
    columns = [[(one.ours, one.paper) for one in cells] for cells in zip(*(row.cells for row in flows), strict=True)]
    goodputs, rtts, retransmits = (
        [(ours, linux) for ours, linux in column if ours is not None and linux is not None] for column in columns
    )
    if len(goodputs) < len(flows):
        several = sum(linux is not None for _, linux in columns[0]) > 1
        return Errors(name, 100.0, 100.0 if several else None, 100.0, 99.0, missing=True)
    got, want = _sums(goodputs)
    want = max(want, 1e-9)  # a recording in which nothing arrived differs from everything
    sent, recorded = _sums(retransmits)
    ratio = (sent + 20) / (recorded + 20)
    return Errors(
        name,
        goodput=100 * abs(got / want - 1),
        share=100 * max(abs(o / max(got, 1e-9) - w / want) for o, w in goodputs) if len(flows) > 1 else None,
        rtt=100 * sum(abs(ours / max(linux, 1e-9) - 1) for ours, linux in rtts) / len(rtts),
        retransmits=max(ratio, 1 / ratio),
        runs=flows[0].runs,
    )


def _sums(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum(ours for ours, _ in pairs), sum(linux for _, linux in pairs)


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
    patterns = {one: text for one, text in known.items() if one.endswith("*")}
    exact = (known[name] for name in names if name in known)
    alike = (text for name in names for one, text in patterns.items() if name.startswith(one[:-1]))
    return str(next(chain(exact, alike), NOT_EXPLAINED))


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
