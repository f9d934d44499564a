//! A connection whose peer sends arbitrary segments: no panic, correct counters after every event, bounded memory.
//!
//! The sender checks its scoreboard after every event in the builds that run tests (`check_invariants`).

use crate::support::{MS, MSS};
use fairlane_congestion_control::kernel::Reno;
use fairlane_tcp::receiver::{EcnMark, ReceiverConfig};
use fairlane_tcp::segment::flags;
use fairlane_tcp::{Connection, ConnectionConfig, Segment, SenderConfig};
use proptest::prelude::*;

const CASES: u32 = 3_000;

/// A step of the peer, the application or time.
#[derive(Clone, Debug)]
enum Event {
    Write { bytes: u64 },
    Acknowledge(Acknowledgement),
    Data { offset: i64, len: u32, flags: u8, mark: u8 },
    Wait { ns: u64 },
    Read { bytes: u64 },
    Close,
}

/// An acknowledgement, as a fraction of the outstanding data (in thousandths; values above 1000 are invalid).
#[derive(Clone, Debug)]
struct Acknowledgement {
    ack: i64,
    window: u32,
    blocks: Vec<(i64, u32)>,
    echo_age_ms: u32,
    flags: u8,
}

fn acknowledgement() -> impl Strategy<Value = Acknowledgement> {
    let position = prop_oneof![3 => 0_i64..=1000, 1 => Just(0_i64), 1 => -2000_i64..3000];
    let block =
        (prop_oneof![3 => 0_i64..=1000, 1 => -2000_i64..3000], prop_oneof![3 => 0_u32..40, 1 => 0_u32..100_000]);
    let window = prop_oneof![4 => Just(1_000_000_u32), 1 => 0_u32..5_000, 1 => any::<u32>()];
    let more = prop_oneof![6 => Just(0_u8), 1 => Just(flags::ECE), 1 => any::<u8>()];
    (position, window, prop::collection::vec(block, 0..5), 0_u32..2_000, more).prop_map(
        |(ack, window, blocks, echo_age_ms, flags)| Acknowledgement { ack, window, blocks, echo_age_ms, flags },
    )
}

fn event() -> impl Strategy<Value = Event> {
    let offset = prop_oneof![3 => Just(0_i64), 2 => -20_000_i64..60_000, 1 => any::<i32>().prop_map(i64::from)];
    let len = prop_oneof![3 => Just(MSS as u32), 1 => 0_u32..10_000];
    prop_oneof![
        2 => (1_u64..100_000).prop_map(|bytes| Event::Write { bytes }),
        6 => acknowledgement().prop_map(Event::Acknowledge),
        3 => (offset, len, any::<u8>(), 0_u8..3).prop_map(|(offset, len, flags, mark)| Event::Data { offset, len, flags, mark }),
        3 => (0_u64..700 * MS).prop_map(|ns| Event::Wait { ns }),
        1 => (0_u64..50_000).prop_map(|bytes| Event::Read { bytes }),
        1 => Just(Event::Close),
    ]
}

struct Target {
    end: Connection,
    now_ns: u64,
    sent: u64,
}

impl Target {
    fn new(timestamps: bool, ecn: bool, auto_read: bool, merges: bool) -> Self {
        let config = ConnectionConfig {
            accecn: false,
            timestamps,
            gro_interval_ns: merges.then_some(25_000),
            misbehaviour: None,
            sender: SenderConfig { ecn, ..SenderConfig::default() },
            receiver: ReceiverConfig { timestamps, ecn, auto_read, ..ReceiverConfig::default() },
        };
        let mut end = Connection::new(config, Box::new(Reno), 0);
        end.connect(0);
        let syn_ack = Segment { flags: flags::SYN | flags::ACK, ack: 1, window: 65_535, ..Segment::default() };
        end.on_segment(40 * MS, &syn_ack, EcnMark::NotEct);
        assert!(end.is_established());
        Self { end, now_ns: 40 * MS, sent: 0 }
    }

