"""The stations of a scenario: what paths name, and what results have a row for."""

from collections.abc import Mapping
from typing import Any

OF_CHANNEL = ("rate_bps", "delay_ns", "overhead_bytes")
"""What the stations of a shared medium have in common."""


def stations(scenario: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """All links, then the stations of shared media, each as the link that it would have to itself.

    >>> channel = {"name": "air", "rate_bps": 10, "stations": [{"name": "ap"}, {"name": "client"}]}
    >>> [one["name"] for one in stations({"links": [{"name": "back"}], "media": [channel]})]
    ['back', 'ap', 'client']
    """
    shared = [one for medium in scenario.get("media", []) for one in _of_medium(medium)]
    return [*scenario.get("links", []), *shared]


def _of_medium(medium: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if medium.get("kind") == "wifi":
        queues = [station[way] for station in medium["stations"] for way in ("uplink", "downlink")]
        return [{"rate_bps": _most_bps(medium, queue), **queue} for queue in queues]
    return [{**{key: medium[key] for key in OF_CHANNEL if key in medium}, **station} for station in medium["stations"]]


def _most_bps(cell: Mapping[str, Any], queue: Mapping[str, Any]) -> int:
    """More than a Wi-Fi queue sends: no modulation has more than 10 bits in each Hz for a stream."""
    streams = queue.get("streams") or queue["mcs"] // 8 + 1
    return int(cell["width_mhz"]) * 10**7 * int(streams)
