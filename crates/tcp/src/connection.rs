//! One endpoint of a connection: the handshake, and the two halves.
//!
//! Segments and times go in; [`Outgoing`] segments and deadlines come out. Every outgoing segment, data or
//! not, passes through the receiving half, which writes the acknowledgement into it.

mod algorithm_echo;
mod ecn_handshake;
mod misbehaviour;
mod negotiation;
mod socket;
mod transport;

use crate::receiver::{AckNeed, EcnMark, Gro, Receiver, ReceiverConfig};
use crate::segment::{flags, timestamp_ms, Segment};
use crate::sender::{Outgoing, Sender, SenderConfig, INITIAL_RTO_US, MAX_RTO_US};
use ecn_handshake::EcnHandshake;
use fairlane_congestion_control::CongestionControl;
use fairlane_transport::Wakeups;
use misbehaviour::Misbehaving;
pub use misbehaviour::Misbehaviour;

/// Settings of an endpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConnectionConfig {
    pub sender: SenderConfig,
    pub receiver: ReceiverConfig,
    /// Merge arriving segments (GRO): the interface's interrupt interval, `None` without.
    pub gro_interval_ns: Option<u64>,
    /// Put the timestamp option on every segment (RFC 7323).
    pub timestamps: bool,
    /// Supports accurate ECN feedback (RFC 9768), if ECN is wanted at all.
    pub accecn: bool,
    /// The rules that the receiving half breaks.
    pub misbehaviour: Option<Misbehaviour>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Closed,
    Listen,
    SynSent,
    SynReceived,
    Established,
}

/// An endpoint.
///
/// Aligned, so that the halves can define which of their fields share a cache line.
#[repr(C, align(64))]
pub struct Connection {
    pub(crate) state: State,
    pub(crate) timestamps: bool,
    /// The application has closed its direction; the peer had done so before.
    pub(crate) closed: bool,
    peer_closed_first: bool,
    /// Arriving segments take a detour, through GRO or a receiver that misbehaves.
    has_detour: bool,
    /// Number of outgoing segments that already carry an acknowledgement.
    completed: u32,
    /// Of the sending half, for the receiving half, which reads it with every segment.
    srtt_us: u32,
    pub(crate) wakeups: Wakeups,
    pub(crate) gro: Option<Box<Gro>>,
    pub(crate) syn: SynTimer,
    pub sender: Sender,
    pub receiver: Receiver,
    /// Written, and perhaps closed, before the connection was established.
    early_bytes: u64,
    early_close: bool,
    pub(crate) ecn: EcnHandshake,
    pub(crate) misbehaving: Option<Box<Misbehaving>>,
}

/// Retransmission of SYN or SYN-ACK (RFC 6298 section 5.7).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct SynTimer {
    deadline_ns: u64,
    sent_ns: u64,
    timeout_us: u64,
    pub(crate) expirations: u32,
    /// Timestamp of the first one that was sent.
    first_tsval: u32,
    /// First timeouts that do not double the next.
    linear_expirations: u32,
    /// Sent more than once: no RTT can be measured from it (Karn).
    repeated: bool,
}

impl Connection {
    pub fn new(config: ConnectionConfig, algorithm: Box<dyn CongestionControl>, now_ns: u64) -> Self {
        let linear_expirations = config.sender.linear_syn_timeouts.into();
        let is_late = config.sender.late_algorithm;
        let needs_accecn = algorithm.callbacks().needs_accecn() && !is_late;
        let sender = Sender::new(config.sender, algorithm);
        let ecn = EcnHandshake::new(sender.uses_ecn() && (config.accecn || needs_accecn));
        let mut receiver = Receiver::new(config.receiver, now_ns);
        if sender.algorithm_needs_ecn() {
            receiver.enable_algorithm_echo();
        }
        let mut made = Self {
            state: State::Closed,
            sender,
            receiver,
            timestamps: config.timestamps,
            has_detour: config.gro_interval_ns.is_some() || config.misbehaviour.is_some(),
            misbehaving: config.misbehaviour.map(|rules| Box::new(Misbehaving::new(rules))),
            gro: config.gro_interval_ns.map(|interval_ns| Box::new(Gro::new(interval_ns))),
            wakeups: Wakeups::NONE,
            completed: 0,
            srtt_us: 0,
            syn: SynTimer {
                sent_ns: 0,
                deadline_ns: u64::MAX,
                timeout_us: u64::from(INITIAL_RTO_US),
                expirations: 0,
                first_tsval: 0,
                linear_expirations,
                repeated: false,
            },
            early_bytes: 0,
            early_close: false,
            closed: false,
            peer_closed_first: false,
            ecn,
        };
        made.note_options(made.receiver.advertised_mss());
        made
    }

