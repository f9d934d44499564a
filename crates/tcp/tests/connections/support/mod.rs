//! Two endpoints joined by a wire with a fixed delay, on which a test decides the fate of each segment.

pub mod variant;

use fairlane_congestion_control::kernel::Reno;
use fairlane_congestion_control::sock::SK_PACING_NEEDED;
use fairlane_congestion_control::CongestionControl;
use fairlane_tcp::receiver::EcnMark;
use fairlane_tcp::{Connection, ConnectionConfig, Outgoing, Segment};
use std::collections::BTreeMap;

pub const MS: u64 = 1_000_000;
pub const SENDER: usize = 0;
pub const RECEIVER: usize = 1;

/// Fate of a segment on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    Lost,
    /// Arrives later by this time.
    Late(u64),
    Twice,
    /// Arrives with a congestion mark.
    Marked,
    /// Another segment arrives instead.
    Altered(Segment),
}

/// A segment under test: its sender, its time, and the number of transmissions of its data so far.
pub struct Sent<'a> {
    pub from: usize,
    pub at_ns: u64,
    pub segment: &'a Segment,
    pub transmission: u32,
    pub is_ecn_capable: bool,
}

impl Sent<'_> {
    /// Number of the MSS-sized piece of data that it carries, from 0; `None` for a pure ACK.
    pub fn packet(&self) -> Option<u64> {
        (self.segment.len > 0).then(|| (self.segment.seq - 1) / MSS)
    }
}

pub const MSS: u64 = 1448;
/// Transmission time of a packet: 12 us, as of 1500 bytes at 1 Gbit/s.
const PACKET_TIME_NS: u64 = 12_000;

pub struct Wire<F> {
    pub ends: [Connection; 2],
    pub now_ns: u64,
    /// One way.
    delay_ns: u64,
    /// Time at which each end's link is free again.
    free_ns: [u64; 2],
    fate: F,
    in_flight: BTreeMap<(u64, u64), (usize, Segment, EcnMark)>,
    serial: u64,
    transmissions: BTreeMap<u64, u32>,
    /// All transmissions: time, end, segment.
    pub log: Vec<(u64, usize, Segment)>,
    /// Segments that were sent as ECN-capable.
    pub ecn_capable: u64,
}

impl<F: FnMut(&Sent) -> Fate> Wire<F> {
    /// An established connection over a wire with the given round-trip time.
    pub fn new(rtt_ns: u64, fate: F) -> Self {
        Self::with(rtt_ns, ConnectionConfig { timestamps: true, ..Default::default() }, fate)
    }

    pub fn with(rtt_ns: u64, config: ConnectionConfig, fate: F) -> Self {
        Self::driven_by(|| Box::new(Reno), rtt_ns, config, fate)
    }

    /// The same with another algorithm at both ends.
    pub fn driven_by(
        algorithm: impl Fn() -> Box<dyn CongestionControl>,
        rtt_ns: u64,
        config: ConnectionConfig,
        fate: F,
    ) -> Self {
        let end = || Connection::new(config.clone(), algorithm(), 0);
        Self::between([end(), end()], rtt_ns, fate)
    }

    /// An established connection between these ends, of which the sender connects.
    pub fn between(ends: [Connection; 2], rtt_ns: u64, fate: F) -> Self {
        let mut wire = Self {
            ends,
            now_ns: 0,
            delay_ns: rtt_ns / 2,
            free_ns: [0; 2],
            fate,
            in_flight: BTreeMap::new(),
            serial: 0,
            transmissions: BTreeMap::new(),
            log: Vec::new(),
            ecn_capable: 0,
        };
        wire.ends[RECEIVER].listen();
        wire.ends[SENDER].connect(0);
        wire.collect();
        wire.run_until(rtt_ns + rtt_ns / 2 + 4 * PACKET_TIME_NS);
        assert!(wire.ends.iter().all(Connection::is_established), "the handshake takes one and a half round trips");
        wire
    }

    pub fn write_packets(&mut self, packets: u64) {
        self.write_packets_from(SENDER, packets);
    }

    pub fn write_packets_from(&mut self, end: usize, packets: u64) {
        self.ends[end].write(self.now_ns, packets * MSS);
        self.collect();
    }

