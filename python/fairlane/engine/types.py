"""Scenarios as types. Generated from crates/contract by `python -m tools.reference`; do not edit.

No key is marked as required, and none is null: an absent setting is left out. A table with several kinds has the keys
of all of them.
"""

from typing import Literal, TypedDict


class QueueConfig(TypedDict, total=False):
    """The queue in front of the transmitter."""

    kind: str
    limit_bytes: int
    limit_packets: int
    min_bytes: int
    max_bytes: int
    avpkt_bytes: int
    burst_packets: int
    probability: float
    bandwidth_bps: int
    ecn: bool
    harddrop: bool
    nodrop: bool
    adaptive: bool
    target_ns: int
    interval_ns: int
    ce_threshold_ns: int
    flows: int
    quantum_bytes: int
    ce_threshold_ect1_only: bool
    memory_limit_bytes: int
    drop_batch_packets: int
    tupdate_ns: int
    alpha: int
    beta: int
    bytemode: bool
    dq_rate_estimator: bool
    ecn_prob: int
    flow_limit_packets: int
    initial_quantum_bytes: int
    maxrate_bps: int
    low_rate_threshold_bps: int
    refill_delay_ns: int
    orphan_mask: int
    overhead: int
    mpu: int
    atm: bool
    ptm: bool
    ack_filter: bool
    ack_filter_aggressive: bool
    rtt_ns: int
    memlimit_bytes: int
    max_rtt_ns: int
    typical_rtt_ns: int
    alpha_hz: float
    beta_hz: float
    coupling_factor: int
    step_thresh_ns: int
    step_thresh_packets: int
    min_qlen_step_packets: int
    classic_protection_percent: int
    drop_on_overload: bool
    drop_enqueue: bool
    any_ect: bool
    rate_bps: int
    burst_bytes: int
    peakrate_bps: int
    mtu_bytes: int
    pkts_rate_pps: int
    pkts_burst_packets: int
    forwarding_ns: int
    merge_interval_ns: int
    merge_packets: int


JitterDistribution = Literal["uniform", "normal", "pareto", "paretonormal"]


class JitterConfig(TypedDict, total=False):
    """Random extra delay: from 0 to `max_ns`, or spread around the link's delay."""

    max_ns: int
    spread_ns: int
    distribution: JitterDistribution
    reorder: bool
    correlation: float


class OutageConfig(TypedDict, total=False):
    """Times at which nothing is received."""

    kind: Literal["listed", "periodic", "random"]
    at_ns: list[int]
    length_ns: int
    every_ns: int
    first_ns: int
    mean_length_ns: int
    mean_distance_ns: int


class LossConfig(TypedDict, total=False):
    """Loss on the wire, after the queue and the transmitter."""

    kind: Literal["independent", "gilbert_elliott", "bursts", "listed"]
    probability: float
    correlation: float
    good_to_bad: float
    bad_to_good: float
    loss_good: float
    loss_bad: float
    times: OutageConfig
    at_ns: list[int]


class CorruptConfig(TypedDict, total=False):
    """Packets with a bit error."""

    probability: float
    correlation: float


EcnFault = Literal["bleach", "lose_ce", "all_ce", "remark", "set_ect"]


class EcnFaultConfig(TypedDict, total=False):
    """A fault of the ECN field, in packets that leave the link."""

    fault: EcnFault
    probability: float


class ReorderConfig(TypedDict, total=False):
    """Packets that overtake others: as with netem, they skip the link's propagation delay, which the ...."""

    probability: float
    correlation: float
    gap: int


class SlotConfig(TypedDict, total=False):
    """Delivery in slots: packets that have crossed the link wait for the next slot, as on links that ...."""

    min_ns: int
    max_ns: int
    packets: int
    bytes: int


WhenDown = Literal["drop", "hold"]


class ChangeConfig(TypedDict, total=False):
    """From its time on, bits are sent at the new rate, frames that start propagate with the new delay, ...."""

    at_ns: int
    rate_bps: int
    delay_ns: int
    loss: LossConfig


