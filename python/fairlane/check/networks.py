"""Small networks, each with the figure that tells whether a congestion control works there.

A network is a scenario for the engine, a figure of its result, and a bound. The bounds find what is broken (a window
that never grows, a flow that starves its twin, one that never comes back after a time-out), and leave room for
every design that works.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fairlane.check.verdict import Verdict, fails, passes

Result = dict[str, Any]

_S = 10**9
_MS = 10**6
_US = 10**3
_MBIT = 10**6
_FRAME_BYTES = 1514


@dataclass(frozen=True)
class Network:
    """One check: a scenario, and the figure, in percent, that must reach `least`."""

    name: str
    scenario: dict[str, Any]
    figure: Callable[[Result], float]
    least: float
    what: str
    """Percent of what."""

    def judge(self, result: Result) -> Verdict:
        """The verdict on a run of the scenario."""
        value = self.figure(result)
        text = f"{value:.3g} % {self.what} (at least {self.least:g} %)"
        return (passes if value >= self.least else fails)(self.name, text)


def networks(algorithm: str, parameters: Mapping[str, int]) -> list[Network]:
    """All of them, for this algorithm."""

    def network(
        name: str, least: float, figure: Callable[[Result], float], what: str = "used", **settings: Any
    ) -> Network:
        return Network(name, _scenario(algorithm, parameters, **settings), figure, least, what)

    outage = [(10, 10_000), (13, 20 * _MBIT)]
    faster, slower = [(10, 50 * _MBIT)], [(20, 5 * _MBIT)]
    at_the_end = "used in the last 10 s"
    one_packet, hundred_packets = ({"kind": "fifo", "limit_packets": packets} for packets in (1, 100))
    return [
        network("fills a link alone", 70, _used(20)),
        network("shares with itself", 10, _smaller_share, "smaller share", flows=2, duration_s=80, warm_up_s=40),
        network("survives 10 % loss", 1, _used(20), loss=0.1),
        network("survives reordering", 3, _used(20), jitter_ms=20),
        network("survives time-outs", 30, _used(20), at_the_end, changes=outage, duration_s=40, warm_up_s=30),
        network("works after idling", 15, _used(20), "used, half idle", workload=_ON_OFF, duration_s=41),
        network("rate from 5 to 50 Mbps", 25, _used(50), at_the_end, rate_mbit=5, changes=faster, **_LONG),
        network("rate from 50 to 5 Mbps", 70, _used(5), at_the_end, rate_mbit=50, changes=slower, **_LONG),
        network("buffer of 1 packet", 1, _used(20), queue=one_packet),
        network("RTT of 10 us", 50, _used(1000), rate_mbit=1000, rtt_us=10, duration_s=1, queue=hundred_packets),
        network("RTT of 2 s", 10, _used(10), rate_mbit=10, rtt_us=2_000_000, duration_s=120),
    ]


_LONG = {"duration_s": 60, "warm_up_s": 50}
_ON_OFF = {"kind": "on_off", "on_ns": 3 * _S, "off_ns": 3 * _S}


def _used(rate_mbit: float) -> Callable[[Result], float]:
    """Frames that arrived, in percent of the rate."""
    return lambda result: 100 * sum(flow["throughput_mbps"] for flow in result["flows"]) / rate_mbit


def _smaller_share(result: Result) -> float:
    rates = [flow["goodput_mbps"] for flow in result["flows"]]
    return 100 * min(rates) / sum(rates) if sum(rates) else 0.0


def _scenario(
    algorithm: str,
    parameters: Mapping[str, int],
    *,
    rate_mbit: int = 20,
    rtt_us: int = 40_000,
    flows: int = 1,
    duration_s: int = 30,
    warm_up_s: int = 0,
    queue: dict[str, Any] | None = None,
    loss: float = 0.0,
    jitter_ms: int = 0,
    changes: list[tuple[int, int]] | None = None,
    workload: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """One bottleneck; its queue holds one bandwidth-delay product unless said otherwise. A second flow comes later."""
    bdp_bytes = rate_mbit * rtt_us // 8
    bottleneck: dict[str, Any] = {
        "name": "bottleneck",
        "rate_bps": rate_mbit * _MBIT,
        "delay_ns": rtt_us * _US // 2,
        "queue": queue or {"kind": "fifo", "limit_bytes": max(bdp_bytes, 20 * _FRAME_BYTES)},
    }
    if loss:
        bottleneck["loss"] = {"kind": "independent", "probability": loss}
    if jitter_ms:
        bottleneck["jitter"] = {"max_ns": jitter_ms * _MS, "reorder": True}
    if changes:
        bottleneck["changes"] = [{"at_ns": at_s * _S, "rate_bps": rate_bps} for at_s, rate_bps in changes]
    flow = {
        "algorithm": algorithm,
        "parameters": dict(parameters),
        "forward": ["bottleneck"],
        "reverse": ["return"],
        **({"workload": workload} if workload else {}),
    }
    return {
        "seed": 1,
        "duration_ns": duration_s * _S,
        "warm_up_ns": warm_up_s * _S,
        "links": [bottleneck, {"name": "return", "delay_ns": rtt_us * _US // 2}],
        "flows": [{**flow, "start_ns": number * 5 * _S} for number in range(flows)],
    }
