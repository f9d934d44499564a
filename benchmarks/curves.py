"""Cost of a packet by number of flows, window, algorithm and queue.

A cost is CPU time of the simulation per delivered data packet, as in `fairlane bench`. The quickest of N runs counts,
because the others measure the machine's other work.

Usage: python benchmarks/curves.py [--write] [--best-of N] [TABLE]...
Tables: flows, shares, window, kinds, long, cores, memory (default: all)
"""

import argparse
import json
import subprocess
import time
from collections.abc import Callable
from typing import Any

import table
from fairlane.runs.benchmark import CASES
from fairlane.runs.executors.processes import run_all
from fairlane.scenario.requests import dumbbell, scenario

FLOWS = [1, 10, 100, 500, 1_000, 2_000, 5_000]
WINDOWS = [1, 10, 100, 1_000, 10_000, 100_000, 200_000]
BENCHES = {case.name: case.experiment for case in CASES}
RUNS = {"a": 48, "b": 48, "c": 10}


def main() -> None:
    """Prints the selected tables."""
    tables: dict[str, Callable[[int], None]] = {
        "flows": by_flows,
        "shares": by_share,
        "window": by_window,
        "kinds": by_kind,
        "long": long_run,
        "cores": by_cores,
        "memory": memory,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(tables))
    parser.add_argument("--best-of", type=int, default=3, metavar="N")
    parser.add_argument(table.WRITE, action="store_true", help="write the tables into README.md")
    arguments = parser.parse_args()
    for name in arguments.tables or tables:
        if name not in tables:
            parser.error(f"there is no table {name}; tables are {', '.join(tables)}")
        tables[name](arguments.best_of)


