//! A transport that checks its owner's calling order.

use crate::{Datagram, EcnMark, Outgoing, Prefetch, Side, Transport, TransportSample, Wakeups};
use fairlane_congestion_control::{AlgorithmFault, TcpSock};
use fairlane_engine::Histogram;
use std::vec::Drain;

/// A [`Transport`] for tests that panics when it is called in another order than the trait documents. It also checks
/// the trait's guarantees to the owner.
#[derive(Debug)]
pub struct Checked<T> {
    endpoint: T,
    state: State,
    now_ns: u64,
    is_closed: bool,
    /// `take_wakeup` returned that timers may be due now.
    may_run_timers: bool,
    /// Payload that the owner received and has not reported as sent by the host's queue.
    payload_at_owner_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Settled,
    Unsettled,
    Released,
}

impl<T: Transport> Checked<T> {
    pub fn new(endpoint: T) -> Self {
        Self {
            endpoint,
            state: State::New,
            now_ns: 0,
            is_closed: false,
            may_run_timers: false,
            payload_at_owner_bytes: 0,
        }
    }

    /// The checked endpoint, for observers.
    pub fn endpoint(&self) -> &T {
        &self.endpoint
    }

    fn input(&mut self, name: &str, now_ns: u64) {
        assert!(matches!(self.state, State::Settled | State::Unsettled), "{name} in state {:?}", self.state);
        self.advance_time(name, now_ns);
        self.state = State::Unsettled;
        self.may_run_timers = false;
    }

    fn advance_time(&mut self, name: &str, now_ns: u64) {
        assert!(now_ns >= self.now_ns, "{name} at {now_ns} ns, after {} ns", self.now_ns);
        assert!(
            now_ns == self.now_ns || self.state != State::Unsettled,
            "{name} at {now_ns} ns, but the input of {} ns is not settled",
            self.now_ns
        );
        self.now_ns = now_ns;
    }
}

impl<T: Transport> Transport for Checked<T> {
    type Datagram = T::Datagram;

    fn listen(&mut self) {
        assert_eq!(self.state, State::New, "listen");
        self.state = State::Settled;
        self.endpoint.listen();
    }

    fn connect(&mut self, now_ns: u64) {
        assert_eq!(self.state, State::New, "connect");
        self.advance_time("connect", now_ns);
        self.state = State::Unsettled;
        self.endpoint.connect(now_ns);
    }

    fn is_established(&self) -> bool {
        self.endpoint.is_established()
    }

    fn release(&mut self) {
        assert_ne!(self.state, State::Released, "release");
        self.state = State::Released;
        self.endpoint.release();
    }

    fn must_stay(&self) -> bool {
        self.endpoint.must_stay()
    }

    fn fault(&self) -> Option<AlgorithmFault> {
        self.endpoint.fault()
    }

    fn warning(&self) -> Option<String> {
        self.endpoint.warning()
    }

    fn on_datagram(&mut self, now_ns: u64, datagram: &Self::Datagram, mark: EcnMark) {
        self.input("on_datagram", now_ns);
        self.endpoint.on_datagram(now_ns, datagram, mark);
    }

    fn has_outgoing(&self) -> bool {
        self.endpoint.has_outgoing()
    }

