"""A Wi-Fi cell with servers behind its access point.

    laptop --laptop-up--> access point --wire-up--> server          an upload; its ACKs: wire-down, laptop-down
    laptop <-laptop-down- access point <-wire-down- server          a download; its ACKs: laptop-up, wire-up

Each station has a queue of its own in both directions. What a flow's RTT has beyond twice the delay of the wire lies on
access links of its own. A flow without a `station` gets the stations in order, one after the other.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.scenario.diagnostics import Place
from fairlane.scenario.link import LinkSettings
from fairlane.scenario.model import CrossTraffic, Flow
from fairlane.scenario.topology.wiring import LinkMaker, Report, Wiring
from fairlane.scenario.units import Buffer, show_time
from fairlane.scenario.wifi import (
    AccessPoint,
    Cell,
    DriverAql,
    DriverFifo,
    ListedOutages,
    Wifi,
    WifiQueue,
    WifiStation,
)

BUFFER = Buffer(Fraction(1000), "packets")
"""The transmit queue of a Linux interface (txqueuelen)."""
MAC_BYTES, CCMP_BYTES = 38, 16
DEFAULTS = {
    "n": {"band": "2.4ghz", "width": 40, "guard_interval": 400, "mcs": 15, "streams": None},
    "ac": {"band": "5ghz", "width": 80, "guard_interval": 400, "mcs": 9, "streams": 2},
    "ax": {"band": "5ghz", "width": 80, "guard_interval": 800, "mcs": 11, "streams": 2},
}
"""A station a few metres from the access point."""


def wire(network: Wifi, flows: Sequence[Flow], cross_traffic: Sequence[CrossTraffic], report: Report) -> Wiring:
    """Links, cell and paths."""
    stations = _stations(network, len(flows), report)
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

    paths = []
    for number, flow in enumerate(flows):
        station = station_of(flow, number, ("flows", number))
        there, back = [f"{station}-up", "wire-up"], ["wire-down", f"{station}-down"]
        extra_ns = (flow.rtt or base_ns) - base_ns
        if extra_ns < 0:
            least = show_time(base_ns)
            report(("flows", number, "rtt"), f"is less than the {least} of the wire; raise it or lower wire.delay")
        if extra_ns > 0:
            names_of_extra = f"access-{number + 1}-up", f"access-{number + 1}-down"
            there, back = [*there, names_of_extra[0]], [names_of_extra[1], *back]
            halves_ns = extra_ns // 2, extra_ns - extra_ns // 2
            links += [{"name": n, "delay_ns": ns} for n, ns in zip(names_of_extra, halves_ns, strict=True)]
        paths.append((there, back) if flow.direction == "forward" else (back, there))
    sources = []
    for number, source in enumerate(cross_traffic):
        station = station_of(source, number, ("cross_traffic", number))
        up = source.direction == "forward"
        sources.append([f"{station}-up", "wire-up"] if up else ["wire-down", f"{station}-down"])
    return Wiring(links, paths, sources, [cell(network, "wifi", stations, maker, ("network",))])


def cell(cell: Cell, name: str, stations: Sequence[WifiStation], maker: LinkMaker, place: Place) -> dict[str, Any]:
    """The cell in the engine's form."""
    defaults = DEFAULTS[cell.standard]
    made = {
        "kind": "wifi",
        "name": name,
        "standard": cell.standard,
        "band": cell.band or defaults["band"],
        "width_mhz": cell.width or defaults["width"],
        "guard_interval_ns": cell.guard_interval or defaults["guard_interval"],
        "station_cw_max": cell.cw_max,
        "access_point_cw_max": cell.access_point.cw_max,
        "access_point_scheduler": cell.access_point.scheduler,
        "txop_limit_ns": cell.txop_limit,
        "max_ampdu_mpdus": cell.max_ampdu_mpdus,
        "max_ppdu_ns": cell.max_ppdu,
        "mpdu_overhead_bytes": MAC_BYTES + (CCMP_BYTES if cell.encryption else 0),
        "block_ack_request": cell.block_ack_request,
        "rts_cts": cell.rts_cts,
        "stations": [_station(cell, one, maker, (*place, "stations", at)) for at, one in enumerate(stations)],
    }
    optional = {
        "max_ampdu_bytes": cell.max_ampdu,
        "retry_limit": cell.retry_limit,
        "access_point_latency_ns": cell.access_point.latency or None,
        "access_point_limit_packets": cell.access_point.shared_limit,
        "hardware_aggregates": cell.hardware_aggregates or None,
        "access_log": {"from_ns": cell.record.start, "frames": cell.record.frames} if cell.record.frames else None,
        "capture_db": cell.capture_db,
        "beacon_interval_ns": cell.beacon_interval,
    }
    made |= {key: value for key, value in optional.items() if value is not None}
    if isinstance(cell.outages, ListedOutages):
        made["outages"] = {"kind": "listed", "at_ns": cell.outages.at, "length_ns": cell.outages.length}
    elif cell.outages is not None:
        mean = {"mean_length_ns": cell.outages.mean_length, "mean_distance_ns": cell.outages.mean_distance}
        made["outages"] = {"kind": "random", **mean}
    _check(made, stations, maker.report, place)
    return made


