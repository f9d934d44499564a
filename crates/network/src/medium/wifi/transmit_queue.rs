//! What is sent from one node to another: a queue, the Block Ack session behind it, and the rate.

use fairlane_contract::{LinkConfig, WifiQueueConfig};
use fairlane_engine::{RandomStream, Streams};

use super::phy::Rate;
use super::session::{Mpdu, MpduState, Session};
use crate::medium::station_queue::StationQueue;
use crate::statistics::AccessStats;
use crate::{Packet, StationStats};

pub(super) struct TransmitQueue<P> {
    pub rate: Rate,
    queue: StationQueue<P>,
    session: Session<P>,
    /// A Block Ack is missing and must be asked for before data goes on.
    pub needs_request: bool,
    /// Airtime that a downlink may use before it is another one's turn.
    pub deficit_ns: i64,
    mpdu_loss: f64,
    random: RandomStream,
    pub stats: AccessStats,
}

/// An A-MPDU: pending MPDUs up to a sequence number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aggregate {
    /// The sequence number after the last MPDU.
    pub end: u64,
    pub mpdus: u32,
    /// Those of them that were transmitted before.
    pub retransmitted: u32,
    pub psdu_bytes: u32,
}

/// How large an A-MPDU may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct AggregateLimits {
    pub mpdus: u32,
    pub psdu_bytes: u32,
    /// The first MPDU is sent even if it exceeds the limit, which fragmentation would otherwise have to meet.
    pub takes_first: bool,
}

impl<P: Copy> TransmitQueue<P> {
    pub fn new(config: &WifiQueueConfig, rate: Rate, stream_index: u64, streams: &Streams, ticks_per_s: u32) -> Self {
        Self {
            rate,
            queue: StationQueue::new(&as_link(config, rate), stream_index, streams, ticks_per_s),
            session: Session::new(),
            needs_request: false,
            deficit_ns: 0,
            mpdu_loss: config.mpdu_loss,
            random: streams.stream("wifi loss", stream_index),
            stats: AccessStats::default(),
        }
    }

    pub fn push(&mut self, now_ns: u64, packet: &Packet<P>, hop: u16) -> bool {
        let is_queued = self.queue.push(now_ns, packet.ip_bytes + QUEUE_OVERHEAD_BYTES, packet, hop);
        self.queue.note_backlog();
        is_queued
    }

    /// From when on there is something to send.
    pub fn ready_ns(&self) -> Option<u64> {
        if self.session.pending() > 0 {
            return Some(0);
        }
        self.queue.next_choice_ns(0)
    }

    /// Aggregates what waits for a retransmission, then what is queued.
    pub fn aggregate(&mut self, now_ns: u64, mpdu_overhead_bytes: u32, limits: AggregateLimits) -> Option<Aggregate> {
        let mut aggregate = Aggregate { end: self.session.next(), mpdus: 0, retransmitted: 0, psdu_bytes: 0 };
        let mut has_room = true;
        for (number, mpdu) in self.session.pending_mpdus() {
            if !aggregate.add(mpdu.subframe_bytes, limits) {
                (aggregate.end, has_room) = (number, false);
                break;
            }
            aggregate.retransmitted += u32::from(mpdu.retries > 0);
        }
        while has_room && !self.session.is_full() {
            let Some(frame_bytes) = self.queue.choose(now_ns, now_ns) else { break };
            let subframe_bytes = frame_bytes - QUEUE_OVERHEAD_BYTES + mpdu_overhead_bytes + DELIMITER_BYTES;
            if !aggregate.add(subframe_bytes, limits) {
                break;
            }
            let packet = self.queue.take(now_ns, frame_bytes);
            self.session.push(Mpdu { packet, frame_bytes, subframe_bytes, retries: 0, state: MpduState::Pending });
            aggregate.end = self.session.next();
        }
        (aggregate.mpdus > 0).then_some(aggregate)
    }