    fn apply(&mut self, event: &Event) {
        let now_ns = self.now_ns;
        match event {
            Event::Write { bytes } => self.end.write(now_ns, *bytes),
            Event::Read { bytes } => self.end.read(now_ns, *bytes),
            Event::Close => self.end.close(now_ns),
            Event::Wait { ns } => self.wait(now_ns + ns),
            Event::Acknowledge(acknowledgement) => {
                let segment = self.acknowledgement(acknowledgement);
                self.end.on_segment(now_ns, &segment, EcnMark::NotEct);
            }
            Event::Data { offset, len, flags, mark } => {
                let seq = self.end.receiver.rcv_nxt().saturating_add_signed(*offset);
                let segment = Segment {
                    seq,
                    len: *len,
                    flags: (flags & !flags::SYN) | flags::ACK,
                    ack: self.end.sender.snd_una(),
                    window: 1_000_000,
                    ..Segment::default()
                };
                let marks = [EcnMark::NotEct, EcnMark::Ect0, EcnMark::Ce];
                self.end.on_segment(now_ns, &segment, marks[usize::from(*mark)]);
            }
        }
        self.collect();
        self.check();
    }

    fn acknowledgement(&self, ack: &Acknowledgement) -> Segment {
        let (una, nxt) = (self.end.sender.snd_una(), self.end.sender.snd_nxt());
        let position = |thousandths: i64| una.saturating_add_signed((nxt - una) as i64 * thousandths / 1000);
        let mut segment = Segment {
            seq: self.end.receiver.rcv_nxt(),
            ack: position(ack.ack),
            window: ack.window,
            flags: (ack.flags & !flags::SYN) | flags::ACK,
            tsval: (self.now_ns / MS) as u32,
            tsecr: ((self.now_ns / MS) as u32).saturating_sub(ack.echo_age_ms),
            has_timestamps: ack.echo_age_ms % 2 == 0,
            ..Segment::default()
        };
        for &(start, packets) in &ack.blocks {
            let start = position(start);
            segment.push_sack(start, start + u64::from(packets) * MSS);
        }
        segment
    }

    fn wait(&mut self, until_ns: u64) {
        for _ in 0..10_000 {
            let deadline_ns = self.end.deadline_ns();
            if deadline_ns > until_ns {
                self.now_ns = until_ns;
                return;
            }
            assert!(deadline_ns + 1 >= self.now_ns, "a timer for the past");
            self.now_ns = self.now_ns.max(deadline_ns);
            self.end.on_timer(self.now_ns);
            self.collect();
            self.check();
        }
        panic!("ten thousand timers within {} ms", (until_ns - self.now_ns) / MS);
    }

    fn collect(&mut self) {
        for outgoing in self.end.take_outgoing() {
            assert!(outgoing.datagram.len <= MSS as u32);
            self.sent += 1;
        }
    }

    fn check(&self) {
        let sock = &self.end.sender.sock;
        assert!(sock.snd_cwnd >= 1);
        assert!(sock.sacked_out + sock.lost_out <= sock.packets_out);
        assert!(sock.packets_in_flight() <= sock.packets_out + sock.retrans_out);
        assert!(self.end.sender.snd_una() <= self.end.sender.snd_nxt());
        assert!(self.end.wakeup_bound_ns() <= self.end.deadline_ns());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_hostile_peer_breaks_nothing(
        events in prop::collection::vec(event(), 1..120),
        (timestamps, ecn, auto_read, merges) in any::<(bool, bool, bool, bool)>(),
    ) {
        let mut target = Target::new(timestamps, ecn, auto_read, merges);
        for event in &events {
            target.apply(event);
        }
        // Once all data is acknowledged, no state is left over, regardless of the events before.
        let segment = Segment {
            ack: target.end.sender.snd_nxt(),
            window: 1 << 30,
            flags: flags::ACK,
            seq: target.end.receiver.rcv_nxt(),
            ..Segment::default()
        };
        target.end.on_segment(target.now_ns, &segment, EcnMark::NotEct);
        target.collect();
        target.check();
        let sock = &target.end.sender.sock;
        prop_assert_eq!((sock.sacked_out, sock.lost_out, sock.retrans_out), (0, 0, 0));
    }
}
