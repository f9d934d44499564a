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
    shared = [
        {**{key: medium[key] for key in OF_CHANNEL if key in medium}, **station}
        for medium in scenario.get("media", [])
        for station in medium["stations"]
    ]
    return [*scenario.get("links", []), *shared]