    /// Runs all events up to and including `until_ns`.
    pub fn run_until(&mut self, until_ns: u64) {
        self.collect();
        loop {
            let arrival_ns = self.in_flight.keys().next().map_or(u64::MAX, |&(time_ns, _)| time_ns);
            let timer_ns = self.ends.iter().map(Connection::deadline_ns).min().unwrap_or(u64::MAX);
            let next_ns = arrival_ns.min(timer_ns);
            if next_ns > until_ns {
                break;
            }
            assert!(next_ns >= self.now_ns, "time runs backwards: {next_ns} before {}", self.now_ns);
            self.now_ns = next_ns;
            if arrival_ns <= timer_ns {
                let (_, (to, segment, mark)) = self.in_flight.pop_first().expect("an arrival is due");
                self.ends[to].on_segment(self.now_ns, &segment, mark);
            } else {
                for end in &mut self.ends {
                    if end.deadline_ns() <= next_ns {
                        end.on_timer(next_ns);
                    }
                }
            }
            self.collect();
        }
        self.now_ns = until_ns;
    }

    pub fn run_for(&mut self, ns: u64) {
        self.run_until(self.now_ns + ns);
    }

    /// Packets that were delivered to the receiving application.
    pub fn delivered_packets(&self) -> u64 {
        self.ends[RECEIVER].receiver.delivered_bytes() / MSS
    }

    pub fn cwnd(&self) -> u32 {
        self.ends[SENDER].sender.sock.snd_cwnd
    }

    /// Times at which the sender transmitted the data of `packet`.
    pub fn transmissions_of(&self, packet: u64) -> Vec<u64> {
        let seq = 1 + packet * MSS;
        self.log
            .iter()
            .filter(|(_, from, segment)| *from == SENDER && segment.len > 0 && segment.seq == seq)
            .map(|&(at_ns, ..)| at_ns)
            .collect()
    }

    pub fn data_segments_sent(&self) -> usize {
        self.log.iter().filter(|(_, from, segment)| *from == SENDER && segment.len > 0).count()
    }

    fn collect(&mut self) {
        for from in [SENDER, RECEIVER] {
            let outgoing: Vec<Outgoing> = self.ends[from].take_outgoing().collect();
            for Outgoing { datagram: segment, departure_ns, ect, .. } in outgoing {
                // A sender that paces by its own timer waits before it sends, and no queue of the host waits after it.
                let paces_itself = self.ends[from].sender.sock.sk_pacing_status == SK_PACING_NEEDED;
                assert!(!paces_itself || departure_ns == self.now_ns, "{departure_ns} at {}: {segment:?}", self.now_ns);
                self.ecn_capable += u64::from(ect);
                self.put(from, segment, departure_ns, ect);
            }
        }
    }

    fn put(&mut self, from: usize, segment: Segment, departure_ns: u64, ect: bool) {
        self.log.push((departure_ns, from, segment));
        let transmission = if from == SENDER && segment.len > 0 {
            let count = self.transmissions.entry(segment.seq).or_insert(0);
            *count += 1;
            *count
        } else {
            1
        };
        let fate =
            (self.fate)(&Sent { from, at_ns: departure_ns, segment: &segment, transmission, is_ecn_capable: ect });
        let unmarked = if ect { EcnMark::Ect0 } else { EcnMark::NotEct };
        let (copies, extra_ns, mark) = match fate {
            Fate::Arrives => (1, 0, unmarked),
            Fate::Lost => (0, 0, unmarked),
            Fate::Late(extra_ns) => (1, extra_ns, unmarked),
            Fate::Twice => (2, 0, unmarked),
            Fate::Marked => (1, 0, EcnMark::Ce),
            Fate::Altered(_) => (1, 0, unmarked),
        };
        let segment = if let Fate::Altered(other) = fate { other } else { segment };
        self.free_ns[from] = self.free_ns[from].max(departure_ns) + PACKET_TIME_NS;
        for _ in 0..copies {
            self.serial += 1;
            self.in_flight
                .insert((self.free_ns[from] + self.delay_ns + extra_ns, self.serial), (1 - from, segment, mark));
        }
    }
}
