//! Links within a lookahead window: they run without events; see `crate::lookahead`.

use super::{Link, NEVER};
use crate::packet::Packet;
use crate::store::{Popped, Record, Store};
use fairlane_engine::{prefetch, EventQueue};

/// A link that can run without events.
pub(crate) trait LookaheadLink<P: Copy> {
    /// The shortest delay that the wire has from now on; none if packets can overtake each other.
    fn min_delay_ns(&self) -> Option<u64>;

    /// Makes pending events stale.
    fn disarm(&mut self);

    /// Schedules the next event again.
    fn rearm(&mut self, now_ns: u64, events: &mut EventQueue);

    /// Starts all transmissions that are due by `now_ns`.
    fn run_until(&mut self, now_ns: u64);

    /// No packet arrives before this time unless another one is enqueued.
    fn quiet_until_ns(&self) -> u64;

    /// Prefetches the fields that every packet uses.
    fn prefetch(&self);

    /// Prefetches the memory of the next packets, once the fields are in the cache.
    fn prefetch_records(&self);

    /// Enqueues bursts of packets, each at its time. Their hops are set already.
    fn enqueue_bursts<'a>(&mut self, bursts: impl Iterator<Item = (u64, &'a [Packet<P>])>)
    where
        P: 'a;

    /// Delivers all packets that arrive before `end_ns`, except those that are lost.
    fn deliver_before(&mut self, end_ns: u64, receiver: &mut impl Receiver<P>);

    /// The delivered packets by slot, until the next packet is enqueued.
    fn delivered_slots(&self) -> Popped<'_, Record<P>>;
}

/// Receives packets at the end of a wire.
pub(crate) trait Receiver<P> {
    /// A packet arrives; the link keeps it in `slot`.
    fn receive(&mut self, time_ns: u64, slot: u32, packet: &Packet<P>);
}

impl<P: Copy, S: Store<P>> LookaheadLink<P> for Link<P, S> {
    fn min_delay_ns(&self) -> Option<u64> {
        let min_delay_ns = self.schedule.min_delay_ns(self.delay_ns);
        let shortest_ns = self.impairments.as_ref().map_or(min_delay_ns, |it| it.shortest_delay_ns(min_delay_ns));
        (!self.reorders()).then_some(shortest_ns)
    }

    fn disarm(&mut self) {
        self.pending_ns = NEVER;
    }

    fn rearm(&mut self, now_ns: u64, events: &mut EventQueue) {
        self.arm(now_ns, events);
    }

    fn run_until(&mut self, now_ns: u64) {
        self.catch_up(now_ns);
    }

    #[inline]
    fn quiet_until_ns(&self) -> u64 {
        if self.impairments.is_some() || self.store.backlog().packets > 0 {
            return 0;
        }
        self.store.next_arrival_ns().unwrap_or(NEVER)
    }

    #[inline]
    fn prefetch(&self) {
        prefetch(&self.counters.max_backlog_bytes);
        prefetch(&self.impairments);
        self.store.prefetch();
    }

    #[inline]
    fn prefetch_records(&self) {
        self.store.prefetch_records();
    }

    fn enqueue_bursts<'a>(&mut self, bursts: impl Iterator<Item = (u64, &'a [Packet<P>])>)
    where
        P: 'a,
    {
        for (now_ns, packets) in bursts {
            self.catch_up(now_ns);
            for packet in packets {
                self.admit(now_ns, packet, packet.hop);
            }
        }
    }

    fn deliver_before(&mut self, end_ns: u64, receiver: &mut impl Receiver<P>) {
        if self.impairments.is_some() {
            return self.deliver_impaired_before(end_ns, receiver);
        }
        while let Some(arrival_ns) = self.store.next_arrival_ns().filter(|&arrival_ns| arrival_ns < end_ns) {
            self.store.deliver();
            let packet = self.store.delivered();
            self.counters.deliver(packet.ip_bytes + self.overhead_bytes);
            receiver.receive(arrival_ns, self.store.delivered_slot(), packet);
        }
    }

    #[inline]
    fn delivered_slots(&self) -> Popped<'_, Record<P>> {
        self.store.delivered_slots()
    }
}

impl<P: Copy, S: Store<P>> Link<P, S> {
    #[inline(never)]
    fn deliver_impaired_before(&mut self, end_ns: u64, receiver: &mut impl Receiver<P>) {
        while let Some(impairments) = &mut self.impairments {
            if !impairments.is_copy_due {
                let arrival_ns = self.store.next_arrival_ns().filter(|&arrival_ns| arrival_ns < end_ns);
                let Some(arrival_ns) = arrival_ns else { return };
                impairments.arrival_ns = arrival_ns;
                self.store.deliver();
            }
            let arrival_ns = impairments.arrival_ns;
            if self.deliver_or_lose(arrival_ns) {
                receiver.receive(arrival_ns, self.store.delivered_slot(), self.store.delivered());
            }
        }
    }
}
