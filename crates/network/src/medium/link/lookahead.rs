//! A link that is asked instead of waiting for events; see `crate::lookahead`.

use super::store::Store;
use super::{Link, NEVER};
use crate::lookahead::Land;
use crate::Packet;
use fairlane_engine::EventQueue;

impl<P: Copy, S: Store<P>> Link<P, S> {
    /// The shortest delay that the wire has in the whole run; none where packets overtake each other.
    pub fn least_delay_ns(&self) -> Option<u64> {
        (!self.reorders()).then(|| self.schedule.least_delay_ns(self.delay_ns))
    }

    /// Events that are pending no longer count.
    pub fn disarm(&mut self) {
        self.pending_ns = NEVER;
    }

    /// An event is pending again for what comes next.
    pub fn rearm(&mut self, now_ns: u64, events: &mut EventQueue) {
        self.arm(now_ns, events);
    }

    /// Does what is due by `now_ns`.
    pub fn settle(&mut self, now_ns: u64) {
        self.catch_up(now_ns);
    }

    /// Lets bursts of packets enter, each at its time; their hops are set already.
    pub fn enter_ahead<'a>(&mut self, bursts: impl Iterator<Item = (u64, &'a [Packet<P>])>)
    where
        P: 'a,
    {
        for (now_ns, packets) in bursts {
            self.catch_up(now_ns);
            for packet in packets {
                self.take_in(now_ns, packet, packet.hop);
            }
        }
    }

    /// Takes the packets off the wire that arrive before `end_ns`, without those that are lost; each has a place for
    /// [`record`](Self::record).
    pub fn land_before(&mut self, end_ns: u64, wire_end: &mut impl Land<P>) {
        if self.impairments.is_some() {
            return self.land_impaired_before(end_ns, wire_end);
        }
        while let Some(arrival_ns) = self.store.next_arrival_ns().filter(|&arrival_ns| arrival_ns < end_ns) {
            self.store.land();
            let packet = self.store.landed();
            self.counters.deliver(packet.ip_bytes + self.overhead_bytes);
            wire_end.land(arrival_ns, self.store.landed_place(), packet);
        }
    }

    #[inline(never)]
    fn land_impaired_before(&mut self, end_ns: u64, wire_end: &mut impl Land<P>) {
        while let Some(impairments) = &mut self.impairments {
            if !impairments.is_copy_due {
                let arrival_ns = self.store.next_arrival_ns().filter(|&arrival_ns| arrival_ns < end_ns);
                let Some(arrival_ns) = arrival_ns else { return };
                impairments.landing_ns = arrival_ns;
            }
            let landing_ns = impairments.landing_ns;
            if self.land_or_lose(landing_ns) {
                wire_end.land(landing_ns, self.store.landed_place(), self.store.landed());
            }
        }
    }

    /// A packet that has landed, until others enter.
    #[inline]
    pub fn record(&self, place: u32) -> &Packet<P> {
        self.store.record(place)
    }
}
