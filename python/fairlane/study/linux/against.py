"""The simulator compared with a real kernel in an experiment of the user's own.

Both run every point several times. Random variation is drawn: the order in which flows start, and a small
offset of each, the same for both. The simulator's timers tick as those of the kernel.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from fairlane.engine.messages import counted
from fairlane.files import write_text
from fairlane.results.statistics import Interval, interval_of_mean
from fairlane.results.tables import ResultTables
from fairlane.runs.backends import SIMULATOR, backend
from fairlane.runs.executors.processes import usable_cpus
from fairlane.runs.sweep.dispatch import Watcher
from fairlane.runs.sweep.runner import Preparation, run
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.study.linux.kernel_recordings import Flow, stored_flows

METRICS = ("goodput_mbps", "share_pct", "mean_rtt_ms", "retransmits")
LARGEST_OFFSET_NS = 300_000_000
_NAMES = ("experiment", "place", "kernel", "point", "flow", "metric")
_PARTS = ("estimate", "low", "high", "n")
_BOTH = ("ours", "kernel")


@dataclass(frozen=True)
class Row:
    """A metric of a flow at a point of an experiment, by the simulator and by a kernel."""

    experiment: str
    place: str
    """Where the kernel ran: vm:debian-13."""
    kernel: str
    """Its release: Linux 6.12.94."""
    point: str
    flow: str
    metric: str
    ours: Interval
    theirs: Interval

    @property
    def differs(self) -> bool:
        """Whether the two intervals have no value in common."""
        return self.ours.low > self.theirs.high or self.theirs.low > self.ours.high


def varied(experiment: LoadedExperiment, repeats: int, hz: int | None) -> LoadedExperiment:
    """The experiment with that many repeats, drawn starts of all flows, and the kernel's timer.

    Starts differ by up to 0.3 s if the file says nothing, and so the order of flows that start together does.
    """
    settings = {"start_jitter": f"{LARGEST_OFFSET_NS}ns", **experiment.settings, "name": experiment.name}
    settings |= {"repeats": max(repeats, *(point.repeats for point in experiment.points))}
    if hz is not None:
        settings["hosts"] = {**settings.get("hosts", {}), "hz": hz}
    return load(settings)


def compare(
    file: Path,
    place: str,
    kernel: str,
    repeats: int,
    *,
    jobs: int | None = None,
    results: Path | None = None,
    watcher: Callable[[Preparation], Watcher] | None = None,
    warn: Callable[[str], None] = lambda line: None,
) -> list[Row]:
    """Runs the experiment by the simulator and by the backend `kernel`. Runs in `results` are not computed again.

    `warn` gets a line if the machine disturbed runs of the kernel (see the guide on real kernels).
    Raises ExperimentError if the kernel cannot run a point, or a run fails, and StoreError.
    """
    both = varied(load(file), repeats, backend(kernel).hz)
    release = re.split(r",| in real time", backend(kernel).identity())[0]
    with TemporaryDirectory() as folder:
        stores = {name: (results or Path(folder)) / _file_name(name) for name in (SIMULATOR, kernel)}
        ours, theirs = (_stored(both, name, store, jobs, watcher) for name, store in stores.items())
        for line in _disturbances(ResultTables(stores[kernel], both.name)):
            warn(line)
    return [
        Row(file.stem, place, release, point, f"{n + 1} {flow['name']}", metric, *means)
        for point, runs in theirs.items()
        for n, flow in enumerate(runs[0])
        for metric in METRICS
        for means in [[_mean(both_runs, n, metric) for both_runs in (ours[point], runs)]]
    ]


_Flows = list[Flow]
"""The flows of a run."""


def _mean(runs: list[_Flows], flow: int, metric: str) -> Interval:
    return interval_of_mean([one[flow][metric] for one in runs if one[flow][metric] is not None])


def _stored(
    experiment: LoadedExperiment,
    name: str,
    folder: Path,
    jobs: int | None,
    watcher: Callable[[Preparation], Watcher] | None,
) -> dict[str, list[_Flows]]:
    """The runs of each point, by its label and in the order of their seeds; missing ones are computed first."""
    done = run(experiment, folder, jobs=jobs or usable_cpus(), source=experiment.name, watcher=watcher, on=name)
    if done.failures:
        raise ExperimentError([f"{one.title}: {one.message}" for one in done.failures])
    found: dict[str, list[_Flows]] = {}
    for label, _, flows in stored_flows(experiment, ResultTables(folder, experiment.name)):
        found.setdefault(label, []).append(_with_shares(flows))
    return found


def _with_shares(flows: _Flows) -> _Flows:
    total = sum(flow["goodput_mbps"] for flow in flows)
    return [{**flow, "share_pct": 100 * flow["goodput_mbps"] / total if total else None} for flow in flows]


def _disturbances(tables: ResultTables) -> Iterator[str]:
    """The kinds of disturbances of a kernel's runs in real time, and their number."""
    if "conditions" not in tables.runs.columns:
        return
    conditions = [json.loads(text) for text in tables.runs["conditions"] if text]
    for kind in ("disturbances", "warnings"):
        marked = [one[kind] for one in conditions if one.get(kind)]
        if marked:
            yield f"{len(marked)} of {counted(len(conditions), 'run')} had {kind}, for example: {marked[0][0]}"


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")


def write(path: Path, rows: Iterable[Row]) -> None:
    """Writes the rows to a CSV file. Raises OSError."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_NAMES, *(f"{side}_{part}" for side in _BOTH for part in _PARTS)])
    for row in rows:
        numbers = [getattr(one, part) for one in (row.ours, row.theirs) for part in _PARTS]
        writer.writerow([*(getattr(row, name) for name in _NAMES), *numbers])
    write_text(path, text.getvalue())


def read(path: Path) -> list[Row]:
    """The rows of such a file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Row(*(line[name] for name in _NAMES), *(_interval(line, side) for side in _BOTH))  # type: ignore[arg-type]
            for line in csv.DictReader(file)
        ]


def _interval(line: dict[str, str], side: str) -> Interval:
    estimate, low, high = (float(line[f"{side}_{part}"]) for part in _PARTS[:3])
    return Interval(estimate, low, high, int(line[f"{side}_n"]))
