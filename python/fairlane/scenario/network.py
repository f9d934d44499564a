"""Tables that describe the network: a topology by name, or links one by one."""

from collections.abc import Mapping
from dataclasses import dataclass

from fairlane.engine.types import (
    HalfDuplexMedium,
    LinkConfig,
    StationConfig,
    WifiDriver,
    WifiQueueConfig,
    WifiStationConfig,
)
from fairlane.engine.types import WifiMedium as WifiSettings
from fairlane.scenario import units
from fairlane.scenario.contract_forms import Defaults
from fairlane.scenario.diagnostics import Place
from fairlane.scenario.fabrics import Access, Fabric, FatTree, Graph, LeafSpine, Star
from fairlane.scenario.forms import FLAG, Definitions, Form, JsonSchema, Number, Range, Reader, Words, shown
from fairlane.scenario.link_settings import BUFFER_SIZE, LinkSettings
from fairlane.scenario.quantity_forms import POSITIVE_TIME, TIME, Quantity
from fairlane.scenario.queue import QUEUE, Options
from fairlane.scenario.table_classes import EMPTY, contract_key, contract_settings, own, table_of
from fairlane.scenario.table_forms import Choice, ListOf

WIDTHS = ("20mhz", "40mhz", "80mhz")


@dataclass(frozen=True)
class Dumbbell(LinkSettings):
    """One bottleneck that all flows share."""

    topology: str = own(Words(("dumbbell",)), "May be left out.", "dumbbell")
    rtt: int = own(Quantity(POSITIVE_TIME), "Round-trip time without queues.", ..., "20ms", stand_in=100_000_000)
    mtu: int = contract_key("FlowConfig")
    reverse: LinkSettings = own(LinkSettings, "The link that ACKs take; infinitely fast if absent.", EMPTY)


@dataclass(frozen=True)
class ParkingLot(LinkSettings):
    """Bottlenecks in a row; a flow crosses some of them."""

    topology: str = own(Words(("parking_lot",)), "Selects this kind of network.", ...)
    hops: int = own(Number(Range(1, 64)), "Number of bottlenecks.", ..., 3, stand_in=64)
    hop_delay: int = own(Quantity(TIME), "One-way delay of each.", ..., "5ms")
    mtu: int = contract_key("FlowConfig")
    reverse: LinkSettings = own(LinkSettings, "The links that ACKs take; infinitely fast if absent.", EMPTY)


@dataclass(frozen=True)
class Link(LinkSettings):
    """A link of a network that is given link by link."""

    name: str = contract_key("LinkConfig")
    delay: int = contract_key("LinkConfig")


@dataclass(frozen=True)
class Station:
    """One of the stations that share a medium."""

    name: str = contract_key("StationConfig")
    settings: StationConfig = contract_settings("StationConfig")
    buffer: units.Buffer | None = own(
        BUFFER_SIZE, "Limit of its queue: in BDPs, as a time, in bytes or packets. Without one, a FIFO is unbounded."
    )
    queue: Options | None = own(QUEUE, "Queue discipline of the station, as that of a link.")


@dataclass(frozen=True)
class HalfDuplex:
    """A channel that its stations share: one transmission at a time, the stations take turns."""

    kind: str = contract_key("MediumConfig.half_duplex")
    name: str = contract_key("MediumConfig.half_duplex")
    settings: HalfDuplexMedium = contract_settings("MediumConfig.half_duplex")
    stations: list[Station] = own(
        lambda: ListOf(table_of(Station), 2, 256), "A table `[[network.media.stations]]` for each.", ...
    )

    def as_link(self, station: Station) -> LinkSettings:
        """The link that the station would have if it did not share the channel."""
        settings: LinkConfig = {"rate_bps": self.settings["rate_bps"]}
        if "overhead_bytes" in self.settings:
            settings["overhead_bytes"] = self.settings["overhead_bytes"]
        if "loss" in station.settings:
            settings["loss"] = station.settings["loss"]
        return LinkSettings(settings, station.buffer, station.queue)


