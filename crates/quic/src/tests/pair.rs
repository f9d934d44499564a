//! A sender, a receiver and a path: a bottleneck with a drop-tail queue one way, a delay both ways.

use crate::{Crypto, DatagramStore, QuicConfig, QuicDatagram, QuicEndpoint};
use fairlane_congestion_control::kernel::Reno;
use fairlane_congestion_control::CongestionControl;
use fairlane_transport::{Checked, Datagram, EcnMark, Outgoing, Side, Transport};
use std::collections::BTreeMap;

pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1000 * MS;

pub struct Path {
    pub rate_bps: u64,
    pub one_way_delay_ns: u64,
    pub queue_packets: usize,
    /// Fate of the n-th datagram of the sender, and of the receiver.
    pub fate: Fates,
}

pub type Fates = Box<dyn FnMut(Side, u64) -> Fate>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    IsLost,
    IsMarked,
    /// Its ECN field is cleared.
    IsBleached,
    ArrivesTwice,
    /// Delayed by this time.
    IsLate(u64),
    /// With other bytes, which follow from the number.
    IsAltered(u64),
}

impl Default for Path {
    fn default() -> Self {
        Self {
            rate_bps: 10_000_000,
            one_way_delay_ns: 20 * MS,
            queue_packets: 40,
            fate: Box::new(|_, _| Fate::Arrives),
        }
    }
}

enum Happening {
    Arrival(Side, QuicDatagram, EcnMark),
    Wakeup(Side),
}

pub struct Pair {
    pub ends: [Checked<QuicEndpoint>; 2],
    pub now_ns: u64,
    /// Departure time, direction and size of each datagram.
    pub log: Vec<(u64, Side, u32)>,
    path: Path,
    store: DatagramStore,
    events: BTreeMap<(u64, u64), Happening>,
    event_count: u64,
    sent: [u64; 2],
    /// Time at which the bottleneck's queue is empty, and departure time of each packet in it.
    free_ns: u64,
    queue: Vec<u64>,
}

impl Pair {
    pub fn new(config: &QuicConfig, path: Path) -> Self {
        Self::with(config, path, &Crypto::null(config.zero_rtt), || Box::new(Reno))
    }

    pub fn with(
        config: &QuicConfig,
        path: Path,
        crypto: &Crypto,
        algorithm: fn() -> Box<dyn CongestionControl>,
    ) -> Self {
        Self::of([config, config], path, crypto, algorithm)
    }

    /// With different settings at the two ends.
    pub fn of(
        [sender, receiver]: [&QuicConfig; 2],
        path: Path,
        crypto: &Crypto,
        algorithm: fn() -> Box<dyn CongestionControl>,
    ) -> Self {
        let store = DatagramStore::default();
        let end = |config: &QuicConfig, seed| {
            Checked::new(QuicEndpoint::new(config.clone(), crypto, store.clone(), algorithm(), seed))
        };
        let ends = [end(sender, 1), end(receiver, 2)];
        let mut pair = Self {
            ends,
            now_ns: 0,
            log: Vec::new(),
            path,
            store,
            events: BTreeMap::new(),
            event_count: 0,
            sent: [0; 2],
            free_ns: 0,
            queue: Vec::new(),
        };
        pair.ends[1].listen();
        pair.ends[0].connect(0);
        pair.settle(Side::Sender);
        pair
    }

    pub fn write(&mut self, bytes: u64) {
        self.ends[0].write(self.now_ns, bytes);
        self.settle(Side::Sender);
    }

    /// Writes these bytes and closes.
    pub fn transfer(&mut self, bytes: u64) {
        self.ends[0].write(self.now_ns, bytes);
        self.ends[0].close(self.now_ns);
        self.settle(Side::Sender);
    }

    pub fn set_fate(&mut self, fate: impl FnMut(Side, u64) -> Fate + 'static) {
        self.path.fate = Box::new(fate);
    }

