//! A channel access, from its start to the answer.

use fairlane_contract::{WifiConfig, WifiScheduler, WifiStandard};

use super::hardware::Formed;
use super::phy::{Rate, BLOCK_ACK_REQUEST_BYTES, CTS_BYTES, RTS_BYTES};
use super::rate_control::Choice;
use super::session::SHORTEST_WINDOW_MPDUS;
use super::transmit_queue::{Aggregate, AggregateLimits};
use super::{Released, Wifi, ACCESS_POINT};

/// Settings of the cell that concern accesses.
pub(super) struct Rules {
    max_ampdu_mpdus: u32,
    max_ampdu_bytes: u32,
    max_ppdu_ns: u64,
    mpdu_overhead_bytes: u32,
    pub retry_limit: u32,
    pub has_block_ack_requests: bool,
    pub has_rts: bool,
    txop_limit_ns: u64,
    shares_airtime: bool,
    sends_oldest: bool,
    /// Limit on the packets of all downlinks together.
    pub downlink_packets: Option<u64>,
    pub has_drivers: bool,
    /// By how much a frame must exceed all others of a collision to be decoded, as a ratio of powers.
    capture_ratio: Option<f64>,
    /// Signal power of each station at the access point.
    signal_powers: Vec<f64>,
}

impl Rules {
    pub fn new(config: &WifiConfig) -> Self {
        // HT: 9.4.2.55.3; VHT: 9.4.2.157.2; HE: 27.3.7 (aPSDUMaxLength).
        let standard_bytes = match config.standard {
            WifiStandard::N => 65_535,
            WifiStandard::Ac => 1_048_575,
            WifiStandard::Ax => 6_500_631,
        };
        Self {
            // As in ath9k, the A-MPDUs in the hardware share the window, or one of them would leave a single MPDU for
            // the next.
            max_ampdu_mpdus: (config.max_ampdu_mpdus.max(SHORTEST_WINDOW_MPDUS as u32)
                / config.hardware_aggregates.max(1))
            .min(config.max_ampdu_mpdus),
            max_ampdu_bytes: config.max_ampdu_bytes.unwrap_or(standard_bytes),
            max_ppdu_ns: config.max_ppdu_ns,
            mpdu_overhead_bytes: config.mpdu_overhead_bytes,
            retry_limit: config.retry_limit.unwrap_or(u32::MAX),
            has_block_ack_requests: config.block_ack_request,
            has_rts: config.rts_cts,
            txop_limit_ns: config.txop_limit_ns,
            has_drivers: config.queues().any(|queue| queue.driver.is_some()),
            capture_ratio: config.capture_db.map(from_db),
            signal_powers: config.stations.iter().map(|station| from_db(station.signal_db)).collect(),
            shares_airtime: config.access_point_scheduler == WifiScheduler::Airtime,
            sends_oldest: config.access_point_scheduler == WifiScheduler::OldestFirst,
            downlink_packets: config.access_point_limit_packets.map(u64::from),
        }
    }
}

/// Airtime of a station in a round of airtime scheduling (mac80211: 300 us at the default weight of 256).
const AIRTIME_QUANTUM_NS: i64 = 300_000;

/// A frame of one node on the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    pub node: usize,
    pub frame: Frame,
    pub start_ns: u64,
    pub end_ns: u64,
    /// Until then a node that does not hear the sender may begin: the end of the frame, or of its RTS.
    pub exposed_ns: u64,
    /// Another frame was on the air at the same time.
    pub is_spoiled: bool,
}

impl Transmission {
    pub fn is_data_of(&self, node: usize) -> bool {
        self.node == node && matches!(self.frame, Frame::Data { .. })
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    Data { queue: usize, aggregate: Aggregate, choice: Option<Choice> },
    BlockAckRequest { queue: usize },
    Beacon,
}

/// A transmission opportunity with time left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Txop {
    node: usize,
    /// Start of the next frame.
    pub at_ns: u64,
    end_ns: u64,
}

