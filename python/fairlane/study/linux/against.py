"""The simulator compared with a real kernel in an experiment of the user's own.

Both run every point several times. Random variation is drawn: the order in which flows start, and a small
offset of each, the same for both. The simulator's timers tick as those of the kernel, and its hosts do as the kernel's
release does (`hosts.kernel`), if the file names no other.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from fairlane.engine.messages import counted
from fairlane.files import csv_text, temporary_folder, write_text
from fairlane.results.statistics import Interval, interval_of_mean
from fairlane.results.tables import ResultTables
from fairlane.runs.backends import SIMULATOR, backend
from fairlane.runs.executors.processes import usable_cpus
from fairlane.runs.sweep.dispatch import Watcher
from fairlane.runs.sweep.runner import Preparation, run
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.study.linux.kernel_recordings import Flow, preset, stored_flows
from fairlane.study.linux.score import METRICS
from fairlane.study.paper.comparison import Cell, Comparison, Row
from fairlane.study.paper.definition import Item

LARGEST_OFFSET_NS = 300_000_000
_NAMES = ("experiment", "place", "kernel", "point", "flow", "metric")
_PARTS = ("estimate", "low", "high", "n")
_BOTH = ("ours", "kernel")


def beside_kernel(
    experiment: str, place: str, kernel: str, cells: Mapping[tuple[str, str], Sequence[Cell]]
) -> Comparison:
    """The comparison of an experiment with a kernel, such as Linux 6.12.94, that ran at `place`, such as vm:debian-13.

    `cells` has the metrics of each flow at each point.
    """
    item = Item(
        name=experiment, source=kernel, title=place, experiments=[experiment], by=["point", "flow"], values=METRICS
    )
    rows = [
        Row(experiment, at, tuple(found), found[0].interval.n if found[0].interval else 0)
        for at, found in cells.items()
    ]
    return Comparison(item, tuple(rows), {}, "kernel")


def varied(experiment: LoadedExperiment, repeats: int, hz: int | None, release: str) -> LoadedExperiment:
    """The experiment with that many repeats, drawn starts of all flows, and the kernel's timer and release.

    Starts differ by up to 0.3 s if the file says nothing, and so the order of flows that start together does.
    """
    settings = {"start_jitter": f"{LARGEST_OFFSET_NS}ns", **experiment.settings, "name": experiment.name}
    settings |= {"repeats": max(repeats, *(point.repeats for point in experiment.points))}
    of_kernel = {"kernel": preset(found[1])} if (found := re.search(r"Linux (\d+\.\d+)", release)) else {}
    settings["hosts"] = {**of_kernel, **settings.get("hosts", {}), **({} if hz is None else {"hz": hz})}
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
) -> Comparison:
    """Runs the experiment by the simulator and by the backend `kernel`. Runs in `results` are not computed again.

    `warn` gets a line if the machine disturbed runs of the kernel (see the guide on real kernels).
    Raises ExperimentError if the kernel cannot run a point, or a run fails, and StoreError.
    """
    release = re.split(r",| in real time", backend(kernel).identity())[0]
    both = varied(load(file), repeats, backend(kernel).hz, release)
    with temporary_folder("against") as folder:
        stores = {name: (results or folder) / _file_name(name) for name in (SIMULATOR, kernel)}
        ours, theirs = (_stored(both, name, store, jobs, watcher) for name, store in stores.items())
        for line in _disturbances(ResultTables(stores[kernel], both.name)):
            warn(line)
    cells = {
        (point, row["label"]): [
            _cell(*(_mean(both_runs, n, one.metric) for both_runs in (ours[point], runs))) for one in METRICS
        ]
        for point, runs in theirs.items()
        for n, row in enumerate(runs[0])
    }
    return beside_kernel(file.stem, place, release, cells)


def _mean(runs: list[list[Flow]], row: int, metric: str) -> Interval:
    return interval_of_mean([one[row][metric] for one in runs if one[row][metric] is not None])


def _cell(ours: Interval, theirs: Interval) -> Cell:
    return Cell(ours.estimate, ours, theirs.estimate, paper_interval=theirs)


def _stored(
    experiment: LoadedExperiment,
    name: str,
    folder: Path,
    jobs: int | None,
    watcher: Callable[[Preparation], Watcher] | None,
) -> dict[str, list[list[Flow]]]:
    """The rows of each run by its point, in the order of their seeds; missing runs are computed first."""
    done = run(experiment, folder, jobs=jobs or usable_cpus(), source=experiment.name, watcher=watcher, on=name)
    if done.failures:
        raise ExperimentError([f"{one.title}: {one.message}" for one in done.failures])
    found: dict[str, list[list[Flow]]] = {}
    for label, _, flows in stored_flows(experiment, ResultTables(folder, experiment.name)):
        found.setdefault(label, []).append(rows_of(flows))
    return found


def rows_of(flows: list[Flow]) -> list[Flow]:
    """A row of METRICS for each flow, with its `label`; where flows have a count, one for each group and one for all.

    Of several flows goodput, share and retransmissions are those of all together, and the RTT is their mean.
    """
    total = sum(flow["goodput_mbps"] for flow in flows)
    shared = [{**flow, "share_pct": 100 * flow["goodput_mbps"] / total if total else None} for flow in flows]
    groups: dict[int, list[Flow]] = {}
    for flow in shared:
        groups.setdefault(flow["group"], []).append(flow)
    if len(groups) == len(flows):
        return [flow | {"label": f"{n + 1} {flow['name']}"} for n, flow in enumerate(shared)]
    rows = [_together(members) | {"label": _label(n, members)} for n, members in enumerate(groups.values())]
    return [*rows, _together(shared) | {"label": f"all {len(flows)}"}]


def _label(number: int, members: list[Flow]) -> str:
    name = members[0]["name"]
    return f"{number + 1} {name}" if len(members) == 1 else f"{number + 1} {name}, {len(members)} flows"


def _together(flows: list[Flow]) -> Flow:
    found: Flow = {}
    for one in METRICS:
        values = [flow[one.metric] for flow in flows if flow[one.metric] is not None]
        total = sum(values) / (len(values) if one.metric == "mean_rtt_ms" else 1) if values else None
        found[one.metric] = total
    return found


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


def write(path: Path, comparisons: Iterable[Comparison]) -> None:
    """Writes a row for each metric of each flow or group of flows to a CSV file. Raises OSError."""
    rows = [
        [*(one.item.name, one.item.title, one.item.source), *row.place, value.metric]
        + [getattr(interval, part) for interval in (cell.interval, cell.paper_interval) for part in _PARTS]
        for one in comparisons
        for row in one.rows
        for value, cell in zip(METRICS, row.cells, strict=True)
    ]
    write_text(path, csv_text([[*_NAMES, *(f"{side}_{part}" for side in _BOTH for part in _PARTS)], *rows]))


def read(path: Path) -> list[Comparison]:
    """The comparisons in such a file."""
    found: dict[tuple[str, str, str], dict[tuple[str, str], list[Cell]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            flows = found.setdefault((line["experiment"], line["place"], line["kernel"]), {})
            flows.setdefault((line["point"], line["flow"]), []).append(
                _cell(*(_interval(line, side) for side in _BOTH))
            )
    return [beside_kernel(*names, cells) for names, cells in found.items()]


def _interval(line: dict[str, str], side: str) -> Interval:
    estimate, low, high = (float(line[f"{side}_{part}"]) for part in _PARTS[:3])
    return Interval(estimate, low, high, int(line[f"{side}_n"]))
