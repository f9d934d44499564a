//! What the applications at both ends of a flow do, and when: one small file for each kind.
//!
//! An application has its own state. The event loop tells it when its flow begins, when something arrived, and when a
//! time has come that it named; it writes to the two endpoints and says with [`Next`] what the loop is to do. It knows
//! transports by their interface alone, so each works over TCP and QUIC. Several connections of one application, such as
//! a browser's, share a state and wake each other.

mod bulk;
mod exchanges;
mod iperf3;
mod on_off;
mod ping;
mod request_response;
mod transfer;
mod video;
mod web;

pub(crate) use bulk::Bulk;
pub(crate) use iperf3::Iperf3;
pub(crate) use on_off::OnOff;
pub(crate) use ping::Ping;
pub(crate) use request_response::RequestResponse;
pub(crate) use transfer::Transfer;
pub(crate) use video::{Video, VideoConfig};
pub(crate) use web::{browser, PageConfig};

use fairlane_contract::ApplicationMetrics;
use fairlane_transport::{Side, Transport};
use std::fmt::Debug;

/// More than any run can send: a bulk application's one write.
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

    /// Whether `on_progress` has anything to do.
    fn follows_progress(&self) -> bool {
        true
    }

    /// The handshake begins; what is written waits for its end.
    fn start(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next;

    /// The time that `Next::At` named has come, or another flow woke this one.
    fn on_time(&mut self, _now_ns: u64, _ends: &mut [T; 2]) -> Next {
        Next::Wait
    }

    /// Something arrived at one of the ends.
    fn on_progress(&mut self, _now_ns: u64, _ends: &mut [T; 2]) -> Next {
        Next::Wait
    }

    /// Metrics count from now on.
    fn measure_from(&mut self, _now_ns: u64) {}

    /// What it measured up to now.
    fn metrics(&self, _now_ns: u64) -> ApplicationMetrics {
        ApplicationMetrics::default()
    }

    /// What it transfers in all, if that is given.
    fn transfer_bytes(&self) -> Option<u64> {
        None
    }
}

/// What the flow does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Wait for packets.
    Wait,
    /// Call `on_time` at this time.
    At(u64),
    /// Call `on_time` of `count` flows from `first` on, or open those that wait for others.
    Wake { first: u32, count: u32 },
    /// Begin again with a new connection.
    Reopen,
    /// The flow's own time begins now.
    Begin,
    /// All that was to be transferred was.
    Completed,
}
