"""What is no mistake, and yet may not be what was meant."""

from collections.abc import Iterator, Mapping
from typing import Any

from fairlane.dumbbell import ETHERNET_HEADER_BYTES
from fairlane.experiment.load import LoadedExperiment
from fairlane.experiment.network import Links, LinkSettings, Network


def remarks(experiment: LoadedExperiment) -> list[str]:
    """A line for each thing that whoever wrote the file should know."""
    endless: dict[str, None] = {}
    blocked: dict[str, None] = {}
    for planned in experiment.points:
        found = list(_links(planned.point.experiment.network))
        endless.update((key, None) for key, link in found if link.is_endless_by_omission)
        if any(link.burst is not None or (link.queue or {}).get("kind") == "policer" for _, link in found):
            blocked.update((line, None) for line in _blocked(planned.point.repeat(0)))
    if not endless:
        return [*blocked]
    return [
        f"{', '.join(endless)}: no buffer is given, so the queue never ends; "
        'give one such as buffer = "1bdp", or write queue = "unlimited" if that is meant',
        *blocked,
    ]


def _blocked(scenario: Mapping[str, Any]) -> Iterator[str]:
    """Where full packets never pass because a bucket is too small for them, as in Linux."""
    for link in scenario["links"]:
        flows = [flow for flow in scenario["flows"] if link["name"] in flow["forward"]]
        frame_bytes = max((flow["mtu"] for flow in flows), default=0) + link.get(
            "overhead_bytes", ETHERNET_HEADER_BYTES
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
        return
    yield "network", network
    yield "network.reverse", network.reverse
