"""Scenarios as types. Generated from crates/contract by `python -m tools.reference`; do not edit."""

from typing import Literal, NotRequired, TypedDict

from fairlane.engine.contract.queues import QueueConfig


class JitterConfig(TypedDict):
    """Extra delay, uniform from 0 to `max_ns`."""

    max_ns: int
    """Largest extra delay."""
    reorder: NotRequired[bool]
    """Whether packets may overtake. If not, a packet waits for its predecessor."""
    correlation: NotRequired[float]
    """Correlation of successive delays, as in tc's netem."""


class IndependentLoss(TypedDict):
    """Each packet is lost independently of the others."""

    kind: Literal["independent"]
    probability: float
    """Share of packets that are lost."""


class GilbertElliottLoss(TypedDict):
    """A Markov chain of two states (Gilbert 1960, Elliott 1963) that makes one step per packet."""

    kind: Literal["gilbert_elliott"]
    good_to_bad: float
    """Probability of a transition from the good to the bad state, per packet."""
    bad_to_good: float
    """Probability of a transition from the bad to the good state, per packet."""
    loss_good: NotRequired[float]
    """Share of packets lost in the good state."""
    loss_bad: NotRequired[float]
    """Share of packets lost in the bad state."""


class ListedLoss(TypedDict):
    """The first packet at or after each of these times is lost, which replays recorded losses."""

    kind: Literal["listed"]
    at_ns: list[int]
    """Times of the losses."""


LossConfig = IndependentLoss | GilbertElliottLoss | ListedLoss
"""Random loss on the wire, after the queue and the transmitter."""


class ChangeConfig(TypedDict):
    """From its time on, frames are transmitted at the new rate and propagate with the new delay."""

    at_ns: int
    """Time of the change."""
    rate_bps: NotRequired[int | None]
    """New rate. Absent, as before."""
    delay_ns: NotRequired[int | None]
    """New propagation delay. Absent, as before."""


class LinkConfig(TypedDict):
    """One link of the network. Only `name` is required: the default is an infinitely fast link without delay."""

    name: str
    """Name by which paths and results refer to the link."""
    rate_bps: NotRequired[int | None]
    """Rate of the transmitter. Absent, the link is infinitely fast and no queue builds up."""
    delay_ns: NotRequired[int]
    """Propagation delay."""
    overhead_bytes: NotRequired[int | None]
    """Bytes of a frame in addition to the IP packet. Absent, 14 (Ethernet as tc counts it), and 4 on a trace-driven
    link (the header of mahimahi's TUN device).
    """
    mtu_bytes: NotRequired[int | None]
    """Largest IP packet sent here, from which some queues derive defaults. Absent, the largest MTU of the flows that
    cross the link.
    """
    queue: NotRequired[QueueConfig]
    """Queue in front of the transmitter."""
    burst_bytes: NotRequired[int | None]
    """A token bucket of this depth instead of a transmitter (tc's tbf): a frame leaves at once, and in no time, when
    there are enough tokens.
    """
    jitter: NotRequired[JitterConfig | None]
    """Random extra delay."""
    loss: NotRequired[LossConfig | None]
    """Random loss behind the queue."""
    duplicate_probability: NotRequired[float]
    """Share of packets that arrive twice."""
    changes: NotRequired[list[ChangeConfig]]
    """Changes of rate and delay during the run, in order of time."""
    trace_ms: NotRequired[list[int] | None]
    """A packet-delivery trace in mahimahi's format instead of a rate: times at which a packet of 1500 bytes may leave.
    """


class StationConfig(TypedDict):
    """One station of a shared medium."""

    name: str
    """Name by which paths and results refer to the station; no link may have the same."""
    queue: NotRequired[QueueConfig]
    """Queue of the packets that the station sends."""
    loss: NotRequired[LossConfig | None]
    """Random loss of the packets that the station sends."""
    mtu_bytes: NotRequired[int | None]
    """Largest IP packet sent here, from which some queues derive defaults. Absent, the largest MTU of the flows that
    cross the station.
    """

WifiStandard = Literal["n", "ac", "ax"]
"""Generations of 802.11."""

WifiBand = Literal["2.4ghz", "5ghz"]
"""Frequency bands."""

