//! Two transports in one network.

use crate::{
    Acknowledgement, Datagram, EcnMark, Outgoing, Prefetch, Side, Transport, TransportSample, Wakeups, WireConnection,
    WireFormat,
};
use fairlane_congestion_control::{AlgorithmFault, TcpSock};
use fairlane_engine::Histogram;
use std::vec::Drain;

/// A datagram of one of two transports.
#[derive(Clone, Copy, Debug)]
pub enum EitherDatagram<A, B> {
    First(A),
    Second(B),
}

impl<A: Datagram, B: Datagram> Default for EitherDatagram<A, B> {
    fn default() -> Self {
        Self::First(A::default())
    }
}

impl<A: Datagram, B: Datagram> Datagram for EitherDatagram<A, B> {
    #[inline]
    fn ip_bytes(&self) -> u32 {
        match self {
            Self::First(datagram) => datagram.ip_bytes(),
            Self::Second(datagram) => datagram.ip_bytes(),
        }
    }

    #[inline]
    fn payload_bytes(&self) -> u32 {
        match self {
            Self::First(datagram) => datagram.payload_bytes(),
            Self::Second(datagram) => datagram.payload_bytes(),
        }
    }

    fn number(&self) -> u64 {
        match self {
            Self::First(datagram) => datagram.number(),
            Self::Second(datagram) => datagram.number(),
        }
    }

    fn acknowledgement(&self) -> Option<Acknowledgement> {
        match self {
            Self::First(datagram) => datagram.acknowledgement(),
            Self::Second(datagram) => datagram.acknowledgement(),
        }
    }
}

/// Wire format of the datagrams of a flow, which are all of one kind.
pub enum EitherWireFormat<A, B> {
    First(Box<dyn WireFormat<A>>),
    Second(Box<dyn WireFormat<B>>),
}

impl<A, B> WireFormat<EitherDatagram<A, B>> for EitherWireFormat<A, B> {
    fn ip_protocol(&self) -> u8 {
        match self {
            Self::First(format) => format.ip_protocol(),
            Self::Second(format) => format.ip_protocol(),
        }
    }

    fn write_headers(
        &self,
        connection: &WireConnection,
        from: Side,
        datagram: &EitherDatagram<A, B>,
        packet: &mut Vec<u8>,
    ) -> u32 {
        match (self, datagram) {
            (Self::First(format), EitherDatagram::First(datagram)) => {
                format.write_headers(connection, from, datagram, packet)
            }
            (Self::Second(format), EitherDatagram::Second(datagram)) => {
                format.write_headers(connection, from, datagram, packet)
            }
            _ => unreachable!("both ends of a connection are of the same kind"),
        }
    }
}

/// An endpoint of one of two transports, for runs in which connections of both share a network. Both ends of a connection
/// are of the same kind. Three transports nest: `Either<A, Either<B, C>>`.
pub struct Either<A: Transport, B: Transport> {
    kind: Kind<A, B>,
    /// Outgoing datagrams of the endpoint, converted to those of the network.
    outgoing: Buffer<A, B>,
}

enum Kind<A, B> {
    First(A),
    Second(B),
}

type Buffer<A, B> = Vec<Outgoing<EitherDatagram<<A as Transport>::Datagram, <B as Transport>::Datagram>>>;

/// Calls a method of the endpoint, of either kind.
macro_rules! call {
    ($self:expr, $method:ident($($argument:expr),*)) => {
        match &$self.kind {
            Kind::First(endpoint) => endpoint.$method($($argument),*),
            Kind::Second(endpoint) => endpoint.$method($($argument),*),
        }
    };
    (mut $self:expr, $method:ident($($argument:expr),*)) => {
        match &mut $self.kind {
            Kind::First(endpoint) => endpoint.$method($($argument),*),
            Kind::Second(endpoint) => endpoint.$method($($argument),*),
        }
    };
}

impl<A: Transport, B: Transport> Either<A, B> {
    pub fn first(endpoint: A) -> Self {
        Self { kind: Kind::First(endpoint), outgoing: Vec::new() }
    }

    pub fn second(endpoint: B) -> Self {
        Self { kind: Kind::Second(endpoint), outgoing: Vec::new() }
    }

    /// The endpoint, if it is of the first kind.
    pub fn as_first(&self) -> Option<&A> {
        match &self.kind {
            Kind::First(endpoint) => Some(endpoint),
            Kind::Second(_) => None,
        }
    }

