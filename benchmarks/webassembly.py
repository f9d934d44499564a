"""CPU time of the engine in WebAssembly, in Node.js, beside that of the native engine, on the same networks.

Both are measured in turn, and of each the quickest of N runs counts: the others also compile the module's functions, or
measure the machine's other work. Results must be equal. It needs `make web` and an engine compiled for release.

Usage: python benchmarks/webassembly.py [--write] [--best-of N]
"""

import argparse
import hashlib
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import table
from fairlane.engine import run_json
from fairlane.scenario.requests import Request, scenario

ROOT = Path(__file__).parents[1]
FAST: dict[str, Any] = {"rate": "100mbit", "rtt": "20ms", "duration": "200s"}
NETWORKS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "1 cubic": (["cubic"], FAST),
    "1 bbr": (["bbr"], FAST),
    "cubic, bbr": (["cubic", "bbr"], FAST),
    "20 of five algorithms": (
        ["cubic*4", "bbr*4", "reno*4", "bbr3*4", "vegas*4"],
        {"rate": "300mbit", "rtt": "20ms", "duration": "60s"},
    ),
    "100 cubic": (["cubic*100"], {"rate": "1gbit", "rtt": "20ms", "duration": "20s"}),
    "2 cubic, 2 reno in fq_codel": (["cubic*2", "reno*2"], {**FAST, "queue": "fq_codel"}),
    "2 cubic, 2 reno in cake": (["cubic*2", "reno*2"], {**FAST, "queue": "cake"}),
    "cubic, bbr over 802.11ac": (["cubic", "bbr"], {"wifi": "ac", "rtt": "20ms", "duration": "20s"}),
}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--best-of", type=int, default=8, metavar="N")
    parser.add_argument(table.WRITE, action="store_true", help="write the table into README.md")
    arguments = parser.parse_args()
    rows = []
    for name, (words, settings) in NETWORKS.items():
        text = json.dumps(scenario(Request(words, settings).experiment()))
        native = min(native_s(text) for _ in range(arguments.best_of))
        command = ["node", str(ROOT / "tools/web/run.mjs"), str(ROOT / "target/web"), str(arguments.best_of)]
        done = subprocess.run(command, input=f"{text}\n", capture_output=True, text=True, check=True)
        found, seconds = done.stdout.split()
        if found != hashlib.sha256(run_json(text).encode()).hexdigest():
            raise SystemExit(f"{name}: results differ: {done.stdout}")
        rows.append([name, f"{native:.3f}", f"{float(seconds):.3f}", f"{100 * native / float(seconds):.0f} %"])
    table.show("webassembly", ["network", "native, CPU s", "WebAssembly, CPU s", "speed against native"], rows)


def native_s(text: str) -> float:
    """CPU seconds of a run."""
    began = time.process_time()
    run_json(text)
    return time.process_time() - began


if __name__ == "__main__":
    main()
