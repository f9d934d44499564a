//! ECN negotiation in the handshake.
//!
//! Classic ECN (RFC 3168) is configured equally at both ends of a simulation. AccECN (RFC 9768 section 3.1) is
//! negotiated, because an end that supports it must find out whether its peer does.

use super::Connection;
use crate::accecn::handshake::{self, Feedback};
use crate::accecn::{ace, DataReceiver, DataSender};
use crate::receiver::EcnMark;
use crate::segment::{flags, Segment};

/// State of the negotiation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EcnHandshake {
    /// This end offers AccECN; after the handshake, both ends use it.
    accurate: bool,
    /// Mark of the latest SYN.
    syn_mark: EcnMark,
    /// A SYN-ACK without ECN was sent: this end may not send ECT (RFC 9768 section 3.1.5).
    has_given_up: bool,
}

impl EcnHandshake {
    pub fn new(accurate: bool) -> Self {
        Self { accurate, syn_mark: EcnMark::NotEct, has_given_up: false }
    }

    #[inline]
    pub fn is_accurate(&self) -> bool {
        self.accurate
    }

    /// Feedback reports the mark of the latest SYN (RFC 9768 section 3.1.5).
    pub fn on_repeated_syn(&mut self, mark: EcnMark) {
        self.syn_mark = mark;
    }
}

impl Connection {
    /// The ECN flags of a SYN or SYN-ACK that this end sends.
    pub(crate) fn write_ecn_flags(&mut self, segment: &mut Segment) {
        let is_answer = segment.flags & flags::ACK != 0;
        if !self.ecn.accurate {
            // RFC 3168 section 6.1.1: both flags ask for ECN, one agrees. Section 6.1.1.1: a SYN that may have been
            // lost for these flags is retransmitted without them (net.ipv4.tcp_ecn_fallback).
            let was_lost = !is_answer && self.syn.expirations > 0;
            if self.sender.uses_ecn() && !was_lost {
                segment.flags |= if is_answer { flags::ECE } else { flags::ECE | flags::CWR };
            }
            return;
        }
        if self.syn.expirations >= handshake::GIVES_UP_AFTER {
            self.ecn.has_given_up = is_answer;
            return;
        }
        let value = if is_answer { ace::handshake_encoding(self.ecn.syn_mark) } else { handshake::REQUEST };
        segment.flags = ace::with_field(segment.flags, value);
        // RFC 9768 sections 3.2.3.2.1 and 3.2.3.2.2: the first SYN-ACK tests whether the option gets through.
        if let Some(accecn) = self.receiver.accecn().filter(|_| is_answer && self.syn.expirations == 0) {
            segment.set_accecn_option(&accecn.option(3));
        }
    }

    /// A SYN arrives.
    pub(crate) fn answer_ecn(&mut self, segment: &Segment, mark: EcnMark) {
        if !self.ecn.accurate {
            // RFC 3168 section 6.1.1 forbids ECN-capable SYNs; a listener answers to one only if its own algorithm needs ECN,
            // as the peer's seems to (as in Linux).
            let asks = segment.flags & flags::ECE != 0 && segment.flags & flags::CWR != 0;
            return self.keep_ecn_if(asks && (mark == EcnMark::NotEct || self.sender.algorithm_needs_ecn()));
        }
        self.ecn.syn_mark = mark;
        match handshake::answer(Feedback::Accurate, ace::field(segment.flags), mark).0 {
            Feedback::Accurate => self.receiver.use_accecn(DataReceiver::server()),
            other => self.fall_back(other),
        }
    }

    /// A SYN-ACK arrives.
    pub(crate) fn conclude_ecn(&mut self, segment: &Segment, mark: EcnMark) {
        if !self.ecn.accurate {
            return self.keep_ecn_if(segment.flags & flags::ECE != 0);
        }
        match handshake::conclude(ace::field(segment.flags)) {
            Feedback::Accurate => {
                self.receiver.use_accecn(DataReceiver::client(mark));
                let mut feedback = DataSender::new(Some(ace::INITIAL_CEP));
                feedback.test_option(segment);
                self.sender.use_accecn(feedback);
            }
            other => self.fall_back(other),
        }
    }

    /// The handshake of the end that sent the SYN-ACK ends with this segment.
    pub(crate) fn confirm_ecn(&mut self, segment: &Segment) {
        if !self.ecn.accurate {
            return;
        }
        let is_pure_ack = segment.len == 0 && segment.sack_count == 0;
        let mut feedback = if self.ecn.has_given_up {
            DataSender::new(None)
        } else if is_pure_ack {
            DataSender::of_handshake(ace::field(segment.flags))
        } else {
            DataSender::new(Some(ace::INITIAL_CEP))
        };
        feedback.test_option(segment);
        self.sender.use_accecn(feedback);
    }

    fn keep_ecn_if(&mut self, peer_wants_it: bool) {
        if !peer_wants_it {
            self.sender.refuse_ecn();
        }
    }

    fn fall_back(&mut self, feedback: Feedback) {
        self.ecn.accurate = false;
        if feedback == Feedback::None {
            self.sender.refuse_ecn();
            self.receiver.refuse_ecn();
        }
    }
}
