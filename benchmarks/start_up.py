"""How long `fairlane --help` takes: the best and the median of 20 starts, in milliseconds."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

COMMANDS = (["--help"], ["duel", "--help"], ["--version"], ["algorithms"])


def main() -> None:
    """Prints one line per command."""
    program = Path(sys.executable).with_name("fairlane")
    for arguments in COMMANDS:
        times_ms = sorted(_start_ms([str(program), *arguments]) for _ in range(20))
        print(f"fairlane {' '.join(arguments):12}  best {times_ms[0]:5.0f}  median {statistics.median(times_ms):5.0f}")


def _start_ms(command: list[str]) -> float:
    start_s = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - start_s)


if __name__ == "__main__":
    main()
