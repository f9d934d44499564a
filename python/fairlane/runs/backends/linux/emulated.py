"""Limits of networks that are emulated between a kernel's hosts."""

from collections.abc import Iterator
from dataclasses import replace

from fairlane.engine.types import FlowConfig, LinkConfig, Scenario
from fairlane.runs.backends.linux import limits
from fairlane.runs.backends.linux.host import Host, hosts_of
from fairlane.runs.backends.linux.limits import Abilities
from fairlane.runs.backends.linux.tc import ETHERNET_BYTES
from fairlane.runs.emulation import selfcheck
from fairlane.scenario.stations import largest_rate_bps

_MOST_HOSTS = 200
"""One process carries the packets of all."""


def problems(scenario: Scenario, kernel: Abilities) -> Iterator[str]:
    """Parts of a scenario that the emulated network, or this kernel's hosts, cannot do."""
    if len(hosts_of(scenario)) > _MOST_HOSTS:
        yield f"flows: more than {_MOST_HOSTS // 2} are too many for one process to carry; use --on simulator"
    for link in scenario.get("links", []):
        queue = link.get("queue", {})
        if queue.get("ack_filter") or queue.get("ack_filter_aggressive"):
            yield f"links.{link['name']}.queue.ack_filter: the emulated network reads no TCP headers; leave it out"
    rate_bps = selfcheck.fastest_bps(scenario)
    if kernel.fastest_bps and rate_bps > kernel.fastest_bps:
        yield (
            f"rate: {rate_bps / 1e6:g} Mbit/s; an emulated network on {kernel.name} carries at most"
            f" {kernel.fastest_bps / 1e6:g} Mbit/s; use --on simulator"
        )
    for index, flow in enumerate(scenario["flows"]):
        for line in limits.of_flow(flow, replace(kernel, forgets_routes=True)):
            yield f"flows[{index}].{line}"
        if flow.get("receiver", {}).get("offload") and not _comes_singly(flow, scenario):
            yield f"flows[{index}].receiver.offload: TUN devices do not merge packets; leave it out, or use --on vm"


def _comes_singly(flow: FlowConfig, scenario: Scenario) -> bool:
    """Whether GRO has nothing to merge: a link keeps full-sized frames apart for longer than the interface waits."""
    receiver = Host("r", 0, flow)
    frame_bytes, interval_ns = receiver.mtu_bytes + ETHERNET_BYTES, receiver.settings["offload_interval_ns"]
    links = {link["name"]: link for link in scenario.get("links", [])}
    path = [links.get(name, {}) for name in flow["forward"]]  # a medium has no rate
    apart_at = [n for n, link in enumerate(path) if _apart_ns(link, frame_bytes) >= interval_ns]
    after = path[apart_at[-1] :] if apart_at else []
    return bool(after) and not any(link.get("jitter") or link.get("duplicate_probability") for link in after)


def _apart_ns(link: LinkConfig, frame_bytes: int) -> float:
    """The shortest time between two full-sized frames that leave a link; 0 if several may leave at once."""
    rate_bps = largest_rate_bps(link)
    if not rate_bps or link.get("trace_ms") or link.get("burst_bytes", 0) > frame_bytes:
        return 0.0
    return frame_bytes * 8e9 / rate_bps
