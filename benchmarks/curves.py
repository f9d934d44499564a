"""How the cost of a packet depends on the number of flows, on the window, on the algorithm and on the queue.

Usage: python benchmarks/curves.py [flows|shares|window|kinds|long|cores]... (all by default), `--best-of N`.
Prints a table each, in Markdown. A cost is CPU time of the simulation per data packet delivered, as in `fairlane
bench`; of N runs the quickest counts, because the others tell of the machine's other work.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

from fairlane.runs.benchmark import CASES
from fairlane.runs.executors.processes import run_all
from fairlane.scenario.requests import dumbbell, scenario

FLOWS = [1, 10, 100, 500, 1_000, 2_000, 5_000]
WINDOWS = [1, 10, 100, 1_000, 10_000, 100_000, 200_000]
BENCHES = {case.name: case.experiment for case in CASES}
RUNS = {"a": 48, "b": 48, "c": 10}


def main() -> None:
    """Prints the tables asked for."""
    tables: dict[str, Callable[[int], None]] = {
        "flows": by_flows,
        "shares": by_share,
        "window": by_window,
        "kinds": by_kind,
        "long": long_run,
        "cores": by_cores,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(tables))
    parser.add_argument("--best-of", type=int, default=3, metavar="N")
    arguments = parser.parse_args()
    for name in arguments.tables or tables:
        if name not in tables:
            parser.error(f"there is no table {name}; tables are {', '.join(tables)}")
        tables[name](arguments.best_of)
        print()


def by_flows(best_of: int) -> None:
    """Each flow has the same share of the link, so that only their number changes."""
    print("Flows at 10 Mbps each, 20 ms, buffer 1 BDP, MTU 1500:\n")
    _by_flows(best_of, 20, lambda flows: flows * 10**7, lambda flows: max(4, 400 // flows))


def by_share(best_of: int) -> None:
    """The link stays the same, and the windows become small: more timers, losses and ACKs for each packet."""
    print("Flows that share 5 Gbps, 62 ms, buffer 1 BDP, MTU 1500, 20 s:\n")
    _by_flows(best_of, 62, lambda _: 5 * 10**9, lambda _: 20)


def _by_flows(best_of: int, rtt_ms: int, rate_bps: Callable[[int], int], duration_s: Callable[[int], int]) -> None:
    _head("flows", "data packets", "ns per packet", "of 1 flow", "peak MB")
    first_ns = None
    for flows in FLOWS:
        network = dumbbell(
            _cubic(flows, rtt_ms), rate=f"{rate_bps(flows)}bit", buffer="1bdp", duration=f"{duration_s(flows)}s"
        )
        packets, cost_ns, peak_mb = _measure(network, best_of)
        first_ns = first_ns or cost_ns
        _row(f"{flows:,}", f"{packets:,}", f"{cost_ns:.0f}", f"{cost_ns / first_ns:.2f}", f"{peak_mb:.0f}")


def by_window(best_of: int) -> None:
    """One flow; the rate sets its window."""
    print("1 flow, 100 ms, buffer 1 BDP, MTU 1500; the rate follows from the BDP:\n")
    _head("BDP in packets", "Mbps", "data packets", "ns per packet", "peak MB")
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
        _row(f"{window:,}", f"{rate_bps / 1e6:,.1f}", f"{packets:,}", f"{cost_ns:.0f}", f"{peak_mb:.0f}")


def by_kind(best_of: int) -> None:
    """The benches with another algorithm, and with another queue."""
    print("The benches with bbr instead of cubic, and with fq_codel (tc's defaults) instead of the FIFO:\n")
    _head("bench", "cubic, ns per packet", "bbr", "rate of cubic's", "fq_codel", "rate of cubic's")
    for name, network in BENCHES.items():
        bbr = {**network, "flows": [{**flow, "algorithm": "bbr"} for flow in network["flows"]]}
        shared = {name: value for name, value in network["network"].items() if name != "buffer"}
        fair = {**network, "network": {**shared, "queue": "fq_codel"}}  # with the limit that tc gives it
        cost_ns, bbr_ns, fair_ns = (_measure(one, best_of)[1] for one in (network, bbr, fair))
        shares = (f"{cost_ns / other:.2f}" for other in (bbr_ns, fair_ns))
        _row(name, f"{cost_ns:.0f}", f"{bbr_ns:.0f}", next(shares), f"{fair_ns:.0f}", next(shares))


def long_run(best_of: int) -> None:
    """Bench c for 200 s."""
    print("Bench c for 200 s:\n")
    _head("data packets", "CPU s", "ns per packet", "peak MB")
    packets, cost_ns, peak_mb = _measure({**BENCHES["c"], "duration": "200s"}, min(best_of, 2))
    _row(f"{packets:,}", f"{packets * cost_ns / 1e9:.1f}", f"{cost_ns:.0f}", f"{peak_mb:.0f}")


def by_cores(best_of: int) -> None:
    """The same runs one after the other, and two at a time."""
    print("Runs of each bench (c for 5 s), other seeds, on one core and on two:\n")
    _head("bench", "runs", "one core, s", "two cores, s", "rate")
    for name, network in BENCHES.items():
        short = {**network, "duration": "5s"} if name == "c" else network
        scenarios = [scenario({**short, "seed": seed}) for seed in range(RUNS[name])]
        one_s, two_s = (min(_wall_s(scenarios, jobs) for _ in range(best_of)) for jobs in (1, 2))
        _row(name, len(scenarios), f"{one_s:.2f}", f"{two_s:.2f}", f"{one_s / two_s:.2f}")


def _cubic(flows: int, rtt_ms: int) -> list[dict[str, Any]]:
    return [{"algorithm": "cubic", "rtt": f"{rtt_ms}ms", "count": flows}]


def _measure(network: dict[str, Any], best_of: int) -> tuple[int, float, float]:
    """Data packets, ns for each of them, and the process's peak memory in MB: of the quickest run."""
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


def _head(*columns: str) -> None:
    _row(*columns)
    print("|" + "---:|" * len(columns), flush=True)


def _row(*cells: Any) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
