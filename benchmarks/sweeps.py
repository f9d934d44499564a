"""How fast experiments are swept, stored and read: the figures under "The laboratory" in README.md.

Usage: python benchmarks/sweeps.py [sweep jobs killed progress]
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
    """Prints one line per figure."""
    for part in sys.argv[1:] or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            PARTS[part](Path(folder))


def sweep(folder: Path) -> None:
    """1,000 runs of 10 s at 10 Mbps with two flows, again, and read."""
    path, store = _experiment(folder, RUNS), folder / "results" / "pairs"
    print(f"{RUNS} runs on {len(os.sched_getaffinity(0))} cores  {_timed(lambda: _run(path)):6.2f} s")
    print(f"    of which CPU time          {_children_cpu_s():6.2f} s")
    size = sum(found.stat().st_size for found in store.rglob("*") if found.is_file())
    print(f"    on disk                    {size / 1e6:6.1f} MB")
    print(f"the same command again         {min(_timed(lambda: _run(path)) for _ in range(3)):6.2f} s")
    command = [sys.executable, "-c", f"import fairlane; print(fairlane.open({str(store)!r}).flows.height)"]
    print(f"its summary as a frame         {min(_timed(lambda: fairlane.open(store).flows) for _ in range(3)):6.3f} s")
    print(f"    with the start of Python   {min(_timed(lambda: _quietly(command)) for _ in range(3)):6.2f} s")


def jobs(folder: Path) -> None:
    """Two jobs against one, in turns: the same runs, the best of two.

    Runs of 60 s, so that what comes once (the start of Python, the tables at the end: half a second) weighs little.
    """
    path = _experiment(folder, RUNS, "60s")
    spent: dict[int, list[float]] = {1: [], 2: []}
    for number in range(2):
        for count, times in spent.items():
            store = folder / f"{count}-{number}"
            times.append(_timed(lambda store=store, count=count: _run(path, "--jobs", count, "--results", store)))
    one, two = min(spent[1]), min(spent[2])
    print(f"one job {one:.2f} s, two jobs {two:.2f} s: {one / two:.2f} times as fast")


def killed(folder: Path) -> None:
    """SIGKILL to everything at random moments; then to the end. Runs of 60 s, so that every kill strikes work."""
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
    print(f"{struck} kills: {len(kept)} of {RUNS} runs finished by then, none lost, none half-written read")
    _run(path)
    results = fairlane.open(store)
    computed = sum(len(batch.keys) for batch in Store.at(store).batches.values())
    print(f"    then to the end: {results.runs.height} runs, {results.flows.height} flows, {computed} computed in all")


def progress(folder: Path) -> None:
    """How right the time left is after a tenth of the work, and the estimate before; on like runs and unlike ones."""
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
        took_s, before_s = bar.bar.elapsed_s, bar.before_s
        error_pct = 100 * (said_s / (took_s - at_s) - 1)
        print(f"{name:8} {bar.bar.total} runs in {took_s:.1f} s, {before_s:.1f} s by estimate")
        print(f"    after a tenth {said_s:.1f} s left were {took_s - at_s:.1f} s: {error_pct:+.0f} %")


_UNLIKE = """
"network.rate" = ["10mbit", "30mbit", "100mbit", "300mbit"]
"network.buffer" = ["1bdp", "4bdp"]

[[sweep.zip]]
duration = ["2s", "20s"]
"metrics.interval" = ["10ms", "1s"]
"""


class _Recorder(SweepBar):
    """Remembers what the bar said, silently."""

    def __init__(self, tasks: Sequence[Task], jobs: int) -> None:
        super().__init__(tasks, jobs)
        self.before_s = sum(task.work.seconds for task in tasks) / jobs
        self.said: list[tuple[float, tuple[float, float]]] = []

    def on_tick(self) -> None:
        left_s = self.left.left_s
        if left_s is not None:
            self.said.append((self.left.share, (self.bar.elapsed_s, left_s)))


PARTS: dict[str, Callable[[Path], None]] = {"sweep": sweep, "jobs": jobs, "killed": killed, "progress": progress}


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
