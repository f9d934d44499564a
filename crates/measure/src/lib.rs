//! What is measured: one file per kind of figure.
//!
//! What belongs here: probes that a run feeds at fixed intervals, and the formulas that turn counts into
//! figures (goodput, shares, Jain's index). What does not: running anything, reading files, statistics
//! over several runs, and transport protocols: a flow is seen through
//! [`TransportSample`](fairlane_transport::TransportSample). A capture's packets become a file here too (`pcapng.rs`), and so
//! does what TCP asks of an algorithm (`call_trace.rs`). Rates are in Mbit/s (10^6), times in the unit that the name says.

mod call_trace;
mod fairness;
mod flow_series;
mod flow_tally;
mod link_series;
mod pcapng;
mod rate;
mod rtt_distribution;
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
pub use watch::{Watch, Watchable};
