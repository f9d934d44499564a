//! The application of a flow.

use crate::settings::{MAX_TIME_NS, MAX_TRANSFER_BYTES};
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The application of a flow.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Limits)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Workload {
    /// Sends as fast as the transport allows until the flow stops.
    #[default]
    Bulk,
    /// Bulk data as iperf3 sends it: after three round trips of control messages, over a data connection with a cookie of
    /// 37 bytes first, and one round trip later. The flow's time counts from there.
    Iperf3,
    /// Sends a given number of bytes and closes.
    Bytes {
        /// Size of the transfer.
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        bytes: u64,
    },
    /// The data receiver sends a request and the data sender answers, repeatedly.
    RequestResponse {
        /// Size of a request.
        #[serde(default = "default_exchange_bytes")]
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        request_bytes: u64,
        /// Size of a response.
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        response_bytes: u64,
        /// Pause between a response and the next request.
        #[serde(default)]
        think_ns: u64,
    },
    /// The data receiver sends a small message at a constant interval, and the data sender echoes each: latency under load.
    Ping {
        /// Time between two messages.
        #[serde(default = "default_ping_interval_ns")]
        #[schemars(range(min = 1))]
        interval_ns: u64,
        /// Size of a message and of its echo.
        #[serde(default = "default_ping_bytes")]
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        bytes: u64,
    },
    /// Writes a number of bytes at a constant interval, as an application with a rate of its own: a sensor, telemetry, a
    /// live stream. Bytes for which the send buffer has no room wait.
    Writes {
        /// Bytes of each write.
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        bytes: u64,
        /// Time between two writes, the first of which is at the start of the flow.
        #[schemars(range(min = 1_000, max = MAX_TIME_NS))]
        interval_ns: u64,
    },
    /// Sends for a time, then is silent for a time, repeatedly.
    OnOff {
        /// Length of an on period.
        #[schemars(range(min = 1))]
        on_ns: u64,
        /// Length of an off period.
        off_ns: u64,
        /// Draw both lengths from exponential distributions with these means.
        #[serde(default)]
        exponential: bool,
    },
    /// Many short connections with Poisson arrivals. Takes `mean` or `sizes`.
    PoissonFlows {
        /// Mean number of connections per second.
        #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0, "examples" = [5.0]))]
        rate_per_s: f64,
        /// Mean of exponentially distributed sizes.
        #[serde(default)]
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        mean_bytes: Option<u64>,
        /// Another distribution of sizes.
        #[serde(default)]
        sizes: Option<Sizes>,
    },
    /// Short connections with given start times and sizes.
    Arrivals {
        /// The connections.
        arrivals: Vec<Arrival>,
    },
    /// A browser that loads pages one after the other over connections that stay open: the document first, then, over all
    /// connections, the objects that it names.
    ///
    /// Document and objects default to the median desktop page of the Web Almanac 2024 (HTTP Archive), 71 requests and
    /// 2,652 kB, with objects of equal size.
    Web {
        /// Number of connections. Those after the first open when the document names objects.
        #[serde(default = "default_connections")]
        #[schemars(range(min = 1, max = 256), extend("examples" = [6]))]
        connections: u32,
        /// Most requests that a connection has outstanding: 1 as HTTP/1.1, more as HTTP/2.
        #[serde(default = "default_concurrent_requests")]
        #[schemars(range(min = 1, max = 10_000), extend("examples" = [1]))]
        concurrent_requests: u32,
        /// Size of a request.
        #[serde(default = "default_request_bytes")]
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        request_bytes: u64,
        /// Size of the document.
        #[serde(default = "default_document_bytes")]
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        document_bytes: u64,
        /// Number of objects that the document names.
        #[serde(default = "default_objects")]
        #[schemars(range(max = 100_000), extend("examples" = [70]))]
        objects: u32,
        /// Sizes of the objects.
        #[serde(default = "default_object_sizes")]
        object_sizes: Sizes,
        /// Time between the arrival of the document and the requests for its objects.
        #[serde(default)]
        parse_ns: u64,
        /// Pause between the end of a page and the request for the next one.
        #[serde(default)]
        #[schemars(extend("x-file-default" = 5_000_000_000u64))]
        think_ns: u64,
    },
    /// A player that downloads a video segment by segment, each in one of several bitrates.
    ///
    /// Bitrates, segment and buffer default to Mao et al. 2017 (Pensieve), section 5.1.
    Video {
        /// The bitrates in increasing order.
        #[serde(default = "default_ladder_bps")]
        #[schemars(length(min = 1, max = 1_000), inner(range(min = 1, max = 1_000_000_000_000u64)))]
        ladder_bps: Vec<u64>,
        /// Playing time of a segment.
        #[serde(default = "default_segment_ns")]
        #[schemars(range(min = 1))]
        segment_ns: u64,
        /// Playing time that the player's buffer holds.
        #[serde(default = "default_buffer_ns")]
        #[schemars(range(min = 1))]
        buffer_ns: u64,
        /// Choice of the bitrate of the next segment.
        #[serde(default)]
        adaptation: Adaptation,
        /// Size of a request.
        #[serde(default = "default_request_bytes")]
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        request_bytes: u64,
    },
    /// A video call in one direction: a frame at a constant interval, in a bitrate that follows the receiver's feedback.
    ///
    /// The frames of a call that is slower than the line fill no window, so that its delay is that of the queues. Bitrates
    /// are assumed; they are typical of a call with two participants. Frames are a reliable stream: a lost packet delays
    /// those behind it.
    Call {
        /// Time between two frames.
        #[serde(default = "default_frame_interval_ns")]
        #[schemars(range(min = 1_000_000))]
        frame_interval_ns: u64,
        /// The bitrates in increasing order.
        #[serde(default = "default_call_ladder_bps")]
        #[schemars(length(min = 1, max = 1_000), inner(range(min = 1, max = 1_000_000_000_000u64)))]
        ladder_bps: Vec<u64>,
        /// One-way delay above which a frame is late; 150 ms is what most users accept (ITU-T G.114).
        #[serde(default = "default_late_ns")]
        #[schemars(range(min = 1))]
        late_ns: u64,
        /// Time between two reports of the receiver.
        #[serde(default = "default_feedback_interval_ns")]
        #[schemars(range(min = 1_000_000))]
        feedback_interval_ns: u64,
        /// Delay above that of the fastest frame at which the bitrate goes down.
        #[serde(default = "default_delay_limit_ns")]
        #[schemars(range(min = 1))]
        delay_limit_ns: u64,
        /// Time with good reports only after which the bitrate goes up; doubled if the last step up congested the line.
        #[serde(default = "default_raise_after_ns")]
        #[schemars(range(min = 1))]
        raise_after_ns: u64,
    },
}

