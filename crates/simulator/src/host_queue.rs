//! The fq queue of a sending host: holds each flow's packets until their departure time.
//!
//! Linux's fq also shares the host's link among its flows. Here a host's own link is as fast as it needs to
//! be, so that only the pacing is left, and a flow's departure times only ever grow.

use fairlane_engine::fetch;
use fairlane_network::Packet;
use std::collections::VecDeque;

#[derive(Debug)]
pub(crate) struct HostQueue<D> {
    packets: VecDeque<(u64, Packet<D>)>,
}

impl<D> Default for HostQueue<D> {
    fn default() -> Self {
        Self { packets: VecDeque::new() }
    }
}

impl<D> HostQueue<D> {
    pub fn push(&mut self, departure_ns: u64, packet: Packet<D>) {
        self.packets.push_back((departure_ns, packet));
    }

    /// Asks for the memory of the packet that leaves next.
    #[inline]
    pub fn fetch(&self) {
        if let Some(front) = self.packets.front() {
            fetch(front);
            fetch(&front.1.payload);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    pub fn next_departure_ns(&self) -> Option<u64> {
        self.packets.front().map(|&(departure_ns, _)| departure_ns)
    }

    /// Shows `leave` each packet that may leave at `now_ns`, in order, and lets it go.
    pub fn pop_due(&mut self, now_ns: u64, mut leave: impl FnMut(&Packet<D>)) {
        while let Some((_, packet)) = self.packets.front().filter(|&&(departure_ns, _)| departure_ns <= now_ns) {
            leave(packet);
            self.packets.pop_front();
        }
    }
}
