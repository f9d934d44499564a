"""Scenarios as types. Generated from crates/contract by `python -m tools.reference`; do not edit."""

from typing import Literal, NotRequired, TypedDict

from fairlane.engine.contract.queues import QueueConfig


class JitterConfig(TypedDict):
    """Extra delay, uniform from 0 to `max_ns`."""

    max_ns: int
    """Largest extra delay."""
    reorder: NotRequired[bool]
    """Whether a packet may overtake another; if not, it waits for its predecessor."""
    correlation: NotRequired[float]
    """How much of the delay of the packet before goes into that of the next, from 0 to below 1, as in tc's netem: hosts
    that are late stay so for a while.
    """


class IndependentLoss(TypedDict):
    """Each packet is lost independently of the others."""

    kind: Literal["independent"]
    probability: float
    """Probability that a packet is lost."""


class GilbertElliottLoss(TypedDict):
    """A Markov chain of two states (Gilbert 1960, Elliott 1963) that makes one step per packet."""

    kind: Literal["gilbert_elliott"]
    good_to_bad: float
    """Probability of a transition from the good to the bad state."""
    bad_to_good: float
    """Probability of a transition from the bad to the good state."""
    loss_good: NotRequired[float]
    """Loss probability in the good state."""
    loss_bad: NotRequired[float]
    """Loss probability in the bad state."""


class ListedLoss(TypedDict):
    """The first packet that arrives at or after each of these times is lost: replays losses seen elsewhere."""

    kind: Literal["listed"]
    at_ns: list[int]
    """Times of the losses."""


LossConfig = IndependentLoss | GilbertElliottLoss | ListedLoss
"""Random loss on the wire, after the queue and the transmitter."""


class ChangeConfig(TypedDict):
    """From `at_ns` on, frames are transmitted at the new rate and propagate with the new delay; what is absent stays.
    """

    at_ns: int
    """Time of the change."""
    rate_bps: NotRequired[int | None]
    """New rate."""
    delay_ns: NotRequired[int | None]
    """New propagation delay."""


class LinkConfig(TypedDict):
    """One link of the network. Only `name` is required: the default is an infinitely fast link without delay."""

    name: str
    """Name by which paths and results refer to the link."""
    rate_bps: NotRequired[int | None]
    """Rate of the transmitter; absent means infinitely fast, and then no queue builds up."""
    delay_ns: NotRequired[int]
    """Propagation delay."""
    overhead_bytes: NotRequired[int | None]
    """Bytes of a frame in addition to the IP packet. Absent means 14 (Ethernet as tc counts it), on a trace-driven link
    4 (the header of mahimahi's TUN device).
    """
    mtu_bytes: NotRequired[int | None]
    """Largest IP packet sent here, from which some queues derive defaults. Absent means the largest MTU of the flows
    that cross the link.
    """
    queue: NotRequired[QueueConfig]
    """Queue in front of the transmitter."""
    burst_bytes: NotRequired[int | None]
    """Makes the transmitter a token bucket of this depth, as tc's tbf: a frame leaves at once when there are enough
    tokens, and takes no time to leave.
    """
    jitter: NotRequired[JitterConfig | None]
    """Random extra delay."""
    loss: NotRequired[LossConfig | None]
    """Random loss."""
    duplicate_probability: NotRequired[float]
    """Probability that a packet arrives twice."""
    changes: NotRequired[list[ChangeConfig]]
    """Changes of rate and delay during the run, in order of time."""
    trace_ms: NotRequired[list[int] | None]
    """A packet-delivery trace in mahimahi's format instead of a rate: each entry is a time in milliseconds at which a
    packet of 1500 bytes may leave.
    """


class StationConfig(TypedDict):
    """One station of a shared medium."""

    name: str
    """Name by which paths and results refer to the station; no link may have the same."""
    queue: NotRequired[QueueConfig]
    """Queue of the packets that the station sends."""
    loss: NotRequired[LossConfig | None]
    """Random loss of what the station sends."""
    mtu_bytes: NotRequired[int | None]
    """Largest IP packet sent here, from which some queues derive defaults. Absent means the largest MTU of the flows
    that cross the station.
    """

WifiStandard = Literal["n", "ac", "ax"]
"""Generations of 802.11."""

WifiBand = Literal["2.4ghz", "5ghz"]
"""Frequency bands."""

