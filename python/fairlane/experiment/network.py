"""What an experiment file may say about the network: a topology by name, or links one by one."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Discriminator, Field, Tag, WithJsonSchema

from fairlane.experiment.quantity import BufferSize, PositiveTime, Rate, Share, Size, Time
from fairlane.experiment.table import Table


class Independent(Table):
    """Each packet is lost with the same probability."""

    kind: Literal["independent"]
    probability: Share = Field(description="Share of packets that are lost.")


class GilbertElliott(Table):
    """A good and a bad state, one step per packet (Gilbert 1960, Elliott 1963)."""

    kind: Literal["gilbert_elliott"]
    good_to_bad: Share = Field(description="Probability of a change to the bad state, per packet.")
    bad_to_good: Share = Field(description="Probability of a change to the good state.")
    loss_good: Share = Field(0.0, description="Share lost in the good state.")
    loss_bad: Share = Field(1.0, description="Share lost in the bad state.")


class Jitter(Table):
    """Added delay, uniform from 0 to `max`."""

    max: Time = Field(description="Most that is added.")
    reorder: bool = Field(False, description="Whether packets may overtake.")


class Change(Table):
    """From `at` on, the link has another rate or delay."""

    at: Time = Field(description="When.")
    rate: Rate | None = Field(None, description="As before if absent.")
    delay: Time | None = Field(None, description="As before if absent.")


def _loss(value: Any) -> Any:
    return value if isinstance(value, dict) else {"kind": "independent", "probability": value}


def _jitter(value: Any) -> Any:
    return value if isinstance(value, dict) else {"max": value}


def _queue(value: Any) -> Any:
    if isinstance(value, str):
        value = {"kind": value}
    if not isinstance(value, dict):
        raise ValueError('must be a kind or a table; write for example queue = { kind = "codel", target = "5ms" }')
    if not isinstance(value.get("kind"), str):
        raise ValueError('needs a kind; write for example queue = { kind = "codel", target = "5ms" }')
    for name, option in value.items():
        if not isinstance(option, (str, int, float, bool)):
            raise ValueError(f"its option {name} must be text, a number, or true or false")
    return value


_QUEUE_SCHEMA = {"anyOf": [{"type": "string"}, {"type": "object"}]}
"""What is known here; `schema.py` has kinds and options."""


_Queue = Annotated[dict[str, Any], BeforeValidator(_queue), WithJsonSchema(_QUEUE_SCHEMA)]
_Loss = Annotated[
    Annotated[Independent | GilbertElliott, Field(discriminator="kind")],
    BeforeValidator(_loss, json_schema_input_type=Share | Independent | GilbertElliott),
]


class LinkSettings(Table):
    """What every link may have."""

    rate: Rate | None = Field(None, description="Infinitely fast if absent; then nothing ever queues.")
    buffer: BufferSize | None = Field(
        None, description="Limit of the queue: in BDPs, bytes or packets. Without one, a FIFO is unbounded."
    )
    queue: _Queue | None = Field(
        None, description="Queue discipline: a kind, or a table of `kind` and tc's options, values with units."
    )
    loss: _Loss | None = Field(None, description="Random loss behind the queue: a share, or a table.")
    jitter: Annotated[Jitter, BeforeValidator(_jitter, json_schema_input_type=Time | Jitter)] | None = Field(
        None, description="Added delay: its maximum, or a table of `max` and `reorder`."
    )
    duplicate: Share = Field(0.0, description="Share of packets that arrive twice.")
    burst: Size | None = Field(None, description="A token bucket of this depth instead of a transmitter (tc's tbf).")
    overhead_bytes: int | None = Field(
        None, ge=0, le=65_535, description="Frame bytes in addition to the IP packet: 14."
    )
    changes: list[Change] = Field([], description="Other rates and delays later in the run.", max_length=100_000)
    trace: str | None = Field(None, description="Path of a packet-delivery trace (mahimahi) instead of a rate.")

    @property
    def is_unbounded_by_omission(self) -> bool:
        """Whether its queue is unbounded because no limit was given; `unlimited` requests that explicitly."""
        options = self.queue or {"kind": "fifo"}
        return (
            (self.rate is not None or self.trace is not None)
            and self.buffer is None
            and options["kind"] == "fifo"
            and not any(key.startswith("limit") for key in options)
        )


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
    buffer: BufferSize | None = Field(
        None, description="Limit of the station's queue: in BDPs, bytes or packets. Without one a FIFO is unbounded."
    )
    queue: _Queue | None = Field(None, description="Queue discipline of the station, as that of a link.")
    loss: _Loss | None = Field(None, description="Random loss of what the station sends: a share, or a table.")


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
    media: list[HalfDuplex] = Field(
        [], max_length=1_000, description="Media that stations share: a table `[[network.media]]` for each."
    )
    mtu: int = Field(1500, ge=256, le=65_535, description="Largest IP packet in bytes.", examples=[1500])


def _topology(value: Any) -> str:
    if isinstance(value, BaseModel):
        return str(getattr(value, "topology", "dumbbell"))
    if not isinstance(value, dict):
        return "dumbbell"
    return str(value.get("topology", "links" if "links" in value or "media" in value else "dumbbell"))


Network = Annotated[
    Annotated[Dumbbell, Tag("dumbbell")] | Annotated[ParkingLot, Tag("parking_lot")] | Annotated[Links, Tag("links")],
    Discriminator(_topology),
]
