//! Advances time, collects packets from the connection, and delivers packets of the script to it.

use super::endpoint::{mark_of, Endpoint};
use super::failure::Failure;
use super::Player;
use crate::script::{Direction, EcnBits, Packet};
use fairlane_tcp::segment::flags;
use fairlane_tcp::Outgoing;
use std::collections::VecDeque;

/// A packet that the connection sent: one burst, as TSO hands it to the network card.
#[derive(Clone, Debug)]
pub(super) struct Sniffed {
    pub time_ns: u64,
    pub packet: Packet,
    /// The connection's own timestamp, if it has one.
    pub live_timestamp: Option<u32>,
    /// Size of its segments (the last may be shorter).
    pub segment_len: u32,
}

/// Packets of a paced connection that are queued until their departure time.
pub(super) type HostQueue = VecDeque<Outgoing>;

impl Player<'_> {
    /// Advances time to `until_ns` and runs timers.
    pub(super) fn advance(&mut self, until_ns: u64) {
        while let Some(next_ns) = self.next_timer_ns().filter(|&next_ns| next_ns <= until_ns) {
            self.fire(next_ns);
        }
        self.now_ns = self.now_ns.max(until_ns);
    }

    /// Advances time until the connection has sent a packet; `None` if it has not by `until_ns`.
    pub(super) fn next_sniffed(&mut self, until_ns: u64) -> Option<Sniffed> {
        loop {
            if let Some(sniffed) = self.sniffed.pop_front() {
                return Some(sniffed);
            }
            let next_ns = self.next_timer_ns().filter(|&next_ns| next_ns <= until_ns)?;
            self.fire(next_ns);
        }
    }

    fn next_timer_ns(&self) -> Option<u64> {
        let endpoint = self.endpoint.as_ref()?;
        let timer_ns = if endpoint.reset { u64::MAX } else { endpoint.connection.deadline_ns() };
        let queue_ns = self.host_queue.front().map_or(u64::MAX, |outgoing| outgoing.departure_ns);
        let next_ns = timer_ns.min(queue_ns).max(self.now_ns);
        (next_ns < u64::MAX).then_some(next_ns)
    }

    fn fire(&mut self, at_ns: u64) {
        self.now_ns = at_ns;
        let mut sent_bytes = 0;
        while self.host_queue.front().is_some_and(|outgoing| outgoing.departure_ns <= at_ns) {
            let Some(outgoing) = self.host_queue.pop_front() else { break };
            sent_bytes += u64::from(outgoing.datagram.len);
            self.sniff(&outgoing);
        }
        if let Some(endpoint) = &mut self.endpoint {
            if sent_bytes > 0 {
                endpoint.connection.on_host_queue_sent(at_ns, sent_bytes);
            }
            if endpoint.connection.deadline_ns() <= at_ns {
                endpoint.connection.on_timer(at_ns);
            }
        }
        self.settle();
    }

    /// Collects the connection's outgoing packets, and retries blocked calls.
    pub(super) fn settle(&mut self) {
        while let Some(endpoint) = self.endpoint.as_mut().filter(|endpoint| endpoint.connection.has_outgoing()) {
            let batch: Vec<Outgoing> = endpoint.connection.take_outgoing().collect();
            let mut sent_bytes = 0;
            for outgoing in batch {
                if outgoing.departure_ns > self.now_ns || !self.host_queue.is_empty() {
                    self.host_queue.push_back(outgoing);
                } else {
                    sent_bytes += u64::from(outgoing.datagram.len);
                    self.sniff(&outgoing);
                }
            }
            if let Some(endpoint) = self.endpoint.as_mut().filter(|endpoint| endpoint.connection.waits_for_host_queue())
            {
                endpoint.connection.on_host_queue_sent(self.now_ns, sent_bytes);
            }
        }
        self.retry_blocked();
    }

    fn sniff(&mut self, outgoing: &Outgoing) {
        let Some(endpoint) = &self.endpoint else { return };
        let packet = endpoint.packet_of(outgoing);
        if let Some(burst) =
            self.sniffed.back_mut().filter(|last| outgoing.continues_burst && last.goes_on_with(&packet))
        {
            burst.packet.len += packet.len;
            burst.packet.flags |= packet.flags;
            return;
        }
        let live_timestamp = outgoing.datagram.has_timestamps.then_some(outgoing.datagram.tsval);
        let segment_len = packet.len;
        self.sniffed.push_back(Sniffed { time_ns: self.now_ns, packet, live_timestamp, segment_len });
    }

    /// Delivers a packet of the script to the connection.
    pub(super) fn inject(&mut self, line: usize, packet: &Packet) -> Result<(), Failure> {
        let is_syn = packet.has(flags::SYN);
        let is_opening = is_syn && !packet.has(flags::ACK);
        if self.endpoint.is_none() && is_opening {
            let mut endpoint = self.passive_endpoint(line)?;
            endpoint.connection.listen();
            endpoint.negotiate(self.now_ns, packet);
            self.endpoint = Some(endpoint);
        }
        let Some(endpoint) = &mut self.endpoint else {
            return self.refuse(line, packet);
        };
        if is_syn && packet.has(flags::ACK) && endpoint.active && !endpoint.connection.is_established() {
            endpoint.negotiate(self.now_ns, packet);
        }
        if packet.window.is_none() && !packet.has(flags::RST) {
            return Err(Failure::packet(line, "an inbound packet must state its window"));
        }
        self.deliver(packet);
        Ok(())
    }

    /// A listening socket without a connection (RFC 9293 section 3.10.7.2): a reset answers an acknowledgement, and a
    /// segment without SYN and ACK is dropped.
    fn refuse(&mut self, line: usize, packet: &Packet) -> Result<(), Failure> {
        if self.sockets.listening().is_none() {
            return Err(Failure::packet(line, "no matching socket for script packet"));
        }
        if packet.has(flags::ACK) && !packet.has(flags::RST) {
            self.sniff_reset(packet.ack);
        }
        Ok(())
    }

    /// A reset without a connection: its sequence number is that of the acknowledgement that it answers.
    fn sniff_reset(&mut self, seq: u32) {
        let packet = Packet {
            direction: Direction::Outbound,
            ecn: Some(EcnBits::NotEct),
            flags: flags::RST,
            seq,
            len: 0,
            ack: 0,
            window: Some(0),
            options: Some(Vec::new()),
        };
        self.sniffed.push_back(Sniffed { time_ns: self.now_ns, packet, live_timestamp: None, segment_len: 0 });
    }

    fn deliver(&mut self, packet: &Packet) {
        let now_ns = self.now_ns;
        let Some(endpoint) = self.endpoint.as_mut().filter(|endpoint| !endpoint.reset) else { return };
        let segment = endpoint.segment_of(packet);
        if packet.has(flags::RST) {
            if endpoint.accepts_reset(&segment) {
                endpoint.error = endpoint.error_of_reset();
                endpoint.reset = true;
            }
        } else if endpoint.is_unwanted(&segment) {
            endpoint.reset = true;
            endpoint.error = Some("ECONNRESET");
            self.sniff_reset(packet.ack);
        } else {
            endpoint.connection.on_segment(now_ns, &segment, mark_of(packet));
        }
        self.settle();
    }
}

