"""Speed and memory of `fairlane bench`, relative to the bound of one core without TCP (bound.rs).

The speed of a machine changes with its load and its temperature; the ratio of two programs that run one after the
other changes far less.

Usage: python benchmarks/share_of_bound.py [--write] [NAME...]
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import table

BOUND_ARGUMENTS = {  # flows, bit/s, RTT in s, bytes of a segment, queue in BDP, simulated s
    "a": ["1", "100e6", "0.02", "1448", "1", "600"],
    "b": ["20", "1e9", "0.062", "8848", "2", "200"],
    "c": ["500", "25e9", "0.062", "8848", "2", "40"],
}


def main() -> None:
    """Prints one row per bench."""
    with tempfile.TemporaryDirectory() as folder:
        bound = Path(folder) / "bound"
        source = Path(__file__).with_name("bound.rs")
        subprocess.run(["rustc", "-O", "-C", "target-cpu=native", str(source), "-o", str(bound)], check=True)
        rows = [_row(bound, name) for name in table.arguments() or BOUND_ARGUMENTS]
    table.show("speed", ["bench", "data packets", "CPU s", "packets per CPU s", "of the bound", "peak MB"], rows)


def _row(bound: Path, name: str) -> list[str]:
    before = _bound(bound, name)
    ours = _bench(name)
    share = max(before, _bound(bound, name)) / ours["packets_per_cpu_s"]
    return [
        name,
        f"{ours['data_packets']:,}",
        f"{ours['cpu_s']:.2f}",
        f"{ours['packets_per_cpu_s']:,.0f}",
        f"1/{share:.1f}",
        f"{ours['peak_rss_mb']:.1f}",
    ]


def _bench(name: str) -> dict[str, float]:
    command = [sys.executable, "-m", "fairlane", "bench", name, "--json"]
    measured: list[dict[str, float]] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return measured[0]


def _bound(program: Path, name: str) -> float:
    return float(subprocess.run([program, *BOUND_ARGUMENTS[name]], check=True, capture_output=True).stdout)


if __name__ == "__main__":
    main()
