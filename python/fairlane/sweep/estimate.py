"""How long runs take and how much room they need, before anything runs."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

RUN_S = 0.0015
"""Loading algorithms and putting a scenario together."""
PACKET_S = 0.29e-6
"""A data packet with its acknowledgement, where flows are few and the queue is simple."""
MANY_FLOWS = 500
MANY_FLOWS_FACTOR = 1.5
"""So much more with so many flows: they no longer fit into the caches."""
FAIR_QUEUE_FACTOR = 1.35
"""So much more where each flow has a queue of its own."""
SAMPLE_S = 0.8e-6
"""Recording one sample of one flow or link."""
STORE_RUN_S = 0.0005
STORE_SAMPLE_S = 2.2e-6
"""Turning what was recorded into tables: later, for many runs at once."""
SAMPLE_BYTES = 18
"""On disk, compressed: 8 where little happens between samples, 23 at many Gbps."""
FLOW_BYTES = 250
RUN_BYTES = 500
STORE_BYTES = 110_000
"""What even a few runs need: files have heads and tails."""
UNLIMITED_BPS = 10**9
"""What flows on links without a rate are taken to send."""
PACKET_BITS = 12_000
"""What counts as a packet where a link's rate is in packets."""


class Cost(NamedTuple):
    """About how many seconds of one processor a run takes, by what for."""

    start_s: float
    packets_s: float
    samples_s: float
    store_s: float

    @property
    def run_s(self) -> float:
        """Without the store."""
        return self.start_s + self.packets_s + self.samples_s


def cost(scenario: Mapping[str, Any]) -> Cost:
    """What a run costs."""
    samples = _samples(scenario)
    packets_s = _packet_s(scenario) * _packets(scenario)
    return Cost(RUN_S, packets_s, SAMPLE_S * samples, STORE_RUN_S + STORE_SAMPLE_S * samples)


def run_bytes(scenario: Mapping[str, Any]) -> float:
    """About how many bytes a run needs on disk."""
    return RUN_BYTES + FLOW_BYTES * len(scenario["flows"]) + SAMPLE_BYTES * _samples(scenario)


def _packet_s(scenario: Mapping[str, Any]) -> float:
    many = min(1.0, len(scenario["flows"]) / MANY_FLOWS)
    fair = any(link.get("queue", {}).get("kind", "").startswith(("fq", "cake")) for link in scenario["links"])
    return PACKET_S * (1 + (MANY_FLOWS_FACTOR - 1) * many) * (FAIR_QUEUE_FACTOR if fair else 1.0)


def _samples(scenario: Mapping[str, Any]) -> float:
    seen = len(scenario["flows"]) + len(scenario["links"])
    return float(seen * scenario["duration_ns"] / scenario["series_interval_ns"])


def _packets(scenario: Mapping[str, Any]) -> float:
    """What the flows can send at most: each is held back by the slowest of its links, and shares it."""
    users: dict[str, int] = {}
    for flow in scenario["flows"]:
        for name in flow["forward"]:
            users[name] = users.get(name, 0) + 1
    rates = {link["name"]: _rate_bps(link) for link in scenario["links"]}
    packets = 0.0
    for flow in scenario["flows"]:
        rate_bps = min(
            (rates.get(name, UNLIMITED_BPS) / users[name] for name in flow["forward"]), default=UNLIMITED_BPS
        )
        busy_s = max(0, min(flow["stop_ns"], scenario["duration_ns"]) - flow["start_ns"]) / 1e9
        packets += min(rate_bps * busy_s / 8, _bytes(flow["workload"], busy_s)) / flow["mtu"]
    sources = sum(
        source["rate_bps"] * scenario["duration_ns"] / 8e9 / source["packet_bytes"]
        for source in scenario.get("cross_traffic", [])
    )
    return float(packets + sources)


def _rate_bps(link: Mapping[str, Any]) -> float:
    if "trace_ms" in link:
        return float(len(link["trace_ms"]) * 1000 * PACKET_BITS / max(1, link["trace_ms"][-1]))
    changed = [change["rate_bps"] for change in link.get("changes", []) if "rate_bps" in change]
    queue = link.get("queue", {})
    policed = queue.get("rate_bps", queue.get("pkts_rate_pps", math.inf) * PACKET_BITS)
    return float(min(policed, max([link.get("rate_bps", UNLIMITED_BPS), *changed])))


def _bytes(workload: Mapping[str, Any], busy_s: float) -> float:
    """What the application wants to send."""
    kind = workload["kind"]
    if kind == "bytes":
        return float(workload["bytes"])
    if kind == "poisson_flows":
        return float(workload["rate_per_s"] * workload["mean_bytes"] * busy_s)
    return float("inf")
