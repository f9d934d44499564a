"""Instructions per data packet of small networks, counted by callgrind and compared with a table.

Unlike times, counts depend neither on the machine's load nor on its speed, only on the compiler and the profile of the
build: the extension must be built with the settings of Cargo.toml (`make .venv/.built`, in a shell without
CARGO_PROFILE_RELEASE_*). Only instructions of `Simulation::run` and its callees count, without Python and without
parsing the scenario.

Usage: python benchmarks/instruction_counts.py            compares with the table; 1 if a network grew by more than 3 %
       python benchmarks/instruction_counts.py --write    writes the table here and in README.md
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import table
from fairlane.scenario.requests import dumbbell, scenario

TABLE = Path(__file__).with_name("instruction_counts.json")
GROWTH = 0.03
"""Allowed growth of a network's instructions per data packet."""
NAMED_FUNCTIONS = 5
"""The number of functions that are named, those that grew most."""
LEAST_SHARE = 0.005
"""The table has the functions with at least this share of a network's instructions."""
COUNTED = "fairlane_simulator::simulation::Simulation<T>::run"

RUN = """
import json, sys
import fairlane.engine
for scenario in json.load(sys.stdin):
    print(fairlane.engine.run(scenario)["data_packets_delivered"])
"""


def networks() -> dict[str, dict[str, Any]]:
    """Scenarios of the engine, by name."""

    def flows(number: int, algorithm: str, rtt: str) -> list[dict[str, Any]]:
        return [{"algorithm": algorithm, "rtt": rtt, "count": number}]

    def many(algorithm: str, **settings: Any) -> dict[str, Any]:
        return dumbbell(flows(100, algorithm, "30ms"), rate="5gbit", mtu=8900, duration="600ms", **settings)

    experiments = {
        "one cubic flow": dumbbell(flows(1, "cubic", "20ms"), rate="100mbit", buffer="1bdp", duration="4s"),
        "100 cubic flows": many("cubic", buffer="2bdp"),
        "100 cubic flows with offload": many("cubic", buffer="2bdp", offload=True),
        "100 bbr flows": many("bbr", buffer="2bdp"),
        "100 cubic flows through fq_codel": many("cubic", queue="fq_codel"),
        "one cubic flow over QUIC": dumbbell(
            [{"algorithm": "cubic", "rtt": "20ms", "transport": "quic"}], rate="100mbit", buffer="1bdp", duration="1s"
        ),
    }
    return {name: scenario(experiment) for name, experiment in experiments.items()}


def count(scenarios: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Data packets and instructions per packet of each network, also by function, under callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        # Callgrind writes a profile at the end of each run and resets its counters.
        options = [f"--toggle-collect={COUNTED}", f"--dump-after={COUNTED}", f"--callgrind-out-file={out}"]
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", *options, sys.executable, "-c", RUN],
            input=json.dumps(list(scenarios.values())),
            capture_output=True,
            text=True,
        )
        if run.returncode != 0:
            raise SystemExit(f"valgrind failed: {run.stderr.strip()[-2000:]}")
        counts = {}
        for number, (name, packets) in enumerate(zip(scenarios, map(int, run.stdout.split()), strict=True), start=1):
            functions = per_function((out.parent / f"out.{number}").read_text())
            total = sum(functions.values())
            if total == 0:
                raise SystemExit(f"callgrind does not find {COUNTED}; was the extension built without symbols?")
            counts[name] = {
                "data_packets": packets,
                "instructions_per_packet": round(total / packets, 1),
                "functions": {
                    function: round(own / packets, 1)
                    for function, own in functions.most_common()
                    if own >= LEAST_SHARE * total
                },
            }
        return counts


def per_function(profile: str) -> Counter[str]:
    """Own instructions of each function in a profile (valgrind's manual, "Callgrind Format Specification")."""
    names: dict[str, str] = {}
    own: Counter[str] = Counter()
    function, is_call = "", False
    for line in profile.splitlines():
        if match := re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line):
            number, name = match.groups()
            names.setdefault(number, _short(name or ""))
            if not line.startswith("c"):
                function = names[number]
        elif line.startswith("calls="):
            is_call = True  # the next line has the cost of the callee
        elif re.match(r"[0-9+*-]", line):
            if not is_call:
                own[function] += int(line.split()[-1])
            is_call = False
    return own


def _short(function: str) -> str:
    """A name without the crates' common prefix; one name for all functions that have only an address."""
    return re.sub(r"fairlane_(?=\w+::)", "", function) if not function.startswith("0x") else "(the algorithm)"


def growth(before: dict[str, dict[str, Any]], now: dict[str, dict[str, Any]]) -> list[str]:
    """A line for each network that costs more than the table allows, with the functions that grew most."""
    lines = []
    for name, old in before.items():
        was, is_now = old["instructions_per_packet"], now[name]["instructions_per_packet"]
        if is_now <= was * (1 + GROWTH):
            continue
        grown = Counter(now[name]["functions"])
        grown.subtract(old["functions"])
        functions = ", ".join(f"{function} {by:+.0f}" for function, by in grown.most_common(NAMED_FUNCTIONS) if by > 0)
        lines.append(
            f"{name}: {was:,.0f} -> {is_now:,.0f} instructions per data packet ({is_now / was - 1:+.1%}): {functions}"
        )
    return lines


def compiler() -> str:
    """The compiler that cargo uses here."""
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Compares with the table, or writes it."""
    if not shutil.which("valgrind"):
        raise SystemExit("valgrind is not installed: apt-get install valgrind")
    now = count(networks())
    rows = [[name, f"{counts['instructions_per_packet']:,.0f}"] for name, counts in now.items()]
    table.show("instructions", ["network", "instructions per data packet"], rows)
    if table.WRITE in sys.argv:
        TABLE.write_text(json.dumps({"compiler": compiler(), "networks": now}, indent=1) + "\n")
        return
    if grown := growth(json.loads(TABLE.read_text())["networks"], now):
        raise SystemExit("\n".join(grown))


if __name__ == "__main__":
    main()
