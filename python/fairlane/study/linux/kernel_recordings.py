"""Experiments that real kernels ran in virtual time: recorded once, and compared with the simulator without a kernel.

A folder has experiment files, and for each kernel `linux-6.12.csv` with its results. A kernel is recorded by the
ordinary `run` of these files, so that an interrupted recording goes on where it stopped.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import stdev
from typing import Any, cast

from fairlane.engine.types import Scenario as EngineScenario
from fairlane.files import toml
from fairlane.results.tables import ResultTables
from fairlane.runs.executors.processes import run_all
from fairlane.runs.sweep.runner import run
from fairlane.scenario import document
from fairlane.scenario.kernels import KERNELS, NEWEST
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.study.linux import score
from fairlane.study.linux.score import (
    Errors,
    FlowRow,
    by_scenario,
    errors,
    flow_rows,
    load_rows,
    without_repeat,
    write_rows,
)
from fairlane.study.paper.comparison import Row

Flow = dict[str, Any]
"""A row of the store's table of flows."""
BASE, ABOUT = "base.toml", "recording.toml"
"""Files that are no experiments: the others inherit from the first, and the second is about the recordings."""
TARGETS = {"goodput": 1.0, "share": 4.0, "rtt": 2.0}
"""Errors up to which a scenario agrees, in per cent, points and per cent."""
DEVIATIONS = 3.0
"""A larger error needs an explanation if it is more than this many standard deviations of the difference, too."""
LARGEST_OFFSET_NS = 10_000_000
REPEATS = 20
"""Runs of the simulator, for its mean and its variation."""


def is_one(folder: Path) -> bool:
    """Whether a folder is of this kind, and not one with scenarios.json."""
    return (folder / BASE).is_file()


@dataclass(frozen=True)
class About:
    """A folder's recordings in words, and the time that the guest's own instructions add to each round trip."""

    title: str = "Recorded kernels"
    text: str = ""
    guest_ns: int = 0


def about(folder: Path) -> About:
    """The content of the folder's `recording.toml`. Raises FileError."""
    path = folder / ABOUT
    if not path.is_file():
        return About()
    found = toml(path, "fix the file, or remove it")
    return About(str(found["title"]), str(found["about"]).strip(), round(1_000 * float(found["guest_us"])))


def files(folder: Path) -> list[Path]:
    """Its experiment files."""
    return sorted(path for path in folder.glob("*.toml") if path.name not in (BASE, ABOUT, "explanations.toml"))


def recorded(folder: Path) -> dict[str, Path]:
    """The recordings by release, the oldest first."""
    found = {path.stem.removeprefix("linux-"): path for path in folder.glob("linux-*.csv")}
    return dict(sorted(found.items(), key=lambda item: _release(item[0])))


def record(folder: Path, kernel: str, results: Path, jobs: int) -> tuple[Path, list[str]]:
    """Has a kernel run all files, and writes the recording. Returns the file, and the failures.

    `results` is a folder for the stores. Raises ExperimentError, StoreError or KernelError.
    """
    from fairlane.runs.backends import backend
    from fairlane.runs.backends.vm import kernels
    from fairlane.runs.backends.vm.backend import EMULATED

    failed = []
    for path in files(folder):
        experiment, on = load(path), f"vm:{kernel}"
        if any(backend(on).limits(point.point.repeat(0)) for point in experiment.points):
            on += f":{EMULATED}"  # it refuses what this cannot do either
        done = run(experiment, results / path.stem, jobs=jobs, source=str(path), on=on)
        failed += [f"{path.stem}: {failure.title}: {failure.message}" for failure in done.failures]
    found = kernels.find(kernel).version
    return write(folder, ".".join(map(str, found)), results), failed


def write(folder: Path, release: str, results: Path) -> Path:
    """Writes `linux-RELEASE.csv` from the runs that are stored so far."""
    target, rows = folder / f"linux-{release}.csv", []
    for path in files(folder):
        if any((results / path.stem).glob("*")):
            for label, number, flows in stored_flows(load(path), ResultTables(results / path.stem)):
                rows += flow_rows(_name(path.stem, label, number), flows)
    write_rows(target, rows)
    return target


def stored_flows(experiment: LoadedExperiment, tables: ResultTables) -> Iterator[tuple[str, int, list[Flow]]]:
    """The flows of each stored run, with the label of its point and the number of the repeat."""
    columns = [*(axis.column for axis in experiment.axes), "seed"]
    if "flow" not in tables.flows.columns:  # every run failed
        return
    flows = tables.flows.sort("flow").partition_by(columns, as_dict=True)
    for point in experiment.points:
        for number in range(point.repeats):
            at = {**point.axes, "seed": point.point.experiment.seed + number}
            found = flows.get(tuple(at[column] for column in columns))
            if found is not None:
                yield point.label, number, found.to_dicts()


