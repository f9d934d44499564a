"""Bench c on several threads instead of one, and the bound that the serial part sets.

Runs on one thread and on several alternate; the fastest of each counts. How fast threads work together depends on the
distance between their processors, which the table shows as the time of a round trip of a cache line (round_trip.rs).

Usage: python benchmarks/threads.py [--write] [N...]    (numbers of threads; default: one per CPU)
"""

import json
import subprocess
import tempfile
import time
from pathlib import Path

import table
from fairlane import engine
from fairlane.runs.benchmark import CASES
from fairlane.runs.executors.processes import usable_cpus
from fairlane.scenario.requests import scenario

PAIRS = 5
SHARES = {"hosts": 0.72, "bottleneck": 0.18, "return path": 0.07, "rest": 0.03}
"""Shares of bench c's time on one thread, by `perf record` (AMD EPYC, 2026-11-29). Hosts run in parallel; so do the two
links, each of which is serial."""


def bound(threads: int) -> float:
    """The largest speed-up: while all threads but one run hosts and the return path, one runs the bottleneck."""
    links = max(SHARES["bottleneck"], (SHARES["bottleneck"] + SHARES["return path"]) / threads)
    return 1 / (SHARES["rest"] + links + SHARES["hosts"] / threads)


def main() -> None:
    """Prints a row for each number of threads, and the bound for larger machines."""
    text = json.dumps(scenario(next(case.experiment for case in CASES if case.name == "c")))
    numbers = [int(word) for word in table.arguments()] or [usable_cpus()]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "round_trip"
        subprocess.run(["rustc", "-O", str(Path(__file__).with_name("round_trip.rs")), "-o", str(program)], check=True)
        rows = [_row(text, number, program) for number in numbers]
    rows += [[f"{number}, model", "", "", "", f"{bound(number):.2f}"] for number in (4, 16, 64)]
    table.show("threads", ["threads", "round trip, ns", "s", "speed-up", "bound"], rows)


def _row(text: str, threads: int, round_trip: Path) -> list[str]:
    alone, together, trips = [], [], []
    for _ in range(PAIRS):
        alone.append(_wall_s(text, 1))
        trips.append(int(subprocess.run([round_trip], check=True, capture_output=True).stdout))
        together.append(_wall_s(text, threads))
    best = min(together)
    trip = f"{min(trips)} to {max(trips)}"
    return [str(threads), trip, f"{best:.2f}", f"{min(alone) / best:.2f}", f"{bound(threads):.2f}"]


def _wall_s(text: str, threads: int) -> float:
    engine.use_threads(threads)
    start_s = time.perf_counter()
    engine.run_pieces(text)
    return time.perf_counter() - start_s


if __name__ == "__main__":
    main()
