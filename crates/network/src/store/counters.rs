//! The counters of a station, and the statistics made of them.

use super::Store;
use crate::statistics::StationStats;

/// Counters that neither the queue nor the wire keeps.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Counters {
    /// Dropped before the queue saw them: too large, or beyond a limit that several queues share.
    pub refused_packets: u64,
    pub refused_bytes: u64,
    pub lost_packets: u64,
    pub lost_bytes: u64,
    pub duplicated_packets: u64,
    pub duplicated_bytes: u64,
    /// Losses outside the queue: too large, or at random.
    pub losses: PathLosses,
    // The counters of every packet are the last: they share cache lines with the link's own fields.
    pub max_backlog_bytes: u64,
    pub delivered_packets: u64,
    pub delivered_bytes: u64,
}

impl Counters {
    /// A packet reached the far end.
    #[inline]
    pub fn deliver(&mut self, frame_bytes: u32) {
        self.delivered_packets += 1;
        self.delivered_bytes += u64::from(frame_bytes);
    }

    /// Counts the random loss of a packet or of a copy. A copy is not missing on its path.
    pub fn lose(&mut self, path: u32, frame_bytes: u32, is_copy: bool) {
        if !is_copy {
            self.losses.add(path);
        }
        self.lost_packets += 1;
        self.lost_bytes += u64::from(frame_bytes);
    }
}

/// State of a station that only the medium knows.
pub(crate) struct Wire {
    /// The frame that left the queue last is still being transmitted.
    pub is_sending: bool,
    pub in_flight_packets: u64,
    pub capacity_bytes: Option<u64>,
    pub tokens_bytes: u64,
}

/// The counters of a station at `now_ns`, which must not be before the last call of any method.
pub(crate) fn station_stats<P: Copy>(
    store: &impl Store<P>,
    counters: &Counters,
    wire: &Wire,
    now_ns: u64,
) -> StationStats {
    let (backlog, queue) = (store.backlog(), store.queue_stats());
    let (enqueued, dequeued) = (store.enqueued(), store.dequeued());
    let mut transmitted = dequeued;
    if wire.is_sending {
        transmitted.packets -= 1;
        transmitted.bytes -= u64::from(store.last_dequeued_bytes());
    }
    StationStats {
        enqueued_packets: enqueued.packets,
        enqueued_bytes: enqueued.bytes,
        dropped_packets: queue.dropped_packets + counters.refused_packets,
        dropped_bytes: queue.dropped_bytes + counters.refused_bytes,
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
        mean_backlog_bytes: store.backlog_byte_ns(now_ns) as f64 / now_ns.max(1) as f64,
        mean_delay_ns: (queue.delays.sum_ns / u128::from(dequeued.packets.max(1))) as u64,
        max_delay_ns: queue.delays.longest_ns,
        delay_sum_ns: queue.delays.sum_ns,
        waited_packets: dequeued.packets,
        in_flight_packets: wire.in_flight_packets,
        transmitted_packets: transmitted.packets,
        transmitted_bytes: transmitted.bytes,
        capacity_bytes: wire.capacity_bytes,
        tokens_bytes: wire.tokens_bytes,
        access: None,
    }
}

/// Lost packets by path, in pages that are allocated when they are needed: with thousands of links, each loses packets of
/// few of the paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathLosses {
    pages: Vec<Option<Box<[u64; PAGE]>>>,
}

const PAGE: usize = 32;

impl PathLosses {
    #[cold]
    pub fn add(&mut self, path: u32) {
        let (page, at) = (path as usize / PAGE, path as usize % PAGE);
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        self.pages[page].get_or_insert_with(|| Box::new([0; PAGE]))[at] += 1;
    }

    pub fn of(&self, path: u32) -> u64 {
        let page = self.pages.get(path as usize / PAGE).and_then(Option::as_deref);
        page.map_or(0, |page| page[path as usize % PAGE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_counted_by_path() {
        let mut losses = PathLosses::default();
        for path in [3, 70, 3] {
            losses.add(path);
        }
        assert_eq!([0, 3, 70, 71, 1_000_000].map(|path| losses.of(path)), [0, 2, 1, 0, 0]);
        assert_eq!(losses.pages.iter().flatten().count(), 2);
    }
}