    /// Waits for a SYN.
    pub fn listen(&mut self) {
        self.state = State::Listen;
    }

    /// Sends a SYN.
    pub fn connect(&mut self, now_ns: u64) {
        self.state = State::SynSent;
        self.receiver.set_initiator(now_ns);
        self.send_syn(now_ns, flags::SYN);
    }

    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// The application writes; the data is queued until the connection is established.
    pub fn write(&mut self, now_ns: u64, bytes: u64) {
        if self.state == State::Established {
            self.sender.write(now_ns, bytes);
            self.collect(now_ns);
        } else {
            self.early_bytes += bytes;
        }
    }

    /// The application closes its direction.
    pub fn close(&mut self, now_ns: u64) {
        self.closed = true;
        self.peer_closed_first = self.receiver.is_finished();
        self.receiver.set_closing();
        if self.state == State::Established {
            self.sender.close(now_ns);
            self.collect(now_ns);
        } else {
            self.early_close = true;
        }
    }

    /// The application reads (when the receiver does not read by itself).
    pub fn read(&mut self, now_ns: u64, bytes: u64) {
        if self.receiver.read(now_ns, bytes) == AckNeed::Now {
            self.send_ack(now_ns);
        }
    }

    /// A segment arrives from the network with its ECN mark.
    #[inline]
    pub fn on_segment(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark) {
        if !self.has_detour {
            self.handle(now_ns, segment, mark);
        } else if self.misbehaving.is_none() {
            self.on_segment_through_gro(now_ns, segment, mark);
        } else {
            self.on_segment_misbehaving(now_ns, segment, mark);
        }
    }

    /// An honest receiver processes the segment, after GRO if there is any.
    fn on_honest_segment(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark) {
        if self.gro.is_some() {
            self.on_segment_through_gro(now_ns, segment, mark);
        } else {
            self.handle_merged(now_ns, segment, mark);
        }
    }

    /// Exchanges the buffer of outgoing segments for an empty one, so that connections which are handled one at a time
    /// share a buffer that stays in the processor's caches.
    #[inline]
    pub fn exchange_buffer(&mut self, buffer: &mut Vec<Outgoing>) {
        debug_assert!(buffer.is_empty() && self.completed as usize == self.sender.outgoing().len());
        self.completed = 0;
        std::mem::swap(self.sender.outgoing(), buffer);
    }

