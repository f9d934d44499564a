//! Bulk data after the messages that iperf3 exchanges first.

use super::{Application, Next, ENDLESS_BYTES};
use fairlane_transport::Transport;

/// iperf3's control connection: its handshake, the exchange of parameters, the order to open the data connection.
const CONTROL_ROUND_TRIPS: u32 = 3;
/// The cookie, which iperf3 sends first on a data connection.
pub(crate) const COOKIE_BYTES: u64 = 37;

#[derive(Debug)]
pub(crate) struct Iperf3 {
    /// Remaining control round trips; each is simulated as a handshake of its own.
    round_trips: u32,
    began: bool,
}

impl Iperf3 {
    pub fn new() -> Self {
        Self { round_trips: CONTROL_ROUND_TRIPS, began: false }
    }
}

impl<T: Transport> Application<T> for Iperf3 {
    fn follows_progress(&self) -> bool {
        !self.began
    }

    fn start(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        if self.round_trips == 0 {
            ends[0].write(now_ns, COOKIE_BYTES);
        }
        Next::Wait
    }

    fn on_progress(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        if self.round_trips > 0 {
            if ends[0].is_established() {
                self.round_trips -= 1;
                return Next::Reopen;
            }
            return Next::Wait;
        }
        // Each end names the algorithm for its socket of the data connection: the client when it has written the cookie,
        // the server when it has read it.
        if ends[0].is_established() {
            ends[0].start_algorithm();
        }
        if ends[1].delivered_bytes() >= COOKIE_BYTES {
            ends[1].start_algorithm();
        }
        // The server's order to start comes with the acknowledgement of the cookie.
        if !self.began && ends[0].acknowledged_bytes() >= COOKIE_BYTES {
            self.began = true;
            ends[0].write(now_ns, ENDLESS_BYTES);
            return Next::Begin;
        }
        Next::Wait
    }
}
