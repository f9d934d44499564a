"""Networks of switches: their links, and the path of each flow.

    host-1 --> leaf-1 --> spine-1 --> leaf-2 --> host-17        every link is two, one for each direction

A flow takes one of the shortest paths by a hash of its hosts and its number (ECMP, RFC 2992), and its ACKs one of those
back. Traffic matrices become flows: one for each pair of hosts, or Poisson arrivals of transfers for a load.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from fairlane.engine.messages import unknown
from fairlane.engine.types import LinkConfig
from fairlane.scenario.diagnostics import Place, Report
from fairlane.scenario.experiment import CrossTraffic, Flow
from fairlane.scenario.fabrics import Access, Fabric, FatTree, Graph, LeafSpine, Star, Trunk
from fairlane.scenario.link_settings import LinkSettings
from fairlane.scenario.topology import graph_files, traffic
from fairlane.scenario.topology.routes import Routes, Step, TooMuchError
from fairlane.scenario.topology.wiring import DEFAULT_BUFFER, STAND_IN_BPS, LinkMaker, Path, Wiring
from fairlane.scenario.units import buffer


@dataclass(frozen=True)
class Cable:
    """A link in both directions; `there` from `ends[0]` to `ends[1]`."""

    ends: Step
    there: LinkSettings
    back: LinkSettings
    there_ns: int
    back_ns: int
    place: Place


class Built:
    """A network with its hosts, and the pairs of hosts between which the flows run."""

    def __init__(self, network: Fabric, flows: Sequence[Flow], report: Report) -> None:
        if network.rate_bps is None and network.trace is None and not isinstance(network, Graph):
            report(("network", "rate"), 'is missing; write for example rate = "10gbit"')
            network = replace(network, settings={**network.settings, "rate_bps": STAND_IN_BPS})
        self._network, self._report = network, report
        trunks = list(_trunks(network, report))
        self.homes = dict(_homes(network, trunks))
        """The switch of each host."""
        self.cables = [*trunks, *self._of_hosts()]
        self.routes = Routes([cable.ends for cable in trunks], self.homes)
        if lost := self.routes.unreachable():
            text = f"is not connected: no path leads from {lost[0]} to {lost[1]}; add an edge or remove a node"
            report(("network", "file" if isinstance(network, Graph) and network.file else "edges"), text)
            self.homes = {}
        rates = {
            step: settings.rate_bps
            for cable in self.cables
            for step, settings in ((cable.ends, cable.there), (cable.ends[::-1], cable.back))
            if settings.rate_bps is not None
        }
        servers = ["server"] if isinstance(network, Access) else []
        self.pairs: list[list[traffic.Pair]] = [[] for _ in flows]
        """For each entry of `flows`."""
        with self._within_limits():
            self.pairs = [
                traffic.pairs(flow, index, list(self.homes), servers, self.routes, rates, report)
                for index, flow in enumerate(flows)
            ]

    def expanded(self, flows: Sequence[Flow]) -> list[Flow]:
        """The entries of `flows` with their numbers of flows and their workloads."""
        made = []
        for flow, pairs in zip(flows, self.pairs, strict=True):
            given = {"kind": "poisson_flows", "rate_per_s": 1.0, "sizes": flow.traffic.sizes} if flow.traffic else {}
            is_load = flow.traffic is not None and flow.traffic.load is not None
            workload = given if is_load else flow.workload
            made.append(replace(flow, count=flow.count * max(1, len(pairs)), workload=workload))  # type: ignore[arg-type]
        return made

    def wire(self, flows: Sequence[Flow], cross_traffic: Sequence[CrossTraffic]) -> Wiring:
        """All links, and the paths of the expanded flows."""
        for index, source in enumerate(cross_traffic):
            if source.path is None:
                self._report(("cross_traffic", index, "path"), "is missing; name the links that it crosses")
        delays_ns = {name(step): delay_ns for cable in self.cables for step, _, delay_ns in _directions(cable)}
        paths, rates = [], {}
        for index, (flow, pairs) in enumerate(zip(flows, self.pairs, strict=True)):
            found: list[Path] = []
            with self._within_limits():
                found = [self._path(pair, number) for pair, number in _numbered(pairs, flow.count)]
            paths.append(found or [([], [])])
            if pairs and pairs[0].rate_per_s is not None:
                share = len(pairs) / flow.count
                rates[index] = [(pair.rate_per_s or 0.0) * share for pair, _ in _numbered(pairs, flow.count)]
        longest_ns = max((sum(delays_ns[link] for link in (*there, *back)) for one in paths for there, back in one))
        maker = LinkMaker(self._network.mtu, self._report)
        port = DEFAULT_BUFFER if isinstance(self._network, (Access, Graph)) else _SWITCH_BUFFER
        links: list[LinkConfig] = [
            maker.link(name(step), settings.with_default_buffer(port), delay_ns, longest_ns, cable.place)
            for cable in self.cables
            for step, settings, delay_ns in _directions(cable)
        ]
        known = {link["name"] for link in links}
        for index, source in enumerate(cross_traffic):
            for link in source.path or []:
                if link not in known:
                    self._report(("cross_traffic", index, "path"), unknown("link", link, sorted(known)))
        return Wiring(links, paths, [source.path or [] for source in cross_traffic], rates=rates)

    @contextmanager
    def _within_limits(self) -> Iterator[None]:
        try:
            yield
        except TooMuchError as error:
            self._report(("network", "topology"), str(error))

    def _path(self, pair: traffic.Pair, number: int) -> Path:
        there = self.routes.path(pair.source, pair.destination, number)
        back = self.routes.path(pair.destination, pair.source, number)
        return [name(step) for step in there], [name(step) for step in back]

    def _of_hosts(self) -> Iterator[Cable]:
        network = self._network
        up = network.host_uplink
        up_ns = network.delay if up.delay is None else up.delay
        for host, switch in self.homes.items():
            if host == "server":
                yield Cable((host, switch), LinkSettings(), LinkSettings(), network.delay, network.delay, ("network",))
            else:
                yield Cable((host, switch), up, network, up_ns, network.delay, ("network",))


_SWITCH_BUFFER = buffer("700kB")
"""Most memory of a port, of 4 MB that all share: Alizadeh et al., Data Center TCP (DCTCP), SIGCOMM 2010."""


def name(step: Step) -> str:
    """The name of a link in one direction."""
    return f"{step[0]}->{step[1]}"


def _directions(cable: Cable) -> tuple[tuple[Step, LinkSettings, int], ...]:
    return (cable.ends, cable.there, cable.there_ns), (cable.ends[::-1], cable.back, cable.back_ns)


def _numbered(pairs: Sequence[traffic.Pair], count: int) -> list[tuple[traffic.Pair, int]]:
    return [(pairs[number % len(pairs)], number) for number in range(count)] if pairs else []


def _trunks(network: Fabric, report: Report) -> Iterator[Cable]:
    """The links between switches."""
    if isinstance(network, Graph):
        yield from _edges(network, report)
        return
    trunk = network.uplink if isinstance(network, Access) else getattr(network, "fabric", Trunk())
    settings, delay_ns = trunk.over(network), network.delay if trunk.delay is None else trunk.delay
    for ends in _ends(network):
        yield Cable(ends, settings, settings, delay_ns, delay_ns, ("network", "fabric"))


def _ends(network: Fabric) -> Iterator[Step]:
    match network:
        case LeafSpine(leaves=leaves, spines=spines):
            yield from ((f"leaf-{i}", f"spine-{j}") for i in range(1, leaves + 1) for j in range(1, spines + 1))
        case FatTree(ports=ports):
            half = ports // 2
            for pod in range(1, ports + 1):
                for one in range(1, half + 1):
                    yield from ((f"edge-{pod}-{one}", f"aggregation-{pod}-{two}") for two in range(1, half + 1))
                    yield from ((f"aggregation-{pod}-{one}", f"core-{one}-{two}") for two in range(1, half + 1))
        case Access():
            yield "core", "aggregation"


def _homes(network: Fabric, trunks: Sequence[Cable]) -> Iterator[tuple[str, str]]:
    """The hosts, each with its switch."""
    match network:
        case LeafSpine(leaves=leaves, hosts=hosts):
            yield from ((f"host-{i + 1}", f"leaf-{i // hosts + 1}") for i in range(leaves * hosts))
        case FatTree(ports=ports):
            half = ports // 2
            edges = (f"edge-{pod}-{one}" for pod in range(1, ports + 1) for one in range(1, half + 1))
            yield from ((f"host-{i * half + j}", edge) for i, edge in enumerate(edges) for j in range(1, half + 1))
        case Star(hosts=hosts):
            yield from ((f"host-{i}", "switch") for i in range(1, hosts + 1))
        case Access(subscribers=subscribers):
            yield "server", "core"
            yield from ((f"subscriber-{i}", "aggregation") for i in range(1, subscribers + 1))
        case Graph(hosts=hosts):
            nodes = dict.fromkeys(node for cable in trunks for node in cable.ends)
            for node in nodes:
                yield from ((f"host-{node}" if hosts == 1 else f"host-{node}-{i + 1}", node) for i in range(hosts))


def _edges(network: Graph, report: Report) -> Iterator[Cable]:
    """The edges of a graph, from its file and its tables."""
    found: list[tuple[Place, Step, LinkSettings, int | None]] = [
        (("network", "edges", index), (edge.ends[0], edge.ends[1]), _over(edge, network.fabric), edge.delay)
        for index, edge in enumerate(network.edges)
    ]
    for ends, rate_bps, delay_ns in graph_files.edges(network.file, report) if network.file else ():
        own = LinkSettings({"rate_bps": rate_bps} if rate_bps else {})
        found.append((("network", "file"), ends, _over(own, network.fabric), delay_ns))
    if not found and not network.file:
        report(
            ("network", "edges"), 'is empty; give a table [[network.edges]] for each edge, or file = "graph.graphml"'
        )
    known: set[Step] = set()
    for place, ends, settings, own_ns in found:
        if ends[0] == ends[1] or ends in known:
            report(place, f"{ends[0]} to {ends[1]} is a loop or a second edge of these nodes; remove it")
            continue
        known |= {ends, ends[::-1]}
        if settings.rate_bps is None and settings.trace is None:
            report(place, f"the edge from {ends[0]} to {ends[1]} has no rate; give it one, or all edges fabric.rate")
            settings = replace(settings, settings={"rate_bps": STAND_IN_BPS})
        delay_ns = next((ns for ns in (own_ns, network.fabric.delay) if ns is not None), network.delay)
        yield Cable(ends, settings, settings, delay_ns, delay_ns, place)


def _over(settings: LinkSettings, below: Trunk) -> LinkSettings:
    return Trunk(settings.settings, settings.buffer, settings.queue, settings.trace).over(below)