WifiRateControl = Literal["fixed", "minstrel"]
"""How a node chooses the rate of a PPDU."""


class FifoWifiDriver(TypedDict):
    """A number of packets."""

    kind: Literal["fifo"]
    limit_packets: int
    """Most packets."""


class AqlWifiDriver(TypedDict):
    """Airtime Queue Limits (mac80211): packets whose estimated airtime, from the driver's queue to the Block Ack, does
    not exceed a limit for each receiver.
    """

    kind: Literal["aql"]
    low_ns: NotRequired[int]
    """The limit while the node's queues hold more than `total_ns` together."""
    high_ns: NotRequired[int]
    """The limit while they do not."""
    total_ns: NotRequired[int]
    """What separates the two."""


WifiDriver = FifoWifiDriver | AqlWifiDriver
"""A queue of the driver, behind the queue discipline: first in, first out, and out of the discipline's reach."""


class WifiQueueConfig(TypedDict):
    """A transmit queue of the cell and the rate at which it is served."""

    name: str
    """Name by which paths and results refer to the queue; no link may have the same."""
    mcs: int
    """Modulation and coding scheme: 0 to 31 (n: includes the number of streams), 0 to 9 (ac), 0 to 11 (ax)."""
    streams: NotRequired[int | None]
    """Spatial streams, 1 to 4. Absent means as many as an n MCS has, and 1 for ac and ax."""
    mpdu_loss: NotRequired[float]
    """Probability that an MPDU arrives with an error and must be retransmitted."""
    rate_control: NotRequired[WifiRateControl]
    """How the rate of a PPDU is chosen. `mcs` is the highest that is used."""
    mpdu_losses: NotRequired[list[float]]
    """Probability of an error for each MCS from 0 on, with the same number of streams; `mpdu_loss` for those that are
    not listed.
    """
    queue: NotRequired[QueueConfig]
    """Queue of the packets that wait for access."""
    driver: NotRequired[WifiDriver | None]
    """What the driver takes from the queue before its packets win access. Absent means nothing."""
    mtu_bytes: NotRequired[int | None]
    """Largest IP packet sent here, from which some queues derive defaults. Absent means the largest MTU of the flows
    that cross the queue.
    """


class WifiStationConfig(TypedDict):
    """One station and what is sent in both directions between it and the access point."""

    name: str
    """Name of the station in messages."""
    signal_db: NotRequired[float]
    """How loud the access point hears the station, relative to the others; needed for `capture_db` only."""
    hidden_from: NotRequired[list[str]]
    """Names of the stations that this one does not hear, and that do not hear it. The access point hears all."""
    latency_ns: NotRequired[int]
    """What driver and interrupts of the station add to each packet that it receives, and to each report to its host
    that a packet was transmitted.
    """
    uplink: WifiQueueConfig
    """What the station sends to the access point."""
    downlink: WifiQueueConfig
    """What the access point sends to the station."""

WifiScheduler = Literal["round_robin", "airtime", "oldest_first"]
"""Which station an access point serves next."""


class AccessLogConfig(TypedDict):
    """A part of a run in which every access is recorded."""

    from_ns: int
    """Accesses that begin before this are left out."""
    frames: int
    """Most frames that are recorded."""


class ListedOutage(TypedDict):
    """At given times, in order, without overlap."""

    kind: Literal["listed"]
    at_ns: list[int]
    """When each begins."""
    length_ns: int
    """How long each lasts."""


class RandomOutage(TypedDict):
    """At random times; lengths and distances are exponentially distributed."""

    kind: Literal["random"]
    mean_length_ns: int
    """Mean length of an outage."""
    mean_distance_ns: int
    """Mean time between the end of one and the begin of the next."""


OutageConfig = ListedOutage | RandomOutage
"""When nothing is received."""


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
    """Bytes of a frame in addition to the IP packet. Absent means 14 (Ethernet as tc counts it)."""
    stations: list[StationConfig]
    """Those that send over the channel, two at least."""


