"""Runs `fairlane bench` and, next to it, the bound of one core without TCP (bound.rs).

The speed of a machine changes with its load and its temperature; the ratio of two programs that run
one after the other changes far less. Usage: python benchmarks/share_of_bound.py [NAME...]
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

BOUND_ARGUMENTS = {  # flows, bit/s, RTT in s, bytes of a segment, queue in BDP, simulated s
    "a": ["1", "100e6", "0.02", "1448", "1", "600"],
    "b": ["20", "1e9", "0.062", "8848", "2", "200"],
    "c": ["500", "25e9", "0.062", "8848", "2", "40"],
}


def main() -> None:
    """Prints one line per bench."""
    with tempfile.TemporaryDirectory() as folder:
        bound = Path(folder) / "bound"
        source = Path(__file__).with_name("bound.rs")
        subprocess.run(["rustc", "-O", "-C", "target-cpu=native", str(source), "-o", str(bound)], check=True)
        print("bench  data packets  CPU s  packets per CPU s  of the bound  peak MB")
        for name in sys.argv[1:] or BOUND_ARGUMENTS:
            before = _bound(bound, name)
            ours = _bench(name)
            most = max(before, _bound(bound, name))
            print(
                f"{name:5}  {ours['data_packets']:12,}  {ours['cpu_s']:5.2f}  {ours['packets_per_cpu_s']:17,.0f}"
                f"  1/{most / ours['packets_per_cpu_s']:<10.1f}  {ours['peak_rss_mb']:7.1f}"
            )


def _bench(name: str) -> dict[str, float]:
    command = [sys.executable, "-m", "fairlane", "bench", name, "--json"]
    measured: list[dict[str, float]] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return measured[0]


def _bound(program: Path, name: str) -> float:
    return float(subprocess.run([program, *BOUND_ARGUMENTS[name]], check=True, capture_output=True).stdout)


if __name__ == "__main__":
    main()
