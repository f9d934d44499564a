//! Behaviour of the receiver, one file per mechanism. Packet `n` is the n-th full-sized segment of the stream; unless a
//! test sets it, HZ is 100, so that timers show their granularity of 10 ms.

mod delayed_acks;
mod ecn;
mod gro;
mod out_of_order;
mod random_arrivals;
mod sack;
mod timestamps;
mod window;

use super::*;
use crate::segment::{flags, timestamp_ms, Segment};

const MSS: u64 = 1448;
const MS: u64 = 1_000_000;
const JIFFY_NS: u64 = 10 * MS;

fn config() -> ReceiverConfig {
    ReceiverConfig { jiffy_ns: JIFFY_NS, autotune: false, ..ReceiverConfig::default() }
}

/// A receiver, the time, and the acknowledgements that it sent.
struct Host {
    receiver: Receiver,
    now_ns: u64,
    /// Packets `0..first` arrived before the test began.
    first: u64,
    srtt_us: u32,
}

impl Host {
    fn new(config: ReceiverConfig) -> Self {
        Self { receiver: Receiver::new(config, 0), now_ns: 0, first: 0, srtt_us: 0 }
    }

    /// A connection that has left quick-ACK mode, whose window has stopped growing, and that has no pending ACK.
    /// `now_ns` is on a jiffy boundary, and packet numbers start at 0 again.
    fn settled(config: ReceiverConfig) -> Self {
        let mut host = Self::new(config);
        for packet in 0..SETTLING_PACKETS {
            host.now_ns += MS / 10;
            let _ = host.arrive(host.packet(packet));
        }
        if host.receiver.deadline_ns() < u64::MAX {
            host.ack();
        }
        host.first = SETTLING_PACKETS;
        host.now_ns = 10 * JIFFY_NS;
        host
    }

    fn offset(&self, packet: u64) -> u64 {
        FIRST_BYTE + (self.first + packet) * MSS
    }

    fn packet(&self, packet: u64) -> Segment {
        self.bytes(self.offset(packet), MSS as u32)
    }

    fn bytes(&self, seq: u64, len: u32) -> Segment {
        Segment {
            seq,
            len,
            flags: flags::ACK,
            has_timestamps: self.receiver.config.timestamps,
            tsval: timestamp_ms(self.now_ns),
            ..Segment::default()
        }
    }

    /// The segment arrives; the ACK if one leaves at once.
    fn arrive(&mut self, segment: Segment) -> Option<Segment> {
        self.arrive_marked(segment, EcnMark::NotEct)
    }

    fn arrive_marked(&mut self, segment: Segment, mark: EcnMark) -> Option<Segment> {
        let need = self.receiver.on_data(self.now_ns, &segment, mark, 8 * self.srtt_us);
        (need == AckNeed::Now).then(|| self.ack())
    }

    /// Waits for the next timer; the time it fired and the ACK it sent.
    fn wait(&mut self) -> (u64, Option<Segment>) {
        assert!(self.receiver.deadline_ns() < u64::MAX, "no timer is armed");
        self.now_ns = self.receiver.deadline_ns();
        let need = self.receiver.on_timer(self.now_ns);
        (self.now_ns, (need == AckNeed::Now).then(|| self.ack()))
    }

    fn ack(&mut self) -> Segment {
        let mut ack = Segment::default();
        self.receiver.fill_ack(self.now_ns, &mut ack);
        ack
    }

    /// SACK blocks in packets, where they are whole packets.
    fn blocks(&self, ack: &Segment) -> Vec<(u64, u64)> {
        let packet = |offset: u64| {
            let bytes = offset - self.offset(0);
            assert_eq!(bytes % MSS, 0, "block at {offset} is not at a packet");
            bytes / MSS
        };
        ack.sack_blocks().map(|(start, end)| (packet(start), packet(end))).collect()
    }

    /// Content of an ACK, in packets: cumulative, then the blocks.
    fn says(&self, ack: Option<Segment>) -> (u64, Vec<(u64, u64)>) {
        let ack = ack.expect("an ACK must leave at once");
        ((ack.ack - self.offset(0)) / MSS, self.blocks(&ack))
    }
}

const SETTLING_PACKETS: u64 = 60;

#[test]
fn packets_touch_few_cache_lines() {
    use std::mem::offset_of;
    let lines =
        [(offset_of!(Receiver, acks), 1), (offset_of!(Receiver, sack), 3), (offset_of!(Receiver, out_of_order), 7)];
    lines.iter().for_each(|&(offset, line)| assert_eq!(offset, 64 * line, "line {line}"));
    assert!(offset_of!(Receiver, config) < 8 * 64);
}
