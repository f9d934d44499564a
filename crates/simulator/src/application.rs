//! What the applications at both ends of a flow do, and when.

use fairlane_engine::RandomStream;
use fairlane_transport::{Side, Transport};

/// More than any run can send: a bulk application's one write.
const ENDLESS_BYTES: u64 = 1 << 50;
/// iperf3's control connection: its handshake, the exchange of parameters, the order to open the data connection.
const IPERF3_CONTROL_ROUND_TRIPS: u32 = 3;
/// What iperf3 sends first on a data connection.
pub(crate) const IPERF3_COOKIE_BYTES: u64 = 37;
/// An on-off application keeps this much, and at least what is in flight, ready while it is on.
const READY_BYTES: u64 = 64 << 10;

/// The applications of one flow.
#[derive(Debug)]
pub(crate) enum Application {
    Bulk,
    Iperf3 {
        /// Control round trips still to make; each is played as a handshake of its own.
        round_trips: u32,
        began: bool,
    },
    Bytes {
        bytes: u64,
    },
    RequestResponse {
        request_bytes: u64,
        response_bytes: u64,
        think_ns: u64,
        answered: u64,
        completed: u64,
    },
    OnOff {
        on_ns: u64,
        off_ns: u64,
        random: Option<RandomStream>,
        on: bool,
    },
}

/// What the flow does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Wait for packets.
    Wait,
    /// Call `on_time` at this time.
    At(u64),
    /// Begin again with a new connection.
    Reopen,
    /// The flow's own time begins now.
    Begin,
    /// All that was to be transferred was.
    Completed,
}

impl Application {
    pub fn iperf3() -> Self {
        Self::Iperf3 { round_trips: IPERF3_CONTROL_ROUND_TRIPS, began: false }
    }

    /// The connection is to begin: the side that opens it.
    pub fn opener(&self) -> Side {
        match self {
            Self::RequestResponse { .. } => Side::Receiver,
            _ => Side::Sender,
        }
    }

    /// Whether `on_progress` has anything to do.
    pub fn follows_progress(&self) -> bool {
        !matches!(self, Self::Bulk | Self::Iperf3 { began: true, .. })
    }

    pub fn start<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        match self {
            Self::Bulk => ends[0].write(now_ns, ENDLESS_BYTES),
            Self::Iperf3 { round_trips, .. } => {
                if *round_trips == 0 {
                    ends[0].write(now_ns, IPERF3_COOKIE_BYTES);
                }
            }
            Self::Bytes { bytes } => {
                ends[0].write(now_ns, *bytes);
                ends[0].close(now_ns);
            }
            Self::RequestResponse { request_bytes, .. } => ends[1].write(now_ns, *request_bytes),
            Self::OnOff { .. } => return self.on_time(now_ns, ends),
        }
        Next::Wait
    }

    /// The time that `Next::At` named has come.
    pub fn on_time<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        match self {
            Self::OnOff { on_ns, off_ns, random, on } => {
                *on = !*on;
                let mean_ns = if *on { *on_ns } else { *off_ns };
                let period_ns = random.as_mut().map_or(mean_ns, |random| random.exponential_ns(mean_ns)).max(1);
                self.on_progress(now_ns, ends);
                Next::At(now_ns + period_ns)
            }
            Self::RequestResponse { request_bytes, .. } => {
                ends[1].write(now_ns, *request_bytes);
                Next::Wait
            }
            _ => Next::Wait,
        }
    }

    /// Something arrived at one of the ends.
    pub fn on_progress<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        match self {
            Self::Bulk => {}
            Self::Iperf3 { round_trips, began } => {
                if *round_trips > 0 && ends[0].is_established() {
                    *round_trips -= 1;
                    return Next::Reopen;
                }
                // Each end names the algorithm for its socket of the data connection: the client when it has written the
                // cookie, the server when it has read it.
                if *round_trips == 0 && ends[0].is_established() {
                    ends[0].start_algorithm();
                }
                if *round_trips == 0 && ends[1].delivered_bytes() >= IPERF3_COOKIE_BYTES {
                    ends[1].start_algorithm();
                }
                // The server's order to start comes with the acknowledgement of the cookie.
                if *round_trips == 0 && !*began && ends[0].acknowledged_bytes() >= IPERF3_COOKIE_BYTES {
                    *began = true;
                    ends[0].write(now_ns, ENDLESS_BYTES);
                    return Next::Begin;
                }
            }
            Self::Bytes { bytes } => {
                if ends[1].delivered_bytes() >= *bytes {
                    return Next::Completed;
                }
            }
            Self::RequestResponse { request_bytes, response_bytes, think_ns, answered, completed } => {
                let requests = ends[0].delivered_bytes() / *request_bytes;
                if requests > *answered {
                    *answered = requests;
                    ends[0].write(now_ns, *response_bytes);
                }
                let responses = ends[1].delivered_bytes() / *response_bytes;
                if responses > *completed {
                    *completed = responses;
                    return Next::At(now_ns + *think_ns);
                }
            }
            Self::OnOff { on, .. } => {
                if *on && ends[0].unsent_bytes() < READY_BYTES.max(ends[0].inflight_bytes()) {
                    ends[0].write(now_ns, READY_BYTES);
                }
            }
        }
        Next::Wait
    }

    /// Requests that were answered completely.
    pub fn completed_requests(&self) -> Option<u64> {
        match self {
            Self::RequestResponse { completed, .. } => Some(*completed),
            _ => None,
        }
    }
}
