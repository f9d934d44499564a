"""A network that the file gives link by link; every flow names the links and stations that it crosses."""

from collections.abc import Mapping, Sequence

from fairlane.engine.messages import unknown
from fairlane.engine.types import HalfDuplexMedium, LinkConfig, MediumConfig, StationConfig
from fairlane.scenario.diagnostics import Place, Report
from fairlane.scenario.experiment import CrossTraffic, Flow
from fairlane.scenario.network import HalfDuplex, Links, WifiMedium
from fairlane.scenario.topology import wifi
from fairlane.scenario.topology.wiring import LinkMaker, Path, Wiring


def wire(network: Links, flows: Sequence[Flow], cross_traffic: Sequence[CrossTraffic], report: Report) -> Wiring:
    """Links and paths as the file says."""
    delays = [(link.name, link.delay) for link in network.links]
    delays += [one for medium in network.media for one in _delays(medium)]
    delays_ns = dict(delays)
    kind = "link or station" if network.media else "link"
    if not delays:
        report(("network", "links"), "is empty; give a table [[network.links]] for each link")
        return Wiring([], [[([], [])] for _ in flows], [[] for _ in cross_traffic])
    if len(delays_ns) < len(delays):
        names = [name for name, _ in delays]
        twice = next(name for name in names if names.count(name) > 1)
        report(("network", "links"), f"the name '{twice}' is used twice; rename one of these")
    paths: list[list[Path]] = []
    rtts_ns: list[tuple[set[str], int]] = []
    for index, flow in enumerate(flows):
        pair = []
        for side in ("forward", "reverse"):
            path = getattr(flow, side)
            place: Place = ("flows", index, side)
            if path is None:
                report(place, f'is missing; name the links, for example {side} = ["{delays[0][0]}"]')
            _check(path or [], delays_ns, kind, place, report)
            pair.append(path or [])
        paths.append([(pair[0], pair[1])])
        own_ns = sum(delays_ns.get(name, 0) for path in pair for name in path)
        rtts_ns.append(({*pair[0], *pair[1]}, own_ns))
        if flow.rtt is not None:
            report(("flows", index, "rtt"), "follows from the delays of its links here; change those")
    sources = []
    for index, source in enumerate(cross_traffic):
        if source.path is None:
            report(("cross_traffic", index, "path"), "is missing; name the links that it crosses")
        _check(source.path or [], delays_ns, kind, ("cross_traffic", index, "path"), report)
        sources.append(source.path or [])
    maker = LinkMaker(network.mtu, report)

    def longest_ns(name: str) -> int:
        """A BDP is counted with the longest RTT of the flows that cross the link or station."""
        return max((rtt_ns for crossed, rtt_ns in rtts_ns if name in crossed), default=0)

    links = [
        maker.link(link.name, link, link.delay, longest_ns(link.name), ("network", "links", index))
        for index, link in enumerate(network.links)
    ]
    media: list[MediumConfig] = []
    for index, medium in enumerate(network.media):
        if isinstance(medium, WifiMedium):
            media.append(wifi.cell(medium, medium.name, medium.stations, maker, ("network", "media", index)))
            continue
        of_stations: Place = ("network", "media", index, "stations")
        stations = [
            maker.link(one.name, medium.as_link(one), 0, longest_ns(one.name), (*of_stations, number))
            for number, one in enumerate(medium.stations)
        ]
        media.append(_channel(medium, stations))
    return Wiring(links, paths, sources, media)


def _delays(medium: HalfDuplex | WifiMedium) -> list[tuple[str, int]]:
    """The names in paths for a medium, and its propagation delay."""
    if isinstance(medium, WifiMedium):
        return [(f"{station.name}-{way}", 0) for station in medium.stations for way in ("up", "down")]
    return [(station.name, medium.settings["delay_ns"]) for station in medium.stations]


def _channel(medium: HalfDuplex, stations: Sequence[LinkConfig]) -> HalfDuplexMedium:
    return {
        **medium.settings,
        "kind": "half_duplex",
        "name": medium.name,
        "overhead_bytes": stations[0]["overhead_bytes"],
        "stations": [_station(one) for one in stations],
    }


def _station(link: LinkConfig) -> StationConfig:
    made: StationConfig = {"name": link["name"]}
    if "queue" in link:
        made["queue"] = link["queue"]
    if "loss" in link:
        made["loss"] = link["loss"]
    return made


def _check(path: Sequence[str], known: Mapping[str, int], kind: str, place: Place, report: Report) -> None:
    for name in path:
        if name not in known:
            report(place, unknown(kind, name, known))
