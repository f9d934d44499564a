//! The traffic from one node to another: a queue, the Block Ack session behind it, and the rate.

use fairlane_contract::{LinkConfig, Problem, WifiConfig, WifiQueueConfig, WifiRateControl, WifiStandard};
use fairlane_engine::{RandomStream, Streams};

use super::driver::{Driver, Staged};
use super::phy::Rate;
use super::rate_control::{Choice, RateControl};
use super::session::{Mpdu, MpduState, Session};
use crate::packet::Packet;
use crate::packet_log::StationLog;
use crate::statistics::{AccessStats, StationStats};
use crate::store::StationQueue;
use crate::transmitter::Waiting;

pub(super) struct TransmitQueue<P> {
    /// The rate of the last PPDU.
    pub rate: Rate,
    /// The configured one.
    nominal: Rate,
    rate_control: Option<Box<RateControl>>,
    driver: Option<Box<Driver<P>>>,
    queue: StationQueue<P>,
    session: Session<P>,
    /// A Block Ack is missing and must be requested before data continues.
    pub needs_request: bool,
    /// Airtime that a downlink may use before the next one is served.
    pub deficit_ns: i64,
    mpdu_loss: f64,
    random: RandomStream,
    pub stats: AccessStats,
    /// Completed frames, if a host waits for them.
    completed: Option<Vec<Packet<P>>>,
}

/// Common to all queues of a cell.
pub(super) struct QueueSetup<'a> {
    pub stream_index: u64,
    pub streams: &'a Streams,
    pub ticks_per_s: u32,
}

/// An A-MPDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aggregate {
    /// Identifies its MPDUs.
    number: u32,
    pub mpdus: u32,
    /// Retransmitted MPDUs.
    pub retransmitted: u32,
    pub psdu_bytes: u32,
}

/// Limits on an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct AggregateLimits {
    pub mpdus: u32,
    pub psdu_bytes: u32,
    /// The first MPDU is sent even if it exceeds the limit; otherwise it would have to be fragmented.
    pub takes_first: bool,
}

impl<P: Copy> TransmitQueue<P> {
    pub fn new(
        cell: &WifiConfig,
        config: &WifiQueueConfig,
        setup: &QueueSetup,
        is_reporting: bool,
    ) -> Result<Self, Problem> {
        let &QueueSetup { stream_index, streams, ticks_per_s } = setup;
        let make_queue = if is_reporting { StationQueue::keeping_dropped } else { StationQueue::new };
        let rate = Rate::new(cell, config.mcs, config.streams)?;
        let rate_control = (config.rate_control == WifiRateControl::Minstrel).then(|| {
            let random = streams.stream("wifi rate control", stream_index);
            Box::new(RateControl::new(candidates(cell, config), random))
        });
        Ok(Self {
            rate,
            nominal: rate,
            rate_control,
            driver: config.driver.map(|limits| Box::new(Driver::new(limits, rate.bps()))),
            queue: make_queue(&as_link(config, rate), stream_index, streams, ticks_per_s),
            session: Session::new(u64::from(cell.max_ampdu_mpdus)),
            needs_request: false,
            deficit_ns: 0,
            mpdu_loss: loss_of(config, index_of(cell, config.mcs)),
            random: streams.stream("wifi loss", stream_index),
            stats: AccessStats::default(),
            completed: is_reporting.then(Vec::new),
        })
    }

    /// `node_ns`: airtime in all drivers' queues of the node.
    pub fn push(&mut self, now_ns: u64, packet: &Packet<P>, hop: u16, node_ns: u64) -> bool {
        let is_queued = self.queue.push(now_ns, packet.ip_bytes + QUEUE_OVERHEAD_BYTES, packet, hop);
        self.fill_driver(now_ns, node_ns);
        self.queue.note_backlog();
        is_queued
    }

    pub fn take_dropped_into(&mut self, packets: &mut Vec<Packet<P>>) {
        self.queue.take_dropped_into(packets);
    }

    /// Frames completed since this was emptied: confirmed, or dropped by the sender.
    pub fn completed(&mut self) -> Option<&mut Vec<Packet<P>>> {
        self.completed.as_mut()
    }

    /// Airtime in the driver's queue, frames on the air included.
    pub fn queued_ns(&self) -> u64 {
        self.driver.as_ref().map_or(0, |driver| driver.queued_ns())
    }

    /// Fills the driver's queue.
    pub fn fill_driver(&mut self, now_ns: u64, node_ns: u64) {
        let Some(driver) = &mut self.driver else { return };
        let before_ns = driver.queued_ns();
        while driver.has_room(node_ns + driver.queued_ns() - before_ns) {
            let Some(Waiting { frame_bytes, .. }) = self.queue.choose(now_ns, now_ns) else { break };
            let since_ns = self.queue.oldest_ns(now_ns).unwrap_or(now_ns);
            driver.push(self.queue.take(now_ns, frame_bytes), frame_bytes, since_ns);
        }
    }

