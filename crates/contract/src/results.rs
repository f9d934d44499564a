//! The result of a run: metrics of flows and links, and their time series.

use crate::{Cells, LinkAccesses, LinkAggregates, Rows, Series};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// The result of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    pub flows: Rows<FlowResult>,
    pub links: Vec<LinkResult>,
    pub cross_traffic: Vec<CrossTrafficResult>,
    #[serde(flatten)]
    pub metrics: RunMetrics,
    pub series: Series,
    pub distributions: Distributions,
    pub accesses: Accesses,
}

/// Metrics of a whole run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunMetrics {
    /// Jain's fairness index of the flows' mean goodputs.
    pub jain_index: Option<f64>,
    /// Data packets that reached their receivers.
    pub data_packets_delivered: u64,
    /// Packets that arrived at hosts, timers that fired, and acts of applications, sources and observers.
    pub events: u64,
    /// Beginning of the run that metrics leave out. Time series start at 0.
    pub warm_up_s: f64,
    /// Warnings about algorithms, such as a division by zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<String>,
}

/// Facts that a caller records about a run next to its metrics; the engine does not know them.
#[derive(Clone, Debug, JsonSchema)]
pub struct Provenance {
    /// Version of Fairlane.
    pub fairlane: String,
    /// Hash of the simulator's sources.
    pub simulator: String,
    /// The command that computed the run.
    pub command: String,
    /// Name of the machine.
    pub host: String,
    /// Operating system of the machine.
    pub system: String,
    /// Processor of the machine.
    pub processor: String,
    /// Number of processors of the machine.
    pub processors: u32,
    /// Version of Python.
    pub python: String,
    /// Time at which the run ended.
    pub finished: String,
    /// The scenario as JSON.
    pub scenario: String,
    /// Hashes of the algorithms' sources, as JSON.
    pub algorithms: String,
    /// CPU time of the run.
    pub cpu_s: f64,
    /// Elapsed time of the run.
    pub wall_s: f64,
    /// Peak memory of the process that computed the run.
    #[schemars(extend("x-unit" = "MB"))]
    pub peak_rss_mb: f64,
}

/// Distributions of a run: packet RTTs of each flow, and sizes of the A-MPDUs of each Wi-Fi queue.
#[derive(Clone, Debug, Serialize)]
pub struct Distributions {
    #[serde(skip_serializing_if = "Rows::is_empty")]
    pub flows: Rows<RttDistribution>,
    /// All links, if one of them is a Wi-Fi queue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkAggregates>,
}

/// Frames on the air, one by one.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Accesses {
    /// All links, if frames were recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkAccesses>,
}

/// One flow, from its start or the end of the warm-up, whichever is later, to its end.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FlowResult {
    /// Number of the flow, from 0.
    pub flow: u32,
    /// Index of its entry in the scenario's `flows`.
    pub group: u32,
    /// Congestion control.
    pub algorithm: String,
    /// Time at which the connection opened.
    pub start_s: f64,
    /// Measured time.
    pub duration_s: f64,
    /// Payload of a full packet.
    pub mss_bytes: u32,
    /// Payload that the application received.
    pub goodput_mbps: f64,
    /// Frames that reached the receiver.
    pub throughput_mbps: f64,
    /// Frames that the sender transmitted.
    pub sending_rate_mbps: f64,
    #[serde(flatten)]
    pub summary: FlowSummary,
    /// Smallest RTT that the sender measured, the handshake included (Linux's tcpi_min_rtt).
    pub min_rtt_ms: Option<f64>,
    #[serde(flatten)]
    pub packet_rtt: PacketRtt,
    /// Segments retransmitted.
    pub retransmits: u32,
    /// Payload retransmitted.
    pub retransmitted_bytes: u64,
    /// Segments retransmitted at least once; none over QUIC, which sends lost data in new packets, and where a kernel ran.
    pub segments_retransmitted: Option<u32>,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Data packets that the sender transmitted, retransmissions included.
    pub data_packets_sent: u64,
    /// Data packets that reached the receiver.
    pub data_packets_received: u64,
    /// Packets towards the receiver that the network dropped or lost.
    pub lost_packets: u64,
    /// Packets that the sender marked lost, retransmissions included (Linux's tp->lost).
    pub packets_marked_lost: u32,
    /// Packets that the sender retransmitted or marked lost although they arrived. Over QUIC, packets marked lost whose
    /// acknowledgement came later; over TCP, segments that DSACKs reported as duplicates (Linux's tcpi_dsack_dups), which
    /// includes probes and duplicates that the network made.
    pub spurious_losses: u32,
    /// Packets whose acknowledgement reported congestion (ECN).
    pub marked_packets: u32,
    /// Payload that the application received.
    pub bytes_delivered: u64,
    /// Size of the transfer, for flows of a given size.
    pub transfer_bytes: Option<u64>,
    /// Time from the start of the connection to the last byte, for flows of a given size.
    pub completion_s: Option<f64>,
    /// Shortest time of a transfer of this size on the idle path: an RTT for the handshake, the propagation delay, and the
    /// transmission time of its packets on the slowest link. None if the path has a shared medium or a trace, or the flow
    /// has no given size.
    pub ideal_completion_s: Option<f64>,
    #[serde(flatten)]
    pub limits: SendLimits,
    #[serde(flatten)]
    pub application: ApplicationMetrics,
    #[serde(flatten)]
    pub trace: SenderTrace,
    /// Frames that the data sender transmitted.
    pub wire_bytes_forward: u64,
    /// Frames that the data receiver transmitted.
    pub wire_bytes_reverse: u64,
}

