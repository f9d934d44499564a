"""Time and memory of commands on large stores.

The stores are synthetic. Their keys are those of real experiments, so that `fairlane` finds every run; all results are
copies of a few runs of the same point, written by the code that stores real runs. The runs of a study are simulated at
a thousandth of their rate: their results have the size of real ones, but their values mean nothing.

Usage: python benchmarks/store_scale.py make FOLDER [RUNS]     writes FOLDER/scale.toml and FOLDER/results
       python benchmarks/store_scale.py study FOLDER STUDY     writes FOLDER/STUDY
       python benchmarks/store_scale.py measure FOLDER [--write]  prints wall time, CPU time and peak memory per command
       python benchmarks/store_scale.py profile FOLDER COMMAND    profiles a command
"""

import cProfile
import json
import os
import pstats
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import table
from fairlane.engine import run_packed
from fairlane.files import data_folder
from fairlane.results import view
from fairlane.results.store import batch, plans
from fairlane.results.store.layout import Layout
from fairlane.results.store.store import Store
from fairlane.runs.backends import provenance
from fairlane.runs.recorder import BATCH_BYTES
from fairlane.runs.sweep.runner import plan
from fairlane.scenario.load import LoadedExperiment, PlannedPoint, load
from fairlane.study.paper.definition import load as load_study
from fairlane.study.rerun import jobs_for

EXPERIMENT = """
name = "scale"
duration = "5s"
repeats = {repeats}
start_jitter = "100ms"

[network]
rate = "10mbit"
rtt = "20ms"
buffer = "1bdp"

[[flows]]
algorithm = "cubic"

[[flows]]
name = "rival"
algorithm = "reno"

[sweep]
"network.rtt" = ["10ms", "20ms", "40ms", "80ms", "160ms"]
"network.rate" = ["5mbit", "10mbit", "20mbit", "40mbit"]
"flows.rival.algorithm" = ["reno", "bbr"]
"""
POINTS = 40
DIFFERENT = 61
"""Real results of each point, so that batches compress about as well as those of a sweep."""
COMMANDS = {
    "resume": ["run", "scale.toml", "--results", "results"],
    "table": ["table", "results"],
    "table of a series": ["table", "results", "--metrics", "convergence_time_3s_s", "--where", "rtt=10ms"],
    "verify": ["verify", "results"],
    "report": ["report", "elephants2023", "--out", "report.html"],
}
SLOWER = 1000
"""Factor by which the links of a study's runs are slowed down."""


def make(folder: Path, runs: int) -> None:
    """Writes the experiment and its store."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "scale.toml"
    path.write_text(EXPERIMENT.format(repeats=max(1, runs // POINTS)))
    experiment = load(path)
    layout = Layout(folder / "results")
    layout.create()
    _write(layout, experiment, lambda point: [_result(point, number) for number in range(DIFFERENT)])
    _close(layout)


def make_study(folder: Path, name: str) -> None:
    """Writes the store of a study at its own repeats, without its optional experiments."""
    study = load_study(data_folder("studies") / name)
    layout = Layout(folder / name)
    layout.create()
    wanted = [name for name, experiment in study.file.experiments.items() if not experiment.optional]
    for job in jobs_for(study, [], wanted):
        _write(layout, job.experiment, _slowly, study.name)
    _close(layout)


def _write(
    layout: Layout,
    experiment: LoadedExperiment,
    results_of: Callable[[PlannedPoint], list[tuple[str, bytes]]],
    study: str = "",
) -> None:
    """Stores every run of an experiment; the results of a point are used in turn."""
    planned = plan(experiment, study)
    points = [point for point in experiment.points for _ in range(point.repeats)]
    results = {point.label: results_of(point) for point in experiment.points}
    usage = {"cpu_s": 0.01, "wall_s": 0.01, "peak_rss_mb": 30.0}
    common = {**provenance.common(), "experiment": planned.experiment, "algorithms": {}, **usage, "finished": ""}
    pending, size = [], 0
    # A sweep computes its runs in the order of their keys.
    for place, (planned_run, point) in enumerate(
        sorted(zip(planned.runs, points, strict=True), key=lambda pair: pair[0].run)
    ):
        found = results[point.label]
        scenario, body = found[place % len(found)]
        pending.append(({"run": planned_run.run, **common, "scenario": scenario}, body))
        size += len(body) + len(scenario)
        if size > BATCH_BYTES:
            batch.write(layout, pending)
            pending, size = [], 0
    batch.write(layout, pending)
    plans.save(planned, layout)
    print(f"{planned.experiment}: {len(planned.runs)} runs", flush=True)


def _close(layout: Layout) -> None:
    view.save(Store.at(layout.root), plans.load_all(layout))
    found = [file.stat().st_size for file in layout.root.rglob("*") if file.is_file()]
    print(f"{len(found)} files, {sum(found) / 1e6:.0f} MB")


def _slowly(point: PlannedPoint) -> list[tuple[str, bytes]]:
    scenario = point.point.repeat(0)
    for link in scenario["links"]:
        if link.get("rate_bps"):
            link["rate_bps"] = max(100_000, link["rate_bps"] // SLOWER)
    return [(json.dumps(point.point.repeat(0), separators=(",", ":")), run_packed(json.dumps(scenario)))]


def _result(point: PlannedPoint, number: int) -> tuple[str, bytes]:
    scenario = json.dumps(point.point.repeat(number), separators=(",", ":"))
    return scenario, run_packed(scenario)


def measure(folder: Path) -> None:
    """Runs every command three times and prints the best; a command that fails has no row."""
    rows = []
    for name, arguments in COMMANDS.items():
        spent = []
        for _ in range(3):
            begin_s = time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, "-m", "fairlane", *arguments],
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                break
            wall_s = time.perf_counter() - begin_s
            spent.append((wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000))
        if spent:
            wall_s, cpu_s, peak_mb = min(spent)
            rows.append([name, f"{wall_s:.1f}", f"{cpu_s:.1f}", f"{peak_mb:,.0f}"])
    table.show("store", ["command", "wall s", "CPU s", "peak MB"], rows)


def profile(folder: Path, command: str) -> None:
    """Prints the functions with the most time."""
    from fairlane.cli import main

    os.chdir(folder)
    sys.argv = ["fairlane", *COMMANDS[command]]
    profiler = cProfile.Profile()
    profiler.runcall(main)
    pstats.Stats(profiler, stream=sys.stderr).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    action, folder, *rest = table.arguments()
    if action == "make":
        make(Path(folder), int(rest[0]) if rest else 100_000)
    elif action == "study":
        make_study(Path(folder), rest[0])
    elif action == "measure":
        measure(Path(folder))
    else:
        profile(Path(folder), rest[0])
