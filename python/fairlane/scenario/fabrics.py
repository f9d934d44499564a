"""Tables of networks of switches: data centres, access networks, and graphs. Hosts are attached to switches."""

from dataclasses import dataclass, replace
from typing import Any, Self

from fairlane.engine.types import Sizes
from fairlane.scenario import units
from fairlane.scenario.contract_forms import keys_of
from fairlane.scenario.forms import NAME, Number, Range, Text, Words
from fairlane.scenario.link_settings import LinkSettings
from fairlane.scenario.quantity_forms import SHARE, TIME, Quantity
from fairlane.scenario.table_classes import EMPTY, contract_key, own, table_of
from fairlane.scenario.table_forms import ListOf

MOST_HOSTS = 100_000
_HOST_DELAY_NS = 1_000


def _kind(name: str) -> Any:
    return own(Words((name,)), "Selects this kind of network.", ...)


def _number(text: str, example: int, low: int = 1, high: int = MOST_HOSTS) -> Any:
    return own(Number(Range(low, high)), text, ..., example, stand_in=low)


@dataclass(frozen=True)
class Trunk(LinkSettings):
    """Links between switches; an absent key is as for the links of hosts."""

    delay: int | None = own(Quantity(TIME), "One-way delay of each.")

    def over(self, below: LinkSettings) -> Self:
        """With the keys of `below` where this has none."""
        rate = {} if self.trace is not None else below.settings
        return replace(
            self,
            settings={**rate, **self.settings},
            buffer=below.buffer if self.buffer is None else self.buffer,
            queue=below.queue if self.queue is None else self.queue,
            trace=self.trace if self.trace is not None or self.rate_bps is not None else below.trace,
        )


@dataclass(frozen=True)
class Fabric(LinkSettings):
    """Switches, and hosts with links of their own; the table's own keys are those of the links to the hosts."""

    delay: int = own(Quantity(TIME), "One-way delay of each link.", _HOST_DELAY_NS, "1us")
    mtu: int = contract_key("FlowConfig")
    up: Trunk = own(Trunk, "The links from hosts to switches, where they differ; without a buffer 1000 packets.", EMPTY)

    @property
    def host_uplink(self) -> Trunk:
        """The link from a host to its switch, whose queue is the host's own."""
        own = self.up.over(replace(self, buffer=None, queue=None))
        return own.with_default_buffer(units.buffer(units.TXQUEUELEN))


@dataclass(frozen=True)
class LeafSpine(Fabric):
    """Two tiers: each leaf has hosts and a link to each spine."""

    topology: str = _kind("leaf-spine")
    leaves: int = _number("Number of leaves.", 4, 2)
    spines: int = _number("Number of spines.", 2)
    hosts: int = _number("Number of hosts at each leaf.", 16)
    fabric: Trunk = own(Trunk, "The links between leaves and spines.", EMPTY)


@dataclass(frozen=True)
class FatTree(Fabric):
    """Three tiers of switches with equal numbers of ports (Al-Fares et al., SIGCOMM 2008)."""

    topology: str = _kind("fat-tree")
    ports: int = _number("Ports of each switch, an even number k: k³/4 hosts.", 4, 2, 64)
    fabric: Trunk = own(Trunk, "The links between switches.", EMPTY)


@dataclass(frozen=True)
class Star(Fabric):
    """Hosts at one switch."""

    topology: str = _kind("star")
    hosts: int = _number("Number of hosts.", 33, 2)


@dataclass(frozen=True)
class Access(Fabric):
    """Subscribers with links of their own behind one shared uplink, and a server beyond it."""

    topology: str = _kind("access")
    subscribers: int = _number("Number of subscribers.", 1000)
    uplink: Trunk = own(Trunk, "The shared link, in both directions.", EMPTY)


@dataclass(frozen=True)
class Edge(LinkSettings):
    """A link between two nodes of a graph, in both directions; an absent key is as in `fabric`."""

    ends: list[str] = own(lambda: ListOf(Text(1), 2, 2), "The two nodes.", ..., ["a", "b"])
    delay: int | None = own(Quantity(TIME), "One-way delay.")


@dataclass(frozen=True)
class Graph(Fabric):
    """Any graph of routers, each with hosts, from a table for each edge or a GraphML file; shortest paths."""

    topology: str = _kind("graph")
    file: str | None = own(Text(1), "Path of a GraphML file, such as one of the Topology Zoo.", None, "Geant.graphml")
    edges: list[Edge] = own(lambda: ListOf(table_of(Edge), 0, MOST_HOSTS), "A table `[[network.edges]]` for each.", [])
    hosts: int = own(Number(Range(1, MOST_HOSTS)), "Number of hosts at each node.", 1)
    fabric: Trunk = own(Trunk, "Keys of all edges that do not have them themselves.", EMPTY)


@dataclass(frozen=True)
class Traffic:
    """Which hosts send to which, and how much."""

    matrix: str = own(
        Words(("all-to-all", "permutation", "incast", "hot-spots", "file")),
        "`all-to-all`: each host sends to each other one, in large networks to as many as there is room for; "
        "`permutation`: to one other; `incast`: `senders` hosts to one; `hot-spots`: as all-to-all, but `share` of the "
        "data goes to `spots` hosts; `file`: the pairs of `file`.",
        ...,
        "all-to-all",
    )
    load: float | None = own(
        Quantity(SHARE),
        "Transfers of `sizes` arrive at random, so often that they fill this share of the busiest link if equal paths "
        "are used equally. For all-to-all traffic without oversubscription this is the share of the bisection.",
        None,
        "60%",
    )
    sizes: Sizes | None = own(lambda: keys_of("Workload.poisson_flows")["sizes"].form, "Sizes of these transfers.")
    senders: int = own(Number(Range(1, MOST_HOSTS)), "Senders of an incast.", 32)
    receiver: str | None = own(NAME, "Receiver of an incast: the first host if absent.")
    spots: int = own(Number(Range(1, MOST_HOSTS)), "Number of hot spots.", 1)
    share: float = own(Quantity(SHARE), "Share of the data that goes to hot spots.", 0.5)
    file: str | None = own(Text(1), "Path of a CSV file: source,destination,weight.")
