"""The simulator compared with a real kernel in an experiment of the user's own.

Both run every point several times. What random variation decides is drawn: the order in which flows start, and a small
offset of each, the same for both. The simulator's timers tick as those of the kernel.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fairlane.engine.messages import counted
from fairlane.results.statistics import Interval, interval_of_mean
from fairlane.results.tables import ResultTables
from fairlane.runs.backends import SIMULATOR, backend
from fairlane.runs.executors.processes import usable_cpus
from fairlane.runs.sweep.dispatch import Watcher
from fairlane.runs.sweep.runner import Preparation, run
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import LoadedExperiment, load

METRICS = ("goodput_mbps", "share_pct", "mean_rtt_ms", "retransmits")
LARGEST_OFFSET_NS = 300_000_000


@dataclass(frozen=True)
class Row:
    """A metric of a flow at a point, by both."""

    point: str
    flow: str
    metric: str
    ours: Interval
    kernel: Interval

    @property
    def differs(self) -> bool:
        """Whether the two intervals have no value in common."""
        return self.ours.low > self.kernel.high or self.kernel.low > self.ours.high


def release(kernel: str) -> str:
    """The kernel of a backend: the first part of what identifies it, such as Linux 6.12.94."""
    return re.split(r",| in real time", backend(kernel).identity())[0]


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
    experiment: LoadedExperiment,
    kernel: str,
    repeats: int,
    *,
    jobs: int | None = None,
    results: Path | None = None,
    watcher: Callable[[Preparation], Watcher] | None = None,
    warn: Callable[[str], None] = lambda line: None,
) -> list[Row]:
    """Runs both and compares them. What is in `results` already is not run again.

    `warn` gets a line if the machine disturbed runs of the kernel (see the guide on real kernels).
    Raises ExperimentError if the kernel cannot run a point, or a run fails, and StoreError.
    """
    both = varied(experiment, repeats, backend(kernel).hz)
    with TemporaryDirectory() as folder:
        stores = {name: (results or Path(folder)) / _file_name(name) for name in (SIMULATOR, kernel)}
        found = {name: _stored(both, name, store, jobs, watcher) for name, store in stores.items()}
        for line in _disturbances(ResultTables(stores[kernel], both.name)):
            warn(line)
    return _rows(both, kernel, found)


_Flows = dict[tuple[str, int], list[dict[str, Any]]]
"""The flows of a run, by the point and the seed."""


def _stored(
    experiment: LoadedExperiment,
    name: str,
    folder: Path,
    jobs: int | None,
    watcher: Callable[[Preparation], Watcher] | None,
) -> _Flows:
    done = run(experiment, folder, jobs=jobs or usable_cpus(), source=experiment.name, watcher=watcher, on=name)
    if done.failures:
        raise ExperimentError([f"{one.title}: {one.message}" for one in done.failures])
    columns = [axis.column for axis in experiment.axes]
    labels = {tuple(point.axes[column] for column in columns): point.label for point in experiment.points}
    found: _Flows = {}
    for row in ResultTables(folder, experiment.name).flows.sort("flow").iter_rows(named=True):
        label = labels.get(tuple(row[column] for column in columns))
        if label is not None:
            found.setdefault((label, row["seed"]), []).append(row)
    return found


def _disturbances(tables: ResultTables) -> Iterator[str]:
    """What disturbed the runs of a kernel in real time, and how many."""
    if "conditions" not in tables.runs.columns:
        return
    conditions = [json.loads(text) for text in tables.runs["conditions"] if text]
    for kind in ("disturbances", "warnings"):
        marked = [one[kind] for one in conditions if one.get(kind)]
        if marked:
            yield f"{len(marked)} of {counted(len(conditions), 'run')} had {kind}, for example: {marked[0][0]}"


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")


def _rows(experiment: LoadedExperiment, kernel: str, found: Mapping[str, _Flows]) -> list[Row]:
    rows: list[Row] = []
    for point in experiment.points:
        seeds = [point.point.experiment.seed + number for number in range(point.repeats)]
        runs = {name: [_with_shares(flows[point.label, seed]) for seed in seeds] for name, flows in found.items()}
        for n, flow in enumerate(runs[kernel][0]):
            for metric in METRICS:
                ours, theirs = (
                    interval_of_mean([values[n][metric] for values in runs[name] if values[n][metric] is not None])
                    for name in (SIMULATOR, kernel)
                )
                rows.append(Row(point.label, f"{n + 1} {flow['name']}", metric, ours, theirs))
    return rows


def _with_shares(flows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    total = sum(flow["goodput_mbps"] for flow in flows)
    return [{**flow, "share_pct": 100 * flow["goodput_mbps"] / total if total else None} for flow in flows]
