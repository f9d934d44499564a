//! What the application of a flow does.

use crate::Sizes;
use schemars::JsonSchema;
use serde::Deserialize;

/// What the application does.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Workload {
    /// Sends as fast as TCP allows until the flow stops.
    #[default]
    Bulk,
    /// As iperf3: three round trips of control messages, then the data connection with a cookie of 37 bytes first, and
    /// one round trip later bulk data. The flow's time counts from there.
    Iperf3,
    /// Sends a number of bytes and closes.
    Bytes {
        /// Size of the transfer.
        bytes: u64,
    },
    /// The data receiver sends a request, the data sender answers, repeatedly.
    RequestResponse {
        /// Size of a request.
        request_bytes: u64,
        /// Size of a response.
        response_bytes: u64,
        /// Pause between a response and the next request.
        #[serde(default)]
        think_ns: u64,
    },
    /// The data receiver sends a small message at a constant interval, and the data sender echoes each.
    Ping {
        /// Time between two messages.
        #[serde(default = "default_ping_interval_ns")]
        interval_ns: u64,
        /// Size of a message and of its echo.
        #[serde(default = "default_ping_bytes")]
        bytes: u64,
    },
    /// Sends for a time, then is silent for a time, repeatedly.
    OnOff {
        /// Length of an on period.
        on_ns: u64,
        /// Length of an off period.
        off_ns: u64,
        /// Draw both lengths from exponential distributions with these means.
        #[serde(default)]
        exponential: bool,
    },
    /// Many short connections with Poisson arrivals. `mean_bytes` or `sizes` says how large they are.
    PoissonFlows {
        /// Mean arrivals per second.
        rate_per_s: f64,
        /// Mean of exponentially distributed sizes.
        #[serde(default)]
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
    /// A browser that loads pages one after the other over connections that stay open: first the document, then, over all
    /// connections, the objects that it names.
    Web {
        /// Number of connections. Those after the first open when the document names objects.
        #[serde(default = "default_connections")]
        connections: u32,
        /// Requests that a connection has outstanding at most: 1 as HTTP/1.1, or more as HTTP/2.
        #[serde(default = "default_concurrent_requests")]
        concurrent_requests: u32,
        /// Size of a request.
        #[serde(default = "default_request_bytes")]
        request_bytes: u64,
        /// Size of the document.
        document_bytes: u64,
        /// Number of objects that the document names.
        objects: u32,
        /// Sizes of the objects.
        object_sizes: Sizes,
        /// Time between the arrival of the document and the requests for its objects.
        #[serde(default)]
        parse_ns: u64,
        /// Pause between the end of a page and the request for the next one.
        #[serde(default)]
        think_ns: u64,
    },
    /// A player that downloads a video segment by segment, each in one of several bitrates.
    Video {
        /// The bitrates, in increasing order.
        ladder_bps: Vec<u64>,
        /// Playing time of a segment.
        segment_ns: u64,
        /// Playing time that the buffer of the player holds.
        buffer_ns: u64,
        /// How the player chooses the bitrate of the next segment.
        #[serde(default)]
        adaptation: Adaptation,
        /// Size of a request.
        #[serde(default = "default_request_bytes")]
        request_bytes: u64,
    },
}

/// A connection of a trace.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrival {
    /// When it opens, from the start of the flow.
    pub start_ns: u64,
    /// Size of the transfer.
    pub bytes: u64,
}

/// How a video player chooses bitrates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Adaptation {
    /// The highest bitrate below the harmonic mean of the throughput of the last five segments.
    #[default]
    Throughput,
    /// The lowest bitrate up to 5 s of video in the buffer, the highest one from 15 s, in between in proportion.
    Buffer,
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