/// A ratio of powers.
fn from_db(db: f64) -> f64 {
    10.0_f64.powf(db / 10.0)
}

impl<P: Copy> Wifi<P> {
    /// Nodes that are due transmit; the others stop counting.
    pub(super) fn begin_access(&mut self, now_ns: u64) {
        debug_assert!(self.on_air.is_empty());
        let slot_ns = self.timing.slot_ns;
        if let Some(txop) = self.txop.take() {
            if txop.at_ns > now_ns {
                self.txop = Some(txop);
                return;
            }
            // A frame that does not fit ends the opportunity; the node has a backoff by now and contends like all
            // others.
            if let Some(frame) = self.next_frame(txop.node, now_ns, Some(txop.end_ns)) {
                self.transmit(txop.node, frame, now_ns);
                self.txop = Some(txop);
                self.start(now_ns);
            }
            return;
        }
        let is_due = |wifi: &Self, node: usize| {
            wifi.ready_ns(node).is_some_and(|ready_ns| wifi.nodes[node].access_ns(ready_ns, slot_ns) <= now_ns)
        };
        for node in 0..self.nodes.len() {
            let frame = if is_due(self, node) { self.next_frame(node, now_ns, None) } else { None };
            if let Some(frame) = frame {
                self.transmit(node, frame, now_ns);
            }
        }
        let on_air = &self.on_air;
        if on_air.is_empty() {
            return;
        }
        for (node, contender) in self.nodes.iter_mut().enumerate() {
            if !on_air.iter().any(|one| one.node == node) && self.hidden_nodes.hears_any(node, on_air) {
                contender.freeze(now_ns, slot_ns);
            }
        }
        self.start(now_ns);
    }

    /// The frame of a node that won access. Within a transmission opportunity it must end before `txop_end_ns`.
    pub(super) fn next_frame(&mut self, node: usize, now_ns: u64, txop_end_ns: Option<u64>) -> Option<Frame> {
        if self.sends_beacons(node) {
            return Some(Frame::Beacon);
        }
        if self.hardware.is_some() {
            return self.take_formed(node, now_ns, txop_end_ns);
        }
        self.form(node, now_ns, txop_end_ns)
    }

    /// Forms an A-MPDU of a node's queued packets, unless a Block Ack must be requested first.
    pub(super) fn form(&mut self, node: usize, now_ns: u64, txop_end_ns: Option<u64>) -> Option<Frame> {
        let queues = self.queues.len();
        let last = if node == ACCESS_POINT { self.last_downlink } else { 2 * (node - 1) };
        // The downlinks in order: with round robin the one served last comes last, with deficits it may continue.
        let has_deficits = self.rules.shares_airtime && node == ACCESS_POINT;
        if has_deficits {
            self.replenish(now_ns);
        }
        let choices = if node == ACCESS_POINT { queues / 2 } else { 1 };
        let oldest = if node == ACCESS_POINT && self.rules.sends_oldest { self.oldest_downlink(now_ns) } else { None };
        for step in 1..=choices {
            let step = if has_deficits { step - 1 } else { step };
            let queue = if node == ACCESS_POINT { (last + 2 * step) % queues } else { last };
            if oldest.is_some_and(|oldest| oldest != queue) {
                continue;
            }
            if !self.is_ready(queue, now_ns) || (has_deficits && self.queues[queue].deficit_ns <= 0) {
                continue;
            }
            if self.queues[queue].needs_request {
                return Some(Frame::BlockAckRequest { queue });
            }
            let choice = self.queues[queue].choose_rate(now_ns);
            let limits = self.limits(queue, now_ns, txop_end_ns);
            let limits = if choice.is_some_and(|choice| choice.is_probe) {
                AggregateLimits { mpdus: 1, ..limits }
            } else {
                limits
            };
            let overhead_bytes = self.rules.mpdu_overhead_bytes;
            let aggregate = self.queues[queue].aggregate(now_ns, overhead_bytes, limits);
            self.fill_drivers(node, now_ns);
            self.note_dropped(queue);
            if let Some(aggregate) = aggregate {
                if node == ACCESS_POINT {
                    self.last_downlink = queue;
                }
                return Some(Frame::Data { queue, aggregate, choice });
            }
        }
        None
    }

