"""What an experiment file may say about a link."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from fairlane.experiment.quantity import BufferSize, Rate, Share, Size, Time
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
QueueOption = _Queue | None
BufferOption = BufferSize | None
Loss = Annotated[
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
    loss: Loss | None = Field(None, description="Random loss behind the queue: a share, or a table.")
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