@dataclass(frozen=True)
class WifiQueue:
    """The queue of one node for another, and its rate. An absent key is as in the cell."""

    settings: WifiQueueConfig = contract_settings("WifiQueueConfig", defaults=Defaults.LAYERED)
    buffer: units.Buffer | None = own(BUFFER_SIZE, "Limit of the queue: in bytes or packets.")
    queue: Options | None = own(QUEUE, "Queue discipline, as that of a link.")

    @property
    def driver(self) -> WifiDriver | None:
        """The driver's queue."""
        return self.settings.get("driver")


@dataclass(frozen=True)
class WifiStation(WifiQueue):
    """A station. Its keys apply to what it sends; rates and errors hold for the downlink, too, unless that differs."""

    name: str = contract_key("WifiStationConfig")
    station: WifiStationConfig = contract_settings("WifiStationConfig", defaults=Defaults.CHANGED)
    downlink: WifiQueue = own(WifiQueue, "The queue of the access point for it, where that differs.", EMPTY)


@dataclass(frozen=True)
class AccessPoint:
    """The access point."""

    settings: WifiSettings = contract_settings("MediumConfig.wifi", prefix="access_point.")
    buffer: units.Buffer | None = own(BUFFER_SIZE, "Limit of its queue for each station; as in the cell if absent.")
    queue: Options | None = own(QUEUE, "Queue discipline for each station; as in the cell if absent.")
    driver: WifiDriver | None = contract_key("WifiQueueConfig")


class _Width(Words):
    """The width of a channel, in MHz for the engine."""

    def read(self, value: object, place: Place, reader: Reader) -> int:  # type: ignore[override]
        text = str(value).replace(" ", "").lower()
        if isinstance(value, bool) or text not in WIDTHS:
            raise ValueError(f'must be one of {", ".join(WIDTHS)}; write for example width = "40mhz"')
        return int(text.removesuffix("mhz"))


@dataclass(frozen=True)
class Cell:
    """An access point and its stations on one channel.

    Absent, `mcs` is 15 for n, 9 for ac and 11 for ax, and `streams` is 2 for ac and ax.
    """

    kind: str = contract_key("MediumConfig.wifi")
    standard: str = contract_key("MediumConfig.wifi")
    band: str | None = contract_key("MediumConfig.wifi", "Absent, 2.4ghz for n, else 5ghz.", is_required=False)
    width: int | None = own(_Width(WIDTHS), "Width of the channel: 40mhz for n, else 80mhz.", None, "40mhz")
    guard_interval: int | None = contract_key("MediumConfig.wifi", "Absent, the shortest.", is_required=False)
    queues: WifiQueueConfig = contract_settings("WifiQueueConfig", defaults=Defaults.GIVEN)
    buffer: units.Buffer | None = own(BUFFER_SIZE, "Limit of each queue, in bytes or packets: 1000p.")
    queue: Options | None = own(QUEUE, "Queue discipline of all queues, as that of a link: fifo.")
    access_point: AccessPoint = own(AccessPoint, "Its queues and its contention window.", EMPTY)
    encryption: bool = own(FLAG, "16 bytes of CCMP (WPA2) in each MPDU.", False)
    settings: WifiSettings = contract_settings("MediumConfig.wifi", without=("name", "stations", "width_mhz"))

    @property
    def driver(self) -> WifiDriver | None:
        """The driver's queue of all nodes."""
        return self.queues.get("driver")


@dataclass(frozen=True)
class Wire(LinkSettings):
    """The links between the access point and the servers, one in each direction."""

    delay: int = contract_key("LinkConfig", default=100_000)


class _Stations(Form):
    """The number of stations, or a table for each."""

    def read(self, value: object, place: Place, reader: Reader) -> object:
        if isinstance(value, list):
            return self._tables().read(value, place, reader)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"must be a number of stations or a list of tables, not {shown(value)}")
        return value

    def schema(self, definitions: Definitions) -> JsonSchema:
        return {"anyOf": [{"type": "integer"}, self._tables().schema(definitions)]}

    @staticmethod
    def _tables() -> Form:
        return _tables_of_stations()