WifiRateControl = Literal["fixed", "minstrel"]
"""Choice of the rate of a PPDU."""


class FifoWifiDriver(TypedDict):
    """Limited in packets."""

    kind: Literal["fifo"]
    limit_packets: int
    """Most packets."""


class AqlWifiDriver(TypedDict):
    """Airtime Queue Limits (mac80211): limited in estimated airtime, from the driver's queue to the Block Ack, for each
    receiver.
    """

    kind: Literal["aql"]
    low_ns: NotRequired[int]
    """Limit while the node's queues hold more than `total` together."""
    high_ns: NotRequired[int]
    """Limit while they hold less."""
    total_ns: NotRequired[int]
    """Threshold between the two limits."""


WifiDriver = FifoWifiDriver | AqlWifiDriver
"""A queue of the driver behind the queue discipline, first in, first out."""


class WifiQueueConfig(TypedDict):
    """A transmit queue of the cell and the rate at which it is served."""

    name: str
    """Name by which paths and results refer to the queue; no link may have the same."""
    mcs: int
    """Modulation and coding scheme: 0 to 31 for n, which includes the number of streams, 0 to 9 for ac, 0 to 11 for ax.
    """
    streams: NotRequired[int | None]
    """Spatial streams. Absent, the number that an n MCS has, and 1 for ac and ax."""
    mpdu_loss: NotRequired[float]
    """Share of MPDUs that arrive with an error and are retransmitted."""
    rate_control: NotRequired[WifiRateControl]
    """Choice of the rate of a PPDU; `mcs` is the highest."""
    mpdu_losses: NotRequired[list[float]]
    """Share of MPDUs with an error at MCS 0, 1, ... with the same number of streams; `mpdu_loss` where the list ends.
    """
    queue: NotRequired[QueueConfig]
    """Queue of the packets that wait for access."""
    driver: NotRequired[WifiDriver | None]
    """Queue of the driver, which takes packets from the queue before they win access. Absent, none."""
    mtu_bytes: NotRequired[int | None]
    """Largest IP packet sent here, from which some queues derive defaults. Absent, the largest MTU of the flows that
    cross the queue.
    """


class WifiStationConfig(TypedDict):
    """A station, with the queues in both directions between it and the access point."""

    name: str
    """Name of the station in messages."""
    signal_db: NotRequired[float]
    """Signal strength of the station at the access point, relative to the others, for `capture_db`."""
    hidden_from: NotRequired[list[str]]
    """Names of the stations that this one does not hear, and that do not hear it. The access point hears all."""
    latency_ns: NotRequired[int]
    """Delay that driver and interrupts of the station add to each packet that it receives, and to each report of a
    transmission to its host.
    """
    uplink: WifiQueueConfig
    """Queue of the packets that the station sends to the access point."""
    downlink: WifiQueueConfig
    """Queue of the packets that the access point sends to the station."""

WifiScheduler = Literal["round_robin", "airtime", "oldest_first"]
"""Order in which an access point serves its stations."""


class AccessLogConfig(TypedDict):
    """A part of a run of which every frame is recorded."""

    from_ns: int
    """Time of the first recorded frame."""
    frames: int
    """Most frames that are recorded; 0 for none."""


class ListedOutage(TypedDict):
    """At given times, in order, without overlap."""

    kind: Literal["listed"]
    at_ns: list[int]
    """Start of each outage."""
    length_ns: int
    """Length of each outage."""


class RandomOutage(TypedDict):
    """At random times; lengths and distances are exponentially distributed."""

    kind: Literal["random"]
    mean_length_ns: int
    """Mean length of an outage."""
    mean_distance_ns: int
    """Mean time between the end of one and the start of the next."""


OutageConfig = ListedOutage | RandomOutage
"""Times at which no frame is received."""


class HalfDuplexMedium(TypedDict):
    """One transmission at a time, in either direction, with a fixed turnaround time between senders."""

    kind: Literal["half_duplex"]
    name: str
    """Name of the medium in messages."""
    rate_bps: int
    """Rate at which every station transmits."""
    turnaround_ns: NotRequired[int]
    """Silence before the first frame of a station other than the last sender."""
    frames_per_turn: NotRequired[int]
    """Most frames that a station sends in one turn while others wait."""
    delay_ns: NotRequired[int]
    """Propagation delay."""
    overhead_bytes: NotRequired[int | None]
    """Bytes of a frame in addition to the IP packet. Absent, 14 (Ethernet as tc counts it)."""
    stations: list[StationConfig]
    """Stations that send over the channel."""


