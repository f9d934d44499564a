"""What an experiment file may say about the network: a topology by name, or links one by one."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, Tag

from fairlane.scenario.base_model import Table
from fairlane.scenario.link import (
    BufferOption,
    Change,
    GilbertElliott,
    Independent,
    Jitter,
    LinkSettings,
    Loss,
    QueueOption,
)
from fairlane.scenario.quantity import PositiveTime, Rate, Time
from fairlane.scenario.wifi import (
    AccessPoint,
    ListedOutages,
    RandomOutages,
    Wifi,
    WifiMedium,
    WifiQueue,
    WifiStation,
    Wire,
)

__all__ = [
    "AccessPoint",
    "Change",
    "Dumbbell",
    "GilbertElliott",
    "HalfDuplex",
    "Independent",
    "Jitter",
    "Link",
    "LinkSettings",
    "Links",
    "ListedOutages",
    "Network",
    "ParkingLot",
    "RandomOutages",
    "Station",
    "Wifi",
    "WifiMedium",
    "WifiQueue",
    "WifiStation",
    "Wire",
]


class Dumbbell(LinkSettings):
    """One bottleneck that all flows share."""

    topology: Literal["dumbbell"] = Field("dumbbell", description="May be left out.")
    rtt: PositiveTime = Field(description="Round-trip time without queues.", examples=["20ms"])
    mtu: int = Field(1500, ge=256, le=65_535, description="Largest IP packet in bytes.", examples=[1500])
    reverse: LinkSettings = Field(LinkSettings(), description="The link that ACKs take; infinitely fast if absent.")


class ParkingLot(LinkSettings):
    """Bottlenecks in a row; a flow crosses some of them."""

    topology: Literal["parking_lot"] = Field(description="Names this kind of network.")
    hops: int = Field(ge=1, le=64, description="How many bottlenecks.", examples=[3])
    hop_delay: Time = Field(description="One-way delay of each.", examples=["5ms"])
    mtu: int = Field(1500, ge=256, le=65_535, description="Largest IP packet in bytes.", examples=[1500])
    reverse: LinkSettings = Field(LinkSettings(), description="The links that ACKs take; infinitely fast if absent.")


class Link(LinkSettings):
    """A link of a network that is given link by link."""

    name: str = Field(min_length=1, max_length=100, description="How paths call it.", examples=["bottleneck"])
    delay: Time = Field(0, description="Propagation.")


class Station(Table):
    """One of the stations that share a medium."""

    name: str = Field(min_length=1, max_length=100, description="How paths call it.", examples=["client"])
    buffer: BufferOption = Field(
        None, description="Limit of the station's queue: in BDPs, bytes or packets. Without one a FIFO is unbounded."
    )
    queue: QueueOption = Field(None, description="Queue discipline of the station, as that of a link.")
    loss: Loss | None = Field(None, description="Random loss of what the station sends: a share, or a table.")


class HalfDuplex(Table):
    """A channel that its stations share: one transmission at a time, the stations take turns."""

    kind: Literal["half_duplex"]
    name: str = Field(min_length=1, max_length=100, description="How messages call it.", examples=["air"])
    rate: Rate = Field(description="Rate at which every station transmits.", examples=["100mbit"])
    turnaround: Time = Field(
        0, description="Silence before the first frame of a station other than the last sender.", examples=["50us"]
    )
    frames_per_turn: int = Field(
        1, ge=1, le=1_000_000, description="Most frames that a station sends in one turn while others wait."
    )
    delay: Time = Field(0, description="Propagation.")
    overhead_bytes: int | None = Field(
        None, ge=0, le=65_535, description="Frame bytes in addition to the IP packet: 14."
    )
    stations: list[Station] = Field(
        min_length=2, max_length=256, description="A table `[[network.media.stations]]` for each."
    )

    def as_link(self, station: Station) -> LinkSettings:
        """What the station would have if it did not share the channel."""
        return LinkSettings.model_construct(
            rate=self.rate,
            overhead_bytes=self.overhead_bytes,
            buffer=station.buffer,
            queue=station.queue,
            loss=station.loss,
        )


class Links(Table):
    """Any network: links and stations by name; every flow says which it crosses."""

    topology: Literal["links"] = Field("links", description="May be left out.")
    links: list[Link] = Field([], max_length=10_000, description="A table `[[network.links]]` for each.")
    media: list[Annotated[HalfDuplex | WifiMedium, Field(discriminator="kind")]] = Field(
        [], max_length=1_000, description="Media that stations share: a table `[[network.media]]` for each."
    )
    mtu: int = Field(1500, ge=256, le=65_535, description="Largest IP packet in bytes.", examples=[1500])


def _topology(value: Any) -> str:
    if isinstance(value, BaseModel):
        return "wifi" if isinstance(value, Wifi) else str(getattr(value, "topology", "dumbbell"))
    if not isinstance(value, dict):
        return "dumbbell"
    if value.get("kind") == "wifi":
        return "wifi"
    return str(value.get("topology", "links" if "links" in value or "media" in value else "dumbbell"))


Network = Annotated[
    Annotated[Dumbbell, Tag("dumbbell")]
    | Annotated[ParkingLot, Tag("parking_lot")]
    | Annotated[Links, Tag("links")]
    | Annotated[Wifi, Tag("wifi")],
    Discriminator(_topology),
]
