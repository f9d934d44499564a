"""Prints the tables of studies/modestbbr/README.md: every interpretation of the Modest BBR paper next to its values.

    .venv/bin/python studies/modestbbr/interpretations.py [--seeds 3] [--jobs 2]

The network is that of base.toml: two senders with network cards of 100 Mbit/s share a link of 100 Mbit/s, as in the
paper's Figure 1. Round-trip time, buffer and delays of the hosts are fitted to its Section II, with BBR and CUBIC alone.
"""

import argparse
import itertools
import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import fairlane

RTT_NS = 3_000_000
BUFFER_PACKETS = 13
TIME_NS = 30_000_000_000
# Packets gather in a busy host, before its card.
HOST_JITTER_NS = 6_000_000
# Two synchronised flows can capture a full buffer; real network cards and kernels are not synchronised.
JITTER_NS = 150_000
OVERHEAD_BYTES = 38
# BBR as in Linux 4.14, on which the published algorithm is based.
BBR_4_14 = {"extra_acked_gain": 0, "pacing_margin": 0}

Parameters = Mapping[str, int]
Totals = dict[str, float]
Job = tuple[tuple[str, str], tuple[Parameters, Parameters], int]

# The values that are compared, from Sections II and IV-C of the paper.
PAPER = {
    "Modest BBR / CUBIC": 3.0,
    "CUBIC's gain": 4.0,
    "retransmits, Modest BBR / CUBIC": 2.5,
    "retransmits, both / two CUBIC": 1.39,
    "against BBR, Modest BBR / BBR": 0.93,
    "against BBR, retransmits": 0.5,
}


def _flow(index: int, algorithm: str, parameters: Parameters) -> dict[str, Any]:
    pacing = "internal" if algorithm == "cubic" else "fq"
    return {
        "algorithm": algorithm,
        "parameters": dict(parameters),
        "forward": [f"host{index}", f"card{index}", "bottleneck"],
        "reverse": [f"back{index}"],
        "sender": {"pacing": pacing, "offload": True, "wmem_max_bytes": 16_000_000},
        "receiver": {"offload": True, "rmem_max_bytes": 16_000_000, "sack_compression": False},
    }


