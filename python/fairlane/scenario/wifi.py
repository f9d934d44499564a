"""What an experiment file may say about a Wi-Fi cell."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema

from fairlane.scenario.base_model import Table
from fairlane.scenario.link import BufferOption, LinkSettings, QueueOption
from fairlane.scenario.quantity import PositiveTime, Share, Size, Time

WIDTHS = ("20mhz", "40mhz", "80mhz")


def _width(value: Any) -> Any:
    """MHz, as an integer."""
    text = str(value).replace(" ", "").lower()
    if isinstance(value, bool) or text not in WIDTHS:
        raise ValueError(f'must be one of {", ".join(WIDTHS)}; write for example width = "40mhz"')
    return int(text.removesuffix("mhz"))


_Width = Annotated[int, BeforeValidator(_width), WithJsonSchema({"enum": list(WIDTHS), "examples": ["40mhz"]})]
_Mcs = Annotated[int, Field(ge=0, le=31, examples=[9])]
_Packets = Annotated[int, Field(ge=1, le=1_000_000, examples=[1000])]
_Streams = Annotated[int, Field(ge=1, le=4, examples=[2])]


class DriverFifo(Table):
    """A queue of the driver behind the queue discipline, first in, first out."""

    kind: Literal["fifo"]
    packets: int = Field(ge=1, le=1_000_000, description="Most packets.", examples=[64])


class DriverAql(Table):
    """Airtime Queue Limits of mac80211: the driver takes packets up to an estimated airtime for each receiver."""

    kind: Literal["aql"]
    low: PositiveTime = Field(5_000_000, description="Limit while the node's queues hold more than `total` together.")
    high: PositiveTime = Field(12_000_000, description="Limit while they do not.")
    total: PositiveTime = Field(24_000_000, description="What separates the two.")


def _driver(value: Any) -> Any:
    return {"kind": value} if isinstance(value, str) else value


_Driver = Annotated[
    Annotated[DriverFifo | DriverAql, Field(discriminator="kind")],
    BeforeValidator(_driver, json_schema_input_type=Literal["aql"] | DriverFifo | DriverAql),
    Field(examples=["aql", {"kind": "fifo", "packets": 64}]),
]
_RateControl = Literal["fixed", "minstrel"]
_LOSSES = "Share of MPDUs with an error at MCS 0, 1, ... with the same streams; mpdu_loss where the list ends."
_DRIVER = "What the driver takes from the queue before access is won: a table of kind fifo or aql; nothing if absent."


class WifiQueue(Table):
    """How one node sends to another. What is absent is as in the cell."""

    mcs: _Mcs | None = Field(None, description="Modulation and coding scheme.")
    streams: _Streams | None = Field(None, description="Spatial streams (ac, ax).")
    mpdu_loss: Share | None = Field(None, description="Share of MPDUs that arrive with an error.")
    mpdu_losses: list[Share] | None = Field(None, description=_LOSSES, max_length=12)
    rate_control: _RateControl | None = Field(None, description="Always the same rate, or by what Block Acks confirm.")
    buffer: BufferOption = Field(None, description="Limit of the queue: in bytes or packets.")
    queue: QueueOption = Field(None, description="Queue discipline, as that of a link.")
    driver: _Driver | None = Field(None, description=_DRIVER)


class WifiStation(WifiQueue):
    """A station. Its keys are about what it sends; rates and errors hold for the downlink, too, unless that differs."""

    name: str = Field(
        min_length=1, max_length=90, description="Paths call its queues NAME-up and NAME-down.", examples=["laptop"]
    )
    signal_db: float = Field(
        0.0, ge=-200, le=200, description="How loud the access point hears it, relative to the others, for capture_db."
    )
    hidden_from: list[str] = Field(
        [], description="Names of stations that it does not hear, nor they it.", max_length=256, examples=[["phone"]]
    )
    latency: Time = Field(
        0, description="What driver and interrupts add to what it receives, and to reports of transmission."
    )
    downlink: WifiQueue = Field(WifiQueue(), description="What the access point sends to it, where that differs.")


class AccessPoint(Table):
    """The access point."""

    buffer: BufferOption = Field(None, description="Limit of its queue for each station; as in the cell if absent.")
    queue: QueueOption = Field(None, description="Queue discipline for each station; as in the cell if absent.")
    driver: _Driver | None = Field(None, description="Its driver's queue for each station; as in the cell if absent.")
    scheduler: Literal["round_robin", "airtime", "oldest_first"] = Field(
        "round_robin",
        description="One A-MPDU for each station in turn, the same airtime for each (mac80211), or the station whose "
        "packet has waited longest.",
    )
    shared_limit: _Packets | None = Field(
        None,
        description="One queue for all stations: packets that wait in it at most, in addition to the `buffer` of each "
        'station. With scheduler = "oldest_first" it is first in, first out.',
    )
    cw_max: int = Field(63, ge=15, le=32_767, description="Largest contention window, in slots; hostapd's is 63.")
    latency: Time = Field(0, description="What driver and forwarding add to each packet from a station.")


class ListedOutages(Table):
    """At given times nothing is received."""

    at: list[Time] = Field(description="When each begins.", max_length=100_000)
    length: PositiveTime = Field(description="How long each lasts.")


class RandomOutages(Table):
    """At random times nothing is received; lengths and distances are exponentially distributed."""

    mean_length: PositiveTime = Field(description="Mean length.")
    mean_distance: PositiveTime = Field(description="Mean time between the end of one and the next.")


def _kind_of_outages(value: Any) -> str:
    return "listed" if isinstance(value, ListedOutages) or (isinstance(value, dict) and "at" in value) else "random"


_Outages = Annotated[
    Annotated[ListedOutages, Tag("listed")] | Annotated[RandomOutages, Tag("random")], Discriminator(_kind_of_outages)
]


class AccessLog(Table):
    """A part of each run of which every frame is recorded."""

    start: Time | None = Field(None, description="From when on: half of the run if absent.")
    frames: int = Field(500, ge=0, le=1_000_000, description="Most frames; 0 for none.")


class Cell(Table):
    """An access point and its stations on one channel."""

    kind: Literal["wifi"]
    standard: Literal["n", "ac", "ax"] = Field(description="Generation of 802.11.")
    band: Literal["2.4ghz", "5ghz"] | None = Field(None, description="Frequency band: 2.4ghz for n, else 5ghz.")
    width: _Width | None = Field(None, description="Width of the channel: 40mhz for n, else 80mhz.")
    guard_interval: PositiveTime | None = Field(
        None,
        description="400ns or 800ns (n, ac); 800ns, 1600ns or 3200ns (ax). The shortest if absent.",
    )
    mcs: _Mcs | None = Field(
        None, description="Modulation and coding scheme: 15 for n (which includes two streams), 9 for ac, 11 for ax."
    )
    streams: _Streams | None = Field(None, description="Spatial streams: 2 for ac and ax; an n MCS has its own.")
    mpdu_loss: Share = Field(0.0, description="Share of MPDUs that arrive with an error and are retransmitted.")
    mpdu_losses: list[Share] | None = Field(None, description=_LOSSES, max_length=12)
    rate_control: _RateControl = Field(
        "fixed", description="Always the same rate, or by what Block Acks confirm (minstrel_ht), with mcs the highest."
    )
    buffer: BufferOption = Field(None, description="Limit of each queue, in bytes or packets: 1000p.")
    queue: QueueOption = Field(None, description="Queue discipline of all queues, as that of a link: fifo.")
    driver: _Driver | None = Field(None, description=_DRIVER)
    access_point: AccessPoint = Field(AccessPoint(), description="Its queues and its contention window.")
    cw_max: int = Field(1_023, ge=15, le=32_767, description="Largest contention window of a station, in slots.")
    txop_limit: Time = Field(0, description="How long the winner of an access may go on; 0 means one A-MPDU.")
    max_ampdu_mpdus: int = Field(64, ge=1, le=256, description="Most MPDUs of an A-MPDU; above 64 for ax only.")
    max_ampdu: Size | None = Field(None, description="Most bytes of an A-MPDU: the standard's limit if absent.")
    max_ppdu: PositiveTime = Field(5_484_000, description="Longest PPDU.")
    encryption: bool = Field(False, description="16 bytes of CCMP (WPA2) in each MPDU.")
    hardware_aggregates: int = Field(
        0,
        ge=0,
        le=16,
        description="A-MPDUs that a node forms ahead of its accesses, the one on the air included; 0: at the access. "
        "ath9k has 2.",
    )
    record: AccessLog = Field(
        AccessLog(), description="Frames that are recorded one by one, for pictures of the channel."
    )
    retry_limit: int | None = Field(
        None, ge=0, le=1_000_000, description="Retransmissions before an MPDU is dropped: no limit if absent."
    )
    block_ack_request: bool = Field(False, description="Ask for a missing Block Ack before data is retransmitted.")
    rts_cts: bool = Field(False, description="RTS and CTS before every A-MPDU.")
    capture_db: float | None = Field(
        None,
        ge=0,
        le=200,
        description="The access point decodes the frame of a collision that it hears this many dB louder than all "
        "others together; none if absent.",
        examples=[10],
    )
    beacon_interval: PositiveTime | None = Field(
        None, description="Time between beacons, usually 102.4ms; none are sent if absent.", examples=["102.4ms"]
    )
    outages: _Outages | None = Field(None, description="When nothing is received.")


class Wire(LinkSettings):
    """What connects the access point with the servers, one link in each direction."""

    delay: Time = Field(100_000, description="Propagation, one way.")


class Wifi(Cell):
    """A Wi-Fi cell with servers behind its access point. Every flow runs between a station and a server."""

    stations: int | list[WifiStation] | None = Field(
        None, description="Their number, or a table `[[network.stations]]` for each; one for each flow if absent."
    )
    wire: Wire = Field(Wire(), description="The links between access point and servers.")
    mtu: int = Field(1500, ge=256, le=65_535, description="Largest IP packet in bytes.", examples=[1500])


class WifiMedium(Cell):
    """A Wi-Fi cell as part of a network that is given link by link."""

    name: str = Field(min_length=1, max_length=100, description="How messages call it.", examples=["cell"])
    stations: list[WifiStation] = Field(
        min_length=1, max_length=256, description="A table `[[network.media.stations]]` for each."
    )