    fn is_ready(&self, queue: usize, now_ns: u64) -> bool {
        self.queues[queue].has_more(now_ns)
    }

    /// The downlink whose first packet has waited longest.
    fn oldest_downlink(&mut self, now_ns: u64) -> Option<usize> {
        let downlinks: Vec<usize> = self.queues_of(ACCESS_POINT).collect();
        let since = |wifi: &mut Self, queue: usize| Some((wifi.queues[queue].oldest_ns(now_ns)?, queue));
        downlinks.into_iter().filter_map(|queue| since(self, queue)).min().map(|(_, queue)| queue)
    }

    /// Gives all downlinks with packets as many quanta as the first eligible one needs.
    fn replenish(&mut self, now_ns: u64) {
        let ready: Vec<usize> = self.queues_of(ACCESS_POINT).filter(|&queue| self.is_ready(queue, now_ns)).collect();
        let most_ns = ready.iter().map(|&queue| self.queues[queue].deficit_ns).max().unwrap_or(1);
        let quanta = ((1 - most_ns).max(0) as u64).div_ceil(AIRTIME_QUANTUM_NS as u64) as i64;
        for queue in ready {
            self.queues[queue].deficit_ns += quanta * AIRTIME_QUANTUM_NS;
        }
    }

    /// Charges a station for the airtime of a queue's frame.
    pub(super) fn charge(&mut self, queue: usize, airtime_ns: u64) {
        self.queues[queue].stats.airtime_ns += airtime_ns;
        let downlink = queue | 1;
        self.queues[downlink].deficit_ns -= airtime_ns as i64;
    }

    pub(super) fn limits(&self, queue: usize, now_ns: u64, txop_end_ns: Option<u64>) -> AggregateLimits {
        let (rules, rate) = (&self.rules, self.queues[queue].rate);
        let mut ppdu_ns = rules.max_ppdu_ns;
        if rules.txop_limit_ns > 0 {
            let end_ns = txop_end_ns.unwrap_or(now_ns + rules.txop_limit_ns);
            let answer_ns = self.timing.sifs_ns + self.timing.block_ack_ns(rate.control) + self.protection_ns(rate);
            ppdu_ns = ppdu_ns.min(end_ns.saturating_sub(now_ns + answer_ns));
        }
        AggregateLimits {
            mpdus: rules.max_ampdu_mpdus,
            psdu_bytes: rules.max_ampdu_bytes.min(rate.largest_psdu_bytes(ppdu_ns)),
            takes_first: txop_end_ns.is_none(),
        }
    }

    /// Duration of RTS and CTS, each followed by SIFS.
    fn protection_ns(&self, rate: Rate) -> u64 {
        if !self.rules.has_rts {
            return 0;
        }
        let frames_ns = [RTS_BYTES, CTS_BYTES].map(|bytes| self.timing.control_ns(rate.control, bytes));
        frames_ns.iter().sum::<u64>() + 2 * self.timing.sifs_ns
    }

    pub(super) fn transmit(&mut self, node: usize, frame: Frame, start_ns: u64) {
        let mut exposed_ns = u64::MAX;
        let length_ns = match frame {
            Frame::Data { queue, aggregate, .. } => {
                if self.rules.has_rts {
                    exposed_ns = start_ns + self.timing.control_ns(self.queues[queue].rate.control, RTS_BYTES);
                }
                let rate = self.queues[queue].rate;
                self.protection_ns(rate) + rate.ppdu_ns(aggregate.psdu_bytes)
            }
            Frame::BlockAckRequest { queue } => {
                self.timing.control_ns(self.queues[queue].rate.control, BLOCK_ACK_REQUEST_BYTES)
            }
            Frame::Beacon => self.timing.beacon_ns,
        };
        let end_ns = start_ns + length_ns;
        let exposed_ns = exposed_ns.min(end_ns);
        self.on_air.push(Transmission { node, frame, start_ns, end_ns, exposed_ns, is_spoiled: false });
    }