    /// Chooses the rate of the next PPDU; none if the rate is fixed.
    pub fn choose_rate(&mut self, now_ns: u64) -> Option<Choice> {
        let choice = self.rate_control.as_mut()?.choose(now_ns);
        self.use_rate(Some(choice));
        Some(choice)
    }

    /// Uses the rate that was chosen for a PPDU formed earlier.
    pub fn use_rate(&mut self, choice: Option<Choice>) {
        let (Some(choice), Some(control)) = (choice, &mut self.rate_control) else { return };
        control.resume(choice);
        (self.rate, self.mpdu_loss) = (choice.rate, choice.mpdu_loss);
    }

    /// Whether there are packets for another A-MPDU.
    pub fn has_more(&self, now_ns: u64) -> bool {
        self.session.waiting() > 0
            || self.driver.as_ref().is_some_and(|driver| driver.packets() > 0)
            || self.queue.next_choice_ns(0).is_some_and(|at_ns| at_ns <= now_ns)
    }

    /// Packets in the queue discipline.
    pub fn backlog_packets(&self) -> u64 {
        self.queue.backlog_packets()
    }

    /// Counts a packet as dropped before it was enqueued.
    pub fn refuse(&mut self, now_ns: u64, packet: &Packet<P>) {
        self.queue.refuse(now_ns, packet, packet.ip_bytes + QUEUE_OVERHEAD_BYTES);
    }

    /// Enqueue time of the next packet; 0 for a retransmission.
    pub fn oldest_ns(&mut self, now_ns: u64) -> Option<u64> {
        if self.session.waiting() > 0 {
            return Some(0);
        }
        match self.driver.as_ref().and_then(|driver| driver.head()) {
            Some(staged) => Some(staged.since_ns),
            None => self.queue.oldest_ns(now_ns),
        }
    }

    /// Since when, or from when on, there is a packet to send.
    pub fn ready_ns(&self) -> Option<u64> {
        if self.session.pending() > 0 || self.driver.as_ref().is_some_and(|driver| driver.packets() > 0) {
            return Some(0);
        }
        self.queue.next_choice_ns(0)
    }

    /// Aggregates retransmissions first, then queued packets.
    pub fn aggregate(&mut self, now_ns: u64, mpdu_overhead_bytes: u32, limits: AggregateLimits) -> Option<Aggregate> {
        let number = self.session.begin_aggregate();
        let mut aggregate = Aggregate { number, mpdus: 0, retransmitted: 0, psdu_bytes: 0 };
        let has_room = self.session.add_pending(number, |mpdu| {
            let fits = aggregate.add(mpdu.subframe_bytes, limits);
            aggregate.retransmitted += u32::from(fits && mpdu.retries > 0);
            fits
        });
        while has_room && !self.session.is_full() {
            let Some(frame_bytes) = self.next_frame_bytes(now_ns) else { break };
            let subframe_bytes = frame_bytes - QUEUE_OVERHEAD_BYTES + mpdu_overhead_bytes + DELIMITER_BYTES;
            if !aggregate.add(subframe_bytes, limits) {
                break;
            }
            let packet = self.take(now_ns, frame_bytes);
            let state = MpduState::Pending;
            self.session.push(Mpdu { packet, frame_bytes, subframe_bytes, retries: 0, aggregate: number, state });
        }
        (aggregate.mpdus > 0).then_some(aggregate)
    }

    fn next_frame_bytes(&mut self, now_ns: u64) -> Option<u32> {
        match &self.driver {
            Some(driver) if driver.packets() > 0 => driver.head().map(|head| head.frame_bytes),
            _ => self.queue.choose(now_ns, now_ns).map(|head| head.frame_bytes),
        }
    }

    fn take(&mut self, now_ns: u64, frame_bytes: u32) -> Packet<P> {
        let Some(driver) = &mut self.driver else { return self.queue.take(now_ns, frame_bytes) };
        if driver.packets() == 0 {
            driver.push(self.queue.take(now_ns, frame_bytes), frame_bytes, now_ns);
        }
        let Some(Staged { packet, .. }) = driver.pop() else { unreachable!("a packet was pushed") };
        packet
    }

    /// The receiver hears an A-MPDU. Returns the number of MPDUs that it decodes; if there is one, it answers with a
    /// Block Ack.
    pub fn deliver(&mut self, aggregate: Aggregate, retry_limit: u32) -> u32 {
        let (loss, random) = (self.mpdu_loss, &mut self.random);
        let (mut received, mut completed) = (0, self.completed.as_mut());
        self.session.settle(aggregate.number, |mpdu| {
            if loss > 0.0 && random.with_probability(loss) {
                return missed(mpdu, retry_limit, &mut completed);
            }
            received += 1;
            complete(mpdu, &mut completed);
            MpduState::Received
        });
        self.note_outcome(aggregate, received);
        received
    }

