//! cake's ACK filter: a new acknowledgement makes queued ones of its flow redundant (`cake_ack_filter`).
//!
//! A queued acknowledgement may go if it is pure and the new one tells at least as much. The filter drops the one nearest
//! to the head, but only if another redundant one stays behind it, so that a sender still gets every second; an aggressive
//! filter also drops a single one, right before the new one and with the same ECN flags. Changes of these flags are kept.

use crate::packet::Acknowledgement;
use crate::queue::buffer::{Buffer, List, PacketId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckFilter {
    Off,
    Conservative,
    Aggressive,
}

impl AckFilter {
    /// The packet that the last of a queue's packets makes redundant; it stays in the list.
    pub fn redundant(self, packets: &List, newest: PacketId, buffer: &Buffer) -> Option<PacketId> {
        let new = buffer.acknowledgement(newest).filter(|_| self != Self::Off)?;
        let mut eligible: Option<(PacketId, u8)> = None;
        let mut found = 0;
        let mut last = None;
        for packet in packets.iter(buffer).take_while(|&packet| packet != newest) {
            last = Some(packet);
            if buffer.flow(packet) != buffer.flow(newest) {
                continue;
            }
            let Some(old) = buffer.acknowledgement(packet) else { continue };
            if eligible.is_some_and(|(_, flags)| flags != old.ecn_flags) {
                eligible = None;
                found -= 1;
            }
            if !is_covered(old, new) {
                continue;
            }
            let (first, _) = *eligible.get_or_insert((packet, old.ecn_flags));
            found += 1;
            if found > 1 {
                return Some(first);
            }
        }
        let (packet, flags) = eligible?;
        (self == Self::Aggressive && last == Some(packet) && flags == new.ecn_flags).then_some(packet)
    }
}

/// Whether the new acknowledgement tells all that the old one does, and more.
fn is_covered(old: &Acknowledgement, new: &Acknowledgement) -> bool {
    if !old.is_pure || old.ack > new.ack {
        return false;
    }
    let blocks = |of: &Acknowledgement| of.sack.into_iter().filter(|(start, end)| start < end).collect::<Vec<_>>();
    let (old_blocks, new_blocks) = (blocks(old), blocks(new));
    // The cumulative acknowledgement of the new one covers the blocks below it.
    let is_told =
        |&(start, end): &(u64, u64)| end <= new.ack || new_blocks.iter().any(|&(from, to)| from <= start && end <= to);
    let bytes = |blocks: &[(u64, u64)]| blocks.iter().map(|(start, end)| end - start).sum::<u64>();
    old_blocks.iter().all(is_told) && (old.ack < new.ack || bytes(&new_blocks) > bytes(&old_blocks))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(ack: u64, block: (u64, u64)) -> Acknowledgement {
        Acknowledgement { ack, is_pure: true, ecn_flags: 0, sack: [block, (0, 0), (0, 0), (0, 0)] }
    }

    #[test]
    fn an_ack_is_covered_by_one_that_tells_more() {
        let none = (0, 0);
        assert!(is_covered(&ack(5, none), &ack(6, none)));
        assert!(!is_covered(&ack(5, none), &ack(5, none)), "a duplicate counts for the sender");
        assert!(!is_covered(&ack(6, none), &ack(5, none)));
        assert!(is_covered(&ack(5, (8, 9)), &ack(5, (7, 9))));
        assert!(!is_covered(&ack(5, (8, 9)), &ack(5, (10, 12))), "block 8 to 9 would be lost");
        assert!(is_covered(&ack(5, (8, 9)), &ack(9, none)), "acknowledged by now");
        let data = Acknowledgement { is_pure: false, ..ack(5, none) };
        assert!(!is_covered(&data, &ack(6, none)));
    }
}
