//! A wire with impairments, out of line: packets of a plain link do not run through this code.

use super::Link;
use crate::medium::Medium;
use crate::store::Store;

impl<P: Copy, S: Store<P>> Link<P, S> {
    #[inline(never)]
    pub(super) fn transmit_impaired(&mut self, start_ns: u64, end_ns: u64, frame_bytes: u32) {
        let impairments = self.impairments.as_mut().expect("only impaired links come here");
        let arrival_ns = impairments.arrival_ns(end_ns, self.delay_ns, &mut self.last_arrival_ns);
        if let Some(faults) = &mut impairments.ecn_faults {
            self.store.change_ecn_of_head(|entry, exit| faults.next(entry, exit));
        }
        match &mut impairments.wire {
            Some(wire) => wire.transmit(arrival_ns, self.store.take(start_ns, frame_bytes)),
            None => self.store.transmit(start_ns, arrival_ns, frame_bytes),
        }
    }

    #[inline(never)]
    pub(super) fn arrive_impaired(&mut self, now_ns: u64) -> bool {
        self.catch_up(now_ns);
        let impairments = self.impairments.as_mut().expect("only impaired links come here");
        if !impairments.is_copy_due {
            let has_arrived = match &mut impairments.wire {
                Some(wire) => wire.deliver(now_ns),
                None => self.store.deliver_by(now_ns),
            };
            if !has_arrived {
                return false;
            }
        }
        self.deliver_or_lose(now_ns)
    }

    /// Counts the packet that has arrived, or the copy of the one before; false if it is lost.
    pub(super) fn deliver_or_lose(&mut self, now_ns: u64) -> bool {
        let impairments = self.impairments.as_mut().expect("only impaired links come here");
        let is_copy = std::mem::take(&mut impairments.is_copy_due);
        if !is_copy {
            impairments.is_copy_due = impairments.duplicates();
        }
        let (is_doubled, is_lost) = (impairments.is_copy_due, impairments.loses(now_ns));
        let (frame_bytes, path) = (self.delivered().ip_bytes + self.overhead_bytes, self.delivered().path);
        let counters = &mut self.counters;
        if is_doubled {
            counters.duplicated_packets += 1;
            counters.duplicated_bytes += u64::from(frame_bytes);
        }
        if is_lost {
            counters.lose(path, frame_bytes, is_copy);
            self.store.note_lost(now_ns, self.delivered());
        } else {
            counters.deliver(frame_bytes);
        }
        !is_lost
    }

    #[inline]
    pub(super) fn reorders(&self) -> bool {
        self.impairments.as_ref().is_some_and(|impairments| impairments.wire.is_some())
    }
}