def _name(stem: str, label: str, number: int) -> str:
    return f"{stem}: {label}" + (f"-r{number + 1}" if number else "")


class Recordings:
    """All recordings of a folder, by release. Raises FileError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = about(folder)
        self.linux = {release: load_rows(path) for release, path in recorded(folder).items()}
        self._names = {release: {row["scenario"] for row in rows} for release, rows in self.linux.items()}

    @property
    def runs(self) -> int:
        """The number of runs that the comparison takes."""
        return sum(map(len, self._names.values())) * REPEATS

    def errors(self, jobs: int | None, on_done: Callable[[], None]) -> dict[str, list[Errors]]:
        """The errors of the simulator, by release; `on_done` is called after each run. Raises ExperimentError."""
        return {
            release: compare(rows, simulated(self.folder, release, self._names[release], jobs=jobs, on_done=on_done))
            for release, rows in self.linux.items()
        }


def simulated(
    folder: Path, release: str, wanted: Collection[str], *, jobs: int | None, on_done: Callable[[], None]
) -> list[FlowRow]:
    """Several simulated runs of each wanted scenario, with the settings of the release nearest below."""
    names, scenarios, guest_ns = [], [], about(folder).guest_ns
    for path in files(folder):
        experiment = load(_as_of(path, preset(release)))
        for point in experiment.points:
            runs = [point.point.repeat(n) for n in range(point.repeats) if _name(path.stem, point.label, n) in wanted]
            for number in range(REPEATS if runs else 0):
                names.append(_name(path.stem, point.label, number))
                scenarios.append(_varied(runs[number % len(runs)], names[-1], guest_ns))
    outcomes = run_all(scenarios, jobs=jobs, keep=["flows"], on_done=on_done)
    return [
        row
        for name, outcome in zip(names, outcomes, strict=True)
        if outcome.result
        for row in flow_rows(name, outcome.result["flows"])
    ]


def _varied(scenario: EngineScenario, name: str, guest_ns: int) -> EngineScenario:
    """A recorded run with other random numbers and starts that are up to 10 ms later: the order decides much.

    Its reverse path is longer by the time that packets take in the guest.
    """
    drawn = random.Random(name)
    last = {flow["reverse"][-1] for flow in scenario["flows"]}
    links = [
        {**link, "delay_ns": link.get("delay_ns", 0) + guest_ns * (link["name"] in last)} for link in scenario["links"]
    ]
    flows = [{**flow, "start_ns": flow["start_ns"] + drawn.randrange(LARGEST_OFFSET_NS)} for flow in scenario["flows"]]
    return cast(EngineScenario, {**scenario, "seed": drawn.randrange(2**31), "flows": flows, "links": links})


def _as_of(path: Path, kernel: str) -> dict[str, Any]:
    """The contents of a file, with hosts of this release."""
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


def compare(linux: Sequence[FlowRow], ours: Sequence[FlowRow]) -> list[Errors]:
    """The errors of each scenario that both have; `far` are those beyond the targets and the random variation."""
    recorded = Counter(without_repeat(name) for name in {row["scenario"] for row in linux})
    compared = score.compare(linux, ours)
    flows = by_scenario(compared)
    return [
        replace(row, far=tuple(row.beyond(_limits(flows[row.scenario], recorded[row.scenario]))))
        for row in errors(compared, only_present=True)
    ]


def _limits(flows: Sequence[Row], recorded: int) -> dict[str, float]:
    """Standard deviations of goodput and RTT (of all flows, in per cent) and of the most uneven share (points)."""
    goodputs, rtts, _ = zip(*([cell.sample for cell in row.cells] for row in flows if row.runs), strict=True)
    runs = list(zip(*goodputs, strict=True))
    shares = zip(*([100 * value / max(sum(one), 1e-9) for value in one] for one in runs), strict=True)
    deviations = {
        "goodput": _relative([sum(one) for one in runs]),
        "share": max(map(_deviation, shares), default=0.0),
        "rtt": max(map(_relative, rtts), default=0.0),
    }
    scale = (1 / recorded + 1 / REPEATS) ** 0.5
    return {key: max(target, DEVIATIONS * deviations[key] * scale) for key, target in TARGETS.items()}


def _relative(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return 100 * _deviation(values) / mean if mean else 0.0


def _deviation(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0


def between(rows: Mapping[str, Sequence[FlowRow]]) -> list[tuple[str, Errors]]:
    """Errors of each release against the next one beyond the targets: differences between kernels, worst first."""
    found = [
        (f"{older}, {newer}", one)
        for older, newer in pairwise(rows)
        for one in score.worst_first(errors(score.compare(rows[newer], rows[older]), only_present=True))
        if one.beyond(TARGETS)
    ]
    return sorted(found, key=lambda pair: pair[0].partition(",")[0])
