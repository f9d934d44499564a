//! A first-in-first-out list of packets, chained through the buffer.

use super::{Buffer, Node, PacketId, NONE};

/// A list of packets of a [`Buffer`]. A packet is in at most one list.
#[derive(Clone, Copy, Debug)]
pub struct List {
    head: u32,
    tail: u32,
    packets: u32,
    bytes: u64,
}

impl Default for List {
    fn default() -> Self {
        Self { head: NONE, tail: NONE, packets: 0, bytes: 0 }
    }
}

impl List {
    #[inline]
    pub fn len(&self) -> usize {
        self.packets as usize
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == NONE
    }

    /// Frame bytes of all packets in the list.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    pub fn front(&self) -> Option<PacketId> {
        (self.head != NONE).then_some(PacketId(self.head))
    }

    /// The packets from first to last.
    pub fn iter<'a>(&self, buffer: &'a Buffer) -> impl Iterator<Item = PacketId> + 'a {
        let packet = |index: u32| (index != NONE).then_some(PacketId(index));
        std::iter::successors(packet(self.head), move |at| packet(buffer.nodes[at.index()].next))
    }

    /// Removes a packet from anywhere in the list, which must contain it.
    pub fn remove(&mut self, packet: PacketId, buffer: &mut Buffer) {
        let before = self.iter(buffer).take_while(|&other| other != packet).last();
        let Some(before) = before else {
            self.pop_front(buffer);
            return;
        };
        let Node { next, frame_bytes, .. } = buffer.nodes[packet.index()];
        buffer.nodes[before.index()].next = next;
        if next == NONE {
            self.tail = before.0;
        }
        self.packets -= 1;
        self.bytes -= u64::from(frame_bytes);
    }

    #[inline]
    pub fn push_back(&mut self, packet: PacketId, buffer: &mut Buffer) {
        let node = &mut buffer.nodes[packet.0 as usize];
        node.next = NONE;
        self.bytes += u64::from(node.frame_bytes);
        self.packets += 1;
        if self.tail == NONE {
            self.head = packet.0;
        } else {
            buffer.nodes[self.tail as usize].next = packet.0;
        }
        self.tail = packet.0;
    }

    #[inline]
    pub fn pop_front(&mut self, buffer: &Buffer) -> Option<PacketId> {
        let packet = self.front()?;
        let node = &buffer.nodes[packet.0 as usize];
        self.head = node.next;
        if self.head == NONE {
            self.tail = NONE;
        }
        self.packets -= 1;
        self.bytes -= u64::from(node.frame_bytes);
        Some(packet)
    }
}