class WifiMedium(TypedDict):
    """An 802.11 cell: an access point and its stations, which contend for one channel."""

    kind: Literal["wifi"]
    name: str
    """Name of the medium in messages."""
    standard: WifiStandard
    """Generation of the PHY."""
    band: WifiBand
    """Frequency band. 2.4 GHz has a SIFS of 10 us and a signal extension of 6 us, 5 GHz a SIFS of 16 us."""
    width_mhz: int
    """Width of the channel: 20, 40 or (ac, ax) 80."""
    guard_interval_ns: int
    """Guard interval: 400 or 800 (n, ac); 800, 1600 or 3200 (ax)."""
    stations: list[WifiStationConfig]
    """Stations of the cell."""
    station_cw_max: NotRequired[int]
    """Largest contention window of the stations, in slots."""
    access_point_cw_max: NotRequired[int]
    """Largest contention window of the access point, in slots. hostapd gives it 63 for data."""
    access_point_scheduler: NotRequired[WifiScheduler]
    """In which order the access point serves its stations."""
    access_point_limit_packets: NotRequired[int | None]
    """Most packets that wait in the access point for all stations together, in addition to the limits of each queue:
    one queue for all stations, with the scheduler `oldest_first`.
    """
    hardware_aggregates: NotRequired[int]
    """A-MPDUs that a node forms ahead of its accesses and hands to its hardware, where they cannot grow any more; the
    one on the air counts. They share the Block Ack window: with 2, as in ath9k, each has at most 32 MPDUs. 0: an A-MPDU
    is formed at the access.
    """
    access_log: NotRequired[AccessLogConfig | None]
    """What is recorded of single accesses. Absent means nothing."""
    access_point_latency_ns: NotRequired[int]
    """What driver, interrupts and forwarding of the access point add to each packet that a station sent."""
    txop_limit_ns: NotRequired[int]
    """How long the winner of an access may go on sending; 0 means one A-MPDU."""
    max_ampdu_mpdus: NotRequired[int]
    """Most MPDUs of an A-MPDU, and MPDUs that may be outstanding (the Block Ack window) if that is above 64: up to 64,
    or 256 for ax, whose Block Acks are then 24 bytes longer.
    """
    max_ampdu_bytes: NotRequired[int | None]
    """Most bytes of an A-MPDU. Absent means what the standard allows: 65535 (n), 1048575 (ac), 6500631 (ax)."""
    max_ppdu_ns: NotRequired[int]
    """Longest PPDU, preamble included."""
    mpdu_overhead_bytes: NotRequired[int]
    """Bytes of an MPDU in addition to the IP packet: MAC header 26, LLC/SNAP 8, FCS 4. CCMP (WPA2) adds 16."""
    retry_limit: NotRequired[int | None]
    """An MPDU is dropped after this many retransmissions. Absent means never, as 802.11-2020 has it for MPDUs under a
    Block Ack agreement.
    """
    block_ack_request: NotRequired[bool]
    """After an exchange without Block Ack, ask for one with a BlockAckReq before data is retransmitted."""
    rts_cts: NotRequired[bool]
    """Precede every A-MPDU with RTS and CTS."""
    capture_db: NotRequired[float | None]
    """Of frames that collide, the access point decodes one that it hears by this many dB louder than all others
    together. Absent means that nothing of a collision is decoded.
    """
    beacon_interval_ns: NotRequired[int | None]
    """Time between two beacons of the access point. Absent means no beacons."""
    outages: NotRequired[OutageConfig | None]
    """Times at which nothing is received: scans, roaming, interference."""


MediumConfig = HalfDuplexMedium | WifiMedium
"""A medium that several stations share. Paths name its stations as they name links."""


class CdfPoint(TypedDict):
    """A point of a cumulative distribution function."""

    bytes: int
    """A size."""
    probability: float
    """Share of the transfers that are at most that large, 0 to 1."""


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
    """Pareto distribution: a size is larger than x with probability (minimum / x)^shape. Larger draws than the maximum
    count as the maximum.
    """

    kind: Literal["pareto"]
    minimum_bytes: int
    """Smallest size."""
    shape: float
    """Tail index; the smaller, the heavier the tail."""
    maximum_bytes: NotRequired[int]
    """Largest size."""


class LogNormalSizes(TypedDict):
    """Log-normal distribution. Larger draws than the maximum count as the maximum."""

    kind: Literal["log_normal"]
    median_bytes: int
    """Median size."""
    sigma: float
    """Standard deviation of the natural logarithm of the size."""
    maximum_bytes: NotRequired[int]
    """Largest size."""


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
    """When it opens, from the start of the flow."""
    bytes: int
    """Size of the transfer."""

