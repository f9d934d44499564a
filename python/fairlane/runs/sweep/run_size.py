"""The size of runs, and the time and disk space that they need where nothing was measured."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairlane.engine.types import LinkConfig, Scenario
from fairlane.results.store.memory import available_bytes
from fairlane.scenario.stations import largest_rate_bps, stations
from fairlane.scenario.workloads import mean_bytes

RUN_S = 0.005
"""Loading algorithms, putting a scenario together, storing the result."""
PACKET_S = 0.25e-6
"""A data packet with its acknowledgement."""
SAMPLE_S = 3e-6
"""Recording one sample of one flow or link, and storing it."""
RUN_BYTES, FLOW_BYTES, SAMPLE_BYTES = 500, 900, 10
"""On disk, compressed."""
MEMORY_OF_FLOW_BYTES, MEMORY_OF_LINK_BYTES, MEMORY_OF_SAMPLE_BYTES = 18_000, 8_000, 80
"""With the scenario and the result; measured in docs/concepts/scale.md."""
STORE_BYTES = 110_000
"""The least that a few runs need: files have heads and tails."""
WORTH_IT_FROM_S = 60.0
"""Shorter work needs no measurement, and no word before it."""
UNLIMITED_BPS = 10**9
"""The assumed sending rate of flows on links without a rate."""
PACKET_BITS = 12_000
"""The assumed packet size where a link's rate is in packets."""

Kind = tuple[Any, ...]
"""Runs of one kind take the same time per packet."""


@dataclass(frozen=True)
class Work:
    """A run, by what its time consists of."""

    kind: Kind
    packets: float
    samples: float
    flows: int
    connections: float = 0
    links: int = 0

    @property
    def memory_bytes(self) -> float:
        """About how much memory the run takes."""
        series = MEMORY_OF_SAMPLE_BYTES * self.samples
        return MEMORY_OF_FLOW_BYTES * self.connections + MEMORY_OF_LINK_BYTES * self.links + series

    @property
    def seconds(self) -> float:
        """Of one processor, as long as nothing was measured."""
        return RUN_S + PACKET_S * self.packets + SAMPLE_S * self.samples

    @property
    def disk_bytes(self) -> float:
        """About how many bytes the store needs for it."""
        return RUN_BYTES + FLOW_BYTES * self.flows + SAMPLE_BYTES * self.samples


def shortage(needed_bytes: float) -> str:
    """The reason why a run cannot have that much memory; empty if it can."""
    free = available_bytes()
    if free is None or needed_bytes <= free:
        return ""
    return f"a run needs about {needed_bytes / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free"


def work(scenario: Scenario) -> Work:
    """The size of the run of a scenario."""
    flows, links = scenario["flows"], stations(scenario)
    kind = (
        tuple(sorted({flow["algorithm"] for flow in flows})),
        tuple(sorted({str(flow.get("sender", {}).get("pacing")) for flow in flows})),
        tuple(sorted({str(link.get("queue", {}).get("kind")) for link in links})),
        len(links),
        len(flows).bit_length(),
    )
    samples = (len(flows) + len(links)) * scenario["duration_ns"] / scenario["series_interval_ns"]
    connections = sum(_connections(flow, scenario["duration_ns"]) for flow in flows)
    return Work(kind, packets(scenario), float(samples), len(flows), connections, len(links))


def _connections(flow: Mapping[str, Any], duration_ns: int) -> float:
    workload = flow["workload"]
    if workload["kind"] == "arrivals":
        return len(workload["arrivals"])
    busy_s = max(0, min(flow["stop_ns"], duration_ns) - flow["start_ns"]) / 1e9
    return float(workload["rate_per_s"] * busy_s) if workload["kind"] == "poisson_flows" else 1.0


def packets(scenario: Scenario) -> float:
    """The most that the flows can send: the slowest link of each limits it, and is shared."""
    users: dict[str, int] = {}
    for flow in scenario["flows"]:
        for name in flow["forward"]:
            users[name] = users.get(name, 0) + 1
    rates = {link["name"]: _rate_bps(link) for link in stations(scenario)}
    share_bps: dict[tuple[str, ...], float] = {}
    sent = 0.0
    for flow in scenario["flows"]:
        path = tuple(flow["forward"])
        if path not in share_bps:
            shares = (rates.get(name, UNLIMITED_BPS) / users[name] for name in path)
            share_bps[path] = min(shares, default=UNLIMITED_BPS)
        busy_s = max(0, min(flow["stop_ns"], scenario["duration_ns"]) - flow["start_ns"]) / 1e9
        size_bytes = min(share_bps[path] * busy_s / 8, _bytes(flow["workload"], busy_s))
        sent += size_bytes / flow["mtu"]
    sources = sum(
        source["rate_bps"] * scenario["duration_ns"] / 8e9 / source["packet_bytes"]
        for source in scenario.get("cross_traffic", [])
    )
    return float(sent + sources)


def _rate_bps(link: LinkConfig) -> float:
    queue = link.get("queue", {})
    policed = queue.get("rate_bps", queue.get("pkts_rate_pps", math.inf) * PACKET_BITS)
    unlimited = 0 if link.keys() & {"rate_bps", "trace_ms"} else UNLIMITED_BPS
    return float(min(policed, max(largest_rate_bps(link), unlimited)))


def _bytes(workload: Mapping[str, Any], busy_s: float) -> float:
    """The demand of the application."""
    kind = workload["kind"]
    if kind == "bytes":
        return float(workload["bytes"])
    if kind == "poisson_flows":
        mean = workload["mean_bytes"] if "mean_bytes" in workload else mean_bytes(workload["sizes"])
        return float(workload["rate_per_s"] * mean * busy_s)
    if kind == "arrivals":
        return float(sum(one["bytes"] for one in workload["arrivals"]))
    if kind in ("video", "call"):
        return float(max(workload["ladder_bps"]) / 8 * busy_s)
    return math.inf
