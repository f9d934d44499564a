"""Experiments that real kernels ran in virtual time: recorded once, and compared with the simulator without a kernel.

A folder has experiment files, and for each kernel `linux-6.12.csv` with what it did. A kernel is recorded by the
ordinary `run` of these files, so that an interrupted recording goes on where it stopped.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import stdev
from typing import Any

from fairlane.files import csv_rows
from fairlane.results.tables import ResultTables
from fairlane.runs.executors.processes import run_all
from fairlane.runs.sweep.runner import run
from fairlane.scenario import document
from fairlane.scenario.kernels import KERNELS, NEWEST
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.study.linux import replay, score

BASE = "base.toml"
"""What the files inherit from; not an experiment itself."""
TARGETS = {"goodput": 1.0, "share": 4.0, "rtt": 2.0}
"""Errors up to which a scenario agrees, in per cent, points and per cent."""
DEVIATIONS = 3.0
"""A larger error needs an explanation if it is more than this many standard deviations of the difference, too."""
LARGEST_OFFSET_NS = 10_000_000
GUEST_NS = 160_000
"""What the guest's own instructions, at one per nanosecond, add to each round trip: 1 ms is measured as 1.16."""
REPEATS = 20
"""Of the simulator, for its mean and its variation."""

Row = dict[str, Any]


def is_one(folder: Path) -> bool:
    """Whether a folder is of this kind, and not one with scenarios.json."""
    return (folder / BASE).is_file()


def files(folder: Path) -> list[Path]:
    """Its experiment files."""
    return sorted(path for path in folder.glob("*.toml") if path.name not in (BASE, "explanations.toml"))


def recorded(folder: Path) -> dict[str, Path]:
    """The files of what kernels did, by release, the oldest first."""
    found = {path.stem.removeprefix("linux-"): path for path in folder.glob("linux-*.csv")}
    return dict(sorted(found.items(), key=lambda item: _release(item[0])))


def record(folder: Path, kernel: str, results: Path, jobs: int) -> tuple[Path, list[str]]:
    """Has a kernel run all files, and writes what it did. Returns the file, and what failed.

    `results` is a folder for the stores. Raises ExperimentError, StoreError or KernelError.
    """
    from fairlane.runs.backends.vm import kernels

    failed = []
    for path in files(folder):
        done = run(load(path), results / path.stem, jobs=jobs, source=str(path), on=f"vm:{kernel}")
        failed += [f"{path.stem}: {failure.title}: {failure.message}" for failure in done.failures]
    found = kernels.find(kernel).version
    return write(folder, ".".join(map(str, found)), results), failed


def write(folder: Path, release: str, results: Path) -> Path:
    """Writes `linux-RELEASE.csv` from the runs that are stored so far."""
    table = [row for path in files(folder) for row in _stored(load(path), path.stem, results / path.stem)]
    target = folder / f"linux-{release}.csv"
    replay.write(target, table)
    return target


def _stored(experiment: LoadedExperiment, stem: str, folder: Path) -> Iterator[Row]:
    """A row for each flow of each stored run."""
    if not (folder / "view.parquet").exists() and not any(folder.glob("*")):
        return
    columns = [axis.column for axis in experiment.axes]
    flows: dict[tuple[Any, ...], list[Row]] = {}
    for row in ResultTables(folder).flows.iter_rows(named=True):
        flows.setdefault((*(row[column] for column in columns), row["seed"]), []).append(row)
    for point in experiment.points:
        for number in range(point.repeats):
            seed = point.point.experiment.seed + number
            found = flows.get((*(point.axes[column] for column in columns), seed))
            if found:
                ordered = sorted(found, key=lambda row: int(row["flow"]))
                yield from replay.rows(_name(stem, point.label, number), {"flows": ordered})


def _name(stem: str, label: str, number: int) -> str:
    return f"{stem}: {label}" + (f"-r{number + 1}" if number else "")


def simulated(
    folder: Path, release: str, wanted: Iterable[str], *, jobs: int | None, on_done: Callable[[], None]
) -> list[Row]:
    """What the simulator does in the same scenarios, with the settings of the release nearest below, several times."""
    names, scenarios = [], []
    known = set(wanted)
    for path in files(folder):
        experiment = load(_as_of(path, preset(release)))
        for point in experiment.points:
            runs = [point.point.repeat(n) for n in range(point.repeats) if _name(path.stem, point.label, n) in known]
            for number in range(REPEATS if runs else 0):
                names.append(_name(path.stem, point.label, number))
                scenarios.append(_varied(runs[number % len(runs)], names[-1]))
    outcomes = run_all(scenarios, jobs=jobs, keep=["flows"], on_done=on_done)
    return [
        row
        for name, outcome in zip(names, outcomes, strict=True)
        if outcome.result
        for row in replay.rows(name, outcome.result)
    ]


