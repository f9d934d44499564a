"""A Wi-Fi cell with servers behind its access point.

    laptop --laptop-up--> access point --wire-up--> server          an upload; its ACKs: wire-down, laptop-down
    laptop <-laptop-down- access point <-wire-down- server          a download; its ACKs: laptop-up, wire-up

Each station has a queue of its own in both directions. What a flow's RTT has beyond twice the delay of the wire lies on
access links of its own. Flows without a `station` get the stations in order, one after the other; so do the flows of
an entry with a `count`.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NotRequired, TypedDict, cast

from fairlane.engine.declarations import in_file
from fairlane.engine.messages import unknown
from fairlane.engine.types import AccessLogConfig, QueueConfig, WifiMedium, WifiQueueConfig, WifiStationConfig
from fairlane.scenario import contract_forms
from fairlane.scenario.diagnostics import Place, Report
from fairlane.scenario.experiment import CrossTraffic, Flow
from fairlane.scenario.link_settings import LinkSettings
from fairlane.scenario.network import AccessPoint, Cell, Wifi, WifiQueue, WifiStation
from fairlane.scenario.topology.wiring import LinkMaker, Path, Wiring
from fairlane.scenario.units import Buffer, show_time


class _Defaults(TypedDict):
    band: Literal["2.4ghz", "5ghz"]
    width_mhz: int
    guard_interval_ns: int
    mcs: int
    streams: NotRequired[int]


BUFFER = Buffer(Fraction(1000), "packets")
"""The transmit queue of a Linux interface (txqueuelen)."""
MAC_BYTES, CCMP_BYTES = 38, 16
DEFAULTS: dict[str, _Defaults] = {
    "n": {"band": "2.4ghz", "width_mhz": 40, "guard_interval_ns": 400, "mcs": 15},
    "ac": {"band": "5ghz", "width_mhz": 80, "guard_interval_ns": 400, "mcs": 9, "streams": 2},
    "ax": {"band": "5ghz", "width_mhz": 80, "guard_interval_ns": 800, "mcs": 11, "streams": 2},
}
"""A station a few metres from the access point."""


def wire(network: Wifi, flows: Sequence[Flow], cross_traffic: Sequence[CrossTraffic], report: Report) -> Wiring:
    """Links, cell and paths."""
    stations = _stations(network, sum(flow.count for flow in flows), report)
    names = [station.name for station in stations]
    base_ns = 2 * network.wire.delay
    longest_ns = max([base_ns, *(flow.rtt or 0 for flow in flows)])
    maker = LinkMaker(network.mtu, report)
    place: Place = ("network", "wire")
    links = [maker.link(name, network.wire, network.wire.delay, longest_ns, place) for name in ("wire-up", "wire-down")]

    def station_of(one: Flow | CrossTraffic, number: int, place: Place) -> str:
        name = one.station or (names[number % len(names)] if names else "")
        if names and name not in names:
            report((*place, "station"), unknown("station", name, names))
        return name

    paths: list[list[Path]] = []
    before = 0
    for number, flow in enumerate(flows):
        given = 1 if flow.station is not None else flow.count
        at_stations = dict.fromkeys(station_of(flow, before + one, ("flows", number)) for one in range(given))
        before += flow.count
        there, back = ["wire-up"], ["wire-down"]
        extra_ns = (flow.rtt or base_ns) - base_ns
        if extra_ns < 0:
            least = show_time(base_ns)
            report(("flows", number, "rtt"), f"is less than the {least} of the wire; raise it or lower wire.delay")
        if extra_ns > 0:
            names_of_extra = f"access-{number + 1}-up", f"access-{number + 1}-down"
            there, back = ["wire-up", names_of_extra[0]], [names_of_extra[1], "wire-down"]
            halves_ns = extra_ns // 2, extra_ns - extra_ns // 2
            links += [{"name": n, "delay_ns": ns} for n, ns in zip(names_of_extra, halves_ns, strict=True)]
        both = [([f"{station}-up", *there], [*back, f"{station}-down"]) for station in at_stations]
        paths.append(both if flow.direction == "forward" else [(down, up) for up, down in both])
    sources = []
    for number, source in enumerate(cross_traffic):
        station = station_of(source, number, ("cross_traffic", number))
        up = source.direction == "forward"
        sources.append([f"{station}-up", "wire-up"] if up else ["wire-down", f"{station}-down"])
    return Wiring(links, paths, sources, [cell(network, "wifi", stations, maker, ("network",))])


def cell(cell: Cell, name: str, stations: Sequence[WifiStation], maker: LinkMaker, place: Place) -> WifiMedium:
    """The cell in the engine's form."""
    defaults = DEFAULTS[cell.standard]
    made = cast(
        WifiMedium,
        {
            **cell.settings,
            **cell.access_point.settings,
            "kind": "wifi",
            "name": name,
            "standard": cell.standard,
            "band": cell.band or defaults["band"],
            "width_mhz": cell.width or defaults["width_mhz"],
            "guard_interval_ns": cell.guard_interval or defaults["guard_interval_ns"],
            "mpdu_overhead_bytes": MAC_BYTES + (CCMP_BYTES if cell.encryption else 0),
            "stations": [_station(cell, one, maker, (*place, "stations", at)) for at, one in enumerate(stations)],
        },
    )
    made.setdefault("access_log", cast(AccessLogConfig, contract_forms.table("AccessLogConfig").stand_in()))
    if not (made["access_log"] or {}).get("frames"):
        del made["access_log"]
    if not made["hardware_aggregates"]:
        del made["hardware_aggregates"]
    if not made["access_point_latency_ns"]:
        del made["access_point_latency_ns"]
    _check(made, stations, maker.report, place)
    return made


