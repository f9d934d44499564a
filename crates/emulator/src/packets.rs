//! Stores the bytes of packets while the network carries their numbers.
//!
//! The network does not report dropped packets, so slots are not freed; they are reused in order. A path keeps its
//! packets roughly in order, so the number of packets that entered while one was inside tells how many slots are
//! needed: once half of them were, their number is doubled. If a packet's slot was reused nevertheless, the packet is
//! missing when it leaves; it is counted, and never confused with another packet.

/// The packets of one path.
pub(crate) struct Packets {
    slot_bytes: usize,
    /// Rings in the order of their first numbers; the last one takes new packets.
    rings: Vec<Ring>,
    next: u64,
}

struct Ring {
    first: u64,
    mask: u64,
    bytes: Vec<u8>,
    /// Number and size of the packet in each slot.
    tags: Vec<(u64, u32)>,
}

/// Rings with older packets are kept. Each is half as large as the next one, so packets of an older one have been
/// passed by several times as many others as there are slots.
const RINGS: usize = 3;
const EMPTY: u64 = u64::MAX;

impl Packets {
    /// `slots` is a power of two.
    pub fn new(slots: usize, slot_bytes: usize) -> Self {
        Self { slot_bytes, rings: vec![Ring::new(0, slots, slot_bytes)], next: 0 }
    }

    /// Buffer for the next packet.
    pub fn vacant(&mut self) -> &mut [u8] {
        let (next, slot_bytes) = (self.next, self.slot_bytes);
        self.newest().slot_mut(next, slot_bytes)
    }

    /// Stores the packet written last, with this size; returns its number.
    pub fn keep(&mut self, bytes: usize) -> u64 {
        let number = self.next;
        let ring = self.newest();
        let slot = (number & ring.mask) as usize;
        ring.tags[slot] = (number, bytes as u32);
        self.next += 1;
        number
    }

    /// A packet that leaves; none if its slot was reused.
    pub fn packet(&mut self, number: u64) -> Option<&mut [u8]> {
        let (passed, slot_bytes) = (self.next - number, self.slot_bytes);
        if passed > self.newest().mask / 2 {
            self.grow();
        }
        let ring = self.rings.iter_mut().rev().find(|ring| ring.first <= number)?;
        let (kept, bytes) = ring.tags[(number & ring.mask) as usize];
        (kept == number).then(|| &mut ring.slot_mut(number, slot_bytes)[..bytes as usize])
    }

    fn grow(&mut self) {
        let slots = (self.newest().mask as usize + 1) * 2;
        // A ring that is still in its first round cannot be too small.
        if self.next - self.newest().first < slots as u64 / 4 {
            return;
        }
        if self.rings.len() == RINGS {
            self.rings.remove(0);
        }
        self.rings.push(Ring::new(self.next, slots, self.slot_bytes));
    }

    fn newest(&mut self) -> &mut Ring {
        self.rings.last_mut().expect("there is always one")
    }
}

impl Ring {
    fn new(first: u64, slots: usize, slot_bytes: usize) -> Self {
        // Zero pages take no memory before they are written.
        let (bytes, tags) = (vec![0; slots * slot_bytes], vec![(EMPTY, 0); slots]);
        Self { first, mask: slots as u64 - 1, bytes, tags }
    }

    fn slot_mut(&mut self, number: u64, slot_bytes: usize) -> &mut [u8] {
        let start = (number & self.mask) as usize * slot_bytes;
        &mut self.bytes[start..start + slot_bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    fn keep(packets: &mut Packets, content: u64) -> u64 {
        packets.vacant()[..8].copy_from_slice(&content.to_be_bytes());
        packets.keep(8)
    }

    #[test]
    fn a_growing_queue_gets_more_slots_before_it_needs_them() {
        let mut packets = Packets::new(8, 16);
        let mut queue = VecDeque::new();
        for content in 0..10_000u64 {
            queue.push_back((keep(&mut packets, content), content));
            // Two enter for each one that leaves.
            if content % 2 == 1 {
                let (number, content) = queue.pop_front().expect("a packet waits");
                assert_eq!(packets.packet(number), Some(&mut content.to_be_bytes()[..]));
            }
        }
        for (number, content) in queue {
            assert_eq!(packets.packet(number), Some(&mut content.to_be_bytes()[..]));
        }
    }

    #[test]
    fn a_packet_whose_place_was_reused_is_missing() {
        let mut packets = Packets::new(8, 16);
        let first = keep(&mut packets, 1);
        for content in 0..8 {
            keep(&mut packets, content);
        }
        assert_eq!(packets.packet(first), None);
    }

    #[test]
    fn duplicates_leave_twice() {
        let mut packets = Packets::new(8, 16);
        let number = keep(&mut packets, 5);
        for _ in 0..2 {
            assert_eq!(packets.packet(number), Some(&mut 5u64.to_be_bytes()[..]));
        }
    }
}
