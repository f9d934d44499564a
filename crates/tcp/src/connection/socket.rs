//! Requests of an application other than writing, reading and closing: socket options, an abort, and the state in
//! `getsockopt(TCP_INFO)`.

use super::{Connection, State};
use crate::segment::{flags, Segment};

impl Connection {
    /// Writes with explicit boundaries; `more` announces another write (MSG_MORE). Returns how many bytes fit into a
    /// send buffer of `buffer_bytes` (SO_SNDBUF, doubled).
    pub fn write_with(&mut self, now_ns: u64, bytes: u64, more: bool, buffer_bytes: u64) -> u64 {
        let written = self.sender.write_with(now_ns, bytes, more, buffer_bytes);
        self.collect(now_ns);
        written
    }

    /// Switches Nagle's algorithm (the opposite of TCP_NODELAY).
    pub fn set_nagle(&mut self, now_ns: u64, on: bool) {
        self.sender.set_nagle(now_ns, on);
        self.collect(now_ns);
    }

    /// TCP_CORK: delays segments below the MSS until it is switched off.
    pub fn set_cork(&mut self, now_ns: u64, on: bool) {
        self.sender.set_cork(now_ns, on);
        self.collect(now_ns);
    }

    /// Starts the algorithm of a connection that was established without (TCP_CONGESTION; `late_algorithm`).
    pub fn start_algorithm(&mut self) {
        if self.state == State::Established && self.sender.start_late_algorithm() && self.sender.algorithm_needs_ecn() {
            self.receiver.enable_algorithm_echo();
        }
    }

    /// TCP_QUICKACK: acknowledge at once from now on, or treat the connection as an interactive one.
    pub fn set_quick_acks(&mut self, now_ns: u64, on: bool) {
        if self.receiver.set_quick_acks(on) {
            self.send_ack(now_ns);
        }
    }

    /// Ends the connection with a reset (RFC 9293 section 3.10.5).
    pub fn abort(&mut self, now_ns: u64) {
        if self.state != State::Closed {
            let reset = self.segment_without_data(now_ns, flags::RST | flags::ACK);
            self.put(Segment { ack: self.receiver.rcv_nxt(), ..reset }, now_ns);
            self.closed = true;
            self.state = State::Closed;
        }
    }

    /// Abandons a connection that is not established yet, without sending a segment.
    pub fn abandon(&mut self) {
        self.closed = true;
        self.state = State::Closed;
    }

    /// Answers a segment for which there is no connection (RFC 9293 section 3.10.7.1).
    pub(crate) fn refuse(&mut self, now_ns: u64, segment: &Segment) {
        if segment.flags & flags::RST != 0 {
            return;
        }
        let reset = if segment.flags & flags::ACK != 0 {
            Segment { seq: segment.ack, flags: flags::RST, ..Segment::default() }
        } else {
            Segment { ack: segment.end_seq(), flags: flags::RST | flags::ACK, ..Segment::default() }
        };
        self.put(reset, now_ns);
    }

    /// The application has closed its direction.
    pub fn is_closing(&self) -> bool {
        self.closed
    }

    /// Both ends put timestamps on their segments.
    pub fn uses_timestamps(&self) -> bool {
        self.timestamps
    }

    /// The state as `tcpi_state` numbers it; `reset` says that a reset ended the connection.
    pub fn state_number(&self, reset: bool) -> u8 {
        let peer_closed = self.receiver.is_finished();
        match self.state {
            _ if reset => CLOSE,
            State::Closed => CLOSE,
            State::Listen => LISTEN,
            State::SynSent => SYN_SENT,
            State::SynReceived => SYN_RECEIVED,
            State::Established => match (self.closed, self.sender.all_acknowledged(), peer_closed) {
                (false, _, false) => ESTABLISHED,
                (false, _, true) => CLOSE_WAIT,
                (true, false, false) => FIN_WAIT_1,
                (true, true, false) => FIN_WAIT_2,
                (true, false, true) => LAST_ACK,
                // TIME-WAIT is kept elsewhere: the socket itself reports CLOSE, as on Linux.
                (true, true, true) => CLOSE,
            },
        }
    }
}

// Numbers of `enum` in the kernel's include/net/tcp_states.h, which are part of its interface.
const ESTABLISHED: u8 = 1;
const SYN_SENT: u8 = 2;
const SYN_RECEIVED: u8 = 3;
const FIN_WAIT_1: u8 = 4;
const FIN_WAIT_2: u8 = 5;
const CLOSE: u8 = 7;
const CLOSE_WAIT: u8 = 8;
const LAST_ACK: u8 = 9;
const LISTEN: u8 = 10;
