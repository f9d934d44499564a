//! Removal of acknowledged segments from the scoreboard.
//!
//! Most segments were sent once and are neither SACKed nor marked lost. They are removed in runs: they left in sequence
//! order, so the last of a run gives the same rate sample and RTT as all of them one by one.

use super::ack_info::{meaning::*, AckInfo};
use super::scoreboard::{SentSegment, EVER_RETRANSMITTED, LOST, RETRANSMISSION_OUT, SACKED};
use super::{delivery_rate, rack, Sender};

/// Result of a removal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Removed {
    pub packets: u32,
    /// Send times, in us, of the first and last segment that was sent once and not SACKed before.
    pub first_sent_us: Option<u64>,
    pub last_sent_us: u64,
    /// Lowest sequence number of these segments, or `snd_nxt`.
    pub reordered_from: u64,
    /// The oldest remaining segment was acknowledged in part.
    pub partial: bool,
}

impl Sender {
    /// Removes all segments below `snd_una`.
    #[inline]
    pub(super) fn remove_acknowledged(&mut self, ece: bool, info: &mut AckInfo) -> Removed {
        let mut removed =
            Removed { packets: 0, first_sent_us: None, last_sent_us: 0, reordered_from: self.snd_nxt, partial: false };
        loop {
            let run = self.board.clean_run(self.snd_una);
            if run > 0 {
                self.remove_run(run, ece, info, &mut removed);
            }
            if self.board.is_empty() {
                break;
            }
            if self.board.end_seq(self.board.first()) > self.snd_una {
                removed.partial = self.shorten_head();
                break;
            }
            self.remove_one(ece, info, &mut removed);
        }
        removed
    }

    /// Removes the first `packets` segments, all of which were sent once and are neither SACKed nor marked lost.
    #[inline]
    fn remove_run(&mut self, packets: u32, ece: bool, info: &mut AckInfo, removed: &mut Removed) {
        let first = self.board.get(self.board.first());
        let mut last = self.board.get(self.board.first() + u64::from(packets - 1));
        debug_assert!(first.sent_us <= last.sent_us, "originals leave in sequence order");
        removed.first_sent_us = removed.first_sent_us.or(Some(first.sent_us));
        removed.last_sent_us = last.sent_us;
        removed.reordered_from = removed.reordered_from.min(first.seq);
        if first.end_seq() <= self.high_seq {
            info.bits |= ORIGINAL_ACKED;
        }
        if self.config.sack {
            self.count_delivered(packets, ece);
            rack::on_delivered(&mut self.sock, false, last.end_seq(), last.sent_us);
        }
        self.sock.packets_out -= packets;
        removed.packets += packets;
        delivery_rate::on_delivered(&mut self.sock, &mut last, &mut info.rate);
        self.board.pop_heads(packets);
    }

    /// Removes the first segment, regardless of its flags.
    #[inline(never)]
    fn remove_one(&mut self, ece: bool, info: &mut AckInfo, removed: &mut Removed) {
        let mut segment = self.board.get(self.board.first());
        if segment.has(EVER_RETRANSMITTED) {
            if segment.has(RETRANSMISSION_OUT) {
                self.sock.retrans_out -= 1;
            }
            info.bits |= RETRANSMITTED_DATA_ACKED;
        } else if !segment.has(SACKED) {
            removed.last_sent_us = segment.sent_us;
            removed.first_sent_us = removed.first_sent_us.or(Some(segment.sent_us));
            removed.reordered_from = removed.reordered_from.min(segment.seq);
            if segment.end_seq() <= self.high_seq {
                info.bits |= ORIGINAL_ACKED;
            }
        }
        if segment.has(SACKED) {
            self.sock.sacked_out -= 1;
        } else if self.config.sack {
            self.count_delivered(1, ece);
            if !self.is_spurious_retransmission(&segment) {
                rack::on_delivered(&mut self.sock, segment.has(EVER_RETRANSMITTED), segment.end_seq(), segment.sent_us);
            }
        }
        if segment.has(LOST) {
            self.sock.lost_out -= 1;
        }
        self.sock.packets_out -= 1;
        removed.packets += 1;
        delivery_rate::on_delivered(&mut self.sock, &mut segment, &mut info.rate);
        self.board.pop_heads(1);
    }