    fn take_outgoing(&mut self) -> Drain<'_, Outgoing<Self::Datagram>> {
        assert_ne!(self.state, State::Released, "take_outgoing");
        let outgoing = self.endpoint.take_outgoing();
        self.payload_at_owner_bytes += payload_of(outgoing.as_slice(), self.now_ns);
        outgoing
    }

    fn exchange_buffer(&mut self, buffer: &mut Vec<Outgoing<Self::Datagram>>) {
        assert!(buffer.is_empty(), "exchange_buffer for one with datagrams in it");
        self.endpoint.exchange_buffer(buffer);
        self.payload_at_owner_bytes += payload_of(buffer, self.now_ns);
    }

    fn deadline_bound_ns(&self) -> u64 {
        self.endpoint.deadline_bound_ns()
    }

    fn deadline_ns(&self) -> u64 {
        self.endpoint.deadline_ns()
    }

    fn wakeups(&mut self) -> &mut Wakeups {
        self.endpoint.wakeups()
    }

    fn on_timer(&mut self, now_ns: u64) {
        assert!(self.may_run_timers, "on_timer without a wake-up");
        self.input("on_timer", now_ns);
        self.endpoint.on_timer(now_ns);
    }

    fn wakeup_to_schedule_ns(&mut self, now_ns: u64) -> Option<u64> {
        self.advance_time("wakeup_to_schedule_ns", now_ns);
        assert!(!self.endpoint.has_outgoing(), "wakeup_to_schedule_ns before everything outgoing was taken");
        let (bound_ns, deadline_ns) = (self.endpoint.deadline_bound_ns(), self.endpoint.deadline_ns());
        assert!(bound_ns <= deadline_ns, "a timer fires at {deadline_ns} ns, before its bound of {bound_ns} ns");
        let wakeup_ns = self.endpoint.wakeup_to_schedule_ns(now_ns);
        assert!(wakeup_ns.is_none_or(|wakeup_ns| wakeup_ns >= now_ns), "a wake-up in the past");
        self.state = State::Settled;
        wakeup_ns
    }

    fn take_wakeup(&mut self, now_ns: u64) -> bool {
        self.advance_time("take_wakeup", now_ns);
        self.may_run_timers = self.endpoint.take_wakeup(now_ns);
        self.may_run_timers
    }

    fn waits_for_host_queue(&self) -> bool {
        self.endpoint.waits_for_host_queue()
    }

    fn on_host_queue_sent(&mut self, now_ns: u64, payload_bytes: u64) {
        assert!(payload_bytes <= self.payload_at_owner_bytes, "the host's queue sent more than it got");
        self.payload_at_owner_bytes -= payload_bytes;
        self.input("on_host_queue_sent", now_ns);
        self.endpoint.on_host_queue_sent(now_ns, payload_bytes);
    }

    fn write(&mut self, now_ns: u64, bytes: u64) {
        assert!(!self.is_closed, "write after close");
        self.input("write", now_ns);
        self.endpoint.write(now_ns, bytes);
    }

    fn close(&mut self, now_ns: u64) {
        self.input("close", now_ns);
        self.is_closed = true;
        self.endpoint.close(now_ns);
    }

    fn start_algorithm(&mut self) {
        assert!(matches!(self.state, State::Settled | State::Unsettled), "start_algorithm in state {:?}", self.state);
        self.endpoint.start_algorithm();
    }

    fn unsent_bytes(&self) -> u64 {
        self.endpoint.unsent_bytes()
    }

    fn writable_bytes(&mut self, waits: bool) -> u64 {
        self.endpoint.writable_bytes(waits)
    }

    fn inflight_bytes(&self) -> u64 {
        self.endpoint.inflight_bytes()
    }

    fn acknowledged_bytes(&self) -> u64 {
        self.endpoint.acknowledged_bytes()
    }

    fn delivered_bytes(&self) -> u64 {
        self.endpoint.delivered_bytes()
    }

    fn media_bps(&self) -> Option<u64> {
        self.endpoint.media_bps()
    }

    fn sample(&self) -> TransportSample {
        self.endpoint.sample()
    }

    fn sock(&self) -> Option<&TcpSock> {
        self.endpoint.sock()
    }

    fn rtts(&self) -> &Histogram {
        self.endpoint.rtts()
    }

    fn restart_rtts(&mut self) {
        self.endpoint.restart_rtts();
    }

    fn trim(&mut self) {
        self.endpoint.trim();
    }

    fn prefetch(&self, side: Side, part: Prefetch) {
        self.endpoint.prefetch(side, part);
    }
}

/// Payload of the datagrams that the owner takes at `now_ns`, after checks of each.
fn payload_of<D: Datagram>(outgoing: &[Outgoing<D>], now_ns: u64) -> u64 {
    for one in outgoing {
        assert!(one.departure_ns >= now_ns, "a departure in the past");
        assert!(one.datagram.payload_bytes() < one.datagram.ip_bytes(), "payload without a header");
    }
    outgoing.iter().map(|one| u64::from(one.datagram.payload_bytes())).sum()
}
