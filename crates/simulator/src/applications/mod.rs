//! The applications at both ends of a flow: one small file for each kind.
//!
//! An application has its own state. The event loop calls it when its flow begins, when data arrived, and at times that
//! it requested; it writes to the two endpoints and requests the next call with [`Next`]. It uses transports through
//! their interface alone, so it works over TCP and QUIC. Several connections of one application, such as a browser's,
//! share a state and wake each other.

mod bulk;
mod call;
mod exchanges;
mod iperf3;
mod on_off;
mod ping;
mod request_response;
mod transfer;
mod video;
mod web;
mod writes;

pub(crate) use bulk::Bulk;
pub(crate) use call::{Call, CallConfig};
pub(crate) use iperf3::Iperf3;
pub(crate) use on_off::OnOff;
pub(crate) use ping::Ping;
pub(crate) use request_response::RequestResponse;
pub(crate) use transfer::Transfer;
pub(crate) use video::{Video, VideoConfig};
pub(crate) use web::{browser, PageConfig};
pub(crate) use writes::Writes;

use fairlane_contract::ApplicationMetrics;
use fairlane_transport::{Side, Transport};
use std::fmt::Debug;

/// The single write of a bulk application: more than any run can send.
const ENDLESS_BYTES: u64 = 1 << 50;

/// The applications at the two ends of a flow. `ends`: data sender and data receiver.
pub(crate) trait Application<T: Transport>: Debug {
    /// The side that opens the connection.
    fn opener(&self) -> Side {
        Side::Sender
    }

    /// The connection opens when another flow wakes it, not at its start time.
    fn waits_for_others(&self) -> bool {
        false
    }

    /// Whether `on_progress` has an effect.
    fn follows_progress(&self) -> bool {
        true
    }

    /// The handshake begins; written data is sent after it.
    fn start(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next;

    /// The time of `Next::At` was reached, or another flow woke this one.
    fn on_time(&mut self, _now_ns: u64, _ends: &mut [T; 2]) -> Next {
        Next::Wait
    }

    /// Data arrived at one of the ends.
    fn on_progress(&mut self, _now_ns: u64, _ends: &mut [T; 2]) -> Next {
        Next::Wait
    }

    /// Metrics count from now on.
    fn measure_from(&mut self, _now_ns: u64) {}

    /// Its measurements so far.
    fn metrics(&self, _now_ns: u64) -> ApplicationMetrics {
        ApplicationMetrics::default()
    }

    /// The size of its transfer in bytes, if it is fixed.
    fn transfer_bytes(&self) -> Option<u64> {
        None
    }
}

/// The next step of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Wait for packets.
    Wait,
    /// Call `on_time` at this time.
    At(u64),
    /// Call `on_time` of `count` flows from `first` on, or open them if they wait for others.
    Wake { first: u32, count: u32 },
    /// Begin again with a new connection.
    Reopen,
    /// The flow's own time begins now.
    Begin,
    /// The transfer is complete.
    Completed,
}
