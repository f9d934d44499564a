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
    good_to_bad: Share = Field(description="Chance to turn bad, at each packet.")
    bad_to_good: Share = Field(description="Chance to turn good.")
    loss_good: Share = Field(0.0, description="Share that is lost while good.")
    loss_bad: Share = Field(1.0, description="Share that is lost while bad.")


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
"""What is known here; `schema.py` asks the engine for kinds and options."""


class LinkSettings(Table):
    """What every link may have."""

    rate: Rate | None = Field(None, description="Infinitely fast if absent; then nothing ever queues.")
    buffer: BufferSize | None = Field(
        None, description="Limit of the queue: in BDPs, bytes or packets. Without one a FIFO never ends."
    )
    queue: Annotated[dict[str, Any], BeforeValidator(_queue), WithJsonSchema(_QUEUE_SCHEMA)] | None = Field(
        None, description="Queue discipline: a kind, or a table of `kind` and tc's options, values with units."
    )
    loss: (
        Annotated[
            Annotated[Independent | GilbertElliott, Field(discriminator="kind")],
            BeforeValidator(_loss, json_schema_input_type=Share | Independent | GilbertElliott),
        ]
        | None
    ) = Field(None, description="Random loss behind the queue: a share, or a table.")
    jitter: Annotated[Jitter, BeforeValidator(_jitter, json_schema_input_type=Time | Jitter)] | None = Field(
        None, description="Added delay: its maximum, or a table of `max` and `reorder`."
    )
    duplicate: Share = Field(0.0, description="Share of packets that arrive twice.")
    burst: Size | None = Field(None, description="A token bucket of this depth in place of a transmitter (tc's tbf).")
    overhead_bytes: int | None = Field(None, ge=0, le=65_535, description="What a frame has beside the IP packet: 14.")
    changes: list[Change] = Field([], description="Other rates and delays later in the run.", max_length=100_000)
    trace: str | None = Field(None, description="Path of a packet-delivery trace (mahimahi) in place of a rate.")

    @property
    def is_endless_by_omission(self) -> bool:
        """Whether its queue has no end because nobody gave it one; whoever wants that writes `unlimited`."""
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


class Links(Table):
    """Any network: links by name; every flow says which it crosses."""

    topology: Literal["links"] = Field("links", description="May be left out.")
    links: list[Link] = Field(min_length=1, max_length=10_000, description="A table `[[network.links]]` for each.")
    mtu: int = Field(1500, ge=256, le=65_535, description="Largest IP packet in bytes.", examples=[1500])


def _topology(value: Any) -> str:
    if isinstance(value, BaseModel):
        return str(getattr(value, "topology", "dumbbell"))
    if not isinstance(value, dict):
        return "dumbbell"
    return str(value.get("topology", "links" if "links" in value else "dumbbell"))


Network = Annotated[
    Annotated[Dumbbell, Tag("dumbbell")] | Annotated[ParkingLot, Tag("parking_lot")] | Annotated[Links, Tag("links")],
    Discriminator(_topology),
]
