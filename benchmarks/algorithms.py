"""CPU time per ACK in the callbacks of each bundled algorithm, by `fairlane bench algorithms`.

Usage: python benchmarks/algorithms.py [--write] [ALGORITHM...]
"""

import json
import subprocess
import sys

import table


def main() -> None:
    """Prints one row per algorithm, the most expensive first."""
    command = [sys.executable, "-m", "fairlane", "bench", "algorithms", *table.arguments(), "--json"]
    measured = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    rows = [
        [
            one["algorithm"],
            f"{one['ns_per_ack']:.1f}",
            f"{one['median_ns_per_ack']:.1f}",
            f"{one['calls_per_ack']:.2f}",
        ]
        for one in measured
    ]
    table.show("algorithms", ["algorithm", "ns per ACK", "median", "calls per ACK"], rows)


if __name__ == "__main__":
    main()
