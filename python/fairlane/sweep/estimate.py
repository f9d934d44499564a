"""How long runs take and how much room they need, before and while they go on."""

import time
from collections.abc import Mapping
from typing import Any

RUN_S = 0.002
"""Loading algorithms and putting a scenario together."""
PACKET_S = 0.4e-6
"""A data packet with its acknowledgement, where flows are few and the queue is simple."""
MANY_FLOWS = 500
MANY_FLOWS_FACTOR = 1.35
"""So much more with so many flows: they no longer fit into the caches."""
FAIR_QUEUE_FACTOR = 1.35
"""So much more where each flow has a queue of its own."""
SAMPLE_S = 3e-6
"""Recording, storing and writing one sample of one flow or link."""
SAMPLE_BYTES = 23
FLOW_BYTES = 120
RUN_BYTES = 1000
"""On disk, compressed."""
UNLIMITED_BPS = 10**9
"""What flows on links without a rate are taken to send."""


def run_s(scenario: Mapping[str, Any]) -> float:
    """About how many seconds a run takes."""
    return RUN_S + _packet_s(scenario) * _packets(scenario) + SAMPLE_S * _samples(scenario)


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
        return float(len(link["trace_ms"]) * 12_000_000 / max(1, link["trace_ms"][-1]))
    changed = [change["rate_bps"] for change in link.get("changes", []) if "rate_bps" in change]
    return float(max([link.get("rate_bps", UNLIMITED_BPS), *changed]))


def _bytes(workload: Mapping[str, Any], busy_s: float) -> float:
    """What the application wants to send."""
    kind = workload["kind"]
    if kind == "bytes":
        return float(workload["bytes"])
    if kind == "poisson_flows":
        return float(workload["rate_per_s"] * workload["mean_bytes"] * busy_s)
    return float("inf")


class TimeLeft:
    """How long the rest will take, by how long what is done took.

    Runs differ; the estimates say by how much, and what is done says how long one estimated second really is. Since the
    order of runs is random, what is done is like what is not.
    """

    def __init__(self, total_s: float, jobs: int) -> None:
        self.total_s, self.jobs = total_s, max(1, jobs)
        self.done_s = 0.0
        """Of the estimate."""
        self.spent_s = 0.0
        """In truth, over all workers."""
        self.under_way: dict[str, tuple[float, float]] = {}
        """When each run began, and its estimate."""

    def start(self, run: str, estimate_s: float) -> None:
        """A run begins."""
        self.under_way[run] = (time.monotonic(), estimate_s)

    def end(self, run: str) -> None:
        """A run ends."""
        began_s, estimate_s = self.under_way.pop(run, (time.monotonic(), 0.0))
        self.done_s += estimate_s
        self.spent_s += time.monotonic() - began_s

    def drop(self, run: str, estimate_s: float) -> None:
        """A run turns out to need no work."""
        self.under_way.pop(run, None)
        self.total_s -= estimate_s

    @property
    def share(self) -> float:
        """How much of the work is done, from 0 to 1."""
        return min(1.0, self.done_s / self.total_s) if self.total_s > 0 else 1.0

    @property
    def left_s(self) -> float | None:
        """Seconds from now on; None while nobody can tell."""
        if self.done_s <= 0:
            return None
        now_s, factor = time.monotonic(), self.spent_s / self.done_s
        going = [max(0.0, estimate_s * factor - (now_s - began_s)) for began_s, estimate_s in self.under_way.values()]
        waiting_s = self.total_s - self.done_s - sum(estimate_s for _, estimate_s in self.under_way.values())
        return max((max(0.0, waiting_s) * factor + sum(going)) / self.jobs, max(going, default=0.0))