    /// Segments to put on the wire, in order.
    #[inline]
    pub fn take_outgoing(&mut self) -> std::vec::Drain<'_, Outgoing> {
        self.completed = 0;
        self.sender.outgoing().drain(..)
    }

    #[inline]
    pub fn has_outgoing(&self) -> bool {
        self.completed > 0
    }

    /// A lower bound of the next timer; cheap to compute.
    #[inline]
    pub fn wakeup_bound_ns(&self) -> u64 {
        self.sender.wakeup_bound_ns().min(self.receiver_deadline_ns())
    }

    /// When the next timer fires exactly; `u64::MAX` when none is set.
    pub fn deadline_ns(&self) -> u64 {
        self.sender.deadline_ns().min(self.receiver_deadline_ns())
    }

    #[inline]
    fn receiver_deadline_ns(&self) -> u64 {
        let gro_ns = self.gro.as_ref().map_or(u64::MAX, |gro| gro.deadline_ns());
        self.receiver.deadline_ns().min(gro_ns).min(self.syn.deadline_ns)
    }

    /// Runs all timers that are due at `now_ns`.
    pub fn on_timer(&mut self, now_ns: u64) {
        if let Some(mut gro) = self.gro.take() {
            gro.on_timer(now_ns, |segment, mark| self.handle_merged(now_ns, segment, mark));
            self.gro = Some(gro);
        }
        if self.syn.deadline_ns <= now_ns {
            self.on_syn_timeout(now_ns);
        }
        if self.receiver.deadline_ns() <= now_ns && self.receiver.on_timer(now_ns) == AckNeed::Now {
            self.send_ack(now_ns);
        }
        if self.state == State::Established {
            self.sender.on_timer(now_ns);
            self.collect(now_ns);
        }
    }

    /// Bytes of this connection are in an fq host queue, as far as TCP knows.
    #[inline]
    pub fn waits_for_host_queue(&self) -> bool {
        self.sender.waits_for_host_queue()
    }

    /// The fq host queue sent `bytes` of this connection.
    pub fn on_host_queue_sent(&mut self, now_ns: u64, bytes: u64) {
        self.sender.on_host_queue_sent(now_ns, bytes);
        self.collect(now_ns);
    }

    fn on_segment_through_gro(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark) {
        let is_handshake = self.state != State::Established;
        if !is_handshake && self.gro.as_mut().is_some_and(|gro| gro.bypasses(now_ns, segment)) {
            return self.handle_merged(now_ns, segment, mark);
        }
        let Some(mut gro) = self.gro.take() else { return };
        gro.push(now_ns, segment, mark, |segment, mark| self.handle_merged(now_ns, segment, mark));
        if is_handshake {
            gro.set_accecn(self.ecn.is_accurate());
        }
        self.gro = Some(gro);
    }

    /// A copy of [`handle`](Self::handle) that is not inlined, unlike on the path without GRO.
    #[inline(never)]
    fn handle_merged(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark) {
        self.handle(now_ns, segment, mark);
    }

    #[inline]
    fn handle(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark) {
        // RFC 9293 section 3.10.7.4: a segment without ACK is dropped.
        let is_plain = segment.flags & (flags::SYN | flags::ACK) == flags::ACK;
        if self.state != State::Established || !is_plain {
            self.on_handshake(now_ns, segment, mark);
            if self.state != State::Established || !is_plain {
                return;
            }
        }
        if !self.sender.accepts_ack(segment.ack) {
            return self.challenge(now_ns);
        }
        // A peer that only receives need not process the ACK field of data.
        if segment.len == 0 || segment.ack > self.sender.snd_una() || self.sender.snd_nxt() > self.sender.snd_una() {
            self.sender.on_ack(now_ns, segment);
            self.srtt_us = self.sender.sock.srtt_us;
        }
        if self.sender.algorithm_needs_ecn() && mark != EcnMark::NotEct {
            self.report_mark(now_ns, segment, mark);
        }
        let need = self.receiver.on_data(now_ns, segment, mark, self.srtt_us);
        let acknowledged = self.collect(now_ns);
        if need == AckNeed::Now && !acknowledged {
            self.send_ack(now_ns);
        } else {
            self.sender.reserve_feedback_options(self.receiver.feedback_option_bytes());
        }
        if self.receiver.take_update_due() {
            self.send_ack(now_ns);
        }
        if self.peer_closed_first && self.sender.all_acknowledged() {
            self.state = State::Closed; // RFC 9293 section 3.6: the end that closes last need not linger
        }
    }

    /// A segment with an unacceptable acknowledgement is dropped; a challenge ACK tells the peer the state of this end
    /// (RFC 9293 section 3.10.7.4, RFC 5961 section 5.2).
    #[cold]
    fn challenge(&mut self, now_ns: u64) {
        if self.receiver.may_challenge(now_ns) {
            self.send_ack(now_ns);
        }
    }

    fn on_handshake(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark) {
        let is_syn = segment.flags & flags::SYN != 0;
        let has_ack = segment.flags & flags::ACK != 0;
        match self.state {
            State::Listen if is_syn && !has_ack => {
                self.state = State::SynReceived;
                self.receiver.on_syn(segment);
                self.answer_ecn(segment, mark);
                self.send_syn(now_ns, flags::SYN | flags::ACK);
            }
            State::SynSent if is_syn && has_ack => {
                self.receiver.on_syn(segment);
                self.conclude_ecn(segment, mark);
                self.establish(now_ns, segment, false);
                self.send_ack(now_ns);
                self.write_early_data(now_ns);
            }
            State::SynReceived if is_syn && !has_ack => {
                self.syn.repeated = true;
                self.ecn.on_repeated_syn(mark);
                self.send_syn(now_ns, flags::SYN | flags::ACK);
            }
            State::SynReceived if has_ack && !is_syn => {
                self.confirm_ecn(segment);
                self.establish(now_ns, segment, true);
                self.write_early_data(now_ns);
            }
            // Our ACK of the SYN-ACK was lost: send it again.
            State::Established if is_syn && has_ack => {
                if let Some(accecn) = self.receiver.accecn() {
                    accecn.on_repeated_syn_ack(mark);
                }
                self.send_ack(now_ns);
            }
            State::Closed if self.closed => self.refuse(now_ns, segment),
            _ => {}
        }
    }

    fn establish(&mut self, now_ns: u64, segment: &Segment, passive: bool) {
        self.state = State::Established;
        self.syn.deadline_ns = u64::MAX;
        // RFC 5681 section 3.1 starts with one packet after a lost SYN; Linux does so after two, unless the echoed
        // timestamp shows that the first had arrived.
        let is_spurious = segment.has_timestamps && segment.tsecr == self.syn.first_tsval;
        self.sender.sock.total_retrans += self.syn.expirations;
        if self.syn.expirations > 1 && !is_spurious {
            self.sender.sock.snd_cwnd = 1;
        }
        let rtt_us = (!self.syn.repeated).then(|| ((now_ns - self.syn.sent_ns) / 1000) as u32);
        self.sender.sock.rcv_nxt = self.receiver.rcv_nxt() as u32;
        self.sender.establish(now_ns, rtt_us, segment.window, passive);
        self.srtt_us = self.sender.sock.srtt_us;
    }

    fn write_early_data(&mut self, now_ns: u64) {
        if self.early_bytes > 0 {
            self.write(now_ns, self.early_bytes);
        }
        if self.early_close {
            self.close(now_ns);
        }
    }

    fn send_syn(&mut self, now_ns: u64, syn_flags: u8) {
        let mut segment = Segment { flags: syn_flags, tsval: timestamp_ms(now_ns), ..Segment::default() };
        if syn_flags & flags::ACK != 0 {
            self.receiver.fill_ack(now_ns, &mut segment);
        } else {
            segment.window = self.receiver.offered_window_bytes();
        }
        self.write_ecn_flags(&mut segment);
        segment.has_timestamps = self.timestamps;
        if self.syn.expirations == 0 {
            self.syn.first_tsval = segment.tsval;
        }
        self.syn.sent_ns = now_ns;
        self.syn.deadline_ns = now_ns + self.syn.timeout_us * 1000;
        self.put_marked(segment, now_ns, self.sender.sends_ecn_capable_syns());
    }

    fn on_syn_timeout(&mut self, now_ns: u64) {
        self.syn.expirations += 1;
        if self.state != State::SynSent || self.syn.expirations > self.syn.linear_expirations {
            self.syn.timeout_us = (self.syn.timeout_us * 2).min(MAX_RTO_US);
        }
        self.syn.repeated = true;
        match self.state {
            State::SynSent => self.send_syn(now_ns, flags::SYN),
            State::SynReceived => self.send_syn(now_ns, flags::SYN | flags::ACK),
            _ => self.syn.deadline_ns = u64::MAX,
        }
    }

    /// Writes the acknowledgement into new outgoing segments; returns whether they carry all of it.
    #[inline]
    pub(crate) fn collect(&mut self, now_ns: u64) -> bool {
        let out = self.sender.outgoing();
        let Some((first, others)) = out[self.completed as usize..].split_first_mut() else { return false };
        let first = &mut first.datagram;
        let are_alike = self.receiver.next_acks_are_alike();
        first.has_timestamps = self.timestamps;
        self.receiver.fill_ack(now_ns, first);
        // There may be no room for SACK blocks.
        let mut complete = first.sack_count > 0 || !self.receiver.has_sack_blocks();
        let mut carried_data = first.len > 0;
        for Outgoing { datagram: segment, .. } in others {
            segment.has_timestamps = self.timestamps;
            if are_alike {
                self.receiver.repeat_ack(first, segment);
            } else {
                self.receiver.fill_ack(now_ns, segment);
                complete |= segment.sack_count > 0 || !self.receiver.has_sack_blocks();
            }
            carried_data |= segment.len > 0;
        }
        self.completed = out.len() as u32;
        if carried_data {
            self.receiver.on_data_sent(now_ns);
        }
        self.sender.reserve_feedback_options(self.receiver.feedback_option_bytes());
        complete
    }

    /// Queues a complete segment.
    #[inline]
    pub(crate) fn put(&mut self, segment: Segment, departure_ns: u64) {
        self.put_marked(segment, departure_ns, self.sender.sends_all_ecn_capable());
    }

    #[inline]
    fn put_marked(&mut self, segment: Segment, departure_ns: u64, ect: bool) {
        debug_assert_eq!(self.completed as usize, self.sender.outgoing().len());
        self.sender.outgoing().push(Outgoing { datagram: segment, departure_ns, ect, continues_burst: false });
        self.completed += 1;
    }

    /// An acknowledgement or a reset; `ack` and options are missing.
    #[inline]
    fn segment_without_data(&self, now_ns: u64, flags: u8) -> Segment {
        let (seq, tsval) = (self.sender.snd_nxt(), timestamp_ms(now_ns));
        Segment { seq, flags, tsval, has_timestamps: self.timestamps, ..Segment::default() }
    }

    pub(crate) fn send_ack(&mut self, now_ns: u64) {
        let mut segment = self.segment_without_data(now_ns, flags::ACK);
        self.receiver.fill_ack(now_ns, &mut segment);
        self.sender.reserve_feedback_options(self.receiver.feedback_option_bytes());
        self.put(segment, now_ns);
    }
}
