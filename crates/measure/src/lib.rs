//! Measurements: one file per kind of metric.
//!
//! This crate has probes that a run feeds at fixed intervals, and the formulas that turn counts into metrics (goodput,
//! shares, Jain's index). It runs nothing, reads no files, computes no statistics over several runs, and knows no
//! transport protocol: it sees a flow through [`TransportSample`](fairlane_transport::TransportSample). It also writes
//! captures (`pcapng.rs`) and traces of algorithms' callbacks (`call_trace.rs`). Rates are in Mbit/s (10^6), times in
//! the unit of their name.

mod call_trace;
mod fairness;
mod flow_series;
mod flow_tally;
mod link_series;
mod pcapng;
mod rate;
mod rtt_distribution;
mod send_limits;
mod statistics;
mod watch;

pub use call_trace::{CallTrace, CallTraceConfig};
pub use fairness::jain_index;
pub use flow_series::FlowSeries;
pub use flow_tally::{FlowTally, WireCount};
pub use link_series::{LinkSeries, LinkTally};
pub use pcapng::PcapngFile;
pub use rate::mbps;
pub use rtt_distribution::{packet_rtt, rtt_distribution};
pub use send_limits::send_limits;
pub use watch::{Watch, Watchable};
