"""What the files of a truth folder may say, as types: `scenarios.json` and `series/NAME.json`."""

from typing import Annotated, Any, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from fairlane.scenario.base_model import Table
from fairlane.scenario.model import Name

Number = Annotated[float, Field(allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
LONGEST_S = 100_000
LONGEST_RTT_MS = 100_000


class Queue(Table):
    """A queue: bfifo with its limit in bytes, pfifo in packets, others with the arguments that tc takes."""

    kind: Name
    bytes: int | None = Field(None, gt=0, lt=2**40)
    packets: int | None = Field(None, gt=0, lt=2**31)
    args: str = Field("", max_length=1000)

    @model_validator(mode="after")
    def _has_its_limit(self) -> Self:
        needed = {"bfifo": "bytes", "pfifo": "packets"}.get(self.kind)
        if needed is not None and getattr(self, needed) is None:
            raise ValueError(f"{self.kind} needs {needed}")
        return self


class Flow(Table):
    """A flow of iperf3's."""

    cc: Name
    """Its congestion control."""
    start_s: float = Field(0, ge=0, le=LONGEST_S)
    rtt_extra_ms: float = Field(0, ge=0, le=LONGEST_RTT_MS)


class Scenario(Table):
    """A network, and the flows that Linux sent through it."""

    name: Name
    rate_mbit: float = Field(gt=0, le=1e6)
    rtt_ms: float = Field(ge=0, le=LONGEST_RTT_MS)
    queue: Queue
    flows: list[Flow] = Field(min_length=1, max_length=10_000)
    duration_s: float = Field(gt=0, le=LONGEST_S)
    loss_pct: float = Field(0, ge=0, le=100)


class FlowSeries(Table):
    """The samples of a flow."""

    t_s: list[Number] = Field(min_length=2)
    cwnd_kb: list[NotNegative]
    rtt_ms: list[NotNegative]
    retr: list[NotNegative]
    mbps: list[NotNegative] = Field([])
    """Not used."""

    @model_validator(mode="after")
    def _is_rectangular(self) -> Self:
        if len({len(self.t_s), len(self.cwnd_kb), len(self.rtt_ms), len(self.retr)}) > 1:
            raise ValueError("t_s, cwnd_kb, rtt_ms and retr differ in length")
        return self


SCENARIOS: TypeAdapter[list[Scenario]] = TypeAdapter(list[Scenario])
SERIES: TypeAdapter[dict[str, FlowSeries]] = TypeAdapter(
    dict[Annotated[str, Field(pattern=r"^[0-9]{1,5}$")], FlowSeries]
)


def first_mistake(error: ValidationError) -> str:
    """Where a file does not have its form, and why, in one line."""
    found: Any = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in found["loc"] if part != "[key]")
    return f"{place or 'the file'}: {found['msg']}"