    /// Runs until `end_ns`, or until `done`.
    pub fn run(&mut self, end_ns: u64, done: impl Fn(&Self) -> bool) {
        while !done(self) {
            let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= end_ns) else { break };
            self.now_ns = entry.key().0;
            let side = match entry.remove() {
                Happening::Arrival(side, datagram, mark) => {
                    self.ends[side as usize].on_datagram(self.now_ns, &datagram, mark);
                    side
                }
                Happening::Wakeup(side) => {
                    if self.ends[side as usize].take_wakeup(self.now_ns) {
                        self.ends[side as usize].on_timer(self.now_ns);
                    }
                    side
                }
            };
            self.settle(side);
        }
    }

    pub fn run_for(&mut self, time_ns: u64) {
        let end_ns = self.now_ns + time_ns;
        self.run(end_ns, |_| false);
        self.now_ns = end_ns;
    }

    pub fn sender(&self) -> &QuicEndpoint {
        self.ends[0].endpoint()
    }

    pub fn delivered_bytes(&self) -> u64 {
        self.ends[1].delivered_bytes()
    }

    fn settle(&mut self, side: Side) {
        while self.ends[side as usize].has_outgoing() {
            let outgoing = self.ends[side as usize].take_outgoing().collect::<Vec<_>>();
            outgoing.into_iter().for_each(|one| self.transmit(side, one));
        }
        if let Some(wakeup_ns) = self.ends[side as usize].wakeup_to_schedule_ns(self.now_ns) {
            self.schedule(wakeup_ns, Happening::Wakeup(side));
        }
    }

    fn transmit(&mut self, side: Side, one: Outgoing<QuicDatagram>) {
        let number = self.sent[side as usize];
        self.sent[side as usize] += 1;
        self.log.push((self.now_ns, side, one.datagram.ip_bytes()));
        let mut at_ns = self.now_ns + self.path.one_way_delay_ns;
        if side == Side::Sender {
            self.queue.retain(|&leaves_ns| leaves_ns > self.now_ns);
            if self.queue.len() >= self.path.queue_packets {
                return;
            }
            let wire_ns = u64::from(one.datagram.ip_bytes()) * 8 * SECOND / self.path.rate_bps;
            self.free_ns = self.free_ns.max(self.now_ns) + wire_ns;
            self.queue.push(self.free_ns);
            at_ns = self.free_ns + self.path.one_way_delay_ns;
        }
        let mut mark = if one.ect { EcnMark::Ect0 } else { EcnMark::NotEct };
        let mut copies = 1;
        let mut datagram = one.datagram;
        match (self.path.fate)(side, number) {
            Fate::Arrives => {}
            Fate::IsLost => return,
            Fate::IsMarked => mark = if one.ect { EcnMark::Ce } else { mark },
            Fate::IsBleached => mark = EcnMark::NotEct,
            Fate::ArrivesTwice => copies = 2,
            Fate::IsLate(by_ns) => at_ns += by_ns,
            Fate::IsAltered(how) => datagram = self.altered(&datagram, how),
        }
        for _ in 0..copies {
            self.schedule(at_ns, Happening::Arrival(side.peer(), datagram, mark));
        }
    }

    /// The datagram with a few other bytes, mostly among the first, where headers and frames begin, or with another length.
    fn altered(&self, datagram: &QuicDatagram, how: u64) -> QuicDatagram {
        let Some(mut bytes) = self.store.take(datagram) else { return *datagram };
        let mut dice = Dice(how | 1);
        // The version of the protocol is not protected (RFC 9000 section 6).
        let first = if bytes[0] & 0x80 != 0 { 5 } else { 0 };
        for _ in 0..=dice.below(4) {
            let end = if dice.below(4) > 0 { bytes.len().min(64) } else { bytes.len() };
            let index = first + dice.below((end - first).max(1) as u64) as usize;
            match dice.below(8) {
                0 => bytes.truncate(index.max(first + 1)),
                1 => bytes.resize((bytes.len() + dice.below(40) as usize).min(1400), dice.below(256) as u8),
                2..5 => bytes[index.min(end - 1)] ^= 1 << dice.below(8),
                _ => bytes[index.min(end - 1)] = dice.below(256) as u8,
            }
            if bytes.len() <= first + 1 {
                break;
            }
        }
        self.store.put(&bytes, datagram.payload_bytes(), 0)
    }

    fn schedule(&mut self, at_ns: u64, happening: Happening) {
        self.event_count += 1;
        self.events.insert((at_ns, self.event_count), happening);
    }
}

/// xorshift64.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
