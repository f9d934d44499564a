//! Stations that do not hear each other.
//!
//! A station that does not hear a frame continues to count its backoff and may transmit while the frame is on the air;
//! the access point, which hears both, then decodes neither. All stations hear the answers of the access point, so a
//! frame is exposed until it ends, or with RTS until the RTS ends. (For stations that could start in the SIFS before
//! the answer, it counts as part of the frame.) Frames that overlap end one by one; each sender without an answer waits
//! for it and contends again, possibly while the other frame is still on the air.

use fairlane_contract::WifiConfig;

use super::contender::Contender;
use super::exchange::{Frame, Transmission};
use super::hardware::Formed;
use super::{Wifi, ACCESS_POINT};

/// By node: which other nodes it hears. None if all hear all.
pub(super) struct HiddenNodes(Option<Vec<Vec<bool>>>);

impl HiddenNodes {
    pub fn new(config: &WifiConfig, nodes: usize) -> Self {
        if config.stations.iter().all(|station| station.hidden_from.is_empty()) {
            return Self(None);
        }
        let mut hears = vec![vec![true; nodes]; nodes];
        for (index, station) in config.stations.iter().enumerate() {
            for (other, _) in
                config.stations.iter().enumerate().filter(|(_, one)| station.hidden_from.contains(&one.name))
            {
                hears[index + 1][other + 1] = false;
                hears[other + 1][index + 1] = false;
            }
        }
        Self(Some(hears))
    }

    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    pub fn hears(&self, node: usize, sender: usize) -> bool {
        self.0.as_ref().is_none_or(|hears| hears[node][sender])
    }

    pub fn hears_any(&self, node: usize, on_air: &[Transmission]) -> bool {
        self.0.is_none() || on_air.iter().any(|one| self.hears(node, one.node))
    }

    /// A frame or its RTS was answered: nodes that did not hear it hear the access point and stop counting.
    pub fn freeze_hidden(&self, nodes: &mut [Contender], one: &Transmission, is_answered: bool, slot_ns: u64) {
        let has_cts = one.exposed_ns < one.end_ns;
        if !self.is_some() || !(is_answered || has_cts) {
            return;
        }
        for (node, contender) in nodes.iter_mut().enumerate() {
            if !self.hears(node, one.node) {
                contender.freeze(one.exposed_ns, slot_ns);
            }
        }
    }
}

impl<P: Copy> Wifi<P> {
    /// Time of the next action while frames are on the air.
    pub(super) fn next_on_air_ns(&self) -> u64 {
        if !self.hidden_nodes.is_some() {
            return self.busy_ns;
        }
        let end_ns = self.on_air.iter().map(|one| one.end_ns).min().unwrap_or(u64::MAX);
        let exposed_ns = self.on_air.iter().map(|one| one.exposed_ns).min().unwrap_or(0);
        let access_ns = (0..self.nodes.len()).filter_map(|node| self.hidden_access_ns(node)).min();
        end_ns.min(access_ns.filter(|&at_ns| at_ns < exposed_ns).unwrap_or(u64::MAX))
    }

    /// When a node that hears no frame on the air transmits.
    fn hidden_access_ns(&self, node: usize) -> Option<u64> {
        if self.hidden_nodes.hears_any(node, &self.on_air) || self.on_air.iter().any(|one| one.node == node) {
            return None;
        }
        Some(self.nodes[node].access_ns(self.ready_ns(node)?, self.timing.slot_ns))
    }

    /// A frame ends while others are on the air, or a hidden station starts.
    pub(super) fn on_overlap(&mut self, now_ns: u64) {
        let is_over = |one: &Transmission| one.end_ns <= now_ns;
        match self.on_air.iter().position(is_over) {
            Some(0) if self.on_air.len() == 1 && !self.on_air[0].is_spoiled => {
                self.busy_ns = now_ns;
                self.end_access(now_ns);
            }
            Some(_) => {
                let over: Vec<Transmission> = self.on_air.iter().copied().filter(is_over).collect();
                self.on_air.retain(|one| !is_over(one));
                over.iter().for_each(|one| self.end_spoiled(now_ns, one));
                self.times.collision_ns += now_ns - self.times.until_ns;
                self.times.until_ns = now_ns;
                if self.on_air.is_empty() {
                    self.note_late_beacon(now_ns, now_ns);
                }
            }
            None => self.join(now_ns),
        }
    }

