//! The general store: any queue discipline, and the wire behind it as a ring of its own.
//!
//! The discipline is asked for a packet at the very time at which the transmitter became free, even if the link
//! catches up later: nothing entered in between, or the link would have caught up before.

use super::store::Store;
use crate::queue::{Backlog, QueueDiscipline, QueueStats, Queued, Verdict};
use crate::ring::Ring;
use crate::transmitter::Waiting;
use crate::Packet;

pub(crate) struct DisciplineStore<P> {
    discipline: Box<dyn QueueDiscipline<P>>,
    /// The discipline's own count, as of its last change.
    backlog: Backlog,
    /// Arrival time and packet.
    wire: Ring<(u64, Packet<P>)>,
    /// What the discipline chose to go next; it stays in its backlog until it goes.
    chosen: Option<Waiting>,
    /// Since when, or from when on, the discipline may have a packet to give.
    ready_ns: u64,
    enqueued: Backlog,
    launched: Backlog,
    last_launched_bytes: u32,
    /// Integral of the backlog up to `counted_ns`.
    byte_ns: u128,
    counted_ns: u64,
}

impl<P: Copy> DisciplineStore<P> {
    pub fn new(discipline: Box<dyn QueueDiscipline<P>>) -> Self {
        Self {
            backlog: discipline.backlog(),
            discipline,
            wire: Ring::new(),
            chosen: None,
            ready_ns: 0,
            enqueued: Backlog::default(),
            launched: Backlog::default(),
            last_launched_bytes: 0,
            byte_ns: 0,
            counted_ns: 0,
        }
    }

    /// Lets the discipline do what may change its backlog.
    fn act<R>(&mut self, now_ns: u64, action: impl FnOnce(&mut dyn QueueDiscipline<P>) -> R) -> R {
        self.byte_ns = self.backlog_byte_ns(now_ns);
        self.counted_ns = now_ns;
        let result = action(&mut *self.discipline);
        self.backlog = self.discipline.backlog();
        result
    }
}

impl<P: Copy> Store<P> for DisciplineStore<P> {
    fn push(&mut self, now_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16) -> Verdict {
        if self.backlog.packets == 0 || self.ready_ns > now_ns {
            self.ready_ns = now_ns;
        }
        let packet = Packet { hop, ..*packet };
        let item = Queued { enqueued_ns: now_ns, frame_bytes, packet };
        let verdict = self.act(now_ns, |discipline| discipline.enqueue(now_ns, item));
        if verdict == Verdict::Queued {
            self.enqueued.add(frame_bytes);
        }
        verdict
    }

    fn head(&mut self, now_ns: u64, free_ns: u64) -> Option<Waiting> {
        while self.chosen.is_none() {
            let choice_ns = self.next_choice_ns(free_ns).filter(|&choice_ns| choice_ns <= now_ns)?;
            match self.act(choice_ns, |discipline| discipline.peek_bytes(choice_ns)) {
                Some(frame_bytes) => self.chosen = Some(Waiting { ready_ns: self.ready_ns, free_ns, frame_bytes }),
                None if self.backlog.packets == 0 => return None,
                None => {
                    let next_ns = self.discipline.next_event_ns().expect("who holds packets back says until when");
                    self.ready_ns = next_ns.max(choice_ns + 1);
                }
            }
        }
        self.chosen
    }

    fn next_choice_ns(&self, free_ns: u64) -> Option<u64> {
        (self.backlog.packets > 0).then(|| self.ready_ns.max(free_ns))
    }

    fn launch(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32) {
        let packet = self.take(start_ns, frame_bytes);
        *self.wire.extend(|| (arrival_ns, packet)) = (arrival_ns, packet);
    }

    fn take(&mut self, start_ns: u64, frame_bytes: u32) -> Packet<P> {
        let item =
            self.act(start_ns, |discipline| discipline.dequeue(start_ns)).expect("the discipline gives what it chose");
        debug_assert_eq!(item.frame_bytes, frame_bytes, "the discipline gives what it chose");
        self.chosen = None;
        self.launched.add(frame_bytes);
        self.last_launched_bytes = frame_bytes;
        item.packet
    }

    fn next_arrival_ns(&self) -> Option<u64> {
        let head = self.wire.head();
        (head < self.wire.tail()).then(|| self.wire.get(head).0)
    }

    fn land(&mut self) {
        self.wire.pop_front();
    }

    fn landed(&self) -> &Packet<P> {
        &self.wire.last_popped().1
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn enqueued(&self) -> Backlog {
        self.enqueued
    }

    fn launched(&self) -> Backlog {
        self.launched
    }

    fn last_launched_bytes(&self) -> u32 {
        self.last_launched_bytes
    }

    fn on_wire(&self) -> u64 {
        self.wire.tail() - self.wire.head()
    }

    fn backlog_byte_ns(&self, now_ns: u64) -> u128 {
        self.byte_ns + u128::from(now_ns - self.counted_ns) * u128::from(self.backlog.bytes)
    }

    fn queue_stats(&self) -> QueueStats {
        self.discipline.stats()
    }
}
