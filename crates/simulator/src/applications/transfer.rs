//! Sends a number of bytes and closes.

use super::{Application, Next};
use fairlane_transport::Transport;

#[derive(Debug)]
pub(crate) struct Transfer {
    pub bytes: u64,
}

impl<T: Transport> Application<T> for Transfer {
    fn start(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        ends[0].write(now_ns, self.bytes);
        ends[0].close(now_ns);
        Next::Wait
    }

    fn on_progress(&mut self, _now_ns: u64, ends: &mut [T; 2]) -> Next {
        if ends[1].delivered_bytes() >= self.bytes {
            return Next::Completed;
        }
        Next::Wait
    }

    fn transfer_bytes(&self) -> Option<u64> {
        Some(self.bytes)
    }
}
