"""Start-up time of commands: best and median of 20 starts.

Usage: python benchmarks/start_up.py [--write]
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

import table
from fairlane.cli import COMMANDS

ARGUMENTS = [
    ["--version"],
    ["--help"],
    ["algorithms"],
    *([name, "--help"] for group in COMMANDS.values() for name in group),
]


def main() -> None:
    """Prints one row per command."""
    program = Path(sys.executable).with_name("fairlane")
    rows = []
    for arguments in ARGUMENTS:
        times_ms = sorted(_start_ms([str(program), *arguments]) for _ in range(20))
        command = f"`fairlane {' '.join(arguments)}`"
        rows.append([command, f"{times_ms[0]:.0f}", f"{statistics.median(times_ms):.0f}"])
    table.show("start-up", ["command", "best, ms", "median, ms"], rows)


def _start_ms(command: list[str]) -> float:
    start_s = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - start_s)


if __name__ == "__main__":
    main()