class LinkConfig(TypedDict, total=False):
    """One link of the network."""

    name: str
    rate_bps: int
    delay_ns: int
    overhead_bytes: int
    mtu_bytes: int
    queue: QueueConfig
    burst_bytes: int
    jitter: JitterConfig
    loss: LossConfig
    duplicate_probability: float
    duplicate_correlation: float
    corrupt: CorruptConfig
    ecn_fault: EcnFaultConfig
    reorder: ReorderConfig
    slot: SlotConfig
    outages: list[OutageConfig]
    when_down: WhenDown
    changes: list[ChangeConfig]
    trace_ms: list[int]


class StationConfig(TypedDict, total=False):
    """One station of a shared medium."""

    name: str
    queue: QueueConfig
    loss: LossConfig
    mtu_bytes: int


WifiStandard = Literal["n", "ac", "ax"]


WifiBand = Literal["2.4ghz", "5ghz"]


WifiRateControl = Literal["fixed", "minstrel"]


class WifiDriver(TypedDict, total=False):
    """A queue of the driver behind the queue discipline, first in, first out."""

    kind: Literal["fifo", "aql"]
    limit_packets: int
    low_ns: int
    high_ns: int
    total_ns: int


class WifiQueueConfig(TypedDict, total=False):
    """A transmit queue of the cell and the rate at which it is served."""

    name: str
    mcs: int
    streams: int
    mpdu_loss: float
    rate_control: WifiRateControl
    mpdu_losses: list[float]
    queue: QueueConfig
    driver: WifiDriver
    mtu_bytes: int


class WifiStationConfig(TypedDict, total=False):
    """A station, with the queues in both directions between it and the access point."""

    name: str
    signal_db: float
    hidden_from: list[str]
    latency_ns: int
    uplink: WifiQueueConfig
    downlink: WifiQueueConfig


WifiScheduler = Literal["round_robin", "airtime", "oldest_first"]


class AccessLogConfig(TypedDict, total=False):
    """A part of a run of which every frame is recorded."""

    from_ns: int
    frames: int


class HalfDuplexMedium(TypedDict, total=False):
    """One transmission at a time, in either direction, with a fixed turnaround time between senders."""

    kind: Literal["half_duplex"]
    name: str
    rate_bps: int
    turnaround_ns: int
    frames_per_turn: int
    delay_ns: int
    overhead_bytes: int
    stations: list[StationConfig]


class WifiMedium(TypedDict, total=False):
    """An 802.11 cell: an access point and its stations, which contend for one channel."""

    kind: Literal["wifi"]
    name: str
    standard: WifiStandard
    band: WifiBand
    width_mhz: int
    guard_interval_ns: int
    stations: list[WifiStationConfig]
    station_cw_max: int
    access_point_cw_max: int
    access_point_scheduler: WifiScheduler
    access_point_limit_packets: int
    hardware_aggregates: int
    access_log: AccessLogConfig
    access_point_latency_ns: int
    txop_limit_ns: int
    max_ampdu_mpdus: int
    max_ampdu_bytes: int
    max_ppdu_ns: int
    mpdu_overhead_bytes: int
    retry_limit: int
    block_ack_request: bool
    rts_cts: bool
    capture_db: float
    beacon_interval_ns: int
    outages: OutageConfig


MediumConfig = HalfDuplexMedium | WifiMedium


class CdfPoint(TypedDict, total=False):
    """A point of a cumulative distribution function."""

    bytes: int
    probability: float


class Sizes(TypedDict, total=False):
    """Distribution of the sizes of transfers."""

    kind: Literal["fixed", "exponential", "pareto", "log_normal", "empirical"]
    bytes: int
    mean_bytes: int
    minimum_bytes: int
    shape: float
    maximum_bytes: int
    median_bytes: int
    sigma: float
    points: list[CdfPoint]


class Arrival(TypedDict, total=False):
    """A connection of a trace."""

    start_ns: int
    bytes: int


Adaptation = Literal["throughput", "buffer"]


