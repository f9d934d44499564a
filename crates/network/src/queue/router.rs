//! A host that forwards in software: merges packets (GRO), takes time for each, and queues them.
//!
//! ```text
//!   card: merges for an interval ──▶ CPU: one packet in `forwarding_ns` ──▶ pfifo of `limit_packets` ──▶ card
//! ```
//!
//! Between the receiving and the transmitting card, merged packets count as one: for the limit, for the processor, and
//! when dropped. The transmitting card splits them again, and they leave back to back. Measured on Linux 6.18, where
//! 4.1 MB were queued as 77 packets of a pfifo. Packets that wait for the processor and for the card share one limit
//! here.

use std::collections::VecDeque;

use fairlane_contract::RouterConfig;

use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, List, PacketId};

/// Pure ACKs are not merged: GRO merges only data, and the network does not interpret packets.
const SMALLEST_MERGED_BYTES: u32 = 128;

pub(crate) struct Router {
    config: RouterConfig,
    frames: VecDeque<Frame>,
    /// Number of the frame at the front, counted from the first of all.
    front: u64,
    /// By flow: the frame that its next packet may join. Few flows have one at any time.
    open: Vec<Open>,
    /// When the processor has handled all packets.
    processor_free_ns: u64,
    /// When the frame at the front may leave.
    next_event_ns: u64,
}

/// Packets merged into one.
struct Frame {
    packets: List,
    /// The processor has handled it.
    ready_ns: u64,
}

struct Open {
    flow: u32,
    until_ns: u64,
    packets: u32,
    segment_bytes: u32,
    /// None if the frame was dropped, together with the packets that join it.
    frame: Option<u64>,
}

impl Router {
    pub fn new(config: &RouterConfig) -> Self {
        Self {
            config: config.clone(),
            frames: VecDeque::new(),
            front: 0,
            open: Vec::new(),
            processor_free_ns: 0,
            next_event_ns: 0,
        }
    }

    /// The frame that a packet joins: Some(None) if it has been dropped.
    fn join(&mut self, now_ns: u64, flow: u32, bytes: u32) -> Option<Option<u64>> {
        self.open.retain(|open| open.until_ns >= now_ns);
        let at = self.open.iter().position(|open| open.flow == flow)?;
        let open = &mut self.open[at];
        if open.packets >= self.config.merge_packets || bytes > open.segment_bytes || bytes < SMALLEST_MERGED_BYTES {
            self.open.swap_remove(at);
            return None;
        }
        let frame = open.frame;
        open.packets += 1;
        if bytes < open.segment_bytes {
            self.open.swap_remove(at); // a shorter segment is the last one of its frame
        }
        Some(frame)
    }

    /// Starts a frame for a packet; none if there is no room for it.
    fn start(&mut self, now_ns: u64, flow: u32, bytes: u32) -> Option<u64> {
        let waits_ns = self.config.merge_interval_ns.filter(|_| bytes >= SMALLEST_MERGED_BYTES);
        let has_room = (self.frames.len() as u64) < self.config.limit_packets;
        let number = has_room.then(|| {
            let arrived_ns = now_ns + waits_ns.unwrap_or(0);
            self.processor_free_ns = self.processor_free_ns.max(arrived_ns) + self.config.forwarding_ns;
            self.frames.push_back(Frame { packets: List::default(), ready_ns: self.processor_free_ns });
            self.front + self.frames.len() as u64 - 1
        });
        if let Some(interval_ns) = waits_ns {
            let until_ns = now_ns + interval_ns;
            self.open.push(Open { flow, until_ns, packets: 1, segment_bytes: bytes, frame: number });
        }
        number
    }
}

