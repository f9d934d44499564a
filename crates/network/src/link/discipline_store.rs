//! The general store: any queue discipline, and the wire behind it.
//!
//! The discipline is asked for a packet at the very time at which the transmitter became free, even if the link
//! catches up later: nothing entered in between, or the link would have caught up before. A packet lies where it was
//! written until it has left the link; the discipline and the wire pass on its number only.

use super::store::Store;
use crate::path_losses::PathLosses;
use crate::queue::QueueDiscipline;
use crate::transmitter::Waiting;
use crate::{Backlog, Buffer, List, Packet, PacketId, QueueStats};

pub(crate) struct DisciplineStore<P> {
    discipline: Box<dyn QueueDiscipline>,
    buffer: Buffer,
    /// By the number of its [`PacketId`].
    packets: Vec<Packet<P>>,
    /// In order of arrival.
    wire: List,
    /// What the discipline chose to go next; it stays in the backlog until it goes.
    chosen: Option<(PacketId, Waiting)>,
    /// Readable until the next one lands.
    landed: Option<PacketId>,
    /// Since when, or from when on, the discipline may have a packet to give.
    ready_ns: u64,
    last_launched_bytes: u32,
    losses: PathLosses,
}

impl<P: Copy> DisciplineStore<P> {
    pub fn new(discipline: Box<dyn QueueDiscipline>) -> Self {
        Self {
            discipline,
            buffer: Buffer::new(),
            packets: Vec::new(),
            wire: List::default(),
            chosen: None,
            landed: None,
            ready_ns: 0,
            last_launched_bytes: 0,
            losses: PathLosses::default(),
        }
    }

    #[inline]
    fn count_losses(&mut self) {
        while let Some(packet) = self.buffer.take_dropped() {
            self.losses.add(self.packets[packet.index()].path);
        }
    }

    /// Hands the packet that was chosen over to the wire.
    #[inline]
    fn leave_queue(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32) -> PacketId {
        let (packet, _) = self.chosen.take().expect("only what was chosen is sent");
        debug_assert_eq!(self.buffer.frame_bytes(packet), frame_bytes, "the packet that was chosen is sent");
        self.buffer.set_now(start_ns);
        self.buffer.launch(packet, arrival_ns);
        self.packets[packet.index()].ecn = self.buffer.ecn(packet);
        self.last_launched_bytes = frame_bytes;
        packet
    }
}

impl<P: Copy> Store<P> for DisciplineStore<P> {
    const MAY_HOLD_BACK: bool = true;

    #[inline]
    fn push(&mut self, now_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16) -> bool {
        if self.buffer.backlog().packets == 0 || self.ready_ns > now_ns {
            self.ready_ns = now_ns;
        }
        self.buffer.set_now(now_ns);
        let id = self.buffer.arrive(frame_bytes, packet.flow, packet.ecn);
        if id.index() == self.packets.len() {
            self.packets.push(*packet);
        } else {
            self.packets[id.index()] = *packet;
        }
        self.packets[id.index()].hop = hop;
        self.discipline.enqueue(now_ns, id, &mut self.buffer);
        self.count_losses();
        self.buffer.admit()
    }

    #[inline]
    fn head(&mut self, now_ns: u64, free_ns: u64) -> Option<Waiting> {
        if let Some((_, waiting)) = self.chosen {
            return Some(waiting);
        }
        loop {
            let choice_ns = self.next_choice_ns(free_ns).filter(|&choice_ns| choice_ns <= now_ns)?;
            self.buffer.set_now(choice_ns);
            let next = self.discipline.dequeue(choice_ns, &mut self.buffer);
            self.count_losses();
            if let Some(packet) = next {
                let frame_bytes = self.buffer.frame_bytes(packet);
                let waiting = Waiting { ready_ns: self.ready_ns, free_ns, frame_bytes };
                self.chosen = Some((packet, waiting));
                return Some(waiting);
            }
            if self.buffer.backlog().packets == 0 {
                return None;
            }
            let next_ns = self.discipline.next_event_ns().expect("who holds packets back says until when");
            self.ready_ns = next_ns.max(choice_ns + 1);
        }
    }

    fn next_choice_ns(&self, free_ns: u64) -> Option<u64> {
        (self.buffer.backlog().packets > 0).then(|| self.ready_ns.max(free_ns))
    }

    #[inline]
    fn launch(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32) {
        let packet = self.leave_queue(start_ns, arrival_ns, frame_bytes);
        self.wire.push_back(packet, &mut self.buffer);
    }

    fn take(&mut self, start_ns: u64, frame_bytes: u32) -> Packet<P> {
        let packet = self.leave_queue(start_ns, start_ns, frame_bytes);
        self.buffer.release(packet);
        self.packets[packet.index()]
    }

    #[inline]
    fn next_arrival_ns(&self) -> Option<u64> {
        self.wire.front().map(|packet| self.buffer.arrival_ns(packet))
    }

    #[inline]
    fn land(&mut self) {
        let packet = self.wire.pop_front(&self.buffer).expect("something is on the wire");
        if let Some(before) = self.landed.replace(packet) {
            self.buffer.release(before);
        }
    }

    #[inline]
    fn landed(&self) -> &Packet<P> {
        &self.packets[self.landed.expect("something has landed").index()]
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.buffer.backlog()
    }

    fn enqueued(&self) -> Backlog {
        self.buffer.admitted()
    }

    fn launched(&self) -> Backlog {
        self.buffer.launched()
    }

    fn last_launched_bytes(&self) -> u32 {
        self.last_launched_bytes
    }

    fn on_wire(&self) -> u64 {
        self.wire.len() as u64
    }

    fn backlog_byte_ns(&self, now_ns: u64) -> u128 {
        self.buffer.backlog_byte_ns(now_ns)
    }

    fn queue_stats(&self) -> QueueStats {
        self.buffer.stats()
    }

    fn dropped_of_path(&self, path: u32) -> u64 {
        self.losses.of(path)
    }

    fn restart_max_delay(&mut self) {
        self.buffer.restart_max_delay();
    }
}
