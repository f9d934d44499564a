//! The general store: any queue discipline, and the wire behind it.
//!
//! The discipline dequeues at the time when the transmitter became free, even if the link catches up later: no packet
//! was enqueued in between, or the link would have caught up before. A queued packet stays where it was written, and
//! the discipline handles its number; it is copied once, to the wire. On the wire packets lie in order of arrival,
//! which suits the cache, and the few slots of queued packets are reused soon.

use super::counters::PathLosses;
use super::{Popped, Record, Ring, Store};
use crate::packet::{Ecn, Packet, ReadAcknowledgement};
use crate::packet_log::{PacketStep, StationLog};
use crate::queue::{Backlog, Buffer, Limits, PacketId, QueueDiscipline, QueueStats};
use crate::transmitter::Waiting;

pub(crate) struct DisciplineStore<P> {
    discipline: Box<dyn QueueDiscipline>,
    buffer: Buffer,
    /// By index of the [`PacketId`].
    packets: Vec<Packet<P>>,
    wire: Ring<Record<P>>,
    /// The packet that the discipline has dequeued; it counts as backlog until its transmission starts.
    chosen: Option<(PacketId, Waiting)>,
    /// The discipline may have a packet to dequeue since, or from, this time.
    ready_ns: u64,
    last_dequeued_bytes: u32,
    losses: PathLosses,
    /// Set if the discipline reads acknowledgements, and the hosts' payload has some.
    read_acknowledgement: Option<ReadAcknowledgement<P>>,
    reports: Option<Box<Reports<P>>>,
}

struct Reports<P> {
    /// Dropped packets, if the medium reports them.
    dropped: Option<Vec<Packet<P>>>,
    /// Set if packets are recorded.
    log: Option<StationLog<P>>,
}

impl<P: Copy> Reports<P> {
    fn add_dropped(&mut self, now_ns: u64, packet: &Packet<P>) {
        if let Some(dropped) = &mut self.dropped {
            dropped.push(*packet);
        }
        if let Some(log) = &self.log {
            log.add(now_ns, PacketStep::Drop, packet);
        }
    }
}

impl<P: Copy> DisciplineStore<P> {
    pub fn new(discipline: Box<dyn QueueDiscipline>) -> Self {
        Self {
            discipline,
            buffer: Buffer::new(),
            packets: Vec::new(),
            wire: Ring::new(),
            chosen: None,
            ready_ns: 0,
            last_dequeued_bytes: 0,
            losses: PathLosses::default(),
            read_acknowledgement: None,
            reports: None,
        }
    }

    /// Creates a store that keeps dropped packets for [`take_dropped_into`](Self::take_dropped_into).
    pub fn keeping_dropped(discipline: Box<dyn QueueDiscipline>) -> Self {
        Self { reports: Some(Box::new(Reports { dropped: Some(Vec::new()), log: None })), ..Self::new(discipline) }
    }

    /// Shows the acknowledgements of packets to the discipline if it reads them.
    pub fn read_acknowledgements(&mut self, read: ReadAcknowledgement<P>) {
        self.read_acknowledgement = self.discipline.reads_acknowledgements().then_some(read);
    }

    /// Moves the packets that were dropped since the last call; returns whether there were any.
    pub fn take_dropped_into(&mut self, packets: &mut Vec<Packet<P>>) -> bool {
        let dropped = self.reports.as_mut().and_then(|reports| reports.dropped.as_mut());
        let Some(dropped) = dropped.filter(|dropped| !dropped.is_empty()) else { return false };
        packets.append(dropped);
        true
    }

    /// Enqueue time of the dequeued packet.
    pub fn chosen_since_ns(&self) -> Option<u64> {
        self.chosen.map(|(packet, _)| self.buffer.enqueued_ns(packet))
    }

    /// Keeps a packet that was dropped before the queue saw it.
    pub fn keep_dropped(&mut self, now_ns: u64, packet: &Packet<P>) {
        if let Some(reports) = &mut self.reports {
            reports.add_dropped(now_ns, packet);
        }
    }

    #[inline]
    fn log(&self) -> Option<&StationLog<P>> {
        self.reports.as_ref()?.log.as_ref()
    }

    #[inline]
    fn count_losses(&mut self, now_ns: u64) {
        while let Some(packet) = self.buffer.take_dropped() {
            let packet = &self.packets[packet.index()];
            self.losses.add(packet.path);
            if let Some(reports) = &mut self.reports {
                reports.add_dropped(now_ns, packet);
            }
        }
    }

    /// Starts the transmission of the dequeued packet; returns its index.
    #[inline]
    fn dequeue(&mut self, start_ns: u64, frame_bytes: u32) -> usize {
        let (packet, _) = self.chosen.take().expect("only what was chosen is sent");
        debug_assert_eq!(self.buffer.frame_bytes(packet), frame_bytes, "the packet that was chosen is sent");
        self.buffer.set_now(start_ns);
        let ecn = self.buffer.ecn(packet);
        if let Some(log) = self.log().filter(|_| ecn == Ecn::Ce && self.packets[packet.index()].ecn != ecn) {
            log.add(start_ns, PacketStep::Mark, &self.packets[packet.index()]);
        }
        self.packets[packet.index()].ecn = ecn;
        self.buffer.dequeue(packet);
        self.last_dequeued_bytes = frame_bytes;
        packet.index()
    }
}

