//! Writes a number of bytes at regular intervals, as an application with a rate of its own.

use super::{Application, Next};
use fairlane_transport::Transport;

#[derive(Debug)]
pub(crate) struct Writes {
    bytes: u64,
    interval_ns: u64,
    /// Written by the application, but not taken by the socket yet.
    pending_bytes: u64,
}

impl Writes {
    pub fn new(bytes: u64, interval_ns: u64) -> Self {
        Self { bytes, interval_ns, pending_bytes: 0 }
    }

    fn fill<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2], waits: bool) {
        let bytes = self.pending_bytes.min(ends[0].writable_bytes(waits));
        if bytes > 0 {
            ends[0].write(now_ns, bytes);
            self.pending_bytes -= bytes;
        }
    }
}

impl<T: Transport> Application<T> for Writes {
    fn start(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.on_time(now_ns, ends)
    }

    fn on_time(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.pending_bytes += self.bytes;
        self.fill(now_ns, ends, false);
        Next::At(now_ns + self.interval_ns)
    }

    fn on_progress(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        if self.pending_bytes > 0 {
            self.fill(now_ns, ends, true);
        }
        Next::Wait
    }
}