    /// If part of the oldest segment is acknowledged (a middlebox or a script resegmented the stream), shortens its
    /// record.
    #[inline]
    fn shorten_head(&mut self) -> bool {
        let head = self.board.get(self.board.first());
        if self.snd_una <= head.seq {
            return false;
        }
        let rest = SentSegment { seq: self.snd_una, len: (head.end_seq() - self.snd_una) as u32, ..head };
        self.board.set(self.board.first(), &rest);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::SenderConfig;
    use super::*;
    use fairlane_congestion_control::kernel::Reno;
    use fairlane_engine::Streams;

    const SEGMENTS: u64 = 300;

    /// A sender with a random flight, `number` being the seed.
    fn sender(number: u64) -> Sender {
        let mut random = Streams::new(number).stream("acknowledged test", 0);
        let mut sender = Sender::new(SenderConfig { sack: number % 4 > 0, ..SenderConfig::default() }, Box::new(Reno));
        sender.establish(5_000_000, Some(5_000), 1 << 20, false);
        let share_of_marked = random.below(4);
        let (mut seq, mut sent_us) = (1, 10_000);
        for _ in 0..SEGMENTS {
            sent_us += random.below(3) * random.below(20);
            let mut record = SentSegment { seq, len: 1 + random.below(1448) as u32, sent_us, ..SentSegment::default() };
            if seq > 1 && random.below(10) < share_of_marked {
                match random.below(4) {
                    0 => record.flags |= SACKED,
                    1 => record.flags |= LOST,
                    2 => record.flags |= EVER_RETRANSMITTED,
                    _ => record.flags |= EVER_RETRANSMITTED | LOST | RETRANSMISSION_OUT,
                }
                record.sent_us += if record.has(EVER_RETRANSMITTED) { random.below(500) } else { 0 };
            }
            delivery_rate::on_sent(&mut sender.sock, &mut record);
            if random.below(5) == 0 {
                sender.sock.delivered += 1;
                sender.sock.delivered_mstamp = sent_us;
            }
            sender.board.push(&record);
            seq = record.end_seq();
            sender.sock.packets_out += 1;
            sender.sock.sacked_out += u32::from(record.has(SACKED));
            sender.sock.lost_out += u32::from(record.has(LOST));
            sender.sock.retrans_out += u32::from(record.has(RETRANSMISSION_OUT));
        }
        sender.snd_nxt = seq;
        sender.high_seq = random.below(seq);
        sender
    }

    fn one_by_one(sender: &mut Sender, ece: bool, info: &mut AckInfo) -> Removed {
        let mut removed = Removed {
            packets: 0,
            first_sent_us: None,
            last_sent_us: 0,
            reordered_from: sender.snd_nxt,
            partial: false,
        };
        while !sender.board.is_empty() {
            if sender.board.end_seq(sender.board.first()) > sender.snd_una {
                removed.partial = sender.shorten_head();
                break;
            }
            sender.remove_one(ece, info, &mut removed);
        }
        removed
    }

    #[test]
    fn a_run_gives_the_same_samples_as_its_segments() {
        let mut longest_run = 0;
        for number in 0..200 {
            let (mut in_runs, mut by_ones) = (sender(number), sender(number));
            let mut random = Streams::new(number).stream("acknowledgements", 0);
            let mut now_ns = 20_000_000;
            while !in_runs.board.is_empty() {
                now_ns += random.below(3_000_000);
                let ack = (in_runs.snd_una + 1 + random.below(30_000)).min(in_runs.snd_nxt);
                let ece = random.below(4) == 0;
                for sender in [&mut in_runs, &mut by_ones] {
                    sender.refresh_clock(now_ns);
                    sender.snd_una = ack;
                }
                let mut info = AckInfo::new(&in_runs, 0);
                let mut info_by_ones = info;
                longest_run = longest_run.max(in_runs.board.clean_run(ack));
                let removed = in_runs.remove_acknowledged(ece, &mut info);
                let removed_one_by_one = one_by_one(&mut by_ones, ece, &mut info_by_ones);
                assert_eq!(
                    format!("{removed:?} {info:?} {:?} {:?}", in_runs.sock, in_runs.board),
                    format!("{removed_one_by_one:?} {info_by_ones:?} {:?} {:?}", by_ones.sock, by_ones.board),
                );
            }
        }
        assert!(longest_run > 30, "{longest_run}");
    }
}