def _scenario(pair: tuple[str, str], parameters: tuple[Parameters, Parameters], seed: int) -> dict[str, Any]:
    queue = {"kind": "fifo", "limit_packets": BUFFER_PACKETS}
    wire = {"rate_bps": 100_000_000, "overhead_bytes": OVERHEAD_BYTES}
    links: list[dict[str, Any]] = [{"name": "bottleneck", **wire, "queue": queue}]
    for index in range(2):
        jitter = {"max_ns": JITTER_NS, "reorder": False}
        links.append({"name": f"host{index}", "jitter": {"max_ns": HOST_JITTER_NS, "reorder": False}})
        links.append({"name": f"card{index}", **wire, "delay_ns": RTT_NS // 2, "jitter": jitter})
        links.append({"name": f"back{index}", "delay_ns": RTT_NS // 2})
    flows = [_flow(index, *both) for index, both in enumerate(zip(pair, parameters, strict=True))]
    return {"seed": seed, "duration_ns": TIME_NS, "hz": 250, "links": links, "flows": flows}


def _measure(job: Job) -> Totals:
    """Mean goodput and retransmissions of both flows over several seeds."""
    pair, parameters, seeds = job
    totals = {"goodput0": 0.0, "goodput1": 0.0, "resent0": 0.0, "resent1": 0.0}
    for seed in range(1, seeds + 1):
        for index, measured in enumerate(fairlane.simulate(_scenario(pair, parameters, seed))["flows"]):
            totals[f"goodput{index}"] += measured["goodput_mbps"] / seeds
            totals[f"resent{index}"] += measured["retransmits"] / seeds
    return totals


def _interpretations() -> Iterator[tuple[str, Parameters]]:
    yield "none: BBR", {"w_min": 1024}
    acts_on = {1: "rate", 2: "window", 3: "rate and window"}
    steps = {0: "round", 1: "ACK"}
    searches = {"round": {}, "ACK": {"search_per_ack": 1}, "tested, round": {"search_tests_middle": 1}}
    for moderate, anchor, search, increase in itertools.product(acts_on, (0, 1), searches, steps):
        name = f"{acts_on[moderate]}, {'last window' if anchor else 'estimate'}, {search}, {steps[increase]}"
        yield name, {"moderate": moderate, "anchor": anchor, "increase_per_ack": increase, **searches[search]}
    yield "as the default, one BDP", {"moderate_gain": 256}
    yield "as the default, line 7 literally", {"literal_line_7": 1}
    literal = {"anchor": 1, "moderate": 2, "search_per_ack": 1, "increase_per_ack": 1, "literal_line_7": 1}
    yield "Algorithm 1 to the letter", literal


def _compare(cubic: Totals, bbr: Totals, pairs: Mapping[str, Totals]) -> dict[str, float]:
    def ratio(above: float, below: float) -> float:
        return max(above, 1e-3) / max(below, 1e-3)

    both = cubic["resent0"] + cubic["resent1"]
    return {
        "Modest BBR / CUBIC": ratio(cubic["goodput0"], cubic["goodput1"]),
        "CUBIC's gain": ratio(cubic["goodput1"], pairs["bbr"]["goodput1"]),
        "retransmits, Modest BBR / CUBIC": ratio(cubic["resent0"], cubic["resent1"]),
        "retransmits, both / two CUBIC": ratio(both, pairs["cubic"]["resent0"] + pairs["cubic"]["resent1"]),
        "against BBR, Modest BBR / BBR": ratio(bbr["goodput0"], bbr["goodput1"]),
        "against BBR, retransmits": ratio(bbr["resent0"], bbr["resent1"]),
    }


def _error(ours: Mapping[str, float]) -> float:
    """The geometric mean of the factors between our values and the paper's."""
    return math.exp(sum(abs(math.log(ours[key] / value)) for key, value in PAPER.items()) / len(PAPER))


def _print_table(head: list[str], rows: list[list[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|---" + "|--:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def main() -> None:
    """Prints the network and the interpretations."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    named = list(_interpretations())
    with ProcessPoolExecutor(options.jobs) as pool:
        pair_jobs: list[Job] = [
            (("bbr", "cubic"), (BBR_4_14, {}), options.seeds),
            (("cubic", "cubic"), ({}, {}), options.seeds),
        ]
        bbr_pair, cubic_pair = pool.map(_measure, pair_jobs)
        with_cubic = pool.map(_measure, [(("modest_bbr", "cubic"), (p, {}), options.seeds) for _, p in named])
        with_bbr = pool.map(_measure, [(("modest_bbr", "bbr"), (p, BBR_4_14), options.seeds) for _, p in named])
        pairs = {"bbr": bbr_pair, "cubic": cubic_pair}
        results = [(name, c, b) for (name, _), c, b in zip(named, with_cubic, with_bbr, strict=True)]

    print("## The network\n")
    head = ["", "goodput Mbit/s", "paper", "retransmits in 30 s", "paper"]
    rows = [
        ["BBR, against CUBIC", f"{bbr_pair['goodput0']:.1f}", "88.1", f"{bbr_pair['resent0']:.0f}", "1600"],
        ["CUBIC, against BBR", f"{bbr_pair['goodput1']:.1f}", "6.3", f"{bbr_pair['resent1']:.0f}", "600"],
        ["CUBIC, against CUBIC", f"{cubic_pair['goodput0']:.1f}", "36", f"{cubic_pair['resent0']:.0f}", "250"],
        ["CUBIC, against CUBIC", f"{cubic_pair['goodput1']:.1f}", "36", f"{cubic_pair['resent1']:.0f}", "250"],
    ]
    _print_table(head, rows)

    print("\n## The interpretations, best agreement first\n")
    scored = sorted((_error(_compare(c, b, pairs)), name, c, b) for name, c, b in results)
    head = ["interpretation", "error", "Modest BBR", "CUBIC", *PAPER]
    rows = [["paper", "", "", "", *(f"{value:.2f}" for value in PAPER.values())]]
    for error, name, c, b in scored:
        values = [f"{value:.2f}" for value in _compare(c, b, pairs).values()]
        rows.append([name, f"{error:.2f}", f"{c['goodput0']:.1f}", f"{c['goodput1']:.1f}", *values])
    _print_table(head, rows)


if __name__ == "__main__":
    main()