class Workload(TypedDict, total=False):
    """The application of a flow."""

    kind: str
    bytes: int
    request_bytes: int
    response_bytes: int
    think_ns: int
    interval_ns: int
    on_ns: int
    off_ns: int
    exponential: bool
    rate_per_s: float
    mean_bytes: int
    sizes: Sizes
    arrivals: list[Arrival]
    connections: int
    concurrent_requests: int
    document_bytes: int
    objects: int
    object_sizes: Sizes
    parse_ns: int
    ladder_bps: list[int]
    segment_ns: int
    buffer_ns: int
    adaptation: Adaptation
    frame_interval_ns: int
    late_ns: int
    feedback_interval_ns: int
    delay_limit_ns: int
    raise_after_ns: int


TransportProtocol = Literal["tcp", "quic", "rtp"]


QuicProfile = Literal["ietf", "gquic"]


class QuicSettings(TypedDict, total=False):
    """Both QUIC endpoints of a flow."""

    profile: QuicProfile
    packet_bytes: int
    initial_cwnd_packets: int
    pacing: bool
    slow_start_pacing_percent: int
    avoidance_pacing_percent: int
    burst_packets: int
    proportional_rate_reduction: bool
    ack_every_packets: int
    max_ack_delay_ns: int
    ack_reordering_threshold_packets: int
    packet_threshold_packets: int
    time_threshold_permille: int
    initial_rtt_ns: int
    persistent_congestion_threshold: int
    zero_rtt: bool
    stream_window_bytes: int
    connection_window_bytes: int
    streams: int
    datagrams: bool
    emulated_connections: int


Pacing = Literal["internal", "fq", "none"]


class SenderHost(TypedDict, total=False):
    """The host that sends the data."""

    offload: bool
    segmentation_offload: bool
    pacing: Pacing
    small_queue_limit_bytes: int
    small_queue_limits_paced: bool
    pacing_shift: int
    wmem_max_bytes: int
    header_room_bytes: int
    tcp_memory_bytes: int
    machine: str
    arp_ns: int
    ecn: bool
    accecn: bool
    ect1: bool
    sack: bool
    timestamps: bool
    rto_min_ns: int
    initial_cwnd_packets: int
    route_memory: bool
    route_ssthresh_packets: int
    tail_loss_probe: bool
    forward_rto: bool
    undo: bool
    slow_start_after_idle: bool
    nagle: bool


class ReceiverHost(TypedDict, total=False):
    """The host that receives the data."""

    algorithm: str
    offload: bool
    offload_interval_ns: int
    rmem_initial_bytes: int
    rmem_max_bytes: int
    adv_win_scale: int
    autotune: bool
    ecn: bool
    accecn: bool
    sack: bool
    timestamps: bool
    sack_compression: bool
    sack_compression_rtt_percent: int
    prompt_right_sizing: bool
    prompt_rtt: bool
    rcvbuf_low_rtt_ns: int
    ack_division: int
    optimistic_ack_bytes: int
    conceal_ce: bool


class FlowConfig(TypedDict, total=False):
    """A flow, or many of one kind."""

    algorithm: str
    parameters: dict[str, int]
    forward: list[str]
    reverse: list[str]
    start_ns: int
    stop_ns: int
    mtu: int
    workload: Workload
    transport: TransportProtocol
    quic: QuicSettings
    sender: SenderHost
    receiver: ReceiverHost


class CrossTrafficConfig(TypedDict, total=False):
    """UDP packets at a constant rate, continuous or on and off."""

    path: list[str]
    rate_bps: int
    packet_bytes: int
    start_ns: int
    stop_ns: int
    on_ns: int
    off_ns: int
    exponential: bool


class Scenario(TypedDict, total=False):
    """A whole run."""

    seed: int
    duration_ns: int
    hz: int
    series_interval_ns: int
    warm_up_ns: int
    links: list[LinkConfig]
    media: list[MediumConfig]
    flows: list[FlowConfig]
    cross_traffic: list[CrossTrafficConfig]
    watch: list[str]