def _stations(network: Wifi, flows: int, report: Report) -> list[WifiStation]:
    if isinstance(network.stations, list):
        if not network.stations:
            report(("network", "stations"), "is empty; give a number, or a table [[network.stations]] for each station")
            return [_plain_station(1)]
        names = [station.name for station in network.stations]
        for number, name in enumerate(names):
            if name in names[:number]:
                report(("network", "stations", number, "name"), f'"{name}" is used twice; give each station a name')
        return network.stations
    count = flows if network.stations is None else network.stations
    if not 1 <= count <= 256:
        what = f"would be {count}, one for each flow" if network.stations is None else f"is {count}"
        report(("network", "stations"), f"{what}; give 1 to 256")
        count = 1
    return [_plain_station(number) for number in range(1, count + 1)]


def _plain_station(number: int) -> WifiStation:
    return WifiStation(name=f"station-{number}", downlink=WifiQueue())


def _station(cell: Cell, station: WifiStation, maker: LinkMaker, place: Place) -> WifiStationConfig:
    """A station with its two queues.

    The uplink has the station's keys, then the cell's; the downlink those of `downlink`, the station's rate, then the
    keys of the access point and the cell.
    """
    below = station.downlink
    up = _queue(f"{station.name}-up", cell, (cell.queues, station.settings), (station, cell), maker, place)
    of_downlink = cell.queues, station.settings, below.settings
    layers = below, cell.access_point, cell
    down = _queue(f"{station.name}-down", cell, of_downlink, layers, maker, (*place, "downlink"))
    return {**station.station, "name": station.name, "uplink": up, "downlink": down}


def _queue(
    name: str,
    cell: Cell,
    rates: Sequence[WifiQueueConfig],
    queues: Sequence[WifiQueue | AccessPoint | Cell],
    maker: LinkMaker,
    place: Place,
) -> WifiQueueConfig:
    """A queue. Later `rates` win over earlier ones, and earlier `queues` over later ones."""
    buffer = next((one.buffer for one in queues if one.buffer is not None), None)
    queue = next((one.queue for one in queues if one.queue is not None), None)
    if buffer is not None and buffer.unit in ("bdp", "time"):
        what = "BDP" if buffer.unit == "bdp" else "constant rate"
        text = f'a Wi-Fi queue has no {what}; write packets or bytes, such as buffer = "1000p"'
        maker.report((*place, "buffer"), text)
        buffer = None
    is_plain = queue is None or (queue["kind"] == "fifo" and len(queue) == 1)
    link = LinkSettings({"rate_bps": NOMINAL_BPS}, BUFFER if buffer is None and is_plain else buffer, queue)
    defaults = DEFAULTS[cell.standard]
    made: WifiQueueConfig = {"name": name, "mcs": defaults["mcs"], "mpdu_loss": 0.0}
    if "streams" in defaults:
        made["streams"] = defaults["streams"]
    for layer in rates:
        made = {**made, **layer}
    unlimited: QueueConfig = {"kind": "unlimited"}
    made["queue"] = maker.link(name, link, 0, 0, place).get("queue", unlimited)
    if made.get("rate_control") == "fixed":
        del made["rate_control"]
    made.pop("driver", None)
    driver = next((one.driver for one in queues if one.driver is not None), None)
    return {**made, "driver": driver} if driver is not None else made


NOMINAL_BPS = 1_000_000_000
"""Nominal rate of the channel, so that it has a queue; nothing is computed with it."""


def _check(made: WifiMedium, stations: Sequence[WifiStation], report: Report, place: Place) -> None:
    """Reports the engine's problems with the cell, by the names of the file."""
    from fairlane.engine import medium_problems

    complete: WifiMedium = {**made}
    if log := made.get("access_log"):
        complete["access_log"] = {"from_ns": 0, **log}
    for problem in medium_problems(complete):
        path = problem["path"]
        where = _of_queue(stations, path) if len(path) > 3 else tuple(_in_file(part) for part in path)
        text = "; ".join(part for part in (problem["what"], problem["remedy"]) if part)
        report((*place, *where), _with_units(text) if str(path[-1]).endswith("_ns") else text)


def _with_units(text: str) -> str:
    """The engine's nanoseconds as the file writes times.

    >>> _with_units("is 400; give 800 or 1600")
    'is 400 ns; give 800 ns or 1.6 us'
    >>> _with_units("is below 10 ms; give 102400000, or sort them, at least `length_ns` apart")
    'is below 10 ms; give 102.4 ms, or sort them, at least `length` apart'
    """
    text = re.sub(r"\b(\d+)\b(?! [mun]?s\b)", lambda number: show_time(int(number[0])), text)
    return re.sub(r"_ns\b", "", text)


def _of_queue(stations: Sequence[WifiStation], path: Sequence[str | int]) -> Place:
    """The place in the file of a key of a queue: the downlink, the station, or the whole cell.

    `path`: `stations`, the index of the station, `uplink` or `downlink`, and the key.
    """
    index, way, key = int(path[1]), path[2], str(path[3])
    station = stations[index]
    if way == "downlink" and _has(station.downlink, key):
        return ("stations", index, "downlink", key)
    return ("stations", index, key) if _has(station, key) else (key,)


def _has(queue: WifiQueue, key: str) -> bool:
    return key in queue.settings or (key == "queue" and queue.queue is not None)


def _in_file(part: str | int) -> str | int:
    if isinstance(part, int) or part == "width_mhz":
        return part if isinstance(part, int) else "width"
    return in_file("MediumConfig.wifi", part)