    /// The channel becomes busy.
    fn start(&mut self, now_ns: u64) {
        let only_rts = self.on_air.len() > 1 && self.rules.has_rts;
        for one in &mut self.on_air {
            let Frame::Data { queue, aggregate, .. } = one.frame else { continue };
            if only_rts {
                one.end_ns = one.exposed_ns;
            } else {
                self.queues[queue].stats.note_ppdu(aggregate.mpdus, aggregate.retransmitted);
            }
        }
        self.busy_ns = self.on_air.iter().map(|one| one.end_ns).max().unwrap_or(now_ns);
        self.times.idle_ns += now_ns - self.times.until_ns;
        self.times.until_ns = now_ns;
        if self.hidden_nodes.is_some() && self.on_air.len() > 1 {
            self.on_air.iter_mut().for_each(|one| one.is_spoiled = true);
        }
    }

    /// The frame, or the last frame of a collision, ends.
    pub(super) fn end_access(&mut self, now_ns: u64) {
        debug_assert_eq!(now_ns, self.busy_ns);
        let mut on_air = std::mem::take(&mut self.on_air);
        let idle_ns = match on_air[..] {
            [alone] => self.end_exchange(now_ns, alone),
            _ => self.end_collision(now_ns, &on_air),
        };
        self.note_late_beacon(now_ns, idle_ns);
        self.times.until_ns = idle_ns;
        on_air.clear();
        self.on_air = on_air;
    }

    /// A beacon came due while the channel was busy.
    pub(super) fn note_late_beacon(&mut self, now_ns: u64, idle_ns: u64) {
        if let Some(beacon) = &mut self.beacon {
            if !beacon.is_late && beacon.due_ns < idle_ns {
                beacon.is_late = true;
                if let Some(node) = self.nodes.last_mut() {
                    node.on_packet(now_ns, true);
                }
            }
        }
    }

    /// Only one node transmitted. Returns the time at which the channel is idle again.
    fn end_exchange(&mut self, now_ns: u64, one: Transmission) -> u64 {
        let queue = match one.frame {
            Frame::Beacon => {
                self.times.beacon_ns += now_ns - one.start_ns;
                self.log(&one, now_ns, 0, false);
                self.nodes[one.node].succeed();
                self.sent_beacon(now_ns);
                self.everyone_waits_until(now_ns);
                return now_ns;
            }
            Frame::Data { queue, .. } | Frame::BlockAckRequest { queue } => queue,
        };
        let answer_ns = now_ns + self.timing.sifs_ns + self.timing.block_ack_ns(self.queues[queue].rate.control);
        let is_out = self.outages.as_mut().is_some_and(|outages| outages.overlap(one.start_ns, answer_ns));
        let mut confirmed = 0;
        let is_answered = match one.frame {
            Frame::Data { aggregate, .. } if is_out => {
                self.queues[queue].miss(aggregate, self.rules.retry_limit);
                false
            }
            Frame::Data { aggregate, .. } => {
                confirmed = self.queues[queue].deliver(aggregate, self.rules.retry_limit);
                confirmed > 0
            }
            Frame::BlockAckRequest { .. } | Frame::Beacon => !is_out,
        };
        self.hidden_nodes.freeze_hidden(&mut self.nodes, &one, is_answered, self.timing.slot_ns);
        let idle_ns = if is_answered { answer_ns } else { now_ns };
        self.log(&one, idle_ns, confirmed, false);
        self.charge(queue, idle_ns - one.start_ns);
        self.times.exchange_ns += idle_ns - one.start_ns;
        self.queues[queue].needs_request = !is_answered && self.rules.has_block_ack_requests;
        if is_answered {
            let is_turn = self.last_answered.replace(queue) != Some(queue);
            self.queues[queue].stats.turns += u64::from(is_turn);
            self.nodes[one.node].succeed();
            self.everyone_waits_until(answer_ns);
            self.continue_txop(one, answer_ns);
        } else {
            self.queues[queue].stats.unanswered += 1;
            // The other nodes heard the announced duration of the exchange (NAV); the receiver could not decode it.
            let (heard, hidden_nodes) = (one, &self.hidden_nodes);
            for (node, contender) in self.nodes.iter_mut().enumerate() {
                if self.rules.has_rts || hidden_nodes.hears(node, heard.node) {
                    contender.wait_until(answer_ns);
                }
            }
            self.nodes[one.node].fail();
            self.nodes[one.node].wait_until(now_ns + self.timing.answer_timeout_ns());
            let extra_ns = self.timing.eifs_extra_ns(self.queues[queue].rate.control);
            self.nodes[Self::receiver_of(queue)].wait_until(now_ns + extra_ns);
            self.txop = None;
        }
        self.release(now_ns, idle_ns, queue);
        self.fill_drivers(one.node, now_ns);
        self.feed_hardware(one.node, now_ns);
        idle_ns
    }

