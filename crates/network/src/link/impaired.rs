//! A wire with impairments, out of line: packets of a plain link do not run through this code.

use super::Link;
use crate::medium::Medium;
use crate::store::Store;

impl<P: Copy, S: Store<P>> Link<P, S> {
    #[inline(never)]
    pub(super) fn transmit_impaired(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32) {
        let impairments = self.impairments.as_mut().expect("only impaired links come here");
        let arrival_ns = arrival_ns + impairments.jitter_ns();
        match &mut impairments.reorder {
            Some(wire) => wire.transmit(arrival_ns, self.store.take(start_ns, frame_bytes)),
            None => self.transmit_in_order(start_ns, arrival_ns, frame_bytes),
        }
    }

    #[inline(never)]
    pub(super) fn arrive_impaired(&mut self, now_ns: u64) -> bool {
        self.catch_up(now_ns);
        let impairments = self.impairments.as_mut().expect("only impaired links come here");
        if !impairments.is_copy_due {
            let next_ns = match &impairments.reorder {
                Some(wire) => wire.next_arrival_ns(),
                None => self.store.next_arrival_ns(),
            };
            if next_ns.is_none_or(|arrival_ns| arrival_ns > now_ns) {
                return false;
            }
        }
        self.deliver_or_lose(now_ns)
    }

    /// Delivers the packet that arrives now, or the copy of the one before; false if it is lost.
    pub(super) fn deliver_or_lose(&mut self, now_ns: u64) -> bool {
        let impairments = self.impairments.as_mut().expect("only impaired links come here");
        let is_copy = std::mem::take(&mut impairments.is_copy_due);
        if !is_copy {
            match &mut impairments.reorder {
                Some(wire) => wire.deliver(),
                None => self.store.deliver(),
            }
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
        } else {
            counters.deliver(frame_bytes);
        }
        !is_lost
    }

    #[inline]
    pub(super) fn reorders(&self) -> bool {
        self.impairments.as_ref().is_some_and(|impairments| impairments.reorder.is_some())
    }
}
