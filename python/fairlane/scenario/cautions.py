"""Warnings about experiments that are valid, but may not be what the author meant."""

from collections.abc import Iterator

from fairlane.engine.declarations import constant
from fairlane.engine.types import Scenario
from fairlane.scenario.host_memory import linux_limits
from fairlane.scenario.load import LoadedExperiment
from fairlane.scenario.network import Links, LinkSettings, Network, Wifi, WifiMedium
from fairlane.scenario.stations import stations


def remarks(experiment: LoadedExperiment) -> list[str]:
    """Warnings for the author of the file, one per line."""
    unbounded: dict[str, None] = {}
    blocked: dict[str, None] = {}
    for planned in experiment.points:
        found = list(_links(planned.point.experiment.network))
        unbounded.update((key, None) for key, link in found if link.is_unbounded_by_omission)
        if any("burst_bytes" in link.settings or (link.queue or {}).get("kind") == "policer" for _, link in found):
            blocked.update((line, None) for line in _blocked(planned.point.repeat(0)))
    blocked.update((line, None) for line in _memory(experiment))
    if not unbounded:
        return [*blocked]
    return [
        f"{', '.join(unbounded)}: no buffer is given, so the queue is unbounded; "
        'give one such as buffer = "1bdp", or write queue = "unlimited" if that is meant',
        *blocked,
    ]


def _memory(experiment: LoadedExperiment) -> Iterator[str]:
    """At the first point of the sweep where it matters."""
    for planned in experiment.points:
        found = list(linux_limits(planned.point.repeat(0)))
        if found:
            yield found[0] if len(experiment.points) == 1 else f"{planned.label}: {found[0]}"
            return


def _blocked(scenario: Scenario) -> Iterator[str]:
    """Links whose token bucket is too small for a full packet, which then never passes, as in Linux."""
    for link in stations(scenario):
        flows = [flow for flow in scenario["flows"] if link["name"] in flow["forward"]]
        frame_bytes = max((flow["mtu"] for flow in flows), default=0) + link.get(
            "overhead_bytes", constant("ETHERNET_OVERHEAD_BYTES")
        )
        queue = link.get("queue", {})
        policer = queue if queue.get("kind") == "policer" else {}
        limits = {
            "burst": link.get("burst_bytes"),
            "queue.burst": policer.get("burst_bytes"),
            "queue.mtu": policer.get("mtu_bytes"),
        }
        for key, limit_bytes in limits.items():
            if flows and limit_bytes is not None and limit_bytes < frame_bytes:
                yield (
                    f"link '{link['name']}': {key} is {limit_bytes} bytes, so that no full frame of {frame_bytes} ever "
                    "passes; give at least that"
                )


def _links(network: Network) -> Iterator[tuple[str, LinkSettings]]:
    """All links with the keys of their tables."""
    if isinstance(network, Links):
        yield from ((f"network.links.{link.name}", link) for link in network.links)
        for medium in network.media:
            if isinstance(medium, WifiMedium):
                continue  # its queues have a limit unless the file says otherwise
            for one in medium.stations:
                yield f"network.media.{medium.name}.stations.{one.name}", medium.as_link(one)
        return
    if isinstance(network, Wifi):
        yield "network.wire", network.wire
        return
    yield "network", network
    yield "network.reverse", network.reverse
