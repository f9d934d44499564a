//! Sends as fast as the transport allows.

use super::{Application, Next, ENDLESS_BYTES};
use fairlane_transport::Transport;

#[derive(Debug)]
pub(crate) struct Bulk;

impl<T: Transport> Application<T> for Bulk {
    fn follows_progress(&self) -> bool {
        false
    }

    fn start(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        ends[0].write(now_ns, ENDLESS_BYTES);
        Next::Wait
    }
}
