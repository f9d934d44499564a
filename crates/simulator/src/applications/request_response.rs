//! One request at a time, with a pause between a response and the next request.

use super::exchanges::Exchanges;
use super::{Application, Next};
use fairlane_contract::ApplicationMetrics;
use fairlane_transport::{Side, Transport};

#[derive(Debug)]
pub(crate) struct RequestResponse {
    request_bytes: u64,
    response_bytes: u64,
    think_ns: u64,
    is_established: bool,
    exchanges: Exchanges,
}

impl RequestResponse {
    pub fn new(request_bytes: u64, response_bytes: u64, think_ns: u64) -> Self {
        Self { request_bytes, response_bytes, think_ns, is_established: false, exchanges: Exchanges::default() }
    }
}

impl<T: Transport> Application<T> for RequestResponse {
    fn opener(&self) -> Side {
        Side::Receiver
    }

    fn start(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.on_time(now_ns, ends)
    }

    fn on_time(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.exchanges.request(now_ns, ends, self.request_bytes, self.response_bytes);
        Next::Wait
    }

    fn on_progress(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        // The handshake is not part of the first request's time.
        if !self.is_established && ends[1].is_established() {
            self.is_established = true;
            self.exchanges.restart_clocks(now_ns);
        }
        match self.exchanges.on_progress(now_ns, ends) {
            0 => Next::Wait,
            _ => Next::At(now_ns + self.think_ns),
        }
    }

    fn measure_from(&mut self, _now_ns: u64) {
        self.exchanges.measure_anew();
    }

    fn metrics(&self, _now_ns: u64) -> ApplicationMetrics {
        self.exchanges.metrics()
    }
}
