"""Overhead of a Dask cluster, and results when workers die or two commands share it.

Usage: python benchmarks/cluster.py overhead [RUNS] [--write]  CPU and wall time per run, with local processes and Dask
       python benchmarks/cluster.py killed [SECONDS]  kills a worker every 10 s, and compares the stored results
       python benchmarks/cluster.py two               two commands share a cluster
Each needs `pip install distributed`; `killed` and `two` start a scheduler and two workers.
"""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fairlane
import table
from fairlane.results.store.layout import Layout
from fairlane.results.store.store import Store

EXPERIMENT = """
name = "short"
duration = "{duration}"
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
"network.rtt" = ["10ms", "20ms"]
"flows.rival.algorithm" = ["reno", "bbr"]
"""
POINTS = 4
KILL_S = 10
OWN = ("cpu_s", "wall_s", "peak_rss_mb", "finished", "command")
"""Columns in which two computations of one run differ."""


def overhead(folder: Path, runs: int) -> None:
    """Time per run without and with a cluster, and the difference; alternating, three times each."""
    write(folder, runs, "1s")
    spent: dict[str, list[tuple[float, float]]] = {"simulator": [], "dask": []}
    for number in range(3):
        for backend, values in spent.items():
            before, begin_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            finish(run(folder, f"{backend}-{number}", "--on", backend, "--jobs", "2"))
            wall_s, after = time.perf_counter() - begin_s, resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            values.append((1000 * cpu_s / runs, 1000 * wall_s / runs))
    rows = []
    for kind, title in enumerate(("CPU time", "wall time, two runs at a time")):
        local_ms, dask_ms = (min(value[kind] for value in values) for values in spent.values())
        rows.append([title, f"{local_ms:.1f}", f"{dask_ms:.1f}", f"{dask_ms - local_ms:.1f}"])
    table.show("cluster", ["per run, ms", "processes", "Dask", "overhead"], rows)
    same(folder, "simulator-0", "dask-0")


def killed(folder: Path, length_s: float) -> None:
    """Kills one of two workers every 10 s while a sweep runs, and compares its results with undisturbed ones."""
    write(folder, 60, "300s")
    finish(run(folder, "here", "--jobs", "2"))
    deaths, begin_s = 0, time.monotonic()
    next_s = begin_s + KILL_S  # independent of the sweeps, which may take less than that
    with cluster(folder) as (address, client):
        round_number = 0
        while time.monotonic() - begin_s < length_s:  # the sweep again, until the time is over
            round_number += 1
            process = run(folder, f"there-{round_number}", "--on", address)
            while process.poll() is None:
                time.sleep(0.2)
                if time.monotonic() < next_s:
                    continue
                pids = list(client.run(os.getpid, on_error="ignore").values())
                if pids and process.poll() is None:
                    os.kill(random.choice(pids), signal.SIGKILL)
                    deaths += 1
                    next_s = time.monotonic() + KILL_S
            finish(process)
            same(folder, "here", f"there-{round_number}")
    if deaths == 0:
        raise SystemExit("no worker was killed")
    print(f"{deaths} workers killed in {time.monotonic() - begin_s:.0f} s, {round_number} sweeps of 60 runs: none lost")


def two(folder: Path) -> None:
    """Two commands use one cluster at a time, each with a results folder of its own."""
    write(folder, 200, "10s")
    finish(run(folder, "here", "--jobs", "2"))
    with cluster(folder) as (address, _client):
        begin_s = time.perf_counter()
        submitters = [run(folder, name, "--on", address) for name in ("one", "other")]
        ends_s = []
        while len(ends_s) < len(submitters):
            time.sleep(0.05)
            ends_s += [time.perf_counter() - begin_s for one in submitters if one.poll() is not None][len(ends_s) :]
        for submitter in submitters:
            finish(submitter)
    print(f"two commands with 200 runs each on two workers ended after {ends_s[0]:.1f} and {ends_s[1]:.1f} s")
    same(folder, "here", "one")
    same(folder, "here", "other")


def write(folder: Path, runs: int, duration: str) -> None:
    """Writes the experiment."""
    (folder / "short.toml").write_text(EXPERIMENT.format(repeats=runs // POINTS, duration=duration))


def run(folder: Path, results: str, *options: str) -> "subprocess.Popen[str]":
    """Starts a sweep."""
    command = [sys.executable, "-m", "fairlane", "run", "short.toml", "--results", results, *options]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: "subprocess.Popen[str]") -> None:
    """Waits for a sweep, which must succeed."""
    out, err = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"{out}{err}")


def same(folder: Path, one: str, other: str) -> None:
    """Compares all results of two sweeps."""
    left, right = fairlane.open(folder / one), fairlane.open(folder / other)
    equal = left.runs.drop(OWN).sort("run").equals(right.runs.drop(OWN).sort("run"))
    equal = equal and left.flows.sort("run", "flow").equals(right.flows.sort("run", "flow"))
    equal = equal and left.series().sort("run", "flow", "t_s").equals(right.series().sort("run", "flow", "t_s"))
    print(f"{other}: {len(Store.at(Layout(folder / other).root).keys)} runs, {'the same' if equal else 'DIFFERENT'}")
    if not equal:
        raise SystemExit(1)


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, object]]:
    """A scheduler and two workers, started by their commands; yields the address and a client."""
    from distributed import Client

    file = folder / "scheduler.json"
    options = ["--scheduler-file", str(file), "--no-dashboard"]
    commands = [["scheduler", "--host", "127.0.0.1", "--port", "0", *options]]
    commands += [["worker", "--nthreads", "1", "--nworkers", "2", *options]]
    started = []
    with (folder / "log").open("w") as log:
        for command in commands:
            started.append(
                subprocess.Popen([sys.executable, "-m", "dask", *command], cwd=folder, stdout=log, stderr=log)
            )
            while not file.exists():
                time.sleep(0.05)
    time.sleep(0.5)
    address = json.loads(file.read_text())["address"]
    try:
        with Client(address) as client:
            client.wait_for_workers(2, timeout=120)
            yield address.replace("tcp://", "dask://"), client
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        action, *rest = table.arguments()
        if action == "overhead":
            overhead(Path(temporary), int(rest[0]) if rest else 2000)
        elif action == "killed":
            killed(Path(temporary), float(rest[0]) if rest else 120)
        else:
            two(Path(temporary))
