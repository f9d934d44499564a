"""Speed of sweeps, of the store and of reading; results after kills; error of the estimated time.

Usage: python benchmarks/sweeps.py [--write] [sweep jobs killed progress]
       --write writes the table into README.md and needs all four parts
"""

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import fairlane
import table
from fairlane.results.store.store import Store
from fairlane.runs.sweep.dispatch import Task
from fairlane.runs.sweep.runner import Preparation, run
from fairlane.scenario.load import load
from fairlane.show.text.progress import SweepBar

RUNS = 1000
EXPERIMENT = """
duration = "{duration}"
repeats = {repeats}
start_jitter = "100ms"

[network]
rate = "{rate}"
rtt = "20ms"
buffer = "1bdp"

[[flows]]
algorithm = "cubic"

[[flows]]
name = "rival"
algorithm = "reno"

[sweep]
"network.rtt" = ["10ms", "20ms", "40ms", "80ms", "160ms"]
"flows.rival.algorithm" = ["reno", "bbr"]
"""
KILLS = 20


def main() -> None:
    """Prints one row per value."""
    rows = []
    for part in table.arguments() or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            rows += PARTS[part](Path(folder))
    table.show("sweeps", ["measured", "value"], rows)


def sweep(folder: Path) -> list[tuple[str, str]]:
    """1,000 runs of 10 s at 10 Mbps with two flows, again, and read."""
    path, store = _experiment(folder, RUNS), folder / "results" / "pairs"
    wall_s = _timed(lambda: _run(path))
    cpu_s = _children_cpu_s()
    size = sum(found.stat().st_size for found in store.rglob("*") if found.is_file())
    again_s = min(_timed(lambda: _run(path)) for _ in range(3))
    read_s = min(_timed(lambda: fairlane.open(store).flows) for _ in range(3))
    return [
        (f"{RUNS:,} runs of 10 s on {len(os.sched_getaffinity(0))} cores, stored", f"{wall_s:.1f} s"),
        ("their CPU time", f"{cpu_s:.1f} s"),
        ("on disk", f"{size / 1e6:.1f} MB"),
        ("the same command again (best of three)", f"{again_s:.2f} s"),
        ("its summary as a data frame (best of three)", f"{read_s:.3f} s"),
    ]


def jobs(folder: Path) -> list[tuple[str, str]]:
    """Two jobs against one, alternating: the same runs, the best of two.

    Runs of 60 s, so that start-up and final tables, half a second, matter little.
    """
    path = _experiment(folder, RUNS, "60s")
    spent: dict[int, list[float]] = {1: [], 2: []}
    for number in range(2):
        for count, times in spent.items():
            store = folder / f"{count}-{number}"
            times.append(_timed(lambda store=store, count=count: _run(path, "--jobs", count, "--results", store)))
    speed_up = min(spent[1]) / min(spent[2])
    return [("two jobs against one, runs of 60 s (best of two)", f"{speed_up:.2f} times as fast")]


def killed(folder: Path) -> list[tuple[str, str]]:
    """Sends SIGKILL to all processes at random times, then runs to the end; runs of 60 s, so that kills hit work."""
    path, store = _experiment(folder, RUNS, "60s"), folder / "results" / "pairs"
    generator, kept, struck = random.Random(1), set[str](), 0
    for _ in range(KILLS):
        process = subprocess.Popen(
            _command(path), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        enough = len(kept) + generator.randrange(40)
        while process.poll() is None and len(Store.at(store).keys if store.exists() else ()) < enough:
            time.sleep(0.02)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(generator.uniform(0.0, 0.3))
        seen = Store.at(store).keys
        struck += process.poll() is None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        after = Store.at(store).keys
        assert kept <= seen <= after, "a finished run was lost"
        kept = after
        if after:
            assert fairlane.open(store).flows["goodput_mbps"].is_not_null().all(), "a half-written run was read"
    _run(path)
    assert fairlane.open(store).runs.height == RUNS, "a run is missing"
    return [(f"runs lost, or half-written runs read, after {struck} kills ({len(kept)} runs finished by then)", "0")]


def progress(folder: Path) -> list[tuple[str, str]]:
    """Error of the remaining time after 10 % of the work, for runs of equal and of unequal cost."""
    rows = []
    for name, axes in (("like", ""), ("unlike", _UNLIKE)):
        path = folder / f"{name}.toml"
        path.write_text(EXPERIMENT.format(duration="10s", rate="10mbit", repeats=100 if name == "like" else 5) + axes)
        experiment = load(path)
        bars: list[_Recorder] = []

        def watch(missing: Preparation, bars: list[_Recorder] = bars) -> _Recorder:
            bars.append(_Recorder(missing.tasks, 2))
            return bars[0]

        run(experiment, folder / name, jobs=2, source=name, watcher=watch)
        (bar,) = bars
        at_s, said_s = next(pair for share, pair in bar.said if share >= 0.1)
        error_pct = 100 * (said_s / (bar.bar.elapsed_s - at_s) - 1)
        kind = f"{bar.bar.total} runs of {'equal' if name == 'like' else 'unequal'} cost"
        rows.append((f"error of the remaining time after 10 % of the work, {kind}", f"{error_pct:+.0f} %"))
    return rows


_UNLIKE = """
"network.rate" = ["10mbit", "30mbit", "100mbit", "300mbit"]
"network.buffer" = ["1bdp", "4bdp"]

[[sweep.zip]]
duration = ["2s", "20s"]
"metrics.interval" = ["10ms", "1s"]
"""


class _Recorder(SweepBar):
    """Records the remaining time that the bar would show."""

    def __init__(self, tasks: Sequence[Task], jobs: int) -> None:
        super().__init__(tasks, jobs)
        self.said: list[tuple[float, tuple[float, float]]] = []

    def on_tick(self) -> None:
        left_s = self.left.left_s
        if left_s is not None:
            self.said.append((self.left.share, (self.bar.elapsed_s, left_s)))


PARTS: dict[str, Callable[[Path], list[tuple[str, str]]]] = {
    "sweep": sweep,
    "jobs": jobs,
    "killed": killed,
    "progress": progress,
}


def _experiment(folder: Path, runs: int, duration: str = "10s") -> Path:
    path = folder / "pairs.toml"
    path.write_text(EXPERIMENT.format(duration=duration, rate="10mbit", repeats=runs // 10))
    return path


def _command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "fairlane", "run", *map(str, arguments)]


def _run(path: Path, *arguments: object) -> None:
    _quietly(_command(path, *arguments), path.parent)


def _quietly(command: list[str], folder: Path | None = None) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _timed(work: Callable[[], object]) -> float:
    start_s = time.perf_counter()
    work()
    return time.perf_counter() - start_s


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
