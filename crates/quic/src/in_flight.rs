//! The packets in flight, in the order in which they were sent.

use crate::datagram::QuicDatagram;
use crate::tap::TappedPacket;
use std::collections::VecDeque;

/// A packet that is neither acknowledged nor lost, with the estimator's state when it was sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentPacket {
    /// No two packets of an endpoint have the same, so quinn-proto's send times identify packets.
    pub sent_ns: u64,
    pub packet: TappedPacket,
    pub datagram: QuicDatagram,
    /// Its end in the sequence of all bytes sent, retransmissions included.
    pub end_seq: u64,
    pub is_retransmission: bool,
    // The state of the delivery-rate estimator.
    pub first_tx_us: u64,
    pub delivered_us: u64,
    pub delivered: u32,
    pub delivered_ce: u32,
    pub is_app_limited: bool,
    /// Acknowledged; the record stays until those before it are removed.
    pub(super) is_done: bool,
}

impl SentPacket {
    /// Its start in the sequence of all bytes.
    pub fn seq(&self) -> u64 {
        self.end_seq - u64::from(self.packet.bytes)
    }
}

#[derive(Debug, Default)]
pub(crate) struct InFlight(VecDeque<SentPacket>);

impl InFlight {
    pub fn push(&mut self, packet: SentPacket) {
        debug_assert!(self.0.back().is_none_or(|last| last.sent_ns < packet.sent_ns), "send times are unique");
        self.0.push_back(packet);
    }

    /// The first packet that is in flight.
    pub fn first(&self) -> Option<&SentPacket> {
        self.0.iter().find(|packet| !packet.is_done)
    }

    /// The size of all packets that are in flight.
    pub fn bytes(&self) -> u64 {
        self.0.iter().filter(|packet| !packet.is_done).map(|packet| u64::from(packet.packet.bytes)).sum()
    }

    /// Removes the packet that was sent at this time.
    pub fn acknowledge(&mut self, sent_ns: u64) -> Option<SentPacket> {
        let index = self.0.partition_point(|packet| packet.sent_ns < sent_ns);
        let packet = self.0.get_mut(index).filter(|packet| packet.sent_ns == sent_ns && !packet.is_done)?;
        let record = SentPacket { sent_ns, is_done: true, ..SentPacket::default() };
        let packet = std::mem::replace(packet, record);
        while self.0.front().is_some_and(|packet| packet.is_done) {
            self.0.pop_front();
        }
        Some(packet)
    }

    /// Removes all packets that were sent up to this time: both thresholds of loss detection (RFC 9002 section 6.1)
    /// declare a packet lost only with all that were sent before it. Removes none if their size differs from `bytes`:
    /// then handshake packets were lost.
    pub fn lose(&mut self, up_to_sent_ns: u64, bytes: u64) -> Option<impl Iterator<Item = SentPacket> + '_> {
        let count = self.0.partition_point(|packet| packet.sent_ns <= up_to_sent_ns);
        let lost = self.0.range(..count).filter(|packet| !packet.is_done);
        if lost.map(|packet| u64::from(packet.packet.bytes)).sum::<u64>() != bytes {
            return None;
        }
        Some(self.0.drain(..count).filter(|packet| !packet.is_done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> InFlight {
        let mut in_flight = InFlight::default();
        for sent_ns in [10, 20, 30] {
            let packet = TappedPacket { number: sent_ns, bytes: 100, ..TappedPacket::default() };
            in_flight.push(SentPacket { sent_ns, packet, ..SentPacket::default() });
        }
        in_flight
    }

    #[test]
    fn the_send_time_identifies_a_packet() {
        let mut in_flight = three();
        assert_eq!(in_flight.acknowledge(20).unwrap().packet.number, 20);
        assert!(in_flight.acknowledge(20).is_none() && in_flight.acknowledge(25).is_none());
        assert_eq!(in_flight.first().unwrap().sent_ns, 10);
        assert!(in_flight.acknowledge(10).is_some());
        assert_eq!(in_flight.first().unwrap().sent_ns, 30);
    }

    #[test]
    fn packets_sent_before_a_lost_packet_are_lost() {
        let mut in_flight = three();
        in_flight.acknowledge(20);
        assert!(in_flight.lose(20, 1200).is_none(), "a lost handshake packet");
        let lost = in_flight.lose(20, 100).unwrap().map(|packet| packet.sent_ns).collect::<Vec<_>>();
        assert_eq!(lost, [10]);
        assert_eq!(in_flight.first().unwrap().sent_ns, 30);
    }
}
