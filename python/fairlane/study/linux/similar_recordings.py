"""Errors of the simulator against Linux in the recorded scenarios that are most like those of a report.

`calibration/agreement.csv` has a row for each recorded scenario: its conditions, and the errors. `fairlane fidelity`
writes it with the page on agreement. Scenarios are compared by algorithms, queue discipline, random loss, number of
flows, rate, RTT and buffer size.
"""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from fairlane.engine.messages import counted
from fairlane.files import csv_text, data_folder, write_text
from fairlane.scenario.stations import limit_bytes
from fairlane.scenario.units import show_rate, show_time
from fairlane.study.linux.score import ERRORS, Errors

FILE = "agreement.csv"
KERNEL = "6.12"
"""The kernel of the recorded experiments that counts: the one that the page on agreement begins with."""
ALIKE = 2.0
"""Rates, RTTs, numbers of flows and buffers are alike within this factor."""
MOST_ROWS = 12


@dataclass(frozen=True)
class Conditions:
    """The conditions of a run, as far as recordings differ in them."""

    algorithms: tuple[str, ...]
    flows: int
    rate_bps: float
    rtt_ms: float
    queue: str
    buffer_bdp: float
    """The buffer size of a FIFO; 0 for other queues."""
    lossy: bool

    @property
    def words(self) -> str:
        """`bbr, cubic; 2 flows; 20 Mbps, 40 ms, fifo 1 BDP`."""
        buffer = f" {self.buffer_bdp:.2g} BDP" if self.buffer_bdp else ""
        loss = ", random loss" if self.lossy else ""
        link = f"{show_rate(self.rate_bps)}, {show_time(round(self.rtt_ms * 1e6))}, {self.queue}{buffer}{loss}"
        return f"{', '.join(self.algorithms)}; {counted(self.flows, 'flow')}; {link}"

    def differences(self, other: "Conditions") -> list[tuple[str, float]]:
        """The differences from a recording, each with its weight; numbers are named only beyond `ALIKE`."""
        same = len({*self.algorithms} & {*other.algorithms}) / len({*self.algorithms} | {*other.algorithms})
        found = [("algorithms", 8.0 * (1 - same)), ("queue discipline", 3.0 * (self.queue != other.queue))]
        found += [("random loss", 4.0 * (self.lossy != other.lossy))]
        numbers = {"rate": 1.0, "RTT": 1.0, "number of flows": 1.0, "buffer": 0.5}
        pairs = [(self.rate_bps, other.rate_bps), (self.rtt_ms, other.rtt_ms), (self.flows, other.flows)]
        pairs += [(self.buffer_bdp, other.buffer_bdp)]
        for (name, weight), (one, two) in zip(numbers.items(), pairs, strict=True):
            if one > 0 and two > 0:
                apart = abs(math.log2(one / two))
                found.append((name if apart > math.log2(ALIKE) + 1e-6 else "", weight * apart))
        return [(name, cost) for name, cost in found if cost]


@dataclass(frozen=True)
class Recording:
    """A recorded scenario and the errors of the simulator there."""

    kernel: str
    conditions: Conditions
    errors: Errors


@dataclass(frozen=True)
class Nearest:
    """A recording, and the points of a report that are most like it."""

    recording: Recording
    points: int
    differs: tuple[str, ...]
    """The differences of some of the points from it; empty if they are alike."""


@dataclass(frozen=True)
class LinuxAgreement:
    """The agreement with Linux in recordings like the runs of a report."""

    sentence: str
    rows: Sequence[Nearest]
    """The nearest recordings, those of most points first."""
    left_out: int
    """The number of further recordings."""


def conditions(scenario: Mapping[str, Any]) -> Conditions | None:
    """The conditions of a scenario; None if no recording is like it: a shared medium, QUIC, or no bottleneck."""
    links = {link["name"]: link for link in scenario.get("links", [])}
    flows = scenario["flows"]
    path = [*flows[0]["forward"], *flows[0]["reverse"]]
    if any(name not in links for name in path) or any(flow.get("transport", "tcp") != "tcp" for flow in flows):
        return None
    limited = [links[name] for name in flows[0]["forward"] if links[name].get("rate_bps")]
    if not limited:
        return None
    bottleneck = min(limited, key=lambda link: float(link["rate_bps"]))
    rate_bps, rtt_s = float(bottleneck["rate_bps"]), sum(links[name].get("delay_ns", 0) for name in path) / 1e9
    queue, bdp_bytes = bottleneck.get("queue", {}).get("kind", "fifo"), rate_bps * rtt_s / 8
    return Conditions(
        algorithms=tuple(sorted({flow["algorithm"] for flow in flows})),
        flows=sum(flow.get("count", 1) for flow in flows),
        rate_bps=rate_bps,
        rtt_ms=rtt_s * 1e3,
        queue=queue,
        buffer_bdp=limit_bytes(bottleneck, flows[0]["mtu"]) / bdp_bytes if queue == "fifo" and bdp_bytes else 0.0,
        lossy=any(_loses(links[name]) for name in path),
    )


def _loses(link: Mapping[str, Any]) -> bool:
    loss = link.get("loss") or {"probability": 0}
    return bool(loss.get("probability", 1) != 0)