    /// After an input: converts the outgoing datagrams of the endpoint to those of the network.
    fn collect(&mut self) {
        match &mut self.kind {
            Kind::First(endpoint) => {
                self.outgoing.extend(endpoint.take_outgoing().map(|one| one.map(EitherDatagram::First)));
            }
            Kind::Second(endpoint) => {
                self.outgoing.extend(endpoint.take_outgoing().map(|one| one.map(EitherDatagram::Second)));
            }
        }
    }
}

impl<A: Transport, B: Transport> Transport for Either<A, B> {
    type Datagram = EitherDatagram<A::Datagram, B::Datagram>;

    fn listen(&mut self) {
        call!(mut self, listen());
    }

    fn connect(&mut self, now_ns: u64) {
        call!(mut self, connect(now_ns));
        self.collect();
    }

    fn is_established(&self) -> bool {
        call!(self, is_established())
    }

    fn release(&mut self) {
        call!(mut self, release());
    }

    fn must_stay(&self) -> bool {
        call!(self, must_stay())
    }

    fn fault(&self) -> Option<AlgorithmFault> {
        call!(self, fault())
    }

    fn warning(&self) -> Option<String> {
        call!(self, warning())
    }

    fn on_datagram(&mut self, now_ns: u64, datagram: &Self::Datagram, mark: EcnMark) {
        match (&mut self.kind, datagram) {
            (Kind::First(endpoint), EitherDatagram::First(datagram)) => endpoint.on_datagram(now_ns, datagram, mark),
            (Kind::Second(endpoint), EitherDatagram::Second(datagram)) => endpoint.on_datagram(now_ns, datagram, mark),
            _ => unreachable!("both ends of a connection are of the same kind"),
        }
        self.collect();
    }

    fn has_outgoing(&self) -> bool {
        !self.outgoing.is_empty()
    }

    fn take_outgoing(&mut self) -> Drain<'_, Outgoing<Self::Datagram>> {
        self.outgoing.drain(..)
    }

    fn exchange_buffer(&mut self, buffer: &mut Vec<Outgoing<Self::Datagram>>) {
        std::mem::swap(&mut self.outgoing, buffer);
    }

    fn deadline_bound_ns(&self) -> u64 {
        call!(self, deadline_bound_ns())
    }

    fn deadline_ns(&self) -> u64 {
        call!(self, deadline_ns())
    }

    fn wakeups(&mut self) -> &mut Wakeups {
        call!(mut self, wakeups())
    }

    fn on_timer(&mut self, now_ns: u64) {
        call!(mut self, on_timer(now_ns));
        self.collect();
    }

    fn wakeup_to_schedule_ns(&mut self, now_ns: u64) -> Option<u64> {
        call!(mut self, wakeup_to_schedule_ns(now_ns))
    }

    fn take_wakeup(&mut self, now_ns: u64) -> bool {
        call!(mut self, take_wakeup(now_ns))
    }

    fn waits_for_host_queue(&self) -> bool {
        call!(self, waits_for_host_queue())
    }

    fn on_host_queue_sent(&mut self, now_ns: u64, payload_bytes: u64) {
        call!(mut self, on_host_queue_sent(now_ns, payload_bytes));
        self.collect();
    }

    fn write(&mut self, now_ns: u64, bytes: u64) {
        call!(mut self, write(now_ns, bytes));
        self.collect();
    }

    fn close(&mut self, now_ns: u64) {
        call!(mut self, close(now_ns));
        self.collect();
    }

    fn start_algorithm(&mut self) {
        call!(mut self, start_algorithm());
    }

    fn unsent_bytes(&self) -> u64 {
        call!(self, unsent_bytes())
    }

    fn writable_bytes(&mut self, waits: bool) -> u64 {
        call!(mut self, writable_bytes(waits))
    }

    fn inflight_bytes(&self) -> u64 {
        call!(self, inflight_bytes())
    }

    fn acknowledged_bytes(&self) -> u64 {
        call!(self, acknowledged_bytes())
    }

    fn delivered_bytes(&self) -> u64 {
        call!(self, delivered_bytes())
    }

    fn media_bps(&self) -> Option<u64> {
        call!(self, media_bps())
    }

    fn sample(&self) -> TransportSample {
        call!(self, sample())
    }

    fn sock(&self) -> Option<&TcpSock> {
        call!(self, sock())
    }

    fn rtts(&self) -> &Histogram {
        call!(self, rtts())
    }

    fn restart_rtts(&mut self) {
        call!(mut self, restart_rtts());
    }

    fn trim(&mut self) {
        call!(mut self, trim());
    }

    #[inline]
    fn prefetch(&self, side: Side, part: Prefetch) {
        call!(self, prefetch(side, part));
    }
}