    /// Several nodes started at the same time, and no receiver could decode a frame.
    fn end_collision(&mut self, now_ns: u64, on_air: &[Transmission]) -> u64 {
        let captured = self.captured(on_air);
        let mut extra_ns = 0;
        for (index, one) in on_air.iter().enumerate() {
            if captured != Some(index) {
                self.log(one, one.end_ns, 0, true);
            }
            match one.frame {
                Frame::Data { .. } if captured == Some(index) => {}
                Frame::Beacon => self.sent_beacon(now_ns),
                Frame::Data { queue, aggregate, choice } => {
                    extra_ns = self.timing.eifs_extra_ns(self.queues[queue].rate.control);
                    self.queues[queue].stats.collisions += 1;
                    self.charge(queue, one.end_ns - one.start_ns);
                    if !self.rules.has_rts {
                        self.queues[queue].miss(aggregate, self.rules.retry_limit);
                        self.queues[queue].needs_request = self.rules.has_block_ack_requests;
                        self.release(now_ns, now_ns, queue);
                    } else {
                        self.take_back(one.node, Formed { queue, aggregate, choice });
                    }
                    self.feed_hardware(one.node, now_ns);
                }
                Frame::BlockAckRequest { queue } => {
                    self.queues[queue].stats.collisions += 1;
                    self.charge(queue, one.end_ns - one.start_ns);
                }
            }
        }
        self.times.collision_ns += now_ns - on_air[0].start_ns;
        let idle_ns = captured.map_or(now_ns, |index| self.end_captured(now_ns, on_air[index]));
        self.everyone_waits_until(if captured.is_some() { idle_ns } else { now_ns + extra_ns });
        for (index, one) in on_air.iter().enumerate() {
            if captured == Some(index) {
                continue;
            }
            if matches!(one.frame, Frame::Beacon) {
                self.nodes[one.node].succeed(); // a beacon has no answer, so its sender does not know
                self.nodes[one.node].wait_until(now_ns);
            } else {
                self.nodes[one.node].fail();
                self.nodes[one.node].wait_until(idle_ns.max(one.end_ns + self.timing.answer_timeout_ns()));
            }
        }
        idle_ns
    }

    /// The frame of a collision that the access point decodes because it is louder than the others by the threshold.
    /// While the access point transmits, it decodes no frame; stations do not capture, because their distances are
    /// unknown.
    fn captured(&self, on_air: &[Transmission]) -> Option<usize> {
        let ratio = self.rules.capture_ratio?;
        let power = |one: &Transmission| match one.frame {
            Frame::Data { queue, .. } if one.node != ACCESS_POINT => Some(self.rules.signal_powers[queue / 2]),
            _ => None,
        };
        let powers = on_air.iter().map(power).collect::<Option<Vec<f64>>>()?;
        let total: f64 = powers.iter().sum();
        powers.iter().position(|&one| one >= ratio * (total - one))
    }