// States in `tcpi_state`.
const SYN_SENT: u8 = 2;
const FIN_WAIT_1: u8 = 4;
const FIN_WAIT_2: u8 = 5;
const CLOSE: u8 = 7;
const CLOSE_WAIT: u8 = 8;

impl Sniffed {
    fn goes_on_with(&self, next: &Packet) -> bool {
        self.packet.seq.wrapping_add(self.packet.len) == next.seq
    }
}

impl Endpoint {
    /// RFC 9293 section 3.10.7: a reset must lie in the window (and before that, acknowledge the SYN).
    fn accepts_reset(&self, segment: &fairlane_tcp::Segment) -> bool {
        let receiver = &self.connection.receiver;
        !self.connection.is_established() || (receiver.rcv_nxt()..=receiver.right_edge()).contains(&segment.seq)
    }

    /// As `tcp_reset` sets it.
    fn error_of_reset(&self) -> Option<&'static str> {
        match self.connection.state_number(false) {
            SYN_SENT => Some("ECONNREFUSED"),
            CLOSE_WAIT => Some("EPIPE"),
            CLOSE => None,
            _ => Some("ECONNRESET"),
        }
    }

    /// New data after this end has closed both directions, which Linux answers by a reset.
    fn is_unwanted(&self, segment: &fairlane_tcp::Segment) -> bool {
        self.receive_shut
            && matches!(self.connection.state_number(false), FIN_WAIT_1 | FIN_WAIT_2)
            && segment.len > 0
            && segment.seq + u64::from(segment.len) > self.connection.receiver.rcv_nxt()
    }
}