    /// Starts the due stations that hear no frame on the air.
    fn join(&mut self, now_ns: u64) {
        let due = |wifi: &Self, node| wifi.hidden_access_ns(node).is_some_and(|at_ns| at_ns <= now_ns);
        let joining: Vec<usize> = (0..self.nodes.len()).filter(|&node| due(self, node)).collect();
        let before = self.on_air.len();
        for node in joining {
            if let Some(frame) = self.next_frame(node, now_ns, None) {
                self.transmit(node, frame, now_ns);
            }
        }
        if self.on_air.len() == before {
            return;
        }
        let slot_ns = self.timing.slot_ns;
        let (others, new) = self.on_air.split_at(before);
        for (node, contender) in self.nodes.iter_mut().enumerate() {
            let is_sending = self.on_air.iter().any(|one| one.node == node);
            if !is_sending && !self.hidden_nodes.hears_any(node, others) && self.hidden_nodes.hears_any(node, new) {
                contender.freeze(now_ns, slot_ns);
            }
        }
        for (index, one) in self.on_air.iter_mut().enumerate() {
            one.is_spoiled = true;
            one.end_ns = one.exposed_ns; // no CTS follows
            if let (true, Frame::Data { queue, aggregate, .. }) = (index >= before && !self.rules.has_rts, one.frame) {
                self.queues[queue].stats.note_ppdu(aggregate.mpdus, aggregate.retransmitted);
            }
        }
    }

    /// Ends a frame that no receiver could decode.
    fn end_spoiled(&mut self, now_ns: u64, one: &Transmission) {
        self.log(one, now_ns, 0, true);
        let mut extra_ns = 0;
        if let Frame::Data { queue, .. } | Frame::BlockAckRequest { queue } = one.frame {
            extra_ns = self.timing.eifs_extra_ns(self.queues[queue].rate.control);
            self.queues[queue].stats.collisions += 1;
            self.charge(queue, now_ns - one.start_ns);
        }
        match one.frame {
            Frame::Data { queue, aggregate, choice } if self.rules.has_rts => {
                self.take_back(one.node, Formed { queue, aggregate, choice });
            }
            Frame::Data { queue, aggregate, .. } => {
                self.queues[queue].miss(aggregate, self.rules.retry_limit);
                self.queues[queue].needs_request = self.rules.has_block_ack_requests;
                self.release(now_ns, now_ns, queue);
                self.fill_drivers(one.node, now_ns);
            }
            Frame::BlockAckRequest { .. } => {}
            Frame::Beacon => self.sent_beacon(now_ns),
        }
        self.feed_hardware(one.node, now_ns);
        for node in 0..self.nodes.len() {
            let is_sending = self.on_air.iter().any(|other| other.node == node);
            if node == one.node {
                if matches!(one.frame, Frame::Beacon) {
                    self.nodes[node].succeed();
                    self.nodes[node].wait_until(now_ns);
                } else {
                    self.nodes[node].fail();
                    self.nodes[node].wait_until(now_ns + self.timing.answer_timeout_ns());
                }
            } else if !is_sending && self.hidden_nodes.hears(node, one.node) && !self.hears_on_air(node) {
                self.nodes[node].wait_until(now_ns + extra_ns);
            }
        }
    }

    /// Whether the channel is busy for a node.
    pub(super) fn hears_on_air(&self, node: usize) -> bool {
        !self.on_air.is_empty() && self.hidden_nodes.hears_any(node, &self.on_air)
    }

    /// Whether the common limit of all downlinks is reached.
    pub(super) fn is_downlink_full(&self, queue: usize) -> bool {
        let Some(most) = self.rules.downlink_packets.filter(|_| Self::sender_of(queue) == ACCESS_POINT) else {
            return false;
        };
        self.queues_of(ACCESS_POINT).map(|queue| self.queues[queue].backlog_packets()).sum::<u64>() >= most
    }
}
