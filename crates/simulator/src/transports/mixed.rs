//! TCP, QUIC and RTP flows in one run.

use super::{Endpoints, Place, QuicLog, QuicTransports, RtpTransports, Tcp, TcpTransports, Transports};
use crate::error::SimulationError;
use fairlane_congestion_control::{Algorithms, StateMember};
use fairlane_contract::{FlowConfig, Scenario, TransportProtocol};
use fairlane_quic::QuicEndpoint;
use fairlane_rtp::RtpEndpoint;
use fairlane_transport::{Either, EitherDatagram, EitherWireFormat, Transport, WireFormat};
use std::collections::BTreeMap;
use std::rc::Rc;

pub type AnyTransport = Either<Tcp, Either<QuicEndpoint, RtpEndpoint>>;

/// Each flow uses its `transport`.
pub(crate) struct MixedTransports<'a> {
    tcp: TcpTransports<'a>,
    quic: QuicTransports<'a>,
}

impl<'a> MixedTransports<'a> {
    /// `log`: the QUIC endpoint that logs.
    pub fn new(scenario: &Scenario, algorithms: &'a dyn Algorithms, log: Option<QuicLog>) -> Self {
        Self { tcp: TcpTransports::new(scenario, algorithms), quic: QuicTransports::new(scenario, algorithms, log) }
    }
}

impl Transports<AnyTransport> for MixedTransports<'_> {
    fn endpoints(&mut self, config: &FlowConfig) -> Result<Rc<dyn Endpoints<AnyTransport>>, SimulationError> {
        use EitherEndpoints::{First, Second};
        Ok(Rc::new(match config.transport {
            TransportProtocol::Tcp => First(self.tcp.endpoints(config)?),
            TransportProtocol::Quic => Second(Rc::new(First(self.quic.endpoints(config)?))),
            TransportProtocol::Rtp => Second(Rc::new(Second(RtpTransports.endpoints(config)?))),
        }))
    }

    fn share_memory(&self) -> bool {
        self.tcp.share_memory() || self.quic.share_memory()
    }
}

/// Endpoints of one of two transports.
enum EitherEndpoints<A, B> {
    First(Rc<dyn Endpoints<A>>),
    Second(Rc<dyn Endpoints<B>>),
}

/// Calls a method of the endpoints, of either kind.
macro_rules! call {
    ($self:expr, $method:ident $(, $argument:expr)*) => {
        match $self {
            Self::First(endpoints) => endpoints.$method($($argument),*),
            Self::Second(endpoints) => endpoints.$method($($argument),*),
        }
    };
}

impl<A: Transport, B: Transport> Endpoints<Either<A, B>> for EitherEndpoints<A, B>
where
    A::Datagram: 'static,
    B::Datagram: 'static,
{
    fn endpoint(&self, place: Place, now_ns: u64) -> Either<A, B> {
        match self {
            Self::First(endpoints) => Either::first(endpoints.endpoint(place, now_ns)),
            Self::Second(endpoints) => Either::second(endpoints.endpoint(place, now_ns)),
        }
    }

    fn remember(&self, sender: &Either<A, B>) {
        if let (Self::First(endpoints), Some(sender)) = (self, sender.as_first()) {
            endpoints.remember(sender); // only hosts with TCP, which comes first, cache metrics
        }
    }

    fn sends_ect1(&self) -> bool {
        call!(self, sends_ect1)
    }

    fn mss_bytes(&self) -> u32 {
        call!(self, mss_bytes)
    }

    fn state_members(&self) -> &[StateMember] {
        call!(self, state_members)
    }

    fn change_parameters(&self, parameters: &BTreeMap<String, i64>) -> Result<(), String> {
        call!(self, change_parameters, parameters)
    }

    fn wire_format(&self) -> Box<dyn WireFormat<EitherDatagram<A::Datagram, B::Datagram>>> {
        match self {
            Self::First(endpoints) => Box::new(EitherWireFormat::First(endpoints.wire_format())),
            Self::Second(endpoints) => Box::new(EitherWireFormat::Second(endpoints.wire_format())),
        }
    }
}