def _varied(scenario: dict[str, Any], name: str) -> dict[str, Any]:
    """A recorded run with other random numbers and starts that are up to 10 ms later: the order decides much.

    Its reverse path is longer by what packets take in the guest.
    """
    drawn = random.Random(name)
    last = {flow["reverse"][-1] for flow in scenario["flows"]}
    links = [
        {**link, "delay_ns": link.get("delay_ns", 0) + GUEST_NS * (link["name"] in last)} for link in scenario["links"]
    ]
    flows = [{**flow, "start_ns": flow["start_ns"] + drawn.randrange(LARGEST_OFFSET_NS)} for flow in scenario["flows"]]
    return {**scenario, "seed": drawn.randrange(2**31), "flows": flows, "links": links}


def _as_of(path: Path, kernel: str) -> dict[str, Any]:
    """What a file says, with hosts of this release."""
    data = document.read(path).data
    return {**data, "name": path.stem, "hosts": {**data.get("hosts", {}), "kernel": kernel}}


def preset(release: str) -> str:
    """The newest release of `hosts.kernel` up to this one.

    >>> preset("6.1"), preset("6.18"), preset("7.2")
    ('6.1', '6.12', '7.2')
    """
    older = [one for one in KERNELS if one != NEWEST and _release(one) <= _release(release)]
    is_new = _release(release)[0] >= int(NEWEST.partition(".")[0])
    return NEWEST if is_new or not older else older[-1]


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def compare(linux: Sequence[Row], ours: Sequence[Row]) -> list[Row]:
    """The errors of each scenario that both have, and `far`: those that are beyond the targets and the variation."""
    spread = _spread(ours)
    counts: dict[str, set[str]] = {}
    for row in linux:
        counts.setdefault(score.without_repeat(row["scenario"]), set()).add(row["scenario"])
    found = score.compare(score.averaged(linux), score.averaged(ours), only_present=True)
    for row in found:
        deviations, runs = spread[row["scenario"]], len(counts[row["scenario"]])
        scale = (1 / runs + 1 / REPEATS) ** 0.5
        row["far"] = [
            key
            for key, target in TARGETS.items()
            if row[key] is not None and row[key] > max(target, DEVIATIONS * deviations[key] * scale)
        ]
    return found


def _spread(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """The standard deviations of goodput and RTT (of all flows, in per cent) and of the most uneven share (points)."""
    runs: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        runs.setdefault(score.without_repeat(row["scenario"]), {}).setdefault(row["scenario"], []).append(row)
    made = {}
    for name, repeats in runs.items():
        goodputs = [[float(row["goodput_mbps"]) for row in flows] for flows in repeats.values()]
        rtts = [[float(row["mean_rtt_ms"]) for row in flows] for flows in repeats.values()]
        totals = [sum(one) for one in goodputs]
        shares = list(zip(*([100 * value / max(sum(one), 1e-9) for value in one] for one in goodputs), strict=True))
        made[name] = {
            "goodput": _relative(totals),
            "share": max((_deviation(one) for one in shares), default=0.0),
            "rtt": max((_relative(one) for one in zip(*rtts, strict=True)), default=0.0),
        }
    return made


def _relative(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return 100 * _deviation(values) / mean if mean else 0.0


def _deviation(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0


def kind(row: Row) -> str:
    """The file that a scenario is from."""
    return str(row["scenario"]).partition(":")[0]


def load_rows(path: Path) -> list[Row]:
    """The rows of a recording. Raises FileError."""
    score.load(path)  # which checks it
    return csv_rows(path, "record it: fairlane fidelity --record vm:KERNEL")[1]


def summary(release: str, rows: list[Row]) -> list[list[str]]:
    """The cells of that table for one kernel: all of its scenarios, and those of each file."""
    lines = []
    for name, members in [("all", rows), *((one, [row for row in rows if kind(row) == one]) for one in _kinds(rows))]:
        found = score.summarise(members)
        errors = [
            " / ".join(f"{found[key][part]:g}" for part in ("median", "p90", "worst")) if key in found else "-"
            for key in score.ERRORS
        ]
        lines.append([release, name, str(len(members)), *errors])
    return lines


def _kinds(rows: list[Row]) -> list[str]:
    return sorted({kind(row) for row in rows})


def ordered(rows: list[Row]) -> list[Row]:
    """The largest errors first."""
    return sorted(rows, key=lambda row: -(row["goodput"] + (row["share"] or 0) + row["rtt"]))


def cells(row: Row) -> list[str]:
    """The errors of a scenario."""
    digits = {"retransmits": 2}
    return ["-" if row[key] is None else f"{row[key]:.{digits.get(key, 1)}f}" for key in score.ERRORS]


def between(rows: dict[str, list[Row]]) -> list[Row]:
    """Errors of each kernel against the next one, as if that were the truth: how kernels differ among themselves."""
    return [
        {**row, "older": older, "newer": newer}
        for older, newer in pairwise(rows)
        for row in score.compare(score.averaged(rows[newer]), score.averaged(rows[older]), only_present=True)
    ]