class WifiMedium(TypedDict):
    """An 802.11 cell: an access point and its stations, which contend for one channel."""

    kind: Literal["wifi"]
    name: str
    """Name of the medium in messages."""
    standard: WifiStandard
    """Generation of 802.11."""
    band: WifiBand
    """Frequency band. 2.4 GHz has a SIFS of 10 us and a signal extension of 6 us, 5 GHz a SIFS of 16 us."""
    width_mhz: int
    """Width of the channel in MHz: 20, 40 or, for ac and ax, 80."""
    guard_interval_ns: int
    """Guard interval: 400 or 800 ns (n, ac); 800, 1600 or 3200 ns (ax)."""
    stations: list[WifiStationConfig]
    """Stations of the cell."""
    station_cw_max: NotRequired[int]
    """Largest contention window of a station in slots."""
    access_point_cw_max: NotRequired[int]
    """Largest contention window of the access point in slots; hostapd sets 63 for data."""
    access_point_scheduler: NotRequired[WifiScheduler]
    """Order in which the access point serves its stations."""
    access_point_limit_packets: NotRequired[int | None]
    """Limit of all queues of the access point together, in addition to the limit of each. With the scheduler
    `oldest_first` they are one queue, first in, first out.
    """
    hardware_aggregates: NotRequired[int]
    """A-MPDUs that a node forms ahead of its accesses, the one on the air included; they share the Block Ack window and
    cannot grow any more. ath9k has 2; 0 forms an A-MPDU at the access.
    """
    access_log: NotRequired[AccessLogConfig | None]
    """Frames to record one by one, for figures of the channel. Absent, none."""
    access_point_latency_ns: NotRequired[int]
    """Delay that driver, interrupts and forwarding of the access point add to each packet from a station."""
    txop_limit_ns: NotRequired[int]
    """Time for which the winner of an access may transmit; 0 means one A-MPDU."""
    max_ampdu_mpdus: NotRequired[int]
    """Most MPDUs of an A-MPDU; above 64, which only ax has, also the Block Ack window."""
    max_ampdu_bytes: NotRequired[int | None]
    """Most bytes of an A-MPDU. Absent, the standard's limit: 65535 (n), 1048575 (ac), 6500631 (ax)."""
    max_ppdu_ns: NotRequired[int]
    """Longest PPDU, preamble included."""
    mpdu_overhead_bytes: NotRequired[int]
    """Bytes of an MPDU in addition to the IP packet: MAC header 26, LLC/SNAP 8, FCS 4. CCMP (WPA2) adds 16."""
    retry_limit: NotRequired[int | None]
    """Retransmissions after which an MPDU is dropped. Absent, never, as 802.11-2020 specifies under a Block Ack
    agreement.
    """
    block_ack_request: NotRequired[bool]
    """Request a missing Block Ack with a BlockAckReq before data is retransmitted."""
    rts_cts: NotRequired[bool]
    """RTS and CTS before every A-MPDU."""
    capture_db: NotRequired[float | None]
    """The access point decodes the frame of a collision that it hears this many dB louder than all others together.
    Absent, it decodes none.
    """
    beacon_interval_ns: NotRequired[int | None]
    """Time between two beacons, usually 102.4 ms. Absent, the access point sends none."""
    outages: NotRequired[OutageConfig | None]
    """Times at which no frame is received: scans, roaming, interference."""


MediumConfig = HalfDuplexMedium | WifiMedium
"""A medium that several stations share. Paths name its stations as they name links."""


class CdfPoint(TypedDict):
    """A point of a cumulative distribution function."""

    bytes: int
    """A size."""
    probability: float
    """Share of the transfers that are at most that large."""


class FixedSizes(TypedDict):
    """All transfers have the same size."""

    kind: Literal["fixed"]
    bytes: int
    """The size."""


class ExponentialSizes(TypedDict):
    """Exponential distribution."""

    kind: Literal["exponential"]
    mean_bytes: int
    """Mean size."""


