//! Where the bytes of packets wait while the network carries their numbers.
//!
//! The network does not say when it drops a packet, so places are not freed; they are reused in turn. A network keeps
//! the packets of one path roughly in order, so the number of packets that entered while one was inside says how many
//! places are needed: when half of them were, there will be twice as many. A packet whose place was reused nevertheless
//! is missing when it leaves, which is counted and never passes for another packet.

/// The packets of one path.
pub(crate) struct Packets {
    place_bytes: usize,
    /// Rings in the order of their first numbers; the last one takes new packets.
    rings: Vec<Ring>,
    next: u64,
}

struct Ring {
    first: u64,
    mask: u64,
    bytes: Vec<u8>,
    /// Number and size of the packet in each place.
    tags: Vec<(u64, u32)>,
}

/// Rings that still hold packets from before they were replaced. Each is half of the next one, so packets of an older
/// one have seen several times as many others pass as there were places.
const RINGS: usize = 3;
const EMPTY: u64 = u64::MAX;

impl Packets {
    /// `places` is a power of two.
    pub fn new(places: usize, place_bytes: usize) -> Self {
        Self { place_bytes, rings: vec![Ring::new(0, places, place_bytes)], next: 0 }
    }

    /// Where the next packet is to be written.
    pub fn vacant(&mut self) -> &mut [u8] {
        let (next, place_bytes) = (self.next, self.place_bytes);
        self.newest().place_mut(next, place_bytes)
    }

    /// The packet that was written last has this size; returns its number.
    pub fn keep(&mut self, bytes: usize) -> u64 {
        let number = self.next;
        let ring = self.newest();
        let place = (number & ring.mask) as usize;
        ring.tags[place] = (number, bytes as u32);
        self.next += 1;
        number
    }

    /// A packet that leaves; none if its place was reused.
    pub fn packet(&mut self, number: u64) -> Option<&mut [u8]> {
        let (passed, place_bytes) = (self.next - number, self.place_bytes);
        if passed > self.newest().mask / 2 {
            self.grow();
        }
        let ring = self.rings.iter_mut().rev().find(|ring| ring.first <= number)?;
        let (kept, bytes) = ring.tags[(number & ring.mask) as usize];
        (kept == number).then(|| &mut ring.place_mut(number, place_bytes)[..bytes as usize])
    }

    fn grow(&mut self) {
        let places = (self.newest().mask as usize + 1) * 2;
        // A ring that was not used once around yet cannot be too small.
        if self.next - self.newest().first < places as u64 / 4 {
            return;
        }
        if self.rings.len() == RINGS {
            self.rings.remove(0);
        }
        self.rings.push(Ring::new(self.next, places, self.place_bytes));
    }

    fn newest(&mut self) -> &mut Ring {
        self.rings.last_mut().expect("there is always one")
    }
}

impl Ring {
    fn new(first: u64, places: usize, place_bytes: usize) -> Self {
        // Pages of zeros take no memory before they are written.
        let (bytes, tags) = (vec![0; places * place_bytes], vec![(EMPTY, 0); places]);
        Self { first, mask: places as u64 - 1, bytes, tags }
    }

    fn place_mut(&mut self, number: u64, place_bytes: usize) -> &mut [u8] {
        let start = (number & self.mask) as usize * place_bytes;
        &mut self.bytes[start..start + place_bytes]
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
    fn a_queue_that_grows_gets_more_places_before_it_needs_them() {
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