    /// The receiver hears an A-MPDU. True if it decodes any of its MPDUs, and so answers with a Block Ack.
    pub fn deliver(&mut self, aggregate: Aggregate, retry_limit: u32) -> bool {
        let (loss, random) = (self.mpdu_loss, &mut self.random);
        let mut is_answered = false;
        self.session.settle(aggregate.end, |mpdu| {
            if loss > 0.0 && random.with_probability(loss) {
                return missed(mpdu, retry_limit);
            }
            is_answered = true;
            MpduState::Received
        });
        is_answered
    }

    /// Nothing of an A-MPDU is received.
    pub fn miss(&mut self, aggregate: Aggregate, retry_limit: u32) {
        self.session.settle(aggregate.end, |mpdu| missed(mpdu, retry_limit));
    }

    /// Hands over what the receiver releases now, in order.
    pub fn release(&mut self, mut land: impl FnMut(&Packet<P>)) {
        while let Some(mpdu) = self.session.release() {
            if mpdu.state == MpduState::Received {
                land(&mpdu.packet);
            } else {
                self.queue.lose(mpdu.packet.path, mpdu.frame_bytes);
            }
        }
    }

    /// A packet reaches the host behind the receiver.
    pub fn land(&mut self, now_ns: u64, packet: &Packet<P>) {
        self.queue.arrive(now_ns, packet, QUEUE_OVERHEAD_BYTES);
    }

    pub fn lost_of_path(&self, path: u32) -> u64 {
        self.queue.lost_of_path(path)
    }

    pub fn queue_delay_quantile_ns(&self, share: f64) -> Option<f64> {
        self.queue.queue_delay_quantile_ns(share)
    }

    pub fn restart_maxima(&mut self) {
        self.queue.restart_maxima();
    }

    /// `landing`: packets that the receiver has released and the medium has not yet handed out.
    pub fn station_stats(&self, now_ns: u64, landing: u64) -> StationStats {
        let capacity_bytes = u128::from(self.rate.bps()) * u128::from(now_ns) / 8_000_000_000;
        let in_flight_packets = self.session.outstanding() + landing;
        let stats = self.queue.stats(now_ns, false, in_flight_packets, capacity_bytes as u64);
        StationStats {
            // What was only tried has not been transmitted.
            transmitted_packets: stats.delivered_packets + stats.lost_randomly_packets,
            transmitted_bytes: stats.delivered_bytes + stats.lost_randomly_bytes,
            ..stats
        }
    }
}

fn missed<P>(mpdu: &mut Mpdu<P>, retry_limit: u32) -> MpduState {
    mpdu.retries += 1;
    if mpdu.retries > retry_limit {
        MpduState::Dropped
    } else {
        MpduState::Pending
    }
}

impl Aggregate {
    /// Adds an MPDU behind the others, which are padded to 4 bytes; false if it does not fit.
    fn add(&mut self, subframe_bytes: u32, limits: AggregateLimits) -> bool {
        let psdu_bytes = self.psdu_bytes.next_multiple_of(4) + subframe_bytes;
        let fits = self.mpdus < limits.mpdus && psdu_bytes <= limits.psdu_bytes;
        if fits || (self.mpdus == 0 && limits.takes_first) {
            self.psdu_bytes = psdu_bytes;
            self.mpdus += 1;
            return true;
        }
        false
    }
}

/// The queue as that of a link which no other station shares.
pub(crate) fn as_link(config: &WifiQueueConfig, rate: Rate) -> LinkConfig {
    LinkConfig {
        name: config.name.clone(),
        rate_bps: Some(rate.bps()),
        overhead_bytes: Some(QUEUE_OVERHEAD_BYTES),
        mtu_bytes: config.mtu_bytes,
        queue: config.queue.clone(),
        ..LinkConfig::default()
    }
}

/// Queues count Ethernet frames: that is what a wireless interface takes from the kernel.
const QUEUE_OVERHEAD_BYTES: u32 = fairlane_contract::ETHERNET_OVERHEAD_BYTES;
/// In front of each MPDU of an A-MPDU.
const DELIMITER_BYTES: u32 = 4;
