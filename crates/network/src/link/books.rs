//! What a link counts, and the report made of it.

use super::store::Store;
use super::Link;
use crate::delays::Delays;
use crate::path_losses::PathLosses;
use crate::LinkStats;

/// What neither the queue nor the wire can tell.
#[derive(Default)]
pub(super) struct Counters {
    pub oversized_packets: u64,
    pub oversized_bytes: u64,
    pub max_backlog_bytes: u64,
    pub delivered_packets: u64,
    pub delivered_bytes: u64,
    pub lost_packets: u64,
    pub lost_bytes: u64,
    pub duplicated_packets: u64,
    pub duplicated_bytes: u64,
    /// Lost here and not by the queue: too large, or by chance.
    pub losses: PathLosses,
}

impl<P: Copy, S: Store<P>> Link<P, S> {
    /// Packets of a path that were lost here, copies that the wire added left aside.
    pub fn lost_of_path(&self, path: u32) -> u64 {
        self.store.dropped_of_path(path) + self.counters.losses.of(path)
    }

    /// Waiting times of the packets that left the queue.
    pub fn delays(&self) -> &Delays {
        &self.store.queue_stats().delays
    }

    pub fn restart_maxima(&mut self) {
        self.counters.max_backlog_bytes = self.store.backlog().bytes;
        self.store.restart_delays();
    }

    /// The counters at `now_ns`, which must not lie before the last call of any kind.
    pub fn stats(&mut self, now_ns: u64) -> LinkStats {
        self.catch_up(now_ns);
        let (counters, backlog, queue) = (&self.counters, self.store.backlog(), self.store.queue_stats());
        let (enqueued, mut transmitted) = (self.store.enqueued(), self.store.launched());
        if self.free_ns > now_ns {
            transmitted.packets -= 1;
            transmitted.bytes -= u64::from(self.store.last_launched_bytes());
        }
        let kept_aside = self.impairments.as_ref().map_or(0, |impairments| impairments.kept_packets());
        LinkStats {
            enqueued_packets: enqueued.packets,
            enqueued_bytes: enqueued.bytes,
            dropped_packets: queue.dropped_packets + counters.oversized_packets,
            dropped_bytes: queue.dropped_bytes + counters.oversized_bytes,
            marked_packets: queue.marked_packets,
            marked_bytes: queue.marked_bytes,
            delivered_packets: counters.delivered_packets,
            delivered_bytes: counters.delivered_bytes,
            lost_randomly_packets: counters.lost_packets,
            lost_randomly_bytes: counters.lost_bytes,
            duplicated_packets: counters.duplicated_packets,
            duplicated_bytes: counters.duplicated_bytes,
            backlog_packets: backlog.packets,
            backlog_bytes: backlog.bytes,
            max_backlog_bytes: counters.max_backlog_bytes,
            mean_backlog_bytes: self.store.backlog_byte_ns(now_ns) as f64 / now_ns.max(1) as f64,
            mean_delay_ns: (queue.delays.sum_ns / u128::from(self.store.launched().packets.max(1))) as u64,
            max_delay_ns: queue.delays.longest_ns,
            delay_sum_ns: queue.delays.sum_ns,
            waited_packets: self.store.launched().packets,
            in_flight_packets: self.store.on_wire() + kept_aside,
            transmitted_packets: transmitted.packets,
            transmitted_bytes: transmitted.bytes,
            capacity_bytes: self
                .transmitter
                .trace_capacity_bytes(now_ns)
                .or_else(|| self.schedule.capacity_bytes(now_ns, self.transmitter.rate_bps())),
        }
    }
}
