//! UDP datagrams in flight.
//!
//! The network copies datagrams from queue to queue, so a [`QuicDatagram`] is a small handle; the bytes are in a store
//! that all endpoints of a run share. Application data is zeros, so the store omits the zeros at the end.

use bytes::{Bytes, BytesMut};
use fairlane_transport::Datagram;
use std::cell::RefCell;
use std::rc::Rc;

/// IPv4 and UDP headers.
pub const HEADER_BYTES: u32 = 20 + 8;

/// quinn-proto keeps a list of the written chunks, so they should be large.
const ZEROS_BYTES: usize = 1 << 20;

/// A UDP datagram with QUIC packets in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuicDatagram {
    slot: u32,
    /// Number of the datagram in its slot; 0 is none.
    generation: u32,
    udp_payload_bytes: u16,
    /// Application data in STREAM and DATAGRAM frames.
    payload_bytes: u16,
}

impl Datagram for QuicDatagram {
    #[inline]
    fn ip_bytes(&self) -> u32 {
        HEADER_BYTES + u32::from(self.udp_payload_bytes)
    }

    #[inline]
    fn payload_bytes(&self) -> u32 {
        self.payload_bytes.into()
    }

    fn number(&self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.slot)
    }
}

/// The bytes of the datagrams in a network.
#[derive(Clone, Debug, Default)]
pub struct DatagramStore(Rc<RefCell<Slots>>);

#[derive(Debug, Default)]
struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Application data that all senders share.
    zeros: Bytes,
    /// Buffer for arriving datagrams.
    arrival: BytesMut,
}

#[derive(Debug)]
struct Slot {
    generation: u32,
    is_taken: bool,
    /// Without the zeros at the end.
    bytes: Vec<u8>,
}

impl DatagramStore {
    /// Stores the bytes of a datagram until it arrives. `payload_bytes`: application data in it; `zeros_at_end`: zero
    /// bytes at its end; both as far as the caller knows.
    pub fn put(&self, udp_payload: &[u8], payload_bytes: u32, zeros_at_end: u32) -> QuicDatagram {
        let (start, zeros) = udp_payload.split_at(udp_payload.len() - zeros_at_end as usize);
        debug_assert!(zeros.iter().all(|&byte| byte == 0), "application data is zeros");
        let Slots { slots, free, .. } = &mut *self.0.borrow_mut();
        let number = free.pop().unwrap_or_else(|| {
            slots.push(Slot { generation: 0, is_taken: true, bytes: Vec::new() });
            slots.len() as u32 - 1
        });
        let slot = &mut slots[number as usize];
        slot.generation = slot.generation.wrapping_add(1).max(1);
        slot.is_taken = false;
        slot.bytes.clear();
        slot.bytes.extend_from_slice(without_trailing_zeros(start));
        QuicDatagram {
            slot: number,
            generation: slot.generation,
            udp_payload_bytes: udp_payload.len() as u16,
            payload_bytes: payload_bytes as u16,
        }
    }

    /// Takes the bytes of an arriving datagram. A duplicate by the network finds none: the receiver would discard the
    /// packet by its number (RFC 9000 section 12.3).
    pub fn take(&self, datagram: &QuicDatagram) -> Option<BytesMut> {
        let slots = &mut *self.0.borrow_mut();
        let slot = slots.slots.get_mut(datagram.slot as usize).filter(|slot| slot.contains(datagram))?;
        slot.is_taken = true;
        slots.free.push(datagram.slot);
        // Reuses the memory of the previous datagram, unless the protocol still refers to it.
        slots.arrival.reserve(datagram.udp_payload_bytes.into());
        slots.arrival.extend_from_slice(&slot.bytes);
        slots.arrival.resize(datagram.udp_payload_bytes.into(), 0);
        Some(slots.arrival.split())
    }

    /// Appends the stored bytes of a datagram, without the zeros at its end.
    pub(crate) fn append_to(&self, datagram: &QuicDatagram, packet: &mut Vec<u8>) {
        if let Some(slot) = self.0.borrow().slot_of(datagram) {
            packet.extend_from_slice(&slot.bytes);
        }
    }

    /// The datagram will not arrive any more.
    pub(crate) fn forget(&self, datagram: &QuicDatagram) {
        let mut slots = self.0.borrow_mut();
        if slots.slot_of(datagram).is_some() {
            slots.slots[datagram.slot as usize].is_taken = true;
            slots.free.push(datagram.slot);
        }
    }

    /// Application data.
    pub(crate) fn zeros(&self) -> Bytes {
        let mut slots = self.0.borrow_mut();
        if slots.zeros.is_empty() {
            slots.zeros = vec![0; ZEROS_BYTES].into();
        }
        slots.zeros.clone()
    }

    /// Number of stored datagrams.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let slots = self.0.borrow();
        slots.slots.len() - slots.free.len()
    }
}

impl Slots {
    fn slot_of(&self, datagram: &QuicDatagram) -> Option<&Slot> {
        self.slots.get(datagram.slot as usize).filter(|slot| slot.contains(datagram))
    }
}

impl Slot {
    #[inline]
    fn contains(&self, datagram: &QuicDatagram) -> bool {
        self.generation == datagram.generation && !self.is_taken
    }
}

fn without_trailing_zeros(bytes: &[u8]) -> &[u8] {
    // A block is compared in a few vector instructions.
    const BLOCK_BYTES: usize = 128;
    let is_zero = |block: &&[u8]| block.iter().fold(0, |all, byte| all | byte) == 0;
    let zero_blocks = bytes.rchunks_exact(BLOCK_BYTES).take_while(is_zero).count();
    let rest = &bytes[..bytes.len() - BLOCK_BYTES * zero_blocks];
    &rest[..rest.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_restored_with_their_zeros() {
        let store = DatagramStore::default();
        for (length, ones) in [(1200, 0), (1200, 1), (1200, 37), (1199, 1199), (8, 8), (1, 0)] {
            let mut payload = vec![1_u8; ones];
            payload.resize(length, 0);
            let datagram = store.put(&payload, 5, (length - ones) as u32);
            assert_eq!((datagram.ip_bytes(), datagram.payload_bytes()), (28 + length as u32, 5));
            assert_eq!(store.take(&datagram).unwrap(), payload);
        }
        assert_eq!(store.len(), 0);
    }

    #[test]
    fn a_datagram_arrives_once() {
        let store = DatagramStore::default();
        let first = store.put(&[1, 2, 3], 0, 0);
        assert!(store.take(&first).is_some());
        let second = store.put(&[4], 0, 0);
        assert_eq!(first.slot, second.slot, "the slot is used again");
        assert!(store.take(&first).is_none());
        store.forget(&first);
        assert_eq!(store.take(&second).unwrap()[..], [4]);
        assert!(store.take(&QuicDatagram::default()).is_none(), "cross traffic has no bytes");
    }
}