/// Shares of the measured time in which each limit kept the sender from sending, 0 to 1: that which stopped the last
/// attempt to send. Their sum is at most 1; the handshake is the rest. None without measured time.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SendLimits {
    /// Data was queued or in flight (Linux's tcpi_busy_time).
    pub busy_share: Option<f64>,
    /// Limited by the receive window (Linux's tcpi_rwnd_limited), over QUIC by flow control.
    pub rwnd_limited_share: Option<f64>,
    /// Limited by the send buffer (Linux's tcpi_sndbuf_limited).
    pub sndbuf_limited_share: Option<f64>,
    /// Limited by the data in the queue of the sender's host (TCP Small Queues). None where a kernel ran, as for the
    /// three shares below.
    pub small_queue_limited_share: Option<f64>,
    /// Limited by the application: everything was sent, or nothing was written.
    pub app_limited_share: Option<f64>,
    /// Limited by the congestion window.
    pub cwnd_limited_share: Option<f64>,
    /// Limited by pacing.
    pub pacing_limited_share: Option<f64>,
    /// The limit with the largest share: receive window, send buffer, small queue, application, cwnd or pacing. None
    /// where a kernel ran and it was none of those that kernels tell apart.
    pub limited_by: Option<String>,
}

/// Metrics of applications; a column is none for flows whose application does not measure it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ApplicationMetrics {
    /// Requests with a complete response: messages, pings, objects of pages, segments of a video.
    pub requests_completed: Option<u64>,
    /// Mean time from a request to the last byte of its response.
    pub request_mean_ms: Option<f64>,
    /// Median of the request times.
    pub request_median_ms: Option<f64>,
    /// 95th percentile of the request times.
    pub request_p95_ms: Option<f64>,
    /// 99th percentile of the request times.
    pub request_p99_ms: Option<f64>,
    /// Maximum of the request times.
    pub request_max_ms: Option<f64>,
    /// Pages loaded completely; in the row of the first connection, like all columns of pages.
    pub pages_completed: Option<u64>,
    /// Mean time from the start of a page to the last byte of its last object.
    pub page_load_mean_ms: Option<f64>,
    /// Median of the page load times.
    pub page_load_median_ms: Option<f64>,
    /// 95th percentile of the page load times.
    pub page_load_p95_ms: Option<f64>,
    /// Mean bitrate of the downloaded segments.
    pub video_bitrate_mbps: Option<f64>,
    /// Changes of the bitrate from one segment to the next.
    pub bitrate_switches: Option<u64>,
    /// Time from the start of the connection to the first picture.
    pub startup_s: Option<f64>,
    /// Video time that was played.
    pub played_s: Option<f64>,
    /// Time of stalls with an empty buffer after the first picture.
    pub rebuffering_s: Option<f64>,
    /// Number of stalls with an empty buffer.
    pub rebuffering_events: Option<u64>,
    /// Frames of a call.
    pub call_frames: Option<u64>,
    /// Frames that took longer than the limit from the encoder to the receiver.
    pub call_late_frames: Option<u64>,
    /// Frames that the encoder skipped because older ones had not arrived.
    pub call_lost_frames: Option<u64>,
    /// Mean one-way delay of a frame, from the encoder to its last byte at the receiver.
    pub call_delay_mean_ms: Option<f64>,
    /// Median of the one-way delays.
    pub call_delay_median_ms: Option<f64>,
    /// 95th percentile of the one-way delays.
    pub call_delay_p95_ms: Option<f64>,
    /// 99th percentile of the one-way delays.
    pub call_delay_p99_ms: Option<f64>,
    /// Maximum of the one-way delays.
    pub call_delay_max_ms: Option<f64>,
    /// Mean bitrate of the frames that were sent.
    pub call_bitrate_mbps: Option<f64>,
    /// Time in which the picture of a call stood still.
    pub call_frozen_s: Option<f64>,
    /// Number of times that it stood still.
    pub call_freezes: Option<u64>,
}

/// Metrics of a packet trace at the sender of a flow that crosses Wi-Fi; none for other flows. An ACK block is a sequence
/// of packets without data that arrive with no data packet leaving in between.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SenderTrace {
    /// ACK blocks.
    pub ack_blocks: Option<u64>,
    /// Packets in them.
    pub ack_block_packets: Option<u64>,
    /// Mean time between two successive data packets with no ACK arriving in between.
    pub segment_gap_ms: Option<f64>,
    /// Correlation of the number of ACK blocks of a second with the mean of these times, over the seconds of the flow.
    pub ack_block_gap_correlation: Option<f64>,
    /// Standard deviation of the number of ACK blocks in a second, as a share of its mean.
    pub ack_block_variation: Option<f64>,
    /// Standard deviation of the mean time between data packets over seconds, as a share of its mean.
    pub segment_gap_variation: Option<f64>,
}