    /// The captured frame is received and answered as if it were alone. Returns the time at which the channel is idle.
    fn end_captured(&mut self, now_ns: u64, one: Transmission) -> u64 {
        let Frame::Data { queue, aggregate, choice } = one.frame else { return now_ns };
        let answer_ns = one.end_ns + self.timing.sifs_ns + self.timing.block_ack_ns(self.queues[queue].rate.control);
        let idle_ns = now_ns.max(answer_ns);
        let is_out = self.outages.as_mut().is_some_and(|outages| outages.overlap(one.start_ns, idle_ns));
        let confirmed = if is_out || self.rules.has_rts {
            0
        } else {
            self.queues[queue].deliver(aggregate, self.rules.retry_limit)
        };
        self.log(&one, if confirmed > 0 { answer_ns } else { one.end_ns }, confirmed, true);
        if confirmed == 0 {
            if self.rules.has_rts {
                self.take_back(one.node, Formed { queue, aggregate, choice });
            } else if is_out {
                self.queues[queue].miss(aggregate, self.rules.retry_limit);
            }
            self.queues[queue].stats.unanswered += 1;
            self.charge(queue, one.end_ns - one.start_ns);
            self.nodes[one.node].fail();
            self.nodes[one.node].wait_until(now_ns.max(one.end_ns + self.timing.answer_timeout_ns()));
            self.release(now_ns, now_ns, queue);
            self.feed_hardware(one.node, now_ns);
            return now_ns;
        }
        let is_turn = self.last_answered.replace(queue) != Some(queue);
        self.queues[queue].stats.turns += u64::from(is_turn);
        self.charge(queue, answer_ns - one.start_ns);
        self.times.collision_ns += idle_ns - now_ns;
        self.nodes[one.node].succeed();
        self.release(now_ns, answer_ns.max(now_ns), queue);
        self.feed_hardware(one.node, now_ns);
        idle_ns
    }

    /// The winner of an access continues after SIFS while its TXOP lasts and it has packets.
    fn continue_txop(&mut self, one: Transmission, idle_ns: u64) {
        let first = Txop { node: one.node, at_ns: 0, end_ns: one.start_ns + self.rules.txop_limit_ns };
        let txop = Txop { at_ns: idle_ns + self.timing.sifs_ns, ..self.txop.take().unwrap_or(first) };
        let is_open = self.rules.txop_limit_ns > 0 && txop.at_ns < txop.end_ns;
        self.txop = (is_open && self.ready_ns(one.node).is_some_and(|ready_ns| ready_ns <= idle_ns)).then_some(txop);
    }

    pub(super) fn everyone_waits_until(&mut self, idle_ns: u64) {
        for node in &mut self.nodes {
            node.wait_until(idle_ns);
        }
    }

    /// A late beacon does not delay those after it.
    pub(super) fn sent_beacon(&mut self, now_ns: u64) {
        if let Some(beacon) = &mut self.beacon {
            beacon.due_ns = (now_ns / beacon.interval_ns + 1) * beacon.interval_ns;
            beacon.is_late = false;
        }
    }

    /// Packets that the receiver releases arrive at `now_ns`; completed frames are reported to the sending host at
    /// `answer_ns`.
    pub(super) fn release(&mut self, now_ns: u64, answer_ns: u64, queue: usize) {
        let (sender, receiver) = (Self::sender_of(queue), Self::receiver_of(queue));
        let released = &mut self.released;
        let mut late = self.hosts.as_mut().filter(|hosts| hosts.latency_ns(receiver) > 0);
        self.queues[queue].release(|packet| {
            let entry = Released { queue, packet: *packet };
            match &mut late {
                Some(hosts) => hosts.pass_up(now_ns, receiver, entry),
                None => *released.extend(|| entry) = entry,
            }
        });
        if let (Some(hosts), Some(completed)) = (&mut self.hosts, self.queues[queue].completed()) {
            hosts.depart(answer_ns, sender, completed);
        }
    }
}