class ParetoSizes(TypedDict):
    """Pareto distribution: a size is larger than x with probability (minimum / x)^shape."""

    kind: Literal["pareto"]
    minimum_bytes: int
    """Smallest size."""
    shape: float
    """Tail index; the smaller, the heavier the tail."""
    maximum_bytes: NotRequired[int]
    """Largest size, which larger draws take."""


class LogNormalSizes(TypedDict):
    """Log-normal distribution."""

    kind: Literal["log_normal"]
    median_bytes: int
    """Median size."""
    sigma: float
    """Standard deviation of the natural logarithm of the size."""
    maximum_bytes: NotRequired[int]
    """Largest size, which larger draws take."""


class EmpiricalSizes(TypedDict):
    """A measured distribution: sizes between two points are uniformly distributed."""

    kind: Literal["empirical"]
    points: list[CdfPoint]
    """Points of the cumulative distribution function, in increasing order; the last one has probability 1."""


Sizes = FixedSizes | ExponentialSizes | ParetoSizes | LogNormalSizes | EmpiricalSizes
"""Distribution of the sizes of transfers."""


class Arrival(TypedDict):
    """A connection of a trace."""

    start_ns: int
    """Opening time, from the start of the flow."""
    bytes: int
    """Size of the transfer."""

Adaptation = Literal["throughput", "buffer"]
"""Rule by which a video player chooses bitrates."""


class BulkWorkload(TypedDict):
    """Sends as fast as the transport allows until the flow stops."""

    kind: Literal["bulk"]


class Iperf3Workload(TypedDict):
    """Bulk data as iperf3 sends it: after three round trips of control messages, over a data connection with a cookie
    of 37 bytes first, and one round trip later. The flow's time counts from there.
    """

    kind: Literal["iperf3"]


class BytesWorkload(TypedDict):
    """Sends a given number of bytes and closes."""

    kind: Literal["bytes"]
    bytes: int
    """Size of the transfer."""


class RequestResponseWorkload(TypedDict):
    """The data receiver sends a request and the data sender answers, repeatedly."""

    kind: Literal["request_response"]
    request_bytes: NotRequired[int]
    """Size of a request."""
    response_bytes: int
    """Size of a response."""
    think_ns: NotRequired[int]
    """Pause between a response and the next request."""


class PingWorkload(TypedDict):
    """The data receiver sends a small message at a constant interval, and the data sender echoes each: latency under
    load.
    """

    kind: Literal["ping"]
    interval_ns: NotRequired[int]
    """Time between two messages."""
    bytes: NotRequired[int]
    """Size of a message and of its echo."""


class OnOffWorkload(TypedDict):
    """Sends for a time, then is silent for a time, repeatedly."""

    kind: Literal["on_off"]
    on_ns: int
    """Length of an on period."""
    off_ns: int
    """Length of an off period."""
    exponential: NotRequired[bool]
    """Draw both lengths from exponential distributions with these means."""


class PoissonFlowsWorkload(TypedDict):
    """Many short connections with Poisson arrivals. Takes `mean` or `sizes`."""

    kind: Literal["poisson_flows"]
    rate_per_s: float
    """Mean number of connections per second."""
    mean_bytes: NotRequired[int | None]
    """Mean of exponentially distributed sizes."""
    sizes: NotRequired[Sizes | None]
    """Another distribution of sizes."""


class ArrivalsWorkload(TypedDict):
    """Short connections with given start times and sizes."""

    kind: Literal["arrivals"]
    arrivals: list[Arrival]
    """The connections."""


class WebWorkload(TypedDict):
    """A browser that loads pages one after the other over connections that stay open: the document first, then, over
    all connections, the objects that it names.

    Document and objects default to the median desktop page of the Web Almanac 2024 (HTTP Archive), 71 requests and
    2,652 kB, with objects of equal size.
    """

    kind: Literal["web"]
    connections: NotRequired[int]
    """Number of connections. Those after the first open when the document names objects."""
    concurrent_requests: NotRequired[int]
    """Most requests that a connection has outstanding: 1 as HTTP/1.1, more as HTTP/2."""
    request_bytes: NotRequired[int]
    """Size of a request."""
    document_bytes: NotRequired[int]
    """Size of the document."""
    objects: NotRequired[int]
    """Number of objects that the document names."""
    object_sizes: NotRequired[Sizes]
    """Sizes of the objects."""
    parse_ns: NotRequired[int]
    """Time between the arrival of the document and the requests for its objects."""
    think_ns: NotRequired[int]
    """Pause between the end of a page and the request for the next one."""


