//! Slots in which a wire delivers (netem's `slot`).

use fairlane_contract::SlotConfig;
use fairlane_engine::RandomStream;

pub(crate) struct Slots {
    min_ns: u64,
    max_ns: u64,
    most_packets: u32,
    most_bytes: u32,
    /// Start of the next slot, or of the present one while it has room.
    start_ns: u64,
    left_packets: u32,
    left_bytes: i64,
    stream: RandomStream,
}

impl Slots {
    pub fn new(config: &SlotConfig, stream: RandomStream) -> Self {
        let (most_packets, most_bytes) = (config.packets.unwrap_or(u32::MAX), config.bytes.unwrap_or(u32::MAX));
        Self {
            min_ns: config.min_ns,
            max_ns: config.max_ns.unwrap_or(config.min_ns),
            most_packets,
            most_bytes,
            start_ns: 0,
            left_packets: most_packets,
            left_bytes: i64::from(most_bytes),
            stream,
        }
    }

    /// When the first packet, which has crossed the wire at `ready_ns`, needs the next event: its delivery in the slot that
    /// is chosen for it, or the choice of one.
    pub fn next_ns(&self, ready_ns: u64) -> u64 {
        self.start_ns.max(ready_ns)
    }

    /// Chooses a slot for a packet that has crossed the wire at `ready_ns`, unless one is chosen.
    pub fn choose(&mut self, ready_ns: u64) {
        if self.start_ns < ready_ns {
            self.restart(ready_ns);
        }
    }

    /// Counts a delivered packet; a full slot ends.
    pub fn deliver(&mut self, now_ns: u64, bytes: u32) {
        self.left_packets -= 1;
        self.left_bytes -= i64::from(bytes);
        if self.left_packets == 0 || self.left_bytes <= 0 {
            self.restart(now_ns);
        }
    }

    fn restart(&mut self, now_ns: u64) {
        self.start_ns = now_ns + self.min_ns + self.stream.below(self.max_ns - self.min_ns + 1);
        self.left_packets = self.most_packets;
        self.left_bytes = i64::from(self.most_bytes);
    }
}
