//! A small message at a constant interval, each echoed: the latency of an interactive application.

use super::exchanges::Exchanges;
use super::{Application, Next};
use fairlane_contract::ApplicationMetrics;
use fairlane_transport::{Side, Transport};

#[derive(Debug)]
pub(crate) struct Ping {
    interval_ns: u64,
    bytes: u64,
    is_established: bool,
    exchanges: Exchanges,
}

impl Ping {
    pub fn new(interval_ns: u64, bytes: u64) -> Self {
        Self { interval_ns, bytes, is_established: false, exchanges: Exchanges::default() }
    }
}

impl<T: Transport> Application<T> for Ping {
    fn opener(&self) -> Side {
        Side::Receiver
    }

    fn start(&mut self, _now_ns: u64, _ends: &mut [T; 2]) -> Next {
        Next::Wait
    }

    fn on_time(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.exchanges.request(now_ns, ends, self.bytes, self.bytes);
        Next::At(now_ns + self.interval_ns)
    }

    fn on_progress(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.exchanges.on_progress(now_ns, ends);
        if !self.is_established && ends[1].is_established() {
            self.is_established = true;
            return self.on_time(now_ns, ends);
        }
        Next::Wait
    }

    fn measure_from(&mut self, _now_ns: u64) {
        self.exchanges.measure_anew();
    }

    fn metrics(&self, _now_ns: u64) -> ApplicationMetrics {
        self.exchanges.metrics()
    }
}