class VideoWorkload(TypedDict):
    """A player that downloads a video segment by segment, each in one of several bitrates.

    Bitrates, segment and buffer default to Mao et al. 2017 (Pensieve), section 5.1.
    """

    kind: Literal["video"]
    ladder_bps: NotRequired[list[int]]
    """The bitrates in increasing order."""
    segment_ns: NotRequired[int]
    """Playing time of a segment."""
    buffer_ns: NotRequired[int]
    """Playing time that the player's buffer holds."""
    adaptation: NotRequired[Adaptation]
    """Choice of the bitrate of the next segment."""
    request_bytes: NotRequired[int]
    """Size of a request."""


Workload = (
    BulkWorkload
    | Iperf3Workload
    | BytesWorkload
    | RequestResponseWorkload
    | PingWorkload
    | OnOffWorkload
    | PoissonFlowsWorkload
    | ArrivalsWorkload
    | WebWorkload
    | VideoWorkload
)
"""The application of a flow."""

TransportProtocol = Literal["tcp", "quic"]
"""The transport protocol of a flow."""

QuicProfile = Literal["ietf", "gquic"]
"""Defaults of the QUIC settings."""


class QuicSettings(TypedDict):
    """Both QUIC endpoints of a flow. An absent setting has the profile's default."""

    profile: NotRequired[QuicProfile]
    """Defaults of the other settings: those of RFC 9000 and RFC 9002, or those of Chromium in 2018."""
    packet_bytes: NotRequired[int | None]
    """UDP payload of a full packet."""
    initial_cwnd_packets: NotRequired[int | None]
    """Initial congestion window in packets."""
    pacing: NotRequired[bool | None]
    """Spread packets over the RTT."""
    slow_start_pacing_percent: NotRequired[int | None]
    """Pacing rate in slow start in percent of cwnd per RTT, for algorithms that set no rate."""
    avoidance_pacing_percent: NotRequired[int | None]
    """Pacing rate after slow start in percent of cwnd per RTT, for algorithms that set no rate."""
    burst_packets: NotRequired[int | None]
    """Packets that may leave at once when nothing is in flight."""
    proportional_rate_reduction: NotRequired[bool | None]
    """Reduce cwnd by Proportional Rate Reduction (RFC 6937) instead of at once."""
    ack_every_packets: NotRequired[int | None]
    """Number of packets that the receiver acknowledges with one ACK."""
    max_ack_delay_ns: NotRequired[int | None]
    """Longest delay of an ACK, 1 to 25 ms."""
    ack_reordering_threshold_packets: NotRequired[int | None]
    """The receiver acknowledges at once when a packet is missing that was sent this many packets before the latest one;
    0 means never.
    """
    packet_threshold_packets: NotRequired[int | None]
    """A packet is lost when one sent this many packets later was acknowledged."""
    time_threshold_permille: NotRequired[int | None]
    """A packet is lost when a later one was acknowledged and this many thousandths of an RTT have passed."""
    initial_rtt_ns: NotRequired[int | None]
    """RTT before the first measurement."""
    persistent_congestion_threshold: NotRequired[int | None]
    """Losses that span this many probe timeouts are persistent congestion."""
    zero_rtt: NotRequired[bool | None]
    """Resume a session: data leaves with the first packets of the handshake."""
    stream_window_bytes: NotRequired[int | None]
    """Flow control window of a stream."""
    connection_window_bytes: NotRequired[int | None]
    """Flow control window of the connection."""
    streams: NotRequired[int | None]
    """Number of streams that share the data."""
    datagrams: NotRequired[bool | None]
    """Send the data in DATAGRAM frames (RFC 9221), which are not retransmitted, instead of streams. For the workloads
    bulk and on_off.
    """
    emulated_connections: NotRequired[int | None]
    """Number of connections whose bandwidth one connection takes. Only CUBIC emulates several."""

