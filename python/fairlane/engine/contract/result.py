"""Rows of results as types. Generated from crates/contract by `python -m tools.reference`; do not edit."""

from typing import TypedDict


class RunRow(TypedDict):
    """A row of `runs`."""

    jain_index: float | None
    """Jain's fairness index of the flows' mean goodputs."""
    data_packets_delivered: int
    """Data packets that reached their receivers."""
    events: int
    """Packets that arrived at hosts, timers that fired, and acts of applications, sources and observers."""
    warm_up_s: float
    """Beginning of the run that metrics leave out. Time series start at 0."""
    fairlane: str
    """Version of Fairlane."""
    simulator: str
    """Hash of the simulator's sources."""
    command: str
    """The command that computed the run."""
    host: str
    """Name of the machine."""
    system: str
    """Operating system of the machine."""
    processor: str
    """Processor of the machine."""
    processors: int
    """Number of processors of the machine."""
    python: str
    """Version of Python."""
    finished: str
    """Time at which the run ended."""
    scenario: str
    """The scenario as JSON."""
    algorithms: str
    """Hashes of the algorithms' sources, as JSON."""
    cpu_s: float
    """CPU time of the run."""
    wall_s: float
    """Elapsed time of the run."""
    peak_rss_mb: float
    """Peak memory of the process that computed the run."""


class FlowRow(TypedDict):
    """A row of `flows`."""

    flow: int
    """Number of the flow, from 0."""
    group: int
    """Index of its entry in the scenario's `flows`."""
    algorithm: str
    """Congestion control."""
    start_s: float
    """Time at which the connection opened."""
    duration_s: float
    """Measured time."""
    mss_bytes: int
    """Payload of a full packet."""
    goodput_mbps: float
    """Payload that the application received."""
    throughput_mbps: float
    """Frames that reached the receiver."""
    sending_rate_mbps: float
    """Frames that the sender transmitted."""
    mean_rtt_ms: float | None
    """Mean of the smoothed RTT."""
    median_rtt_ms: float | None
    """Median of the smoothed RTT."""
    p95_rtt_ms: float | None
    """95th percentile of the smoothed RTT."""
    p99_rtt_ms: float | None
    """99th percentile of the smoothed RTT."""
    max_rtt_ms: float | None
    """Maximum of the smoothed RTT."""
    mean_cwnd_packets: float | None
    """Mean congestion window."""
    mean_pacing_mbps: float | None
    """Mean pacing rate."""
    mean_inflight_packets: float | None
    """Mean of the packets in flight."""
    min_rtt_ms: float | None
    """Smallest RTT that the sender measured, the handshake included (Linux's tcpi_min_rtt)."""
    packet_rtt_samples: int
    """Number of RTTs measured packet by packet."""
    packet_rtt_mean_ms: float | None
    """Mean of the packet RTTs."""
    packet_rtt_median_ms: float | None
    """Median of the packet RTTs."""
    packet_rtt_p95_ms: float | None
    """95th percentile of the packet RTTs."""
    packet_rtt_p99_ms: float | None
    """99th percentile of the packet RTTs."""
    packet_rtt_min_ms: float | None
    """Minimum of the packet RTTs."""
    packet_rtt_max_ms: float | None
    """Maximum of the packet RTTs."""
    retransmits: int
    """Segments retransmitted."""
    retransmitted_bytes: int
    """Payload retransmitted."""
    segments_retransmitted: int | None
    """Segments retransmitted at least once; none over QUIC, which sends lost data in new packets, and where a kernel
    ran.
    """
    timeouts: int
    """Retransmission timeouts."""
    data_packets_sent: int
    """Data packets that the sender transmitted, retransmissions included."""
    data_packets_received: int
    """Data packets that reached the receiver."""
    lost_packets: int
    """Packets towards the receiver that the network dropped or lost."""
    packets_marked_lost: int
    """Packets that the sender marked lost, retransmissions included (Linux's tp->lost)."""
    spurious_losses: int
    """Packets that the sender retransmitted or marked lost although they arrived. Over QUIC, packets marked lost whose
    acknowledgement came later; over TCP, segments that DSACKs reported as duplicates (Linux's tcpi_dsack_dups), which
    includes probes and duplicates that the network made.
    """
    marked_packets: int
    """Packets whose acknowledgement reported congestion (ECN)."""
    bytes_delivered: int
    """Payload that the application received."""
    transfer_bytes: int | None
    """Size of the transfer, for flows of a given size."""
    completion_s: float | None
    """Time from the start of the connection to the last byte, for flows of a given size."""
    ideal_completion_s: float | None
    """Shortest time of a transfer of this size on the idle path: an RTT for the handshake, the propagation delay, and
    the transmission time of its packets on the slowest link. None if the path has a shared medium or a trace, or the
    flow has no given size.
    """
    requests_completed: int | None
    """Requests with a complete response: messages, pings, objects of pages, segments of a video."""
    request_mean_ms: float | None
    """Mean time from a request to the last byte of its response."""
    request_median_ms: float | None
    """Median of the request times."""
    request_p95_ms: float | None
    """95th percentile of the request times."""
    request_p99_ms: float | None
    """99th percentile of the request times."""
    request_max_ms: float | None
    """Maximum of the request times."""
    pages_completed: int | None
    """Pages loaded completely; in the row of the first connection, like all columns of pages."""
    page_load_mean_ms: float | None
    """Mean time from the start of a page to the last byte of its last object."""
    page_load_median_ms: float | None
    """Median of the page load times."""
    page_load_p95_ms: float | None
    """95th percentile of the page load times."""
    video_bitrate_mbps: float | None
    """Mean bitrate of the downloaded segments."""
    bitrate_switches: int | None
    """Changes of the bitrate from one segment to the next."""
    startup_s: float | None
    """Time from the start of the connection to the first picture."""
    played_s: float | None
    """Video time that was played."""
    rebuffering_s: float | None
    """Time of stalls with an empty buffer after the first picture."""
    rebuffering_events: int | None
    """Number of stalls with an empty buffer."""
    ack_blocks: int | None
    """ACK blocks."""
    ack_block_packets: int | None
    """Packets in them."""
    segment_gap_ms: float | None
    """Mean time between two successive data packets with no ACK arriving in between."""
    ack_block_gap_correlation: float | None
    """Correlation of the number of ACK blocks of a second with the mean of these times, over the seconds of the flow.
    """
    ack_block_variation: float | None
    """Standard deviation of the number of ACK blocks in a second, as a share of its mean."""
    segment_gap_variation: float | None
    """Standard deviation of the mean time between data packets over seconds, as a share of its mean."""
    wire_bytes_forward: int
    """Frames that the data sender transmitted."""
    wire_bytes_reverse: int
    """Frames that the data receiver transmitted."""


