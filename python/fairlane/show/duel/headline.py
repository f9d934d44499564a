"""The network of a duel in words, and the quantities of its bottleneck."""

from pathlib import Path
from typing import cast

from fairlane.engine.messages import counted
from fairlane.engine.types import LinkConfig, WifiMedium
from fairlane.scenario.matrix import label
from fairlane.scenario.network import Dumbbell, Wifi
from fairlane.scenario.scenario import Point
from fairlane.scenario.topology import traces
from fairlane.scenario.topology.wiring import DEFAULT_BUFFER
from fairlane.scenario.units import Buffer, show_bytes, show_rate, show_time


def headline(duel: Point) -> str:
    """The network in one line."""
    if isinstance(duel.experiment.network, Wifi):
        return _wifi_headline(duel)
    experiment, link = duel.experiment, _bottleneck(duel)
    rtts = sorted(set(rtts_ns(duel)))
    loss = link["loss"].get("probability", 0) if "loss" in link else 0
    mtu, trace = experiment.network.mtu, _trace(duel)
    parts = [
        f"trace {trace}, mean {show_rate(float(f'{rate_bps(duel):.3g}'))}" if trace else show_rate(rate_bps(duel)),
        "RTT " + (show_time(rtts[0]) if len(rtts) == 1 else f"{show_time(rtts[0])} to {show_time(rtts[-1])}"),
        _queue(duel),
        *([f"loss {loss * 100:g} %"] if loss else []),
        *([f"MTU {mtu}"] if mtu != 1500 else []),
        *([f"reverse {show_rate(reverse)}"] if (reverse := duel.scenario["links"][1].get("rate_bps")) else []),
        *(["QUIC"] if all(flow.transport == "quic" for flow in experiment.flows) else []),
        *(["ECN"] if experiment.hosts.ecn else []),
        show_time(experiment.duration),
        f"seed {experiment.seed}",
    ]
    return ", ".join(parts)


def _wifi_headline(duel: Point) -> str:
    experiment, cell = duel.experiment, cast(WifiMedium, duel.scenario["media"][0])
    sender = cell["stations"][0]["uplink"]
    streams = sender.get("streams") or sender["mcs"] // 8 + 1
    parts = [
        f"802.11{cell['standard']}, {cell['width_mhz']} MHz, MCS {sender['mcs']}",
        counted(streams, "stream"),
        counted(len(cell["stations"]), "station"),
        f"RTT of the wire {show_time(min(rtts_ns(duel)))}",
        show_time(experiment.duration),
        f"seed {experiment.seed}",
    ]
    return ", ".join(parts)


def _queue(duel: Point) -> str:
    """The discipline with its options, unless it is the plain one, and its limit, unless it is tc's."""
    network, buffer = duel.experiment.network, _buffer(duel)
    kind = label(network.queue or "fifo") if isinstance(network, Dumbbell) else _bottleneck(duel)["queue"]["kind"]
    if buffer is None:
        return str(kind)
    discipline = "" if kind == "fifo" else f"{kind}, "
    if buffer.unit == "packets":
        return f"{discipline}buffer {counted(int(buffer.amount), 'packet')}"
    forms = {"bdp": f" ({float(buffer.amount):g} BDP)", "time": f" ({show_time(int(buffer.amount))})"}
    suffix = forms.get(buffer.unit, "")
    return f"{discipline}buffer {show_bytes(limit_bytes(duel) or 0)}{suffix}"


def labels(duel: Point) -> list[str]:
    """Distinct flow names: numbered if there is more than one flow, with the transport if flows differ in it."""
    names = [str(group["algorithm"]) for group in duel.groups]
    transports = [flow.transport for flow in duel.experiment.flows]
    if len(set(transports)) > 1:
        names = [f"{name} ({transport})" for name, transport in zip(names, transports, strict=True)]
    return names if len(names) == 1 else [f"{index} {name}" for index, name in enumerate(names, start=1)]


def rate_bps(duel: Point) -> float:
    """The rate of the bottleneck; of a trace the mean."""
    network = duel.experiment.network
    if isinstance(network, Dumbbell) and network.trace:
        return traces.read(Path(network.trace)).mean_bps
    return float(_bottleneck(duel)["rate_bps"])


def limit_bytes(duel: Point) -> int | None:
    """The buffer in bytes of frames; None if none was given."""
    buffer = _buffer(duel)
    if buffer is None:
        return None
    frame_bytes = duel.experiment.network.mtu + int(_bottleneck(duel)["overhead_bytes"])
    if buffer.unit == "packets":
        return int(buffer.amount) * frame_bytes
    return max(frame_bytes, buffer.as_bytes(round(rate_bps(duel)), max(rtts_ns(duel))))


def _buffer(duel: Point) -> Buffer | None:
    network = duel.experiment.network
    return network.with_default_buffer(DEFAULT_BUFFER).buffer if isinstance(network, Dumbbell) else None


def _bottleneck(duel: Point) -> LinkConfig:
    return duel.scenario["links"][0]


def _trace(duel: Point) -> str | None:
    network = duel.experiment.network
    return Path(network.trace).name if isinstance(network, Dumbbell) and network.trace else None


def rtts_ns(duel: Point) -> list[int]:
    """The base RTT of each flow."""
    return [flow.rtt or 0 for flow in duel.experiment.flows]