Pacing = Literal["internal", "fq", "none"]
"""The part of a host that paces a flow's packets."""


class SenderHost(TypedDict):
    """The host that sends the data. An absent setting has Linux's default."""

    offload: NotRequired[bool]
    """Merge arriving ACKs (GRO)."""
    segmentation_offload: NotRequired[bool]
    """TSO autosizing. Kernels since 4.17 build bursts even if the network card cannot segment."""
    pacing: NotRequired[Pacing]
    """The part of the host that paces."""
    small_queue_limit_bytes: NotRequired[int | None]
    """TCP Small Queues: limit of a connection's data in the host's own queue, which is the first link or Wi-Fi queue of
    its path (`tcp_limit_output_bytes`: 4 MiB since Linux 6.16, 1 MiB since 4.20, 256 KiB before). About one millisecond
    at the pacing rate is a second limit. Absent, the host's interface never limits a connection.
    """
    small_queue_limits_paced: NotRequired[bool]
    """The small queue limit also holds for paced connections. In Linux 4.20 to 6.15 it does not."""
    pacing_shift: NotRequired[int]
    """A connection may have 2^-shift s of its pacing rate in the host's queue, and sends bursts of up to that size
    (`sk_pacing_shift`). Wi-Fi drivers set 8 or 7.
    """
    wmem_max_bytes: NotRequired[int]
    """Largest send buffer (`tcp_wmem`). The default suits every path; Linux has 4 MiB."""
    header_room_bytes: NotRequired[int]
    """Room for headers in each packet buffer (`MAX_TCP_HEADER`), which the send buffer counts: 320 bytes, or 256 in
    kernels without Wi-Fi and AX.25, such as Debian's cloud kernels.
    """
    tcp_memory_bytes: NotRequired[int | None]
    """Memory that the send buffers of all flows of a machine share: above it no send buffer grows (the first number of
    `tcp_mem`; Linux: 3/64 of the machine's memory). Absent, memory never runs out.
    """
    machine: NotRequired[str | None]
    """Name of the machine, for `tcp_memory`. Flows with the same name share its memory, as do all flows without a name.
    """
    ecn: NotRequired[bool]
    """Negotiate ECN. Both hosts must do so."""
    accecn: NotRequired[bool]
    """With ECN, offer accurate feedback (AccECN, RFC 9768). Unless the peer offers it too, ECN is classic."""
    ect1: NotRequired[bool]
    """With ECN, send ECT(1) instead of ECT(0), as scalable senders do (RFC 9331)."""
    timestamps: NotRequired[bool]
    """TCP timestamps (RFC 7323)."""
    initial_cwnd_packets: NotRequired[int]
    """Initial congestion window in packets."""
    route_memory: NotRequired[bool]
    """Start with the slow-start threshold and the reordering degree that earlier connections over the same path ended
    with (`tcp_metrics`), as Linux does before 5.6, and later with `tcp_no_ssthresh_metrics_save = 0`.
    """
    route_ssthresh_packets: NotRequired[int | None]
    """Slow-start threshold in packets that the path's metrics have when the run begins: its connections start warm."""
    tail_loss_probe: NotRequired[bool]
    """Send tail loss probes (RFC 8985 section 7)."""
    forward_rto: NotRequired[bool]
    """Detect spurious timeouts with F-RTO (RFC 5682)."""
    undo: NotRequired[bool]
    """Undo window reductions that prove spurious."""
    slow_start_after_idle: NotRequired[bool]
    """Reduce cwnd after an idle period (RFC 2861, `tcp_slow_start_after_idle`)."""
    nagle: NotRequired[bool]
    """Nagle's algorithm: hold back a small segment while others are in flight."""


