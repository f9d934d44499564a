"""How long runs take and how much room they need, before anything runs.

What a run, a packet, a link, pacing and crowding cost is fitted to 5,060 runs of the four studies on two cores of an
AMD EPYC (November 2026). No fair queues were among them; what these and samples cost is as on an Intel Xeon before.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

RUN_S = 0.0045
"""Loading algorithms and putting a scenario together."""
PACKET_S = 0.22e-6
"""A data packet with its acknowledgement, where flows are few, the path is one link and the queue is simple."""
HOP_S = 0.058e-6
"""More for each link beyond the first, there or back."""
HOST_PACING_S = 0.1e-6
"""More for each packet that waits for its departure in the host's queue."""
SELF_PACED_S = 0.076e-6
"""More for each packet beside algorithms that pace themselves: they send in small bursts, between those of others."""
SELF_PACED = ("bbr", "bbr2", "bbr3", "copa", "modest_bbr")
MANY_FLOWS = 500
MANY_FLOWS_FACTOR = 1.5
"""So much more with so many flows: they do not fit into the near caches. See `crowding`."""
FAIR_QUEUE_S = 0.09e-6
"""More for each packet where each flow has a queue of its own."""
SAMPLE_S = 0.8e-6
"""Recording one sample of one flow or link."""
STORE_RUN_S = 0.0005
STORE_SAMPLE_S = 2.2e-6
"""Turning what was recorded into tables: later, for many runs at once."""
SAMPLE_BYTES = 10
"""On disk, compressed: 6 to 14 in the studies."""
FLOW_BYTES = 900
"""Its figures and the distribution of its RTTs."""
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


class Work(NamedTuple):
    """How long a run takes, and what decides how much of that is waiting for memory."""

    seconds: float
    flows: int


def cost(scenario: Mapping[str, Any]) -> Cost:
    """What a run costs."""
    samples = _samples(scenario)
    packets_s = _packet_s(scenario) * _packets(scenario)
    return Cost(RUN_S, packets_s, SAMPLE_S * samples, STORE_RUN_S + STORE_SAMPLE_S * samples)


def run_bytes(scenario: Mapping[str, Any]) -> float:
    """About how many bytes a run needs on disk."""
    return RUN_BYTES + FLOW_BYTES * len(scenario["flows"]) + SAMPLE_BYTES * _samples(scenario)


def _packet_s(scenario: Mapping[str, Any]) -> float:
    flows = scenario["flows"]
    packet_s = PACKET_S + HOP_S * max(0.0, _hops(flows) - 2)
    packet_s += HOST_PACING_S * _share(flow.get("sender", {}).get("pacing") == "fq" for flow in flows)
    packet_s += SELF_PACED_S * min(1.0, 2 * _share(flow.get("algorithm") in SELF_PACED for flow in flows))
    if any(link.get("queue", {}).get("kind", "").startswith(("fq", "cake")) for link in scenario["links"]):
        packet_s += FAIR_QUEUE_S
    return packet_s * (1 + (MANY_FLOWS_FACTOR - 1) * crowding(len(flows)))


def crowding(flows: int) -> float:
    """How far a network lies on the way from one flow, which the near caches hold, to 500, which they do not.

    The root fits runs of 2, 10, 20, 200 and 500 flows of the Elephants study better than a line.
    """
    return math.sqrt(min(1.0, flows / MANY_FLOWS))


def _hops(flows: Sequence[Mapping[str, Any]]) -> float:
    """Links that a data packet and its acknowledgement pass."""
    return sum(len(flow["forward"]) + len(flow["reverse"]) for flow in flows) / max(1, len(flows))


def _share(holds: Iterable[bool]) -> float:
    every = list(holds)
    return sum(every) / len(every) if every else 0.0


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