/// Metrics of a flow's samples; none without samples.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FlowSummary {
    /// Mean of the smoothed RTT.
    pub mean_rtt_ms: Option<f64>,
    /// Median of the smoothed RTT.
    pub median_rtt_ms: Option<f64>,
    /// 95th percentile of the smoothed RTT.
    pub p95_rtt_ms: Option<f64>,
    /// 99th percentile of the smoothed RTT.
    pub p99_rtt_ms: Option<f64>,
    /// Maximum of the smoothed RTT.
    pub max_rtt_ms: Option<f64>,
    /// Mean congestion window.
    pub mean_cwnd_packets: Option<f64>,
    /// Mean pacing rate.
    pub mean_pacing_mbps: Option<f64>,
    /// Mean of the packets in flight.
    pub mean_inflight_packets: Option<f64>,
}

/// RTTs of packets: each acknowledgement gives the RTT of the latest packet that it covers. Quantiles are exact to within
/// 0.8 %, the rest is exact.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PacketRtt {
    /// Number of RTTs measured packet by packet.
    pub packet_rtt_samples: u64,
    /// Mean of the packet RTTs.
    pub packet_rtt_mean_ms: Option<f64>,
    /// Median of the packet RTTs.
    pub packet_rtt_median_ms: Option<f64>,
    /// 95th percentile of the packet RTTs.
    pub packet_rtt_p95_ms: Option<f64>,
    /// 99th percentile of the packet RTTs.
    pub packet_rtt_p99_ms: Option<f64>,
    /// Minimum of the packet RTTs.
    pub packet_rtt_min_ms: Option<f64>,
    /// Maximum of the packet RTTs.
    pub packet_rtt_max_ms: Option<f64>,
}

/// A histogram of packet RTTs: the middle of each bucket that is not empty, and its number of samples.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RttDistribution {
    /// Middle of the bucket.
    pub rtt_ms: Vec<f32>,
    /// RTTs in the bucket.
    pub samples: Vec<u32>,
}

impl RttDistribution {
    /// Names and values of the columns in order.
    pub fn into_cells(self) -> Vec<(Cow<'static, str>, Cells)> {
        vec![("rtt_ms".into(), self.rtt_ms.into()), ("samples".into(), self.samples.into())]
    }
}

/// One link, from the end of the warm-up on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinkResult {
    /// Name of the link.
    pub name: String,
    /// Share of the capacity that was used, 0 to 1. With a token bucket the tokens that were in it at the end of the
    /// warm-up are part of the capacity.
    pub utilisation: f64,
    /// Frames transmitted.
    pub transmitted_bytes: u64,
    /// Packets that arrived at the far end.
    pub delivered_packets: u64,
    /// Packets dropped by the queue.
    pub dropped_packets: u64,
    /// Packets marked by the queue (ECN).
    pub marked_packets: u64,
    /// Packets lost at random on the wire.
    pub lost_packets: u64,
    /// Mean of the bytes in the queue.
    pub mean_queue_bytes: f64,
    /// Maximum of the bytes in the queue.
    pub max_queue_bytes: u64,
    /// Mean time in the queue of the packets that were sent; none if none was.
    pub mean_queue_delay_ms: Option<f64>,
    /// Median time in the queue, packet by packet, to within 0.8 %.
    pub median_queue_delay_ms: Option<f64>,
    /// 95th percentile of the time in the queue.
    pub p95_queue_delay_ms: Option<f64>,
    /// 99th percentile of the time in the queue.
    pub p99_queue_delay_ms: Option<f64>,
    /// Longest time in the queue.
    pub max_queue_delay_ms: Option<f64>,
    /// Share of the time in which the frames of a Wi-Fi queue, their responses and its collisions occupied the channel, 0
    /// to 1. This and the columns below are none for other links.
    pub airtime_share: Option<f64>,
    /// PPDUs that a Wi-Fi queue transmitted.
    pub ppdus: Option<u64>,
    /// Mean number of MPDUs in these PPDUs.
    pub mpdus_per_ppdu: Option<f64>,
    /// 5th percentile of that number.
    pub p5_mpdus_per_ppdu: Option<u64>,
    /// Median of that number.
    pub median_mpdus_per_ppdu: Option<u64>,
    /// 95th percentile of that number.
    pub p95_mpdus_per_ppdu: Option<u64>,
    /// PPDUs that collided.
    pub collided_ppdus: Option<u64>,
    /// MPDUs retransmitted.
    pub retransmitted_mpdus: Option<u64>,
    /// Sequences of PPDUs that no PPDU of another queue interrupted.
    pub turns: Option<u64>,
}

/// One source of cross traffic.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CrossTrafficResult {
    /// Packets sent.
    pub sent_packets: u64,
    /// Packets that arrived.
    pub delivered_packets: u64,
}