class ReceiverHost(TypedDict):
    """The host that receives the data. An absent setting has Linux's default."""

    offload: NotRequired[bool]
    """Merge arriving data (GRO) and acknowledge a batch once."""
    offload_interval_ns: NotRequired[int]
    """With offload: the shortest time between two interrupts of the network interface, which merges the packets that
    arrive in between (`ethtool -C rx-usecs`). Interfaces of 10 Gbit/s and more use 8 to 50 us, many Gigabit Ethernet
    cards 50 to 125 us.
    """
    rmem_initial_bytes: NotRequired[int]
    """Initial receive buffer (`tcp_rmem`)."""
    rmem_max_bytes: NotRequired[int]
    """Largest receive buffer (`tcp_rmem`). The default suits every path; Linux has 6 MiB, and 32 MiB since 6.16."""
    adv_win_scale: NotRequired[int | None]
    """`tcp_adv_win_scale` of kernels before 6.6: the window is the buffer less its 2^-n-th part, so that 1, their
    default, leaves half. Absent, the window follows from the memory that segments take, as in Linux 6.6 and later.
    """
    autotune: NotRequired[bool]
    """Autotune the receive buffer."""
    ecn: NotRequired[bool]
    """Negotiate ECN. Both hosts must do so."""
    accecn: NotRequired[bool]
    """With ECN, offer accurate feedback (AccECN, RFC 9768). Unless the peer offers it too, ECN is classic."""
    sack_compression: NotRequired[bool]
    """Compress SACKs for up to 1 ms (`tcp_comp_sack_delay_ns`)."""
    sack_compression_rtt_percent: NotRequired[int]
    """Compress SACKs for at most this percentage of the RTT (`tcp_comp_sack_rtt_percent`): 5 before Linux 6.19, 33
    since.
    """


class FlowConfig(TypedDict):
    """A flow, or many of one kind."""

    algorithm: str
    """Name of a bundled algorithm, or the path of a C or Python file."""
    parameters: NotRequired[dict[str, int]]
    """Parameters of the algorithm that differ from its defaults, by name."""
    forward: list[str]
    """Names of the links and stations that data crosses, in order."""
    reverse: list[str]
    """Names of the links and stations that acknowledgements cross."""
    start_ns: NotRequired[int]
    """Start of the flow."""
    stop_ns: NotRequired[int | None]
    """Time at which the application stops sending. Absent, the end of the run."""
    mtu: NotRequired[int]
    """Largest IP packet in bytes."""
    workload: NotRequired[Workload]
    """Application of the flow."""
    transport: NotRequired[TransportProtocol]
    """Transport protocol."""
    quic: NotRequired[QuicSettings | None]
    """QUIC endpoints, where `transport` is `quic`."""
    sender: NotRequired[SenderHost]
    """The host that sends the data."""
    receiver: NotRequired[ReceiverHost]
    """The host that receives the data."""


class CrossTrafficConfig(TypedDict):
    """UDP packets at a constant rate, continuous or on and off."""

    path: list[str]
    """Names of the links and stations that the packets cross, in order."""
    rate_bps: int
    """Bits of IP packets per second while the source is on."""
    packet_bytes: NotRequired[int]
    """Size of the IP packets."""
    start_ns: NotRequired[int]
    """Start of the source."""
    stop_ns: NotRequired[int | None]
    """Time at which the source stops. Absent, the end of the run."""
    on_ns: NotRequired[int | None]
    """With `off`: length of an on period. Absent, the source is always on."""
    off_ns: NotRequired[int | None]
    """With `on`: length of an off period."""
    exponential: NotRequired[bool]
    """Draw both lengths from exponential distributions with these means."""


class Scenario(TypedDict):
    """A whole run."""

    seed: int
    """Seed of every random stream; the same scenario with the same seed gives the same result."""
    duration_ns: int
    """Simulated time."""
    hz: NotRequired[int]
    """Timer interrupts per second of all hosts (the kernel's CONFIG_HZ)."""
    series_interval_ns: NotRequired[int]
    """Time between two samples of the time series."""
    warm_up_ns: NotRequired[int]
    """Beginning of a run that metrics leave out. Time series start at 0."""
    links: NotRequired[list[LinkConfig]]
    """Links of the network."""
    media: NotRequired[list[MediumConfig]]
    """Media that several stations share."""
    flows: list[FlowConfig]
    """Flows: connections that carry data."""
    cross_traffic: NotRequired[list[CrossTrafficConfig]]
    """UDP cross traffic."""
    watch: NotRequired[list[str]]
    """Members of `tcp_sock` (`snd_ssthresh`) and of the algorithm's own memory (`state.NAME`) to sample in addition."""
