"""Requests: experiments that commands and functions of Python describe by a few settings, without a file.

`SETTINGS` is the one table of these settings: options of `fairlane duel`, `shell` and `advise`, and arguments of
`fairlane.duel`. A request has the form of a file and is read as a file, so that defaults and checks are the same.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fairlane.engine.messages import counted
from fairlane.scenario import units
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.shorthand import multiple, queue_table

if TYPE_CHECKING:  # options are made of this module, and need no reader of files
    from fairlane.engine.types import Scenario
    from fairlane.scenario.scenario import Point

TXQUEUELEN = "1000p"
"""The queue of a Linux interface without a discipline of its own (`ip link`: qlen)."""
WIRE_RTT = "0.2ms"
"""A switch and a server next to the access point."""
Toml = dict[str, Any]
"""An experiment in the form of a file."""


@dataclass(frozen=True)
class Setting:
    """A setting of a request."""

    place: str
    """Its key in a file; `flows.KEY` has one value for all flows, or one for each."""
    text: str
    """Meaning, for the help of options."""
    default: str | None = None
    option: str = ""
    """On the command line, if that is not `--NAME`."""


SETTINGS = {
    "link": Setting("", "A typical link"),
    "rate": Setting("network.rate", "Rate of the bottleneck: kbit, mbit, gbit.", "100mbit"),
    "trace": Setting(
        "network.trace",
        "A packet-delivery trace (mahimahi) instead of a rate; cellular: one by a published model.",
    ),
    "rtt": Setting("flows.rtt", "Round-trip time without queues, for all flows or one for each.", "20ms"),
    "buffer": Setting(
        "network.buffer",
        "Buffer size: in BDPs (1bdp), bytes (250kB) or packets (100p). The BDP is rate times the longest RTT. If "
        "omitted, fifo and red have 1bdp, and all other queues use tc's default limits.",
    ),
    "queue": Setting("network.queue", "Queue discipline, with tc's options and defaults: {queues}.", "fifo"),
    "duration": Setting("duration", "Duration of the run.", "30s", "--time"),
    "start": Setting("flows.start", "Start time of the flows: one for all, or one for each.", "0s"),
    "transport": Setting(
        "flows.transport", "Transport protocol of the flows, tcp or quic: one for all, or one for each.", "tcp"
    ),
    "loss": Setting("network.loss", "Share of data packets lost at random after the queue.", "0%"),
    "reverse_rate": Setting(
        "network.reverse.rate", f"Rate of the link of the ACKs, with a queue of {TXQUEUELEN}.", "infinitely fast"
    ),
    "mtu": Setting("network.mtu", "Largest IP packet in bytes.", "1500"),
    "ecn": Setting("hosts.ecn", "Whether flows negotiate ECN.", "no-ecn"),
    "wifi": Setting(
        "network.standard",
        "A Wi-Fi cell instead of a link: each flow is an upload of a station 3 m from the access point (n: 40 MHz, MCS "
        "15; ac: 80 MHz, MCS 9; ax: 80 MHz, MCS 11; two streams), with queues of 1000 packets. The RTT is that of the "
        f"wire, {WIRE_RTT} if omitted.",
    ),
    "offload": Setting(
        "hosts.offload", "Whether hosts merge arriving packets (GRO). They always send bursts (TSO).", "no-offload"
    ),
    "interval": Setting("metrics.interval", "Time between two samples of the time series.", "100ms"),
    "seed": Setting("seed", "Seed of all random streams; the same seed gives the same result.", "1"),
    "repeats": Setting(
        "repeats",
        "Number of runs with different seeds, starts and delays; the table has means and 95 % intervals.",
        "1",
    ),
    "start_jitter": Setting(
        "start_jitter",
        "How much later a flow may start, drawn for each.",
        "100ms or 1 % of the duration with repeats, else 0s",
    ),
}
"""By name in Python."""
OF_LINKS = ("link", "rate", "trace", "queue", "loss", "reverse_rate")
"""Settings that a Wi-Fi cell does not have."""


class RequestError(ValueError):
    """Settings that contradict each other: names with texts, in which `{rate}` is the name of a setting."""

    def __init__(self, *mistakes: tuple[str, str]) -> None:
        super().__init__("\n".join(f"{name}: {text}" for name, text in mistakes))
        self._mistakes = mistakes

    def mistakes(self, shown: Callable[[str], str] = str) -> list[tuple[str, str]]:
        """Names and texts; `shown` gives the form in which the caller has a name."""
        found = []
        for name, text in self._mistakes:
            for other in SETTINGS:
                text = text.replace(f"{{{other}}}", shown(other))
            found.append((name, text))
        return found

    def as_experiment_error(self) -> ExperimentError:
        """The same as for a file."""
        return ExperimentError([f"{name}: {text}" for name, text in self.mistakes()])


@dataclass(frozen=True)
class Request:
    """Flows with these algorithms (`cubic`, `cubic*5`), and settings by their names in `SETTINGS`.

    Only what the user gave is a setting; None is nothing. A setting of the flows is one text or a list.
    """

    algorithms: Sequence[str]
    settings: Mapping[str, Any]

    def experiment(self, **more: Any) -> Toml:
        """The experiment. `more` are keys of the file. Raises RequestError, and ExperimentError for an unknown link."""
        from fairlane.algorithm import trust

        given = self._with_typical_link()
        try:
            words = [multiple(word) for word in self.algorithms]
        except units.QuantityError as error:
            raise RequestError(("algorithm", str(error))) from None
        trust.allow_named(name for name, _ in words)
        flows: list[Toml] = [{"algorithm": name} for name, count in words for _ in range(count)]
        rtt = SETTINGS["rtt"].default if given.get("wifi") is None else WIRE_RTT
        defaults = {"rtt": rtt, "start": SETTINGS["start"].default, "transport": SETTINGS["transport"].default}
        for name, default in defaults.items():
            values = _of_flows(name, given.pop(name, default), [count for _, count in words])
            flows = [{**flow, name: value} for flow, value in zip(flows, values, strict=True)]
        more = {
            "metrics": {"interval": given.pop("interval", SETTINGS["interval"].default), **more.pop("metrics", {})},
            **more,
        }
        more["duration"] = given.pop("duration", SETTINGS["duration"].default)
        if (standard := given.pop("wifi", None)) is not None:
            return wifi(flows, standard=standard, **given, **more)
        if given.get("trace") is None:
            given.setdefault("rate", SETTINGS["rate"].default)
        return dumbbell(flows, **{"rate": None, **given, **more})

    def _with_typical_link(self) -> Toml:
        """The settings, and those of the typical link that nothing replaces."""
        from fairlane.scenario.links import link

        given = {name: value for name, value in self.settings.items() if value is not None}
        if isinstance(queue := given.get("queue"), str):
            try:
                given["queue"] = queue_table(queue)
            except units.QuantityError as error:
                raise RequestError(("queue", str(error))) from None
        typical = link(given["link"]).settings if "link" in given else {}
        if "wifi" in typical:
            if "wifi" in given:
                raise RequestError(("wifi", f"{{link}} {given['link']} is a cell already; leave one of them out"))
            given["wifi"] = typical["wifi"]
            del given["link"]
        if "wifi" in given:
            remedy = "has no effect with wifi; leave it out, or write an experiment file"
            if mistakes := [(name, remedy) for name in OF_LINKS if name in given]:
                raise RequestError(*mistakes)
            return given
        given.pop("link", None)
        if "trace" in given and "rate" in given:
            raise RequestError(("trace", "a trace replaces a rate; leave {rate} out"))
        replaced = {"rate": "trace", "buffer": "queue"}
        return {name: value for name, value in typical.items() if replaced.get(name) not in given} | given


def mistakes(error: ExperimentError) -> Iterator[tuple[str, str]]:
    """The mistakes of a request that was read as a file: names in `SETTINGS`, where there is one, with texts."""
    names = {one.place: name for name, one in SETTINGS.items()} | {"flows.algorithm": "algorithm", "network.rtt": "rtt"}
    for line in error.lines:
        place, _, text = line.removeprefix("experiment: ").partition(": ")
        key = re.sub(r"\[\d+\]", "", place)
        name = next((names[part] for part in _upwards(key) if part in names), "")
        yield (name, text) if name else ("", f"{place}: {text}")


def _upwards(key: str) -> Iterator[str]:
    while key:
        yield key
        key = key.rpartition(".")[0]


def _of_flows(name: str, values: str | Sequence[str], counts: Sequence[int]) -> list[str]:
    """A value for each flow: of one for all, one for each algorithm, or one for each flow."""
    total = sum(counts)
    if isinstance(values, str):
        return [values] * total
    if not isinstance(values, Sequence):
        raise RequestError((name, f"is {values!r}; give text, or a list with one for each flow"))
    if len(values) == 1:
        return [values[0]] * total
    if len(values) == len(counts):
        return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]
    if len(values) != total:
        flows = counted(total, "flow")
        raise RequestError((name, f"{len(values)} values for {flows}; give one for all, or one for each"))
    return list(values)


def point(experiment: Mapping[str, Any]) -> "Point":
    """The one point of an experiment without a sweep. Raises ExperimentError."""
    from fairlane.scenario.load import load

    (only,) = load(experiment).points
    return only.point


def scenario(experiment: Mapping[str, Any]) -> "Scenario":
    """The engine's scenario of an experiment of one run. Raises ExperimentError."""
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
) -> Toml:
    """An experiment in which flows share one bottleneck.

    Each flow is a table of an experiment file with its `rtt`; the smallest is that of the network. Without a `buffer`
    the queue has the limit that tc gives it; one for which tc has none (fifo, red) has 1 BDP. `reverse_rate` is that of
    the link of the ACKs, whose queue is as long as that of a Linux interface. Further settings are keys of `[network]`
    (`mtu`, `loss`, `jitter`, `changes`, `trace` instead of a rate) and of the file (`seed`, `repeats`, ...); None
    means that a setting is not given.
    """
    from fairlane.engine.declarations import queues
    from fairlane.scenario.queue import has_own_limit

    network: Toml = {"rtt": _smallest([flow["rtt"] for flow in flows]), "queue": queue}
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
) -> Toml:
    """An experiment in which each flow is an upload of a Wi-Fi station of its own, close to the access point.

    Each flow is a table of an experiment file with its `rtt`; the smallest is that of the wire behind the access point.
    Further settings are keys of `[network]` (`mtu`) and of the file (`seed`, ...); None means not given.
    """
    wire_ns = units.time_ns(_smallest([flow["rtt"] for flow in flows])) // 2
    network: Toml = {"kind": "wifi", "standard": standard, "wire": {"delay": f"{wire_ns}ns"}}
    given = {name: value for name, value in settings.items() if value is not None}
    network |= {name: given.pop(name) for name in ("mtu",) if name in given}
    if buffer is not None:
        network["buffer"] = buffer
    hosts = {"offload": offload, "ecn": ecn}
    return {"duration": duration, "network": network, "flows": [dict(flow) for flow in flows], "hosts": hosts, **given}


def _smallest(rtts: Sequence[str]) -> str:
    """The smallest of some times, as it was written; the first if one cannot be read."""
    try:
        return min(rtts, key=units.time_ns)
    except units.QuantityError:
        return rtts[0]