Adaptation = Literal["throughput", "buffer"]
"""How a video player chooses bitrates."""


class BulkWorkload(TypedDict):
    """Sends as fast as TCP allows until the flow stops."""

    kind: Literal["bulk"]


class Iperf3Workload(TypedDict):
    """As iperf3: three round trips of control messages, then the data connection with a cookie of 37 bytes first, and
    one round trip later bulk data. The flow's time counts from there.
    """

    kind: Literal["iperf3"]


class BytesWorkload(TypedDict):
    """Sends a number of bytes and closes."""

    kind: Literal["bytes"]
    bytes: int
    """Size of the transfer."""


class RequestResponseWorkload(TypedDict):
    """The data receiver sends a request, the data sender answers, repeatedly."""

    kind: Literal["request_response"]
    request_bytes: int
    """Size of a request."""
    response_bytes: int
    """Size of a response."""
    think_ns: NotRequired[int]
    """Pause between a response and the next request."""


class PingWorkload(TypedDict):
    """The data receiver sends a small message at a constant interval, and the data sender echoes each."""

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
    """Many short connections with Poisson arrivals. `mean_bytes` or `sizes` says how large they are."""

    kind: Literal["poisson_flows"]
    rate_per_s: float
    """Mean arrivals per second."""
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
    """A browser that loads pages one after the other over connections that stay open: first the document, then, over
    all connections, the objects that it names.
    """

    kind: Literal["web"]
    connections: NotRequired[int]
    """Number of connections. Those after the first open when the document names objects."""
    concurrent_requests: NotRequired[int]
    """Requests that a connection has outstanding at most: 1 as HTTP/1.1, or more as HTTP/2."""
    request_bytes: NotRequired[int]
    """Size of a request."""
    document_bytes: int
    """Size of the document."""
    objects: int
    """Number of objects that the document names."""
    object_sizes: Sizes
    """Sizes of the objects."""
    parse_ns: NotRequired[int]
    """Time between the arrival of the document and the requests for its objects."""
    think_ns: NotRequired[int]
    """Pause between the end of a page and the request for the next one."""


class VideoWorkload(TypedDict):
    """A player that downloads a video segment by segment, each in one of several bitrates."""

    kind: Literal["video"]
    ladder_bps: list[int]
    """The bitrates, in increasing order."""
    segment_ns: int
    """Playing time of a segment."""
    buffer_ns: int
    """Playing time that the buffer of the player holds."""
    adaptation: NotRequired[Adaptation]
    """How the player chooses the bitrate of the next segment."""
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
"""What the application does."""

TransportProtocol = Literal["tcp", "quic"]
"""The transport protocol of a flow."""

QuicProfile = Literal["ietf", "gquic"]
"""Where the QUIC settings come from that a scenario does not give."""


class QuicSettings(TypedDict):
    """Settings of both QUIC endpoints of a flow. Absent means that the profile says it."""

    profile: NotRequired[QuicProfile]
    """The settings that are not given: those of the RFCs, or of Chromium in 2018."""
    packet_bytes: NotRequired[int | None]
    """UDP payload of a full packet."""
    initial_cwnd_packets: NotRequired[int | None]
    """Initial congestion window."""
    pacing: NotRequired[bool | None]
    """Spread packets over the round trip."""
    slow_start_pacing_percent: NotRequired[int | None]
    """Pacing rate in slow start, in percent of a window per RTT, for algorithms that do not set a rate."""
    avoidance_pacing_percent: NotRequired[int | None]
    """The same after slow start."""
    burst_packets: NotRequired[int | None]
    """Packets that may leave at once when nothing is in flight."""
    proportional_rate_reduction: NotRequired[bool | None]
    """Reduce the window by Proportional Rate Reduction (RFC 6937) rather than at once."""
    ack_every_packets: NotRequired[int | None]
    """The receiver acknowledges at once when this many packets wait for it."""
    max_ack_delay_ns: NotRequired[int | None]
    """Longest delay of an acknowledgement."""
    ack_reordering_threshold_packets: NotRequired[int | None]
    """The receiver acknowledges at once when a packet is missing that was sent this many packets before the last one; 0
    means that reordering does not matter.
    """
    packet_threshold_packets: NotRequired[int | None]
    """A packet is lost when one sent this many packets later was acknowledged."""
    time_threshold_permille: NotRequired[int | None]
    """A packet is lost when a later one was acknowledged and this many thousandths of an RTT have passed."""
    initial_rtt_ns: NotRequired[int | None]
    """RTT that is assumed before the first measurement."""
    persistent_congestion_threshold: NotRequired[int | None]
    """Losses that span this many probe timeouts are persistent congestion."""
    zero_rtt: NotRequired[bool | None]
    """The session is resumed: data leaves with the first packets of the handshake."""
    stream_window_bytes: NotRequired[int | None]
    """Flow control window of a stream."""
    connection_window_bytes: NotRequired[int | None]
    """Flow control window of the connection."""
    streams: NotRequired[int | None]
    """Streams that the data is spread over."""
    datagrams: NotRequired[bool | None]
    """Send the data in DATAGRAM frames (RFC 9221), which are not retransmitted, instead of streams."""
    emulated_connections: NotRequired[int | None]
    """Connections whose bandwidth one connection takes; only CUBIC emulates several."""

