//! Sends for a time, then is silent for a time, repeatedly.

use super::{Application, Next};
use fairlane_engine::RandomStream;
use fairlane_transport::Transport;

#[derive(Debug)]
pub(crate) struct OnOff {
    on_ns: u64,
    off_ns: u64,
    /// Both lengths are means of exponential distributions.
    random: Option<RandomStream>,
    on: bool,
}

impl OnOff {
    pub fn new(on_ns: u64, off_ns: u64, random: Option<RandomStream>) -> Self {
        Self { on_ns, off_ns, random, on: false }
    }

    fn fill<T: Transport>(&self, now_ns: u64, ends: &mut [T; 2], waits: bool) {
        let bytes = ends[0].writable_bytes(waits);
        if self.on && bytes > 0 {
            ends[0].write(now_ns, bytes);
        }
    }
}

impl<T: Transport> Application<T> for OnOff {
    fn start(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.on_time(now_ns, ends)
    }

    fn on_time(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.on = !self.on;
        let mean_ns = if self.on { self.on_ns } else { self.off_ns };
        let period_ns = self.random.as_mut().map_or(mean_ns, |random| random.exponential_ns(mean_ns)).max(1);
        if self.on {
            self.fill(now_ns, ends, false);
        }
        Next::At(now_ns + period_ns)
    }

    /// A full buffer may grow while nothing is written.
    fn on_progress(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.fill(now_ns, ends, true);
        Next::Wait
    }
}