def _tables_of_stations() -> Form:
    return ListOf(table_of(WifiStation))


@dataclass(frozen=True)
class Wifi(Cell):
    """A Wi-Fi cell with servers behind its access point. Every flow runs between a station and a server."""

    stations: int | list[WifiStation] | None = own(
        _Stations(), "Their number, or a table `[[network.stations]]` for each; one for each flow if absent."
    )
    wire: Wire = own(Wire, "The links between access point and servers.", EMPTY)
    mtu: int = contract_key("FlowConfig")


@dataclass(frozen=True)
class WifiMedium(Cell):
    """A Wi-Fi cell as part of a network that is given link by link."""

    name: str = contract_key("MediumConfig.wifi")
    stations: list[WifiStation] = own(
        lambda: ListOf(table_of(WifiStation), 1, 256), "A table `[[network.media.stations]]` for each.", ...
    )


@dataclass(frozen=True)
class Links:
    """Any network: links and stations by name; every flow gives those that it crosses."""

    topology: str = own(Words(("links",)), "May be left out.", "links")
    links: list[Link] = own(lambda: ListOf(table_of(Link), 0, 10_000), "A table `[[network.links]]` for each.", [])
    media: list[HalfDuplex | WifiMedium] = own(
        lambda: ListOf(Choice({"half_duplex": table_of(HalfDuplex), "wifi": table_of(WifiMedium)}), 0, 1_000),
        "Media that stations share: a table `[[network.media]]` for each.",
        [],
    )
    mtu: int = contract_key("FlowConfig")


Network = Dumbbell | ParkingLot | Links | Wifi | Fabric
TOPOLOGIES: dict[str, type] = {
    "dumbbell": Dumbbell,
    "parking_lot": ParkingLot,
    "links": Links,
    "leaf-spine": LeafSpine,
    "fat-tree": FatTree,
    "access": Access,
    "star": Star,
    "graph": Graph,
}


_OTHER_NETWORKS = {
    "kind": "there is no {}. Known: wifi; networks of links have a topology, or none, in place of a kind",
    "link": "typical links such as {} are options of commands: `fairlane advise --link NAME --file FILE` writes one",
}
"""Keys of a network that choose no topology, with the remedy."""


class Topology(Form):
    """A network: a table of the topology that its keys select."""

    def read(self, value: object, place: Place, reader: Reader) -> object:
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table, not {shown(value)}")
        if value.get("kind") == "wifi":
            return table_of(Wifi).read(value, place, reader)
        for key, text in _OTHER_NETWORKS.items():
            if key in value:
                reader.report((*place, key), text.format(shown(value[key])))
                return self.stand_in()
        default = "links" if "links" in value or "media" in value else "dumbbell"
        try:
            name = Words(tuple(TOPOLOGIES)).read(value.get("topology", default), place, reader)
        except ValueError as error:
            cell = '; a Wi-Fi cell has kind = "wifi" instead' if value.get("topology") == "wifi" else ""
            reader.report((*place, "topology"), f"{error}{cell}")
            return self.stand_in()
        return table_of(TOPOLOGIES[str(name)]).read(value, place, reader)

    def stand_in(self) -> object:
        return Dumbbell(settings={"rate_bps": 10**9}, rtt=100_000_000, mtu=1500, reverse=LinkSettings())

    def schema(self, definitions: Definitions) -> JsonSchema:
        """By the topology's name, so that an editor complains about the one that is meant."""

        def chosen(key: str, name: str, table: type) -> JsonSchema:
            is_meant = {"properties": {key: {"const": name}}, "required": [key]}
            return {"if": is_meant, "then": table_of(table).schema(definitions)}

        other = {"not": {"anyOf": [{"required": [key]} for key in ("topology", "links", "media", "kind")]}}
        return {
            "type": "object",
            "properties": {"topology": {"enum": list(TOPOLOGIES)}},
            "allOf": [
                *(chosen("topology", name, table) for name, table in TOPOLOGIES.items()),
                chosen("kind", "wifi", Wifi),
                {"if": other, "then": table_of(Dumbbell).schema(definitions)},
            ],
        }
