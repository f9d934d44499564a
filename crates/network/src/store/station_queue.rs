//! The queue of a station that shares its medium with others, and the station's counters.
//!
//! The medium dequeues when the station has won access, and keeps the wire itself.

use fairlane_engine::Streams;

use super::counters::{station_stats, Counters, Wire};
use super::{DisciplineStore, Store};
use crate::impairments::Loss;
use crate::packet::Packet;
use crate::packet_log::StationLog;
use crate::queue::{self, Fifo, QueueDiscipline, QueueSetup};
use crate::statistics::StationStats;
use crate::transmitter::Waiting;
use fairlane_contract::LinkConfig;

pub(crate) struct StationQueue<P> {
    store: DisciplineStore<P>,
    loss: Option<Loss>,
    counters: Counters,
}

impl<P: Copy> StationQueue<P> {
    /// `config` describes the station as if it had a link of its own.
    pub fn new(config: &LinkConfig, stream_index: u64, streams: &Streams, ticks_per_s: u32) -> Self {
        Self::with_store(config, stream_index, streams, ticks_per_s, DisciplineStore::new)
    }

    /// Creates a queue that keeps dropped packets for [`take_dropped_into`](Self::take_dropped_into).
    pub fn keeping_dropped(config: &LinkConfig, stream_index: u64, streams: &Streams, ticks_per_s: u32) -> Self {
        Self::with_store(config, stream_index, streams, ticks_per_s, DisciplineStore::keeping_dropped)
    }

    fn with_store(
        config: &LinkConfig,
        stream_index: u64,
        streams: &Streams,
        ticks_per_s: u32,
        store: impl FnOnce(Box<dyn QueueDiscipline>) -> DisciplineStore<P>,
    ) -> Self {
        let setup = QueueSetup {
            mtu_frame_bytes: config.mtu_frame_bytes(),
            overhead_bytes: config.frame_overhead_bytes(),
            ticks_per_s,
            is_token_bucket: false,
            streams,
            stream_index,
        };
        let discipline = queue::discipline(&config.queue, &setup).unwrap_or_else(|| Box::new(Fifo::new(&config.queue)));
        Self {
            store: store(discipline),
            loss: config.loss.as_ref().map(|loss| Loss::new(loss, streams.stream("link loss", stream_index))),
            counters: Counters::default(),
        }
    }

    /// Enqueues a packet; false if it was dropped.
    pub fn push(&mut self, now_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16) -> bool {
        self.store.push(now_ns, frame_bytes, packet, hop)
    }

    /// Moves the packets that the discipline dropped since the last call, if it keeps them.
    pub fn take_dropped_into(&mut self, packets: &mut Vec<Packet<P>>) {
        self.store.take_dropped_into(packets);
    }

    /// Updates the longest backlog, after the medium has dequeued.
    pub fn note_backlog(&mut self) {
        self.counters.max_backlog_bytes = self.counters.max_backlog_bytes.max(self.store.backlog().bytes);
    }

    /// When the station can next choose a packet, on a medium that is free from `free_ns` on. None if the queue is
    /// empty.
    pub fn next_choice_ns(&self, free_ns: u64) -> Option<u64> {
        self.store.next_choice_ns(free_ns)
    }

    /// Lets the queue discipline choose the packet that is sent next.
    pub fn choose(&mut self, now_ns: u64, free_ns: u64) -> Option<Waiting> {
        self.store.head(now_ns, free_ns)
    }

    /// Removes the chosen packet: its transmission starts.
    pub fn take(&mut self, start_ns: u64, frame_bytes: u32) -> Packet<P> {
        self.store.take(start_ns, frame_bytes)
    }

    /// Counts a packet at the far end; false if random loss takes it.
    pub fn arrive(&mut self, now_ns: u64, packet: &Packet<P>, overhead_bytes: u32) -> bool {
        let frame_bytes = packet.ip_bytes + overhead_bytes;
        let is_lost = self.loss.as_mut().is_some_and(|loss| loss.next(now_ns));
        if is_lost {
            self.store.note_lost(now_ns, packet);
            self.counters.lose(packet.path, frame_bytes, false);
        } else {
            self.counters.deliver(frame_bytes);
        }
        !is_lost
    }

    /// Records the steps of packets from now on.
    pub fn record(&mut self, log: StationLog<P>) {
        self.store.record(log);
    }

    pub fn backlog_packets(&self) -> u64 {
        self.store.backlog().packets
    }

    /// Enqueue time of the packet that the discipline sends next.
    pub fn oldest_ns(&mut self, now_ns: u64) -> Option<u64> {
        self.store.head(now_ns, now_ns)?;
        self.store.chosen_since_ns()
    }

    /// Counts a packet as dropped before the queue saw it.
    pub fn refuse(&mut self, now_ns: u64, packet: &Packet<P>, frame_bytes: u32) {
        self.counters.refused_packets += 1;
        self.counters.refused_bytes += u64::from(frame_bytes);
        self.counters.losses.add(packet.path);
        self.store.keep_dropped(now_ns, packet);
    }

    /// Counts a packet that the sender gave up after dequeueing it.
    pub fn lose(&mut self, path: u32, frame_bytes: u32) {
        self.counters.lose(path, frame_bytes, false);
    }

    pub fn lost_of_path(&self, path: u32) -> u64 {
        self.store.dropped_of_path(path) + self.counters.losses.of(path)
    }

    pub fn queue_delay_quantile_ns(&self, share: f64) -> Option<f64> {
        self.store.queue_stats().delays.quantile_ns(share)
    }

    pub fn restart_maxima(&mut self) {
        self.counters.max_backlog_bytes = self.store.backlog().bytes;
        self.store.restart_delays();
    }

    pub fn stats(&self, now_ns: u64, is_sending: bool, in_flight_packets: u64, capacity_bytes: u64) -> StationStats {
        let wire = Wire { is_sending, in_flight_packets, capacity_bytes: Some(capacity_bytes), tokens_bytes: 0 };
        station_stats(&self.store, &self.counters, &wire, now_ns)
    }
}
