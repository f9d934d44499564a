"""One bottleneck that a few flows share, as a scenario for the engine.

    sender 1 --access-1--\\                            /-- receiver 1
                          >-- bottleneck (rate, queue) --<
    sender 2 --access-2--/                            \\-- receiver 2        (ACKs: `return`, access-N)

The bottleneck sends one frame after the other at its rate; half of the smallest RTT lies behind it and half
on the way back, and what a flow's RTT has beyond that lies on its own access links. Nothing but the
bottleneck has a rate or a queue. Random loss strikes behind the queue, data only. Rates and byte limits
count Ethernet frames as Linux's tc does: the IP packet and 14 bytes.
"""

from dataclasses import dataclass
from typing import Any

from fairlane.algorithm import Algorithm
from fairlane.queues import LIMIT_KEYS
from fairlane.units import Buffer

ETHERNET_HEADER_BYTES = 14
"""What Linux's tc counts beside the IP packet."""


@dataclass(frozen=True)
class Flow:
    """One bulk flow."""

    algorithm: Algorithm
    rtt_ns: int
    start_ns: int = 0


@dataclass(frozen=True)
class Dumbbell:
    """The network, its flows, and how long to watch them."""

    flows: tuple[Flow, ...]
    rate_bps: int
    buffer: Buffer
    duration_ns: int
    loss: float = 0.0
    mtu_bytes: int = 1500
    seed: int = 1
    offload: bool = False
    frame_overhead_bytes: int = ETHERNET_HEADER_BYTES
    hz: int = 1000
    wmem_max_bytes: int | None = None
    rmem_max_bytes: int | None = None
    discipline: str = "fifo"
    has_own_limit: bool = False
    """The discipline's own default limit counts, not `buffer`."""
    series_interval_ns: int = 100_000_000

    @property
    def frame_bytes(self) -> int:
        """What one full packet occupies on the bottleneck."""
        return self.mtu_bytes + self.frame_overhead_bytes

    @property
    def queue(self) -> dict[str, Any]:
        """The bottleneck's queue as the engine wants it."""
        if self.has_own_limit:
            return {"kind": self.discipline}
        key = LIMIT_KEYS[self.discipline]
        if key == "limit_packets":
            return {"kind": self.discipline, key: self.buffer_bytes // self.frame_bytes}
        if self.discipline != "fifo":
            return {"kind": self.discipline, key: self.buffer_bytes}
        if self.buffer.unit == "packets":
            return {"kind": "fifo", "limit_packets": int(self.buffer.amount)}
        return {"kind": "fifo", "limit_bytes": self.buffer_bytes}

    @property
    def buffer_bytes(self) -> int:
        """The queue's limit in bytes. With several RTTs a BDP is that of the largest."""
        if self.buffer.unit == "packets":
            return int(self.buffer.amount) * self.frame_bytes
        return self.buffer.as_bytes(self.rate_bps, max(flow.rtt_ns for flow in self.flows))

    def scenario(self) -> dict[str, Any]:
        """What `fairlane.engine.run` takes."""
        base_rtt_ns = min(flow.rtt_ns for flow in self.flows)
        bottleneck = {
            "name": "bottleneck",
            "rate_bps": self.rate_bps,
            "delay_ns": base_rtt_ns // 2,
            "overhead_bytes": self.frame_overhead_bytes,
            "queue": self.queue,
        }
        if self.loss:
            bottleneck["loss"] = {"kind": "independent", "probability": self.loss}
        links = [bottleneck, {"name": "return", "delay_ns": base_rtt_ns - base_rtt_ns // 2}]
        flows = []
        for number, flow in enumerate(self.flows, start=1):
            forward, reverse = ["bottleneck"], ["return"]
            extra_ns = flow.rtt_ns - base_rtt_ns
            if extra_ns:
                there, back = f"access-{number}", f"access-{number}-return"
                links += [
                    {"name": there, "delay_ns": extra_ns // 2},
                    {"name": back, "delay_ns": extra_ns - extra_ns // 2},
                ]
                forward, reverse = [there, *forward], [*reverse, back]
            flows.append(self._flow(flow, forward, reverse))
        return {
            "seed": self.seed,
            "duration_ns": self.duration_ns,
            "hz": self.hz,
            "series_interval_ns": self.series_interval_ns,
            "links": links,
            "flows": flows,
        }

    def _flow(self, flow: Flow, forward: list[str], reverse: list[str]) -> dict[str, Any]:
        return {
            "algorithm": flow.algorithm.source,
            "parameters": dict(flow.algorithm.parameters),
            "forward": forward,
            "reverse": reverse,
            "start_ns": flow.start_ns,
            "stop_ns": self.duration_ns,
            "mtu": self.mtu_bytes,
            "workload": {"kind": "bulk"},
            "sender": {"offload": self.offload, **_if_given("wmem_max_bytes", self.wmem_max_bytes)},
            "receiver": {"offload": self.offload, **_if_given("rmem_max_bytes", self.rmem_max_bytes)},
        }


def _if_given(name: str, value: int | None) -> dict[str, int]:
    """Nothing for None: the engine has Linux's default."""
    return {} if value is None else {name: value}
