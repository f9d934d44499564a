"""Flows with ample memory that the default socket buffers of Linux would limit."""

from collections.abc import Iterator, Mapping
from typing import Any

from fairlane.scenario import kernels
from fairlane.scenario.units import show_bytes, show_rate

NS_PER_S = 1_000_000_000
UNLIMITED = ("bulk", "bytes", "iperf3", "video")
"""Workloads that may have as much in flight as the path holds."""


def linux_limits(scenario: Mapping[str, Any]) -> Iterator[str]:
    """A line for the first flow that Linux's default send buffer would keep below its share of the bottleneck."""
    limit_bytes = int(kernels.sender(None, "linux")["wmem_max_bytes"] or 0)
    links = {link["name"]: link for link in scenario.get("links", ())}
    needs = [one for one in (_need(flow, links, scenario) for flow in scenario["flows"]) if one]
    for name, need_bytes, rtt_ns, share_bps in needs:
        if need_bytes > limit_bytes:
            most_bps = round(limit_bytes * 8e3 / rtt_ns) * 1e6
            yield (
                f"flow {name}: its share of the bottleneck, {show_rate(share_bps)}, needs {show_bytes(need_bytes)} in "
                f"flight; with Linux's default of {show_bytes(limit_bytes)} (tcp_wmem) it would have at most "
                f'{show_rate(most_bps)}. Buffers are ample here; hosts.memory = "linux" sets Linux\'s'
            )
            return


def _need(
    flow: Mapping[str, Any], links: Mapping[str, Any], scenario: Mapping[str, Any]
) -> tuple[str, float, int, float] | None:
    """Name, bandwidth-delay product of the flow's share, RTT and the share; None if nothing can be said of it."""
    sender = flow.get("sender") or {}
    workload = (flow.get("workload") or {"kind": "bulk"})["kind"]
    path = [*flow["forward"], *flow["reverse"]]
    if "wmem_max_bytes" in sender or workload not in UNLIMITED or any(name not in links for name in path):
        return None
    rated = [(links[name]["rate_bps"], name) for name in flow["forward"] if links[name].get("rate_bps")]
    rtt_ns = sum(links[name].get("delay_ns", 0) for name in path)
    if not rated or not rtt_ns or flow.get("transport", "tcp") != "tcp":
        return None
    rate_bps, bottleneck = min(rated)
    sharing = sum(bottleneck in other["forward"] for other in scenario["flows"])
    share_bps = rate_bps / sharing
    return flow.get("name") or flow["algorithm"], share_bps * rtt_ns / 8 / NS_PER_S, rtt_ns, share_bps
