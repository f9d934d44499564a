"""What applications do, as tables of an experiment file."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from fairlane.scenario.base_model import Table
from fairlane.scenario.quantity import PositiveTime, Rate, Size, Time
from fairlane.scenario.sizes import BOX


def _kind(value: Any) -> Any:
    """A word stands for a table with that kind."""
    return {"kind": value} if isinstance(value, str) else value


def _of_box(value: Any) -> Any:
    """The name of a distribution stands for a table with its name."""
    return {"kind": "empirical", "name": value} if isinstance(value, str) else value


class Fixed(Table):
    """All transfers have the same size."""

    kind: Literal["fixed"]
    bytes: Size = Field(description="The size.")


class Exponential(Table):
    """Exponential distribution."""

    kind: Literal["exponential"]
    mean: Size = Field(description="Mean size.")


class Pareto(Table):
    """Pareto distribution: a size is larger than x with probability (minimum / x)^shape."""

    kind: Literal["pareto"]
    minimum: Size = Field(description="Smallest size.")
    shape: float = Field(gt=0, le=100, description="Tail index; the smaller, the heavier the tail.", examples=[1.2])
    maximum: Size | None = Field(None, description="Larger draws count as this size; 1 TiB if absent.")


class LogNormal(Table):
    """Log-normal distribution."""

    kind: Literal["log_normal"]
    median: Size = Field(description="Median size.")
    sigma: float = Field(ge=0, le=10, description="Standard deviation of ln(size).", examples=[1.5])
    maximum: Size | None = Field(None, description="Larger draws count as this size; 1 TiB if absent.")


class Empirical(Table):
    """A measured distribution, by its `name` or from a `file`."""

    kind: Literal["empirical"]
    name: Literal["web-search", "data-mining"] | None = Field(None, description="A published distribution.")
    file: str | None = Field(
        None, description="Path of a file with one point of the CDF per line: bytes, and a share up to 1 or percent."
    )


Sizes = Annotated[
    Annotated[Fixed | Exponential | Pareto | LogNormal | Empirical, Field(discriminator="kind")],
    BeforeValidator(
        _of_box,
        json_schema_input_type=Literal["web-search", "data-mining"]
        | Fixed
        | Exponential
        | Pareto
        | LogNormal
        | Empirical,
    ),
]
assert set(BOX) == {"web-search", "data-mining"}


class Bulk(Table):
    """Sends as fast as it may."""

    kind: Literal["bulk"]


class Iperf3(Table):
    """Bulk, after the messages that iperf3 exchanges first."""

    kind: Literal["iperf3"]


class Bytes(Table):
    """Sends a given number of bytes and closes."""

    kind: Literal["bytes"]
    bytes: Size = Field(description="Number of bytes.")


class RequestResponse(Table):
    """The receiver asks, the sender answers, again and again."""

    kind: Literal["request_response"]
    request: Size = Field(1000, description="Size of a request.")
    response: Size = Field(description="Size of an answer.")
    think: Time = Field(0, description="Pause between an answer and the next request.")


class Ping(Table):
    """The receiver sends a small message at a constant interval, and the sender echoes each: latency under load."""

    kind: Literal["ping"]
    interval: PositiveTime = Field(200_000_000, description="Time between two messages.")
    bytes: Size = Field(64, description="Size of a message and of its echo.")


class OnOff(Table):
    """Sends for a while, is silent for a while."""

    kind: Literal["on_off"]
    on: PositiveTime = Field(description="Duration of a sending period.")
    off: Time = Field(description="Duration of a silent period.")
    exponential: bool = Field(False, description="Times are exponentially distributed with these means.")


class PoissonFlows(Table):
    """Many short connections with Poisson arrivals."""

    kind: Literal["poisson_flows"]
    rate_per_s: float = Field(gt=0, le=1e6, description="Connections per second.", examples=[5.0])
    mean: Size | None = Field(None, description="Mean of exponentially distributed sizes.")
    sizes: Sizes | None = Field(None, description="Another distribution of sizes.")


class Arrivals(Table):
    """Short connections with the start times and sizes of a trace."""

    kind: Literal["arrivals"]
    arrivals: str = Field(
        description="Path of a CSV file with the columns `start_s` and `bytes`, a row for each connection.",
        examples=["arrivals.csv"],
        min_length=1,
    )


class Web(Table):
    """A browser that loads pages one after the other over connections that stay open. The defaults are the median page
    of the desktop in the Web Almanac 2024 (HTTP Archive), 71 requests and 2,652 kB, with objects of equal size.
    """

    kind: Literal["web"]
    connections: int = Field(6, ge=1, le=256, description="Connections.", examples=[6])
    concurrent_requests: int = Field(
        1,
        ge=1,
        le=10_000,
        description="Requests that a connection has outstanding: 1 as HTTP/1.1, more as HTTP/2.",
        examples=[1],
    )
    request: Size = Field(350, description="Size of a request.")
    document: Size = Field(18_000, description="Size of the document.")
    objects: int = Field(70, ge=0, le=100_000, description="Objects that the document names.", examples=[70])
    object_sizes: Sizes = Field(
        Fixed.model_validate({"kind": "fixed", "bytes": "37.6kB"}), description="Sizes of the objects."
    )
    parse: Time = Field(0, description="Time between the document and the requests for its objects.")
    think: Time = Field(5_000_000_000, description="Pause between two pages.")


class Video(Table):
    """A player that downloads a video segment by segment, each in one of several bitrates. Defaults: Mao et al. 2017
    (Pensieve), section 5.1.
    """

    kind: Literal["video"]
    ladder: list[Rate] = Field(
        [300_000, 750_000, 1_200_000, 1_850_000, 2_850_000, 4_300_000],
        min_length=1,
        max_length=1000,
        description="The bitrates, in increasing order.",
    )
    segment: PositiveTime = Field(4_000_000_000, description="Playing time of a segment.")
    buffer: PositiveTime = Field(60_000_000_000, description="Playing time that the player's buffer holds.")
    adaptation: Literal["throughput", "buffer"] = Field(
        "throughput",
        description="How bitrates are chosen: below the harmonic mean of the throughput of the last five segments, or "
        "by how much is in the buffer (the lowest up to 5 s, the highest from 15 s).",
    )
    request: Size = Field(350, description="Size of a request.")


_Any = Bulk | Iperf3 | Bytes | RequestResponse | Ping | OnOff | PoissonFlows | Arrivals | Web | Video
Workload = Annotated[
    Annotated[_Any, Field(discriminator="kind")],
    BeforeValidator(_kind, json_schema_input_type=Literal["bulk", "iperf3", "ping", "web", "video"] | _Any),
]
TABLES = tuple(_Any.__args__)
"""The table of each kind of workload."""
