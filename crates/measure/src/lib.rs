//! What is measured: one file per kind of figure.
//!
//! What belongs here: probes that a run feeds at fixed intervals, and the formulas that turn counts into
//! figures (goodput, shares, Jain's index). What does not: running anything, reading files, statistics
//! over several runs. A capture's packets become bytes here too (`capture/`). Rates are in Mbit/s (10^6), times in the unit that the name says.

mod capture;
mod fairness;
mod flow_series;
mod flow_tally;
mod link_series;
mod rate;
mod rtt_distribution;
mod statistics;

pub use capture::{PcapngFile, WireConnection, WireEnd};
pub use fairness::jain_index;
pub use flow_series::{FlowSeries, FlowSummary};
pub use flow_tally::{FlowTally, WireCount};
pub use link_series::{LinkSeries, LinkTally};
pub use rate::mbps;
pub use rtt_distribution::{PacketRtt, RttDistribution};
