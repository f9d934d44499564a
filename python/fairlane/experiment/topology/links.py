"""A network that the file gives link by link; every flow names the links that it crosses."""

from collections.abc import Mapping, Sequence

from fairlane.experiment.mistakes import Place
from fairlane.experiment.model import CrossTraffic, Flow
from fairlane.experiment.network import Links
from fairlane.experiment.topology.wiring import LinkMaker, Report, Wiring
from fairlane.wording import unknown


def wire(network: Links, flows: Sequence[Flow], cross_traffic: Sequence[CrossTraffic], report: Report) -> Wiring:
    """Links and paths as the file says."""
    delays_ns = {link.name: link.delay for link in network.links}
    if len(delays_ns) < len(network.links):
        names = [link.name for link in network.links]
        twice = next(name for name in names if names.count(name) > 1)
        report(("network", "links"), f"the name '{twice}' is used twice; rename one of the links")
    paths: list[tuple[list[str], list[str]]] = []
    rtts_ns: list[tuple[set[str], int]] = []
    for index, flow in enumerate(flows):
        pair = []
        for side in ("forward", "reverse"):
            path = getattr(flow, side)
            place: Place = ("flows", index, side)
            if path is None:
                report(place, f'is missing; name the links, for example {side} = ["{network.links[0].name}"]')
            _check(path or [], delays_ns, place, report)
            pair.append(path or [])
        paths.append((pair[0], pair[1]))
        own_ns = sum(delays_ns.get(name, 0) for path in pair for name in path)
        rtts_ns.append(({*pair[0], *pair[1]}, own_ns))
        if flow.rtt is not None:
            report(("flows", index, "rtt"), "follows from the delays of its links here; change those")
    sources = []
    for index, source in enumerate(cross_traffic):
        if source.path is None:
            report(("cross_traffic", index, "path"), "is missing; name the links that it crosses")
        _check(source.path or [], delays_ns, ("cross_traffic", index, "path"), report)
        sources.append(source.path or [])
    maker = LinkMaker(network.mtu, report)
    links = []
    for index, link in enumerate(network.links):
        # A BDP is counted with the longest RTT of the flows that cross the link.
        crossing = [rtt_ns for crossed, rtt_ns in rtts_ns if link.name in crossed]
        links.append(maker.link(link.name, link, link.delay, max(crossing, default=0), ("network", "links", index)))
    return Wiring(links, paths, sources)


def _check(path: Sequence[str], known: Mapping[str, int], place: Place, report: Report) -> None:
    for name in path:
        if name not in known:
            report(place, unknown("link", name, known))