impl QueueDiscipline for Router {
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        let (flow, bytes) = (buffer.flow(packet), buffer.frame_bytes(packet));
        let joined = self.join(now_ns, flow, bytes);
        match joined.unwrap_or_else(|| self.start(now_ns, flow, bytes)) {
            Some(number) => self.frames[(number - self.front) as usize].packets.push_back(packet, buffer),
            None => buffer.drop(packet),
        }
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        let frame = self.frames.front_mut()?;
        if frame.ready_ns > now_ns {
            self.next_event_ns = frame.ready_ns;
            return None;
        }
        let packet = frame.packets.pop_front(buffer);
        if frame.packets.is_empty() {
            // It has left the card, so no packet joins it any more.
            let number = self.front;
            self.open.retain(|open| open.frame != Some(number));
            self.frames.pop_front();
            self.front += 1;
        }
        packet
    }

    fn next_event_ns(&self) -> Option<u64> {
        Some(self.next_event_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecn;

    const US: u64 = 1_000;

    struct Bench {
        router: Router,
        buffer: Buffer,
    }

    impl Bench {
        fn new(config: RouterConfig) -> Self {
            Self { router: Router::new(&config), buffer: Buffer::new() }
        }

        /// Whether the packet was admitted.
        fn arrives(&mut self, now_ns: u64, flow: u32, bytes: u32) -> bool {
            self.buffer.set_now(now_ns);
            let packet = self.buffer.arrive(bytes, flow, Ecn::NotEct);
            self.router.enqueue(now_ns, packet, &mut self.buffer);
            self.buffer.admit()
        }

        /// Flows and times of all that leaves a transmitter that takes no time.
        fn leaves(&mut self, mut now_ns: u64) -> Vec<(u32, u64)> {
            let mut left = Vec::new();
            while self.buffer.backlog().packets > 0 {
                self.buffer.set_now(now_ns);
                match self.router.dequeue(now_ns, &mut self.buffer) {
                    Some(packet) => {
                        left.push((self.buffer.flow(packet), now_ns));
                        self.buffer.dequeue(packet);
                    }
                    None => now_ns = self.router.next_event_ns().unwrap(),
                }
            }
            left
        }
    }

    #[test]
    fn the_processor_forwards_one_packet_after_the_other() {
        let mut bench = Bench::new(RouterConfig { forwarding_ns: 100 * US, ..RouterConfig::default() });
        assert!((0..3).all(|n| bench.arrives(n * US, 1, 1_514)));
        assert_eq!(bench.leaves(2 * US), [(1, 100 * US), (1, 200 * US), (1, 300 * US)]);
    }

    #[test]
    fn packets_that_arrive_together_cost_the_time_of_one_and_stay_together() {
        let config =
            RouterConfig { forwarding_ns: 100 * US, merge_interval_ns: Some(50 * US), ..RouterConfig::default() };
        let mut bench = Bench::new(config);
        for (now_us, flow) in [(0, 1), (10, 2), (20, 1), (50, 1), (51, 1)] {
            assert!(bench.arrives(now_us * US, flow, 1_514));
        }
        let ready = [150 * US, 250 * US, 350 * US]; // the first waits for the interval, the others for the processor
        assert_eq!(bench.leaves(51 * US), [(1, ready[0]), (1, ready[0]), (1, ready[0]), (2, ready[1]), (1, ready[2])]);
    }

    #[test]
    fn the_limit_counts_merged_packets_as_one_and_drops_them_together() {
        let config = RouterConfig { limit_packets: 2, merge_interval_ns: Some(50 * US), ..RouterConfig::default() };
        let mut bench = Bench::new(config);
        for flow in [1, 2, 1, 2, 1] {
            assert!(bench.arrives(0, flow, 1_514));
        }
        assert!(!bench.arrives(10 * US, 3, 1_514));
        assert!(!bench.arrives(20 * US, 3, 1_514));
        assert_eq!(bench.leaves(30 * US).len(), 5);
        assert!(!bench.arrives(55 * US, 3, 1_514), "it joins what was dropped, although there is room now");
        assert!(bench.arrives(61 * US, 3, 1_514));
    }

    #[test]
    fn a_frame_ends_when_it_is_full_or_with_a_shorter_segment_and_acks_are_not_merged() {
        let config = RouterConfig {
            forwarding_ns: US,
            merge_interval_ns: Some(50 * US),
            merge_packets: 2,
            ..RouterConfig::default()
        };
        let frames = |sizes: &[u32]| {
            let mut bench = Bench::new(config.clone());
            sizes.iter().for_each(|&bytes| assert!(bench.arrives(0, 1, bytes)));
            let mut times: Vec<u64> = bench.leaves(0).into_iter().map(|(_, time_ns)| time_ns).collect();
            times.dedup();
            times.len()
        };
        assert_eq!(frames(&[1_514; 4]), 2);
        assert_eq!(frames(&[1_514, 600, 1_514, 1_514]), 2);
        assert_eq!(frames(&[600, 1_514]), 2);
        assert_eq!(frames(&[66; 3]), 3);
    }
}