    /// Withdraws an A-MPDU that was not transmitted.
    pub fn withdraw(&mut self, aggregate: Aggregate) {
        self.session.settle(aggregate.number, |_| MpduState::Pending);
    }

    fn note_outcome(&mut self, aggregate: Aggregate, received: u32) {
        if let Some(control) = &mut self.rate_control {
            control.note(aggregate.mpdus, received);
        }
    }

    /// No MPDU of an A-MPDU is received.
    pub fn miss(&mut self, aggregate: Aggregate, retry_limit: u32) {
        let mut completed = self.completed.as_mut();
        self.session.settle(aggregate.number, |mpdu| missed(mpdu, retry_limit, &mut completed));
        self.note_outcome(aggregate, 0);
    }

    /// Delivers the packets that the receiver releases now, in order.
    pub fn release(&mut self, mut deliver: impl FnMut(&Packet<P>)) {
        while let Some(mpdu) = self.session.release() {
            if let Some(driver) = &mut self.driver {
                driver.complete(mpdu.frame_bytes);
            }
            if mpdu.state == MpduState::Received {
                deliver(&mpdu.packet);
            } else {
                self.queue.lose(mpdu.packet.path, mpdu.frame_bytes);
            }
        }
    }

    /// A packet reaches the host behind the receiver.
    pub fn arrive(&mut self, now_ns: u64, packet: &Packet<P>) {
        self.queue.arrive(now_ns, packet, QUEUE_OVERHEAD_BYTES);
    }

    pub fn lost_of_path(&self, path: u32) -> u64 {
        self.queue.lost_of_path(path)
    }

    pub fn queue_delay_quantile_ns(&self, share: f64) -> Option<f64> {
        self.queue.queue_delay_quantile_ns(share)
    }

    /// Records the steps of packets from now on.
    pub fn record(&mut self, log: StationLog<P>) {
        self.queue.record(log);
    }

    pub fn restart_maxima(&mut self) {
        self.queue.restart_maxima();
    }

    /// `released`: packets that the receiver has released and the medium has not delivered yet.
    pub fn station_stats(&self, now_ns: u64, released: u64) -> StationStats {
        let capacity_bytes = u128::from(self.nominal.bps()) * u128::from(now_ns) / 8_000_000_000;
        let in_flight_packets =
            self.session.outstanding() + released + self.driver.as_ref().map_or(0, |driver| driver.packets());
        let stats = self.queue.stats(now_ns, false, in_flight_packets, capacity_bytes as u64);
        StationStats {
            // Failed attempts do not count as transmitted.
            transmitted_packets: stats.delivered_packets + stats.lost_randomly_packets,
            transmitted_bytes: stats.delivered_bytes + stats.lost_randomly_bytes,
            ..stats
        }
    }
}

fn complete<P: Copy>(mpdu: &Mpdu<P>, completed: &mut Option<&mut Vec<Packet<P>>>) {
    if let Some(completed) = completed {
        completed.push(mpdu.packet);
    }
}

fn missed<P: Copy>(mpdu: &mut Mpdu<P>, retry_limit: u32, completed: &mut Option<&mut Vec<Packet<P>>>) -> MpduState {
    mpdu.retries += 1;
    if mpdu.retries > retry_limit {
        complete(mpdu, completed);
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

/// The candidate rates of rate control, from the slowest on, and their error probabilities.
fn candidates(cell: &WifiConfig, config: &WifiQueueConfig) -> Vec<(Rate, f64)> {
    let first = config.mcs - index_of(cell, config.mcs) as u32;
    let rate = |mcs| Some((Rate::new(cell, mcs, config.streams).ok()?, loss_of(config, index_of(cell, mcs))));
    (first..=config.mcs).filter_map(rate).collect()
}

/// The index of an MCS, regardless of its number of streams.
pub(crate) fn index_of(cell: &WifiConfig, mcs: u32) -> usize {
    (if cell.standard == WifiStandard::N { mcs % 8 } else { mcs }) as usize
}

/// The probability of an error at an MCS.
pub(crate) fn loss_of(config: &WifiQueueConfig, index: usize) -> f64 {
    config.mpdu_losses.get(index).copied().unwrap_or(config.mpdu_loss)
}

/// The queue as if it had a link of its own.
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

/// Queues count Ethernet frames, as the kernel hands them to a wireless interface.
const QUEUE_OVERHEAD_BYTES: u32 = fairlane_contract::ETHERNET_OVERHEAD_BYTES;
/// Precedes each MPDU of an A-MPDU.
const DELIMITER_BYTES: u32 = 4;
