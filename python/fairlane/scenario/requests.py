"""Requests: experiments that commands and functions of Python describe by a few settings, without a file.

A request has the form of a file and is read as a file, so that defaults and checks are the same.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairlane.engine.messages import counted, unknown
from fairlane.scenario import units
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.request_settings import (
    SETTINGS,
    WIRE_RTT,
    RequestError,
    in_units,
    multiple,
    queue_table,
)

if TYPE_CHECKING:  # options are made of this module, and need no reader of files
    from fairlane.engine.types import Scenario
    from fairlane.scenario.scenario import Point

Toml = dict[str, Any]
"""An experiment in the form of a file."""
OF_LINKS = ("link", "rate", "trace", "queue", "loss", "reverse_rate")
"""Settings that a Wi-Fi cell does not have."""
PAIR_REPEATS = 3
"""Of each pair of a matrix: the least that give an interval."""


@dataclass(frozen=True)
class Request:
    """Flows with these algorithms (`cubic`, `cubic*5`), and settings by their names in `Settings`.

    Only what the user gave is a setting; None is nothing. A setting of the flows is one text or a list. Whoever takes
    the names from the user calls `allow_flows`.
    """

    algorithms: Sequence[str]
    settings: Mapping[str, Any]

    def experiment(self, **more: Any) -> Toml:
        """The experiment. `more` are keys of the file. Raises RequestError."""
        from fairlane.scenario import mobile_links

        given = self.resolved()
        try:
            words = [multiple(word) for word in self.algorithms]
        except units.QuantityError as error:
            raise RequestError(("algorithm", str(error))) from None
        flows: list[Toml] = [{"algorithm": name} for name, count in words for _ in range(count)]
        given.setdefault("rtt", SETTINGS["rtt"].default)
        for name in [name for name in ("rtt", "start", "transport") if name in given]:
            values = _of_flows(name, given.pop(name), [count for _, count in words])
            flows = [{**flow, name: value} for flow, value in zip(flows, values, strict=True)]
        metrics = {"interval": given.pop("interval", SETTINGS["interval"].default), **more.pop("metrics", {})}
        default = VARYING if given.get("trace") in mobile_links.NAMES else _duration([flow["rtt"] for flow in flows])
        more |= {"metrics": metrics, "duration": given.pop("duration", default)}
        if (standard := given.pop("wifi", None)) is not None:
            return wifi(flows, standard=standard, **given, **more)
        if "trace" not in given:
            given.setdefault("rate", SETTINGS["rate"].default)
        return dumbbell(flows, **{"rate": None, **given, **more})

    def resolved(self) -> Toml:
        """The settings with units, and those of the typical link that nothing replaces. Raises RequestError."""
        from fairlane.scenario.links import ALIASES, LINKS

        given = in_units(self.settings)
        if isinstance(queue := given.get("queue"), str):
            try:
                given["queue"] = queue_table(queue)
            except units.QuantityError as error:
                raise RequestError(("queue", str(error))) from None
        name = ALIASES.get(given.get("link", ""), given.pop("link", None))
        if name is not None and name not in LINKS:
            raise RequestError(("link", unknown("link", name, LINKS)))
        typical = LINKS[name].settings if name else {}
        if "wifi" in typical and "wifi" in given:
            raise RequestError(("wifi", f"{{link}} {name} is a cell already; leave one of them out"))
        if "wifi" in typical or "wifi" in given:
            without_effect = ["link"] * ("wifi" in given and name is not None) + [
                one for one in OF_LINKS if one in given
            ]
            if without_effect:
                remedy = "has no effect with wifi; leave it out, or write an experiment file"
                raise RequestError(*((one, remedy) for one in without_effect))
            return {"wifi": typical.get("wifi"), "rtt": WIRE_RTT, **given}
        if "trace" in given:
            given["trace"] = str(given["trace"])
            if "rate" in given:
                raise RequestError(("trace", "a trace replaces a rate; leave {rate} out"))
        replaced = {"rate": "trace", "trace": "rate", "buffer": "queue"}
        return {name: value for name, value in typical.items() if replaced.get(name) not in given} | given


def mistakes(error: ExperimentError) -> Iterator[tuple[str, str]]:
    """The mistakes of a request that was read as a file: names in `SETTINGS`, where there is one, with texts."""
    names = {one.place: name for name, one in SETTINGS.items()} | {"flows.algorithm": "algorithm", "network.rtt": "rtt"}
    for line in error.lines:
        place, _, text = line.removeprefix("experiment: ").partition(": ")
        key = re.sub(r"\[\d+\]", "", place)
        last = key.rpartition(".")[2]
        name = next((names[part] for part in _upwards(key) if part in names), last if last in SETTINGS else "")
        yield (name, text) if name else ("", f"{place}: {text}")


def _upwards(key: str) -> Iterator[str]:
    while key:
        yield key
        key = key.rpartition(".")[0]


VARYING = "120s"
"""The duration of a run on a link that varies: eight steps of Starlink's rate."""
ROUNDS = 200
"""Round-trip times that a run lasts at least, if its duration is not given: start-up takes some tens of them."""


