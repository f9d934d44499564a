"""The stations of a scenario, which paths name and results have a row for: links, and stations of shared media.

Also the rate of such a station, and the limit of its queue.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from fairlane.engine.types import LinkConfig, MediumConfig, Scenario, WifiMedium, WifiQueueConfig

if TYPE_CHECKING:
    from typing_extensions import TypeIs

OF_CHANNEL = ("rate_bps", "delay_ns", "overhead_bytes")
"""Settings that the stations of a half-duplex medium share."""


def stations(scenario: Scenario) -> list[LinkConfig]:
    """All links, then the stations of shared media, each as the link that it would have to itself.

    >>> channel = {"name": "air", "rate_bps": 10, "stations": [{"name": "ap"}, {"name": "client"}]}
    >>> [one["name"] for one in stations({"links": [{"name": "back"}], "media": [channel]})]
    ['back', 'ap', 'client']
    """
    shared = [one for medium in scenario.get("media", []) for one in _of_medium(medium)]
    return [*scenario.get("links", []), *shared]


def _of_medium(medium: MediumConfig) -> list[LinkConfig]:
    found: list[dict[str, object]]
    if is_wifi(medium):
        queues = [queue for station in medium["stations"] for queue in (station["uplink"], station["downlink"])]
        found = [{"rate_bps": _most_bps(medium, queue), **queue} for queue in queues]
    else:
        shared = {key: value for key, value in medium.items() if key in OF_CHANNEL}
        found = [{**shared, **station} for station in medium["stations"]]
    return cast("list[LinkConfig]", found)


def is_wifi(medium: MediumConfig) -> "TypeIs[WifiMedium]":
    """Whether a medium is a Wi-Fi cell."""
    return medium.get("kind") == "wifi"


def _most_bps(cell: WifiMedium, queue: WifiQueueConfig) -> int:
    """More than a Wi-Fi queue sends: no modulation has more than 10 bits in each Hz for a stream."""
    streams = queue.get("streams") or queue["mcs"] // 8 + 1
    return int(cell["width_mhz"]) * 10**7 * int(streams)


MAHIMAHI_PACKET_BITS = 1500 * 8
"""The size of an opportunity to send in a trace of mahimahi."""


def mean_rate_bps(trace_ms: Sequence[int]) -> float:
    """The mean rate of a trace, whose opportunities are at these times.

    >>> mean_rate_bps([1, 2, 3])
    12000000.0
    """
    return len(trace_ms) * MAHIMAHI_PACKET_BITS * 1000 / max(trace_ms[-1], 1)


def largest_rate_bps(link: LinkConfig) -> int:
    """Of a link whose rate may change; of a trace the mean; 0 if it has none."""
    if trace_ms := link.get("trace_ms"):
        return int(mean_rate_bps(trace_ms))
    changed = (int(change.get("rate_bps") or 0) for change in link.get("changes") or ())
    return max(int(link.get("rate_bps") or 0), *changed, 0)


def limit_bytes(link: Mapping[str, Any], mtu_bytes: int) -> int:
    """The limit of a link's queue in bytes of frames; 0 if it has none.

    >>> limit_bytes({"queue": {"kind": "fifo", "limit_packets": 100}}, 1500)
    151400
    """
    queue = link.get("queue") or {}
    return int(
        queue.get("limit_bytes") or (queue.get("limit_packets") or 0) * (mtu_bytes + link.get("overhead_bytes", 14))
    )