class LinkRow(TypedDict):
    """A row of `links`."""

    name: str
    """Name of the link."""
    utilisation: float
    """Share of the capacity that was used, 0 to 1."""
    transmitted_bytes: int
    """Frames transmitted."""
    delivered_packets: int
    """Packets that arrived at the far end."""
    dropped_packets: int
    """Packets dropped by the queue."""
    marked_packets: int
    """Packets marked by the queue (ECN)."""
    lost_packets: int
    """Packets lost at random on the wire."""
    mean_queue_bytes: float
    """Mean of the bytes in the queue."""
    max_queue_bytes: int
    """Maximum of the bytes in the queue."""
    mean_queue_delay_ms: float | None
    """Mean time in the queue of the packets that were sent; none if none was."""
    median_queue_delay_ms: float | None
    """Median time in the queue, packet by packet, to within 0.8 %."""
    p95_queue_delay_ms: float | None
    """95th percentile of the time in the queue."""
    p99_queue_delay_ms: float | None
    """99th percentile of the time in the queue."""
    max_queue_delay_ms: float | None
    """Longest time in the queue."""
    airtime_share: float | None
    """Share of the time in which the frames of a Wi-Fi queue, their responses and its collisions occupied the channel,
    0 to 1. This and the columns below are none for other links.
    """
    ppdus: int | None
    """PPDUs that a Wi-Fi queue transmitted."""
    mpdus_per_ppdu: float | None
    """Mean number of MPDUs in these PPDUs."""
    p5_mpdus_per_ppdu: int | None
    """5th percentile of that number."""
    median_mpdus_per_ppdu: int | None
    """Median of that number."""
    p95_mpdus_per_ppdu: int | None
    """95th percentile of that number."""
    collided_ppdus: int | None
    """PPDUs that collided."""
    retransmitted_mpdus: int | None
    """MPDUs retransmitted."""
    turns: int | None
    """Sequences of PPDUs that no PPDU of another queue interrupted."""


class CrossTrafficRow(TypedDict):
    """A row of `cross_traffic`."""

    sent_packets: int
    """Packets sent."""
    delivered_packets: int
    """Packets that arrived."""


class FlowSampleRow(TypedDict):
    """A row of `flow_samples`."""

    t_s: float
    """Time since the start of the run, at the end of the interval."""
    mbps: float
    """Goodput of the interval."""
    throughput_mbps: float
    """Frames that reached the receiver in the interval."""
    sending_rate_mbps: float
    """Frames that the sender transmitted in the interval."""
    cwnd_packets: int
    """Congestion window."""
    rtt_ms: float
    """Smoothed RTT; 0 before the first measurement."""
    rttvar_us: int
    """Smoothed mean deviation of the RTT (Linux's tcpi_rttvar)."""
    packet_rtt_ms: float | None
    """Mean of the RTTs measured in the interval; none if there was no measurement."""
    retransmits: int
    """Segments retransmitted in the interval."""
    lost_packets: int
    """Packets towards the receiver that the network dropped or lost in the interval."""
    pacing_mbps: float
    """Pacing rate."""
    inflight_packets: int
    """Packets in flight."""
    receive_window_bytes: int
    """Receive window beyond the first unacknowledged byte (Linux's tcpi_snd_wnd)."""
    marked_packets: int
    """Packets of the interval whose acknowledgement reported congestion (ECN)."""


class LinkSampleRow(TypedDict):
    """A row of `link_samples`."""

    t_s: float
    """Time since the start of the run, at the end of the interval."""
    queue_bytes: int
    """Bytes in the queue at the time of the sample."""
    mean_queue_bytes: float
    """Mean of the bytes in the queue over the interval."""
    queue_delay_ms: float | None
    """Mean time in the queue of the packets that left it in the interval; none if none left."""
    throughput_mbps: float
    """Frames transmitted in the interval."""
    dropped_packets: int
    """Packets dropped by the queue in the interval."""
    marked_packets: int
    """Packets marked by the queue in the interval (ECN)."""