Pacing = Literal["internal", "fq", "none"]
"""Who paces the packets of a flow."""


class SenderHost(TypedDict):
    """The host that sends the data."""

    offload: NotRequired[bool]
    """GRO for arriving acknowledgements."""
    segmentation_offload: NotRequired[bool]
    """TSO autosizing; kernels since 4.17 build bursts even if the network card cannot segment."""
    pacing: NotRequired[Pacing]
    """Who paces."""
    small_queue_limit_bytes: NotRequired[int | None]
    """The first station of the path is the host's own network interface, and TCP Small Queues let at most this much of
    a connection wait there (tcp_limit_output_bytes: 4 MiB since Linux 6.16, 1 MiB since 4.20, 256 KiB before), and not
    more than about a millisecond at its pacing rate. Absent, the host's interface never limits a connection.
    """
    small_queue_limits_paced: NotRequired[bool]
    """With small_queue_limit_bytes: connections that are paced obey it too. Linux 4.20 to 6.15 give them the
    millisecond alone.
    """
    pacing_shift: NotRequired[int]
    """A connection may have its pacing rate / 2^shift bytes in the host's queue, and sends bursts of up to that size
    (sk_pacing_shift). Drivers of Wi-Fi use 8 or 7.
    """
    wmem_max_bytes: NotRequired[int]
    """Largest send buffer (tcp_wmem)."""
    header_room_bytes: NotRequired[int]
    """Room for headers in front of the data of a segment (MAX_TCP_HEADER), which the size of a send buffer counts: 320
    bytes, and 256 in kernels without Wi-Fi and AX.25, as those for virtual machines are.
    """
    tcp_memory_bytes: NotRequired[int | None]
    """The connections of the host share its memory for TCP: above this no send buffer grows (the first of the three
    numbers of tcp_mem). Linux sets it to 3/64 of the host's memory. Absent, memory never runs out.
    """
    machine: NotRequired[str | None]
    """With tcp_memory_bytes: the host's name. Flows of one name share the memory, and so do flows without a name."""
    ecn: NotRequired[bool]
    """Negotiate ECN; both hosts must ask for it."""
    accecn: NotRequired[bool]
    """With ecn, offer accurate feedback (AccECN, RFC 9768); without a peer that offers it too, ECN is classic."""
    ect1: NotRequired[bool]
    """With ecn, packets carry ECT(1) instead of ECT(0), as those of scalable senders do (RFC 9331)."""
    timestamps: NotRequired[bool]
    """Use TCP timestamps (RFC 7323)."""
    initial_cwnd_packets: NotRequired[int]
    """Initial congestion window."""
    route_memory: NotRequired[bool]
    """Connections start with the slow-start threshold and the reordering that earlier connections of the run over the
    same path ended with (tcp_metrics; Linux before 5.6, and later with tcp_no_ssthresh_metrics_save = 0).
    """
    route_ssthresh_packets: NotRequired[int | None]
    """The slow-start threshold that is remembered of the path when the run begins: its connections start warm."""
    tail_loss_probe: NotRequired[bool]
    """Send tail loss probes (RFC 8985)."""
    forward_rto: NotRequired[bool]
    """Detect spurious timeouts with F-RTO (RFC 5682)."""
    undo: NotRequired[bool]
    """Undo window reductions that turn out to be spurious."""
    slow_start_after_idle: NotRequired[bool]
    """Shrink cwnd after an idle period (tcp_slow_start_after_idle)."""
    nagle: NotRequired[bool]
    """Nagle's algorithm."""


