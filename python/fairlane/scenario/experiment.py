"""The tables of an experiment file. Settings come from the contract; keys that only files have are declared here."""

from dataclasses import dataclass
from typing import Literal

from fairlane.engine.types import CrossTrafficConfig, QuicSettings, ReceiverHost, Scenario, SenderHost, Workload
from fairlane.scenario.contract_forms import keys_of
from fairlane.scenario.fabrics import Traffic
from fairlane.scenario.forms import FLAG, NAME, Number, Range, Text, Words
from fairlane.scenario.kernels import KERNELS
from fairlane.scenario.network import Network, Topology
from fairlane.scenario.quantity_forms import POSITIVE_TIME, SHARE, TIME, Quantity
from fairlane.scenario.table_classes import EMPTY, contract_key, contract_settings, own, table_of
from fairlane.scenario.table_forms import ListOf

MOST_FLOWS = 1_000_000
"""Of a run; what is possible is a matter of memory, which is estimated before a run."""
Ecn = bool | Literal["accecn"] | None
_NAMES = ListOf(Text())
_HOPS = ListOf(Number(Range()), 2, 2)
_HOPS_TEXT = "Parking lot: first and last hop that it crosses, from 1."
_STATION_TEXT = "Wi-Fi: the station at its one end; the stations in turn if absent. `forward` is an upload."
_DIRECTION = Words(("forward", "reverse"))


@dataclass(frozen=True)
class Hosts:
    """Settings of all hosts; a flow may differ in its own `sender` and `receiver`."""

    kernel: str | None = own(
        Words(KERNELS), "Behave as this Linux release where releases differ; [hosts](../concepts/hosts.md)."
    )
    memory: str = own(
        Words(("ample", "linux", *KERNELS)),
        'Buffers of sockets: 64 MiB, or the defaults of Linux: `"linux"` or a release.',
        "ample",
    )
    settings: Scenario = contract_settings("Scenario", prefix="hosts.")
    offload: bool | None = own(FLAG, "GRO at both ends. TSO is the sender's `segmentation_offload`.")
    ecn: Ecn = own(
        lambda: keys_of("SenderHost")["ecn"].form, 'ECN at both ends: `true`, or `"accecn"` with accurate feedback.'
    )
    sender: SenderHost = own("SenderHost", "The hosts that send the data.", EMPTY)
    receiver: ReceiverHost = own("ReceiverHost", "The hosts that receive the data.", EMPTY)


@dataclass(frozen=True)
class Flow:
    """One flow, or `count` equal ones."""

    algorithm: str = own(
        Text(1),
        "A name of `fairlane algorithms`, or the path of a C or Python file; parameters behind a colon.",
        ...,
        "cubic",
        stand_in="reno",
    )
    parameters: dict[str, int] = contract_key("FlowConfig", default={})
    name: str | None = own(NAME, "Its name in tables and plots; the algorithm's name if absent.")
    count: int = own(
        Number(Range(1, MOST_FLOWS)),
        "Number of such flows. Over Wi-Fi without a `station`, each is at the next station in turn.",
        1,
        2,
    )
    rtt: int | None = own(Quantity(POSITIVE_TIME), "Its round-trip time without queues, where it differs.")
    netem_limit: int | None = own(
        Number(Range(1, 10_000_000)),
        "Dumbbell: the part of `rtt` beyond the network's is added to data by netem behind the bottleneck, which holds "
        "at most this many packets. Without it delays have no limit.",
        None,
        1000,
    )
    start: int = contract_key("FlowConfig")
    start_every: int = own(Quantity(TIME), "With `count`: time between two starts.", 0)
    stop: int | None = contract_key("FlowConfig")
    workload: Workload = contract_key("FlowConfig", default={"kind": "bulk"})
    mtu: int | None = contract_key("FlowConfig", default=None)
    transport: str = contract_key("FlowConfig")
    quic: QuicSettings = own(
        "QuicSettings",
        "Its endpoints, where `transport` is `quic`.",
        EMPTY,
    )
    sender: SenderHost = own("SenderHost", "Its sender, where it differs from `hosts.sender`.", EMPTY)
    receiver: ReceiverHost = own("ReceiverHost", "Its receiver, where it differs from `hosts.receiver`.", EMPTY)
    direction: str = own(_DIRECTION, "Direction of the data.", "forward")
    hops: list[int] | None = own(_HOPS, _HOPS_TEXT)
    station: str | None = own(Text(), _STATION_TEXT)
    source: str | None = own(Text(1), "Networks of switches: the host that sends the data.", None, "host-1")
    destination: str | None = own(Text(1), "Networks of switches: the host that receives it.", None, "host-17")
    traffic: Traffic | None = own(
        Traffic, "Networks of switches: flows between many hosts, `count` for each pair of the matrix."
    )
    forward: list[str] | None = own(ListOf(Text(), 1), "Names of the links that data crosses, in order.")
    reverse: list[str] | None = own(ListOf(Text(), 1), "Names of the links that ACKs cross, in order.")


@dataclass(frozen=True)
class CrossTraffic:
    """UDP that nothing slows down."""

    settings: CrossTrafficConfig = contract_settings("CrossTrafficConfig")
    direction: str = own(_DIRECTION, "Direction of the packets.", "forward")
    hops: list[int] | None = own(_HOPS, _HOPS_TEXT)
    station: str | None = own(Text(), _STATION_TEXT)
    path: list[str] | None = own(ListOf(Text(), 1), "Names of the links that it crosses, in order.")


@dataclass(frozen=True)
class Metrics:
    """Sampling, and the warm-up that metrics leave out."""

    settings: Scenario = contract_settings("Scenario", prefix="metrics.")


@dataclass(frozen=True)
class Experiment:
    """One point of an experiment: everything but inheritance and the sweep."""

    name: str | None = own(NAME, "The file's name if absent.")
    title: str = own(Text(), "A title.", "")
    description: str = own(Text(), "A description.", "")
    duration: int = contract_key("Scenario", stand_in=10**12)
    repeats: int = own(Number(Range(1, 1_000_000)), "Runs of each point, each with a seed of its own.", 1)
    seed: int = own(Number(Range(0, 2**63 - 1)), "Seed of the first repeat; the next ones count up.", 1, 1)
    start_jitter: int | None = own(
        Quantity(TIME),
        "Each flow starts up to this much later, at a different time in each repeat. Without it, repeats start within "
        "100ms, or 1% of the duration if that is shorter; a single run starts as the file says.",
    )
    delay_jitter: float | None = own(
        Quantity(SHARE),
        "Each link's delay is longer by up to this share, another one in each repeat. Without it repeats vary by 0.5%, "
        "and a single run not at all.",
    )
    network: Network = own(
        Topology(),
        "A topology by name, or links one by one.",
        ...,
        missing="; begin a table [network] with rate, rtt and buffer",
    )
    flows: list[Flow] = own(
        lambda: ListOf(table_of(Flow), 1, MOST_FLOWS),
        "The flows; a table `[[flows]]` for each.",
        ...,
        missing="; begin a table [[flows]] with an algorithm for each flow",
    )
    cross_traffic: list[CrossTraffic] = own(
        lambda: ListOf(table_of(CrossTraffic), 0, 1000), "UDP cross traffic; a table `[[cross_traffic]]` for each.", []
    )
    hosts: Hosts = own(Hosts, "The hosts' settings.", EMPTY)
    metrics: Metrics = own(Metrics, "Sampling and warm-up.", EMPTY)