def agreement_with_linux(scenarios: Iterable[str]) -> LinuxAgreement | None:
    """For points of a sweep, each the JSON of a scenario; None if there are no recordings."""
    recordings = load(data_folder("calibration") / FILE)
    if not recordings:
        return None
    points = [conditions(json.loads(text)) for text in sorted(scenarios)]  # runs are stored in the order of their ends
    if not points:
        return None
    found: dict[Recording, list[list[str]]] = {}
    for point in points:
        if point is not None:
            one, differs = _nearest(point, tuple(recordings))
            found.setdefault(one, []).append(differs)
    rows = [
        Nearest(one, len(all_differ), tuple(dict.fromkeys(name for differs in all_differ for name in differs)))
        for one, all_differ in found.items()
    ]
    rows.sort(key=lambda row: (bool(row.differs), -row.points))
    alike = [one for one, all_differ in found.items() for differs in all_differ if not differs]
    nearest = [one for one, all_differ in found.items() for _ in all_differ]
    sentence = _sentence(len(points), alike, nearest)
    return LinuxAgreement(sentence, rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS))


def _sentence(total: int, alike: Sequence[Recording], nearest: Sequence[Recording]) -> str:
    """The number of points that are like a recording, and the errors there."""
    if not nearest:
        return "Linux was not recorded in scenarios like these (a shared medium, QUIC, or no bottleneck)."
    number, what = f"{len(alike):,}" if alike else "None", counted(total, "point")
    text = f"{number} of {what} {'is' if len(alike) < 2 else 'are'} like a recording of Linux: same algorithms, queue "
    text += f"discipline and kind of loss; rate, RTT, buffer and number of flows within a factor of {ALIKE:g}. "
    text += f"{'There' if alike else 'At the nearest recordings'}, the simulator differs {_errors(alike or nearest)}."
    if (unlike := total - len(nearest)) > 0:
        text += (
            f" Linux was not recorded in scenarios like the other {unlike:,} (a shared medium, QUIC, no bottleneck)."
        )
    return text


def _errors(recordings: Sequence[Recording]) -> str:
    """The medians over the points, and the worst."""
    said = []
    for key, name, unit in (("goodput", "goodput", "%"), ("share", "share", "points"), ("rtt", "RTT", "%")):
        values = [error for one in recordings if (error := one.errors[key]) is not None]
        if values:
            said.append(f"in {name} by {median(values):.1f} {unit} (median; worst {max(values):.1f})")
    return ", ".join(said)


@cache
def _nearest(point: Conditions, recordings: tuple[Recording, ...]) -> tuple[Recording, list[str]]:
    """The nearest recording, and the names of its differences."""
    compared = [(one, point.differences(one.conditions)) for one in recordings]
    nearest, differences = min(compared, key=lambda pair: sum(cost for _, cost in pair[1]))
    return nearest, [name for name, _ in differences if name]


def load(path: Path) -> list[Recording]:
    """The recordings; none if there is no such file."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [_read(row) for row in csv.DictReader(file)]


def _read(row: Mapping[str, str]) -> Recording:
    made = Conditions(
        tuple(row["algorithms"].split()),
        int(row["flows"]),
        float(row["rate_bps"]),
        float(row["rtt_ms"]),
        row["queue"],
        float(row["buffer_bdp"]),
        row["lossy"] == "True",
    )
    goodput, rtt, retransmits = (float(row[name]) for name in ("goodput", "rtt", "retransmits"))
    share = float(row["share"]) if row["share"] else None
    return Recording(row["kernel"], made, Errors(row["scenario"], goodput, share, rtt, retransmits))


def collect(
    folder: Path, rows: Iterable[Errors], kernel_folder: Path, kernel_rows: Mapping[str, Iterable[Errors]]
) -> list[Recording]:
    """The recordings with these errors: `rows` in the scenarios of `folder`, `kernel_rows` by release."""
    from fairlane.scenario.load import load as load_experiment
    from fairlane.study.linux import kernel_recordings, truth

    recorded = {one.name: one for one in truth.load(folder)}
    version = folder.name.removeprefix("linux-")
    found = [(version, row, truth.as_scenario(recorded[row.scenario])) for row in rows]
    points = {
        f"{file.stem}: {point.label}": point.point.repeat(0)
        for file in kernel_recordings.files(kernel_folder)
        for point in load_experiment(file).points
    }
    found += [(KERNEL, row, points[row.scenario]) for row in kernel_rows.get(KERNEL, [])]
    return [Recording(kernel, known, row) for kernel, row, ran in found if (known := conditions(ran)) is not None]


def write(path: Path, recordings: Sequence[Recording]) -> None:
    """The file that `load` reads."""
    head = ["kernel", "scenario", *(one.name for one in fields(Conditions)), *ERRORS]
    write_text(path, csv_text([head, *_cells(recordings)]))


def _cells(recordings: Sequence[Recording]) -> Iterator[list[Any]]:
    for one in recordings:
        algorithms, flows, rate_bps, rtt_ms, queue, buffer_bdp, lossy = astuple(one.conditions)
        told = [" ".join(algorithms), flows, f"{rate_bps:g}", f"{rtt_ms:.4g}", queue, f"{buffer_bdp:.3g}", lossy]
        errors = ["" if (error := one.errors[key]) is None else f"{error:.2f}" for key in ERRORS]
        yield [one.kernel, one.errors.scenario, *told, *errors]