def _stations(network: Wifi, flows: int, report: Report) -> list[WifiStation]:
    if isinstance(network.stations, list):
        if not network.stations:
            report(("network", "stations"), "is empty; give a number, or a table [[network.stations]] for each station")
            return [WifiStation(name="station-1")]
        names = [station.name for station in network.stations]
        for number, name in enumerate(names):
            if name in names[:number]:
                report(("network", "stations", number, "name"), f'"{name}" is used twice; give each station a name')
        return network.stations
    count = flows if network.stations is None else network.stations
    if not 1 <= count <= 256:
        report(("network", "stations"), f"is {count}; give 1 to 256")
        count = 1
    return [WifiStation(name=f"station-{number}") for number in range(1, count + 1)]


def _station(cell: Cell, station: WifiStation, maker: LinkMaker, place: Place) -> dict[str, Any]:
    """What the station sends has its own keys, then the cell's; what is sent to it, those of its `downlink`, its own
    rate, then the access point's and the cell's."""
    up, down = f"{station.name}-up", f"{station.name}-down"
    return {
        "name": station.name,
        **({"signal_db": station.signal_db} if station.signal_db else {}),
        **({"latency_ns": station.latency} if station.latency else {}),
        **({"hidden_from": station.hidden_from} if station.hidden_from else {}),
        "uplink": _queue(up, cell, (station, cell), (station, cell), maker, place),
        "downlink": _queue(
            down,
            cell,
            (station.downlink, station, cell),
            (station.downlink, cell.access_point, cell),
            maker,
            (*place, "downlink"),
        ),
    }


def _queue(
    name: str,
    cell: Cell,
    rates: Sequence[WifiQueue | Cell],
    queues: Sequence[WifiQueue | AccessPoint | Cell],
    maker: LinkMaker,
    place: Place,
) -> dict[str, Any]:
    defaults = DEFAULTS[cell.standard]
    mcs = _first(rates, "mcs", defaults["mcs"])
    streams = _first(rates, "streams", defaults["streams"])
    buffer, queue = _first(queues, "buffer", None), _first(queues, "queue", None)
    if buffer is not None and buffer.unit == "bdp":
        maker.report((*place, "buffer"), 'a Wi-Fi queue has no BDP; write packets or bytes, such as buffer = "1000p"')
        buffer = None
    is_plain = queue is None or (queue["kind"] == "fifo" and len(queue) == 1)
    settings = LinkSettings.model_construct(
        rate=NOMINAL_BPS, buffer=BUFFER if buffer is None and is_plain else buffer, queue=queue
    )
    made = maker.link(name, settings, 0, 0, place)
    given: dict[str, Any] = {"streams": streams} if streams is not None else {}
    losses, control = _first(rates, "mpdu_losses", None), _first(rates, "rate_control", "fixed")
    given |= {"mpdu_losses": losses} if losses is not None else {}
    given |= {"rate_control": control} if control != "fixed" else {}
    driver = _first(queues, "driver", None)
    given |= {"driver": _driver(driver)} if driver is not None else {}
    loss = _first(rates, "mpdu_loss", 0.0)
    return {"name": name, "mcs": mcs, **given, "mpdu_loss": loss, "queue": made.get("queue", {"kind": "unlimited"})}


def _driver(driver: DriverFifo | DriverAql) -> dict[str, Any]:
    if isinstance(driver, DriverFifo):
        return {"kind": "fifo", "limit_packets": driver.packets}
    return {"kind": "aql", "low_ns": driver.low, "high_ns": driver.high, "total_ns": driver.total}


NOMINAL_BPS = 1_000_000_000
"""A queue in front of the channel is always in front of something slow; nothing is counted with this rate."""


def _first(layers: Sequence[Any], key: str, default: Any) -> Any:
    return next((getattr(one, key) for one in layers if getattr(one, key) is not None), default)


def _check(made: Mapping[str, Any], stations: Sequence[WifiStation], report: Report, place: Place) -> None:
    """What the engine finds wrong, in the words of the file."""
    from fairlane.engine import medium_problems

    for problem in medium_problems(_complete(made)):
        path = problem["path"]
        where = _of_queue(stations, path) if len(path) > 3 else tuple(KEYS.get(str(part), part) for part in path)
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


def _complete(made: Mapping[str, Any]) -> dict[str, Any]:
    """With what only the whole experiment says."""
    log = made.get("access_log")
    return {**made, "access_log": {**log, "from_ns": log["from_ns"] or 0}} if log else dict(made)


def _of_queue(stations: Sequence[WifiStation], path: Sequence[str | int]) -> Place:
    """Where the file gives a key of a queue: for the downlink, for the station, or for the whole cell.

    `path`: `stations`, the index of the station, `uplink` or `downlink`, and the key.
    """
    index, way, key = int(path[1]), path[2], str(path[3])
    station = stations[index]
    if way == "downlink" and getattr(station.downlink, key, None) is not None:
        return ("stations", index, "downlink", key)
    return ("stations", index, key) if getattr(station, key, None) is not None else (key,)


KEYS = {
    "width_mhz": "width",
    "guard_interval_ns": "guard_interval",
    "max_ampdu_bytes": "max_ampdu",
    "max_ppdu_ns": "max_ppdu",
    "txop_limit_ns": "txop_limit",
    "beacon_interval_ns": "beacon_interval",
    "station_cw_max": "cw_max",
    "at_ns": "at",
    "access_point_limit_packets": "access_point.shared_limit",
}
"""The engine's names, and the file's where they differ."""
