"""Experiments that code writes: one network, a few flows, no file.

They have the form of a file and take the way of a file, so that a default or a check is the same in both.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from fairlane.engine.declarations import queues
from fairlane.engine.types import Scenario
from fairlane.scenario.load import load
from fairlane.scenario.queue import has_own_limit
from fairlane.scenario.scenario import Point

TXQUEUELEN = "1000p"
"""The queue of a Linux interface without a discipline of its own (`ip link`: qlen)."""


def point(experiment: Mapping[str, Any]) -> Point:
    """The one point of an experiment without a sweep. Raises ExperimentError."""
    (only,) = load(experiment).points
    return only.point


def scenario(experiment: Mapping[str, Any]) -> Scenario:
    """What the engine runs for an experiment of one run. Raises ExperimentError."""
    return point(experiment).repeat(0)


def dumbbell(
    flows: Sequence[Mapping[str, Any]],
    *,
    rate: str | None,
    duration: str,
    queue: str | Mapping[str, Any] = "fifo",
    buffer: str | None = None,
    offload: bool = False,
    ecn: bool | Literal["accecn"] = False,
    reverse_rate: str | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """An experiment in which flows share one bottleneck.

    Each flow is a table of an experiment file with its `rtt`; the smallest is that of the network. Without a `buffer`
    the queue has the limit that tc gives it; one for which tc has none (fifo, red) has 1 BDP. `reverse_rate` is that of
    the link of the ACKs, whose queue is as long as that of a Linux interface. Further settings are keys of `[network]`
    (`mtu`, `loss`, `jitter`, `changes`, `trace` instead of a rate) and of the file (`seed`, `repeats`, ...); None
    means that a setting is not given.
    """
    network: dict[str, Any] = {"rtt": _smallest([flow["rtt"] for flow in flows]), "queue": queue}
    if rate is not None:
        network["rate"] = rate
    if reverse_rate is not None:
        network["reverse"] = {"rate": reverse_rate, "buffer": TXQUEUELEN}
    kind = queue if isinstance(queue, str) else queue.get("kind")
    if buffer is None and not (kind in queues() and has_own_limit(kind)):
        buffer = "1bdp"
    if buffer is not None:
        network["buffer"] = buffer
    given = {name: value for name, value in settings.items() if value is not None}
    network |= {name: given.pop(name) for name in ("mtu", "loss", "jitter", "changes", "trace") if name in given}
    hosts = {"offload": offload, "ecn": ecn}
    return {"duration": duration, "network": network, "flows": [dict(flow) for flow in flows], "hosts": hosts, **given}


def wifi(
    flows: Sequence[Mapping[str, Any]],
    *,
    standard: str,
    duration: str,
    buffer: str | None = None,
    offload: bool = False,
    ecn: bool | Literal["accecn"] = False,
    **settings: Any,
) -> dict[str, Any]:
    """An experiment in which each flow is an upload of a Wi-Fi station of its own, close to the access point.

    Each flow is a table of an experiment file with its `rtt`; the smallest is that of the wire behind the access point.
    Further settings are keys of `[network]` (`mtu`) and of the file (`seed`, ...); None means not given.
    """
    from fairlane.scenario.units import time_ns

    wire_ns = time_ns(_smallest([flow["rtt"] for flow in flows])) // 2
    network: dict[str, Any] = {"kind": "wifi", "standard": standard, "wire": {"delay": f"{wire_ns}ns"}}
    given = {name: value for name, value in settings.items() if value is not None}
    network |= {name: given.pop(name) for name in ("mtu",) if name in given}
    if buffer is not None:
        network["buffer"] = buffer
    hosts = {"offload": offload, "ecn": ecn}
    return {"duration": duration, "network": network, "flows": [dict(flow) for flow in flows], "hosts": hosts, **given}


def _smallest(rtts: Sequence[str]) -> str:
    """The smallest of some times, as it was written; the first if one cannot be read."""
    from fairlane.scenario.units import QuantityError, time_ns

    try:
        return min(rtts, key=time_ns)
    except QuantityError:
        return rtts[0]