/// A connection of a trace.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct Arrival {
    /// Opening time, from the start of the flow.
    pub start_ns: u64,
    /// Size of the transfer.
    #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
    pub bytes: u64,
}

/// Rule by which a video player chooses bitrates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(rename_all = "snake_case")]
pub enum Adaptation {
    /// The highest bitrate below the harmonic mean of the throughput of the last five segments.
    #[default]
    Throughput,
    /// The lowest bitrate up to 5 s of video in the buffer, the highest one from 15 s, in between in proportion.
    Buffer,
}

/// Distribution of the sizes of transfers.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Sizes {
    /// All transfers have the same size.
    Fixed {
        /// The size.
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        bytes: u64,
    },
    /// Exponential distribution.
    Exponential {
        /// Mean size.
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        mean_bytes: u64,
    },
    /// Pareto distribution: a size is larger than x with probability (minimum / x)^shape.
    Pareto {
        /// Smallest size.
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        minimum_bytes: u64,
        /// Tail index; the smaller, the heavier the tail.
        #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "examples" = [1.2]))]
        shape: f64,
        /// Largest size, which larger draws take.
        #[serde(default = "default_maximum_bytes")]
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        maximum_bytes: u64,
    },
    /// Log-normal distribution.
    LogNormal {
        /// Median size.
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        median_bytes: u64,
        /// Standard deviation of the natural logarithm of the size.
        #[schemars(range(min = 0.0, max = 10.0), extend("examples" = [1.5]))]
        sigma: f64,
        /// Largest size, which larger draws take.
        #[serde(default = "default_maximum_bytes")]
        #[schemars(range(min = 1, max = MAX_TRANSFER_BYTES))]
        maximum_bytes: u64,
    },
    /// A measured distribution: sizes between two points are uniformly distributed.
    Empirical {
        /// Points of the cumulative distribution function, in increasing order; the last one has probability 1.
        #[schemars(length(min = 1))]
        points: Vec<CdfPoint>,
    },
}

/// A point of a cumulative distribution function.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct CdfPoint {
    /// A size.
    #[schemars(range(max = MAX_TRANSFER_BYTES))]
    pub bytes: u64,
    /// Share of the transfers that are at most that large.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub probability: f64,
}

fn default_exchange_bytes() -> u64 {
    1_000
}
fn default_ping_interval_ns() -> u64 {
    200_000_000
}
fn default_ping_bytes() -> u64 {
    64
}
fn default_connections() -> u32 {
    6
}
fn default_concurrent_requests() -> u32 {
    1
}
fn default_request_bytes() -> u64 {
    350
}
fn default_document_bytes() -> u64 {
    18_000
}
fn default_objects() -> u32 {
    70
}
fn default_object_sizes() -> Sizes {
    Sizes::Fixed { bytes: 37_600 }
}
fn default_ladder_bps() -> Vec<u64> {
    [300_000, 750_000, 1_200_000, 1_850_000, 2_850_000, 4_300_000].to_vec()
}
fn default_segment_ns() -> u64 {
    4_000_000_000
}
fn default_buffer_ns() -> u64 {
    60_000_000_000
}
fn default_frame_interval_ns() -> u64 {
    33_333_333
}
fn default_call_ladder_bps() -> Vec<u64> {
    [150_000, 300_000, 600_000, 1_000_000, 1_500_000, 2_500_000].to_vec()
}
fn default_late_ns() -> u64 {
    150_000_000
}
fn default_feedback_interval_ns() -> u64 {
    100_000_000
}
fn default_delay_limit_ns() -> u64 {
    50_000_000
}
fn default_raise_after_ns() -> u64 {
    1_000_000_000
}
fn default_maximum_bytes() -> u64 {
    1 << 40
}