class ReceiverHost(TypedDict):
    """The host that receives the data."""

    offload: NotRequired[bool]
    """GRO: merges arriving packets and sends one acknowledgement for a batch."""
    offload_interval_ns: NotRequired[int]
    """With offload: the network interface interrupts at most this often, and what arrives in between is merged
    (interrupt moderation, `ethtool -C rx-usecs`). Interfaces of 10 Gbit/s and more use 8 to 50 us, many Gigabit
    Ethernet cards 50 to 125 us.
    """
    rmem_initial_bytes: NotRequired[int]
    """Initial receive buffer (tcp_rmem)."""
    rmem_max_bytes: NotRequired[int]
    """Largest receive buffer (tcp_rmem). The default suits large paths; Linux itself has 6 MiB, and 32 MiB since 6.16.
    """
    adv_win_scale: NotRequired[int | None]
    """tcp_adv_win_scale of kernels before 6.6: the window is the buffer less its 2^adv_win_scale-th part; their default
    of 1 leaves half. Absent, the window follows from the memory that segments take, as in Linux 6.6 and later.
    """
    autotune: NotRequired[bool]
    """Receive-buffer autotuning."""
    ecn: NotRequired[bool]
    """Negotiate ECN; both hosts must ask for it."""
    accecn: NotRequired[bool]
    """With ecn, offer accurate feedback (AccECN, RFC 9768); without a peer that offers it too, ECN is classic."""
    sack_compression: NotRequired[bool]
    """Compress SACK acknowledgements (tcp_comp_sack)."""
    sack_compression_rtt_percent: NotRequired[int]
    """Compress SACK acknowledgements for at most this part of the RTT (tcp_comp_sack_rtt_percent, since Linux 6.19,
    where its default is 33; before, 5 is built in).
    """


class FlowConfig(TypedDict):
    """A connection, or many of one kind."""

    algorithm: str
    """Name of a bundled algorithm, or the path of a C or Python file."""
    parameters: NotRequired[dict[str, int]]
    """The algorithm's parameters by name; the others keep their defaults."""
    forward: list[str]
    """Names of the links and stations that data crosses, in order."""
    reverse: list[str]
    """Names of the links and stations that acknowledgements cross."""
    start_ns: NotRequired[int]
    """When the connection opens."""
    stop_ns: NotRequired[int | None]
    """When the application stops sending; absent means the end of the run."""
    mtu: NotRequired[int]
    """Largest IP packet."""
    workload: NotRequired[Workload]
    """What the application does."""
    transport: NotRequired[TransportProtocol]
    """Transport protocol."""
    quic: NotRequired[QuicSettings | None]
    """Settings of a flow whose transport is QUIC."""
    sender: NotRequired[SenderHost]
    """The host that sends the data."""
    receiver: NotRequired[ReceiverHost]
    """The host that receives the data."""


class CrossTrafficConfig(TypedDict):
    """UDP packets at a constant rate, continuous or on and off."""

    path: list[str]
    """Names of the links and stations that the packets cross, in order."""
    rate_bps: int
    """Rate of IP packets while the source is on."""
    packet_bytes: NotRequired[int]
    """Size of the IP packets."""
    start_ns: NotRequired[int]
    """When the source starts."""
    stop_ns: NotRequired[int | None]
    """When the source stops; absent means the end of the run."""
    on_ns: NotRequired[int | None]
    """Length of an on period; absent means always on."""
    off_ns: NotRequired[int | None]
    """Length of an off period."""
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
    """Metrics of flows and links count from here on; time series start at 0."""
    links: NotRequired[list[LinkConfig]]
    """The links of the network."""
    media: NotRequired[list[MediumConfig]]
    """Media that several stations share."""
    flows: list[FlowConfig]
    """Connections."""
    cross_traffic: NotRequired[list[CrossTrafficConfig]]
    """UDP traffic."""
    watch: NotRequired[list[str]]
    """What the time series of flows have in addition: members of `tcp_sock` by their kernel names (`snd_ssthresh`), and
    of the algorithm's own memory (`state.NAME`).
    """