impl<P: Copy> Store<P> for DisciplineStore<P> {
    const MAY_HOLD_BACK: bool = true;

    /// Never called: the discipline sees every packet.
    fn admits_when_empty(&mut self, _: u32, _: u32) -> bool {
        false
    }

    fn bypass(&mut self, _: u64, _: u32, _: &Packet<P>, _: u16) {}

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
        if let Some(read) = self.read_acknowledgement {
            self.buffer.set_acknowledgement(id, read(&packet.payload));
        }
        self.discipline.enqueue(now_ns, id, &mut self.buffer);
        self.count_losses(now_ns);
        let is_admitted = self.buffer.admit();
        if let Some(log) = self.log().filter(|_| is_admitted) {
            log.add(now_ns, PacketStep::Enqueue, &self.packets[id.index()]);
        }
        is_admitted
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
            self.count_losses(choice_ns);
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

    fn change_ecn_of_head(&mut self, change: impl FnOnce(Ecn, Ecn) -> Ecn) {
        let (packet, _) = self.chosen.expect("only what was chosen is sent");
        let exit = self.buffer.ecn(packet);
        self.buffer.set_ecn(packet, change(self.packets[packet.index()].ecn, exit));
    }

    #[inline]
    fn transmit(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32) {
        let at = self.dequeue(start_ns, frame_bytes);
        let packet = &self.packets[at];
        let record = self.wire.extend(|| Record { time_ns: arrival_ns, packet: *packet });
        record.time_ns = arrival_ns;
        record.packet = *packet;
        if let Some(log) = self.log() {
            log.transmit(start_ns, Some(arrival_ns), &self.packets[at]);
        }
    }

    fn take(&mut self, start_ns: u64, frame_bytes: u32) -> Packet<P> {
        let at = self.dequeue(start_ns, frame_bytes);
        if let Some(log) = self.log() {
            log.transmit(start_ns, None, &self.packets[at]);
        }
        self.packets[at]
    }

    #[inline]
    fn next_arrival_ns(&self) -> Option<u64> {
        let head = self.wire.head();
        (head < self.wire.tail()).then(|| self.wire.get(head).time_ns)
    }

    #[inline]
    fn deliver(&mut self) {
        self.wire.pop_front();
        self.wire.prefetch_after(self.wire.head());
    }

    #[inline]
    fn upcoming_path(&self, ahead: u64) -> Option<u32> {
        let number = self.wire.head() + ahead;
        (number < self.wire.tail()).then(|| self.wire.get(number).packet.path)
    }

    #[inline]
    fn delivered(&self) -> &Packet<P> {
        &self.wire.last_popped().packet
    }

    #[inline]
    fn delivered_slot(&self) -> u32 {
        (self.wire.head() - 1) as u32
    }

    #[inline]
    fn delivered_slots(&self) -> Popped<'_, Record<P>> {
        self.wire.popped()
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.buffer.backlog()
    }

    fn enqueued(&self) -> Backlog {
        self.buffer.admitted()
    }

    fn dequeued(&self) -> Backlog {
        self.buffer.dequeued()
    }

    fn last_dequeued_bytes(&self) -> u32 {
        self.last_dequeued_bytes
    }

    fn on_wire(&self) -> u64 {
        self.wire.tail() - self.wire.head()
    }

    fn backlog_byte_ns(&self, now_ns: u64) -> u128 {
        self.buffer.backlog_byte_ns(now_ns)
    }

    fn queue_stats(&self) -> &QueueStats {
        self.buffer.stats()
    }

    fn dropped_of_path(&self, path: u32) -> u64 {
        self.losses.of(path)
    }

    fn restart_delays(&mut self) {
        self.buffer.restart_delays();
    }

    fn set_limits(&mut self, limits: Limits) -> bool {
        self.discipline.set_limits(limits)
    }

    fn move_last(&mut self, arrival_ns: u64) -> u64 {
        let (head, tail) = (self.wire.head(), self.wire.tail());
        let before_ns = if tail - head > 1 { self.wire.get(tail - 2).time_ns } else { 0 };
        let arrival_ns = arrival_ns.max(before_ns);
        if tail > head {
            self.wire.get_mut(tail - 1).time_ns = arrival_ns;
        }
        arrival_ns
    }

    fn record(&mut self, log: StationLog<P>) {
        let reports = self.reports.get_or_insert_with(|| Box::new(Reports { dropped: None, log: None }));
        reports.log = Some(log);
    }

    fn note_lost(&self, now_ns: u64, packet: &Packet<P>) {
        if let Some(log) = self.log() {
            log.add(now_ns, PacketStep::Lose, packet);
        }
    }
}
