//! What the application of a flow does.

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
    /// Many short connections: Poisson arrivals, exponentially distributed sizes.
    PoissonFlows {
        /// Mean arrivals per second.
        rate_per_s: f64,
        /// Mean size of a transfer.
        mean_bytes: u64,
    },
}