def _duration(rtts: Sequence[str]) -> str:
    """The duration of a run without one: 30 s, or longer for long RTTs."""
    default = str(SETTINGS["duration"].default)
    try:
        longest_ns = ROUNDS * max(units.time_ns(rtt) for rtt in rtts)
    except units.QuantityError:  # which is reported where the RTT is read
        return default
    return default if longest_ns <= units.time_ns(default) else f"{longest_ns / 1e9:g}s"


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


def allow_flows(algorithms: Iterable[str]) -> None:
    """The Python files among these words, each for one or several flows, may run: the user wrote the words."""
    from fairlane.algorithm import trust

    for word in algorithms:
        with suppress(units.QuantityError):
            trust.allow_named([multiple(word)[0]])


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
    queue: str | Mapping[str, Any] = "fifo",
    buffer: str | None = None,
    reverse_rate: str | None = None,
    **settings: Any,
) -> Toml:
    """An experiment in which flows share one bottleneck.

    Each flow is a table of an experiment file with its `rtt`; the smallest is that of the network. Without a `buffer`
    the queue has the limit that tc gives it; one for which tc has none (fifo, red) has 1 BDP. `reverse_rate` is that of
    the link of the ACKs, whose queue is as long as that of a Linux interface. Further settings are `offload` and `ecn`
    of the hosts, keys of `[network]` (`mtu`, `loss`, `jitter`, `outages`, `changes`, `trace` for a rate, ...), of
    the file (`duration`, `seed`, `repeats`, ...); None means that a setting is not given.
    """
    reverse = None if reverse_rate is None else {"rate": reverse_rate, "buffer": units.TXQUEUELEN}
    network = {"rtt": _smallest(flows), "queue": queue, "rate": rate, "reverse": reverse, "buffer": buffer}
    return _experiment(network, flows, settings)


def wifi(flows: Sequence[Mapping[str, Any]], *, standard: str, buffer: str | None = None, **settings: Any) -> Toml:
    """An experiment in which each flow is an upload of a Wi-Fi station of its own, close to the access point.

    Each flow is a table of an experiment file with its `rtt`; the smallest is that of the wire behind the access point.
    Further settings are those of `dumbbell`, as far as a cell has them.
    """
    wire = {"delay": f"{units.time_ns(_smallest(flows)) // 2 / 1e6:.15g}ms"}
    return _experiment({"kind": "wifi", "standard": standard, "wire": wire, "buffer": buffer}, flows, settings)


_OF_NETWORK = (
    *("mtu", "loss", "jitter", "changes", "trace"),
    *("outages", "when_down", "reorder", "corrupt", "ecn_fault", "slot", "duplicate"),
)
"""Keys of `[network]` among the settings of a request."""


def competition(algorithms: Sequence[str], against: Sequence[str] | None, settings: Toml) -> Toml:
    """The experiment of a matrix: each of `algorithms` against each of `against`, or against each other and itself.

    "all" in a list stands for every bundled algorithm. Raises RequestError.
    """
    from fairlane.algorithm import trust

    trust.allow_named([*algorithms, *(against or ())])
    given = {**settings, "repeats": settings.get("repeats") or PAIR_REPEATS}
    experiment = Request(("reno", "reno"), given).experiment(name="matrix", title="Algorithms against each other")
    for flow in experiment["flows"]:
        del flow["algorithm"]  # the sweep sets it
    table: Toml = {"algorithms": list(algorithms)}
    if against is not None:
        table["against"] = list(against)
    return {**experiment, "sweep": {"matrix": table}}


def _experiment(network: Toml, flows: Sequence[Mapping[str, Any]], settings: Toml) -> Toml:
    hosts = {name: settings.pop(name, None) or False for name in ("offload", "ecn")}
    network |= {name: settings.pop(name, None) for name in _OF_NETWORK}
    network, settings = (
        {name: value for name, value in one.items() if value is not None} for one in (network, settings)
    )
    return {"network": network, "flows": [dict(flow) for flow in flows], "hosts": hosts, **settings}


def _smallest(flows: Sequence[Mapping[str, Any]]) -> str:
    """The smallest RTT of some flows, as it was written; the first if one cannot be read."""
    rtts: list[str] = [flow["rtt"] for flow in flows]
    try:
        return min(rtts, key=units.time_ns)
    except units.QuantityError:
        return rtts[0]