def by_flows(best_of: int) -> None:
    """Flows at 10 Mbps each: only their number changes."""
    _by_flows("flows", best_of, 20, lambda flows: flows * 10**7, lambda flows: max(4, 400 // flows))


def by_share(best_of: int) -> None:
    """Flows that share 5 Gbps: windows become small, with more timers, losses and ACKs per packet."""
    _by_flows("shares", best_of, 62, lambda _: 5 * 10**9, lambda _: 20)


def _by_flows(
    name: str, best_of: int, rtt_ms: int, rate_bps: Callable[[int], int], duration_s: Callable[[int], int]
) -> None:
    rows, first_ns = [], None
    for flows in FLOWS:
        network = dumbbell(
            _cubic(flows, rtt_ms), rate=f"{rate_bps(flows)}bit", buffer="1bdp", duration=f"{duration_s(flows)}s"
        )
        packets, cost_ns, peak_mb = _measure(network, best_of)
        first_ns = first_ns or cost_ns
        rows.append([f"{flows:,}", f"{packets:,}", f"{cost_ns:.0f}", f"{cost_ns / first_ns:.2f}", f"{peak_mb:.0f}"])
    table.show(name, ["flows", "data packets", "ns per packet", "relative to 1 flow", "peak MB"], rows)


def by_window(best_of: int) -> None:
    """One flow; the rate sets its window."""
    rows = []
    for window in WINDOWS:
        rate_bps = window * 1514 * 8 * 10
        duration_s = max(10, 300_000 // (window * 10))
        network = dumbbell(
            _cubic(1, rtt_ms=100),
            rate=f"{rate_bps}bit",
            buffer="1bdp" if window > 1 else "2packets",
            duration=f"{duration_s}s",
            metrics={"interval": f"{10 * duration_s}ms"},
        )
        network["hosts"] |= {"sender": {"wmem_max": "4096MiB"}, "receiver": {"rmem_max": "2047MiB"}}
        packets, cost_ns, peak_mb = _measure(network, best_of)
        rows.append([f"{window:,}", f"{rate_bps / 1e6:,.1f}", f"{packets:,}", f"{cost_ns:.0f}", f"{peak_mb:.0f}"])
    table.show("window", ["BDP in packets", "Mbps", "data packets", "ns per packet", "peak MB"], rows)


def by_kind(best_of: int) -> None:
    """The benches with bbr instead of cubic, and with fq_codel (tc's defaults) instead of the FIFO."""
    rows = []
    for name, network in BENCHES.items():
        bbr = {**network, "flows": [{**flow, "algorithm": "bbr"} for flow in network["flows"]]}
        shared = {name: value for name, value in network["network"].items() if name != "buffer"}
        fair = {**network, "network": {**shared, "queue": "fq_codel"}}  # with the limit that tc gives it
        cost_ns, bbr_ns, fair_ns = (_measure(one, best_of)[1] for one in (network, bbr, fair))
        pairs = (cell for other in (bbr_ns, fair_ns) for cell in (f"{other:.0f}", f"{cost_ns / other:.2f}"))
        rows.append([name, f"{cost_ns:.0f}", *pairs])
    table.show("kinds", ["bench", "cubic, ns per packet", "bbr", "relative speed", "fq_codel", "relative speed"], rows)


def long_run(best_of: int) -> None:
    """Bench c for 200 s."""
    packets, cost_ns, peak_mb = _measure({**BENCHES["c"], "duration": "200s"}, min(best_of, 2))
    row = [f"{packets:,}", f"{packets * cost_ns / 1e9:.1f}", f"{cost_ns:.0f}", f"{peak_mb:.0f}"]
    table.show("long", ["data packets", "CPU s", "ns per packet", "peak MB"], [row])


def by_cores(best_of: int) -> None:
    """Runs of each bench (c for 5 s) with different seeds, on one core and on two."""
    rows = []
    for name, network in BENCHES.items():
        short = {**network, "duration": "5s"} if name == "c" else network
        scenarios = [scenario({**short, "seed": seed}) for seed in range(RUNS[name])]
        one_s, two_s = (min(_wall_s(scenarios, jobs) for _ in range(best_of)) for jobs in (1, 2))
        rows.append([name, len(scenarios), f"{one_s:.2f}", f"{two_s:.2f}", f"{one_s / two_s:.2f}"])
    table.show("cores", ["bench", "runs", "one core, s", "two cores, s", "speed-up"], rows)


def memory(_best_of: int) -> None:
    """Memory of one flow: the difference of the peaks of 20,000 and 2,000 in `run_json` of crates/simulator."""
    command = ["cargo", "run", "-q", "--release", "--example", "run_json", "--", "--peak"]

    def peak_bytes(kind: str, flows: int) -> int:
        transfer = {"kind": "bytes", "bytes": 3000}
        arrivals = {"kind": "poisson_flows", "rate_per_s": flows / 2, "mean": "3kB"}
        groups = {
            "sends": _cubic(flows, 62),
            "has ended, entry of its own": [one | {"workload": transfer} for one in _cubic(flows, 62)],
            "has ended": [one | {"workload": arrivals} for one in _cubic(1, 62)],
        }
        found = scenario(dumbbell(groups[kind], rate=f"{flows}mbit", buffer="1bdp", duration="2s"))
        if kind == "has ended, entry of its own":
            for number, flow in enumerate(found["flows"]):
                flow["start_ns"] = 1_800_000_000 * number // flows
        run = subprocess.run(command, input=json.dumps(found), capture_output=True, text=True, check=True)
        return int(run.stderr)

    few, many = 2_000, 20_000
    rows = []
    for kind in ("sends", "has ended", "has ended, entry of its own"):
        rows.append([kind, f"{(peak_bytes(kind, many) - peak_bytes(kind, few)) / (many - few):,.0f}"])
    table.show("memory", ["a flow that", "bytes"], rows)


def _cubic(flows: int, rtt_ms: int) -> list[dict[str, Any]]:
    return [{"algorithm": "cubic", "rtt": f"{rtt_ms}ms", "count": flows}]


def _measure(network: dict[str, Any], best_of: int) -> tuple[int, float, float]:
    """Data packets, ns per packet and peak memory in MB of the quickest run."""
    return min((_run(network) for _ in range(best_of)), key=lambda measured: measured[1])


def _run(network: dict[str, Any]) -> tuple[int, float, float]:
    outcome = run_all([scenario(network)], jobs=1, keep=["data_packets_delivered"])[0]
    if outcome.result is None:
        raise SystemExit(f"a run failed: {outcome.error}")
    packets = outcome.result["data_packets_delivered"]
    return packets, outcome.usage["cpu_s"] / packets * 1e9, outcome.usage["peak_rss_mb"]


def _wall_s(scenarios: list[dict[str, Any]], jobs: int) -> float:
    start_s = time.perf_counter()
    run_all(scenarios, jobs=jobs, keep=["data_packets_delivered"])
    return time.perf_counter() - start_s


if __name__ == "__main__":
    main()
