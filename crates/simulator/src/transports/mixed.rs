//! TCP and QUIC flows in one run.

use super::{Endpoints, Place, QuicLog, QuicTransports, Tcp, TcpTransports, Transports};
use crate::error::SimulationError;
use fairlane_congestion_control::{Algorithms, StateMember};
use fairlane_contract::{FlowConfig, Scenario, TransportProtocol};
use fairlane_quic::QuicEndpoint;
use fairlane_transport::{Either, EitherWireFormat, Transport, WireFormat};
use std::rc::Rc;

pub type TcpOrQuic = Either<Tcp, QuicEndpoint>;

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

impl Transports<TcpOrQuic> for MixedTransports<'_> {
    fn endpoints(&mut self, config: &FlowConfig) -> Result<Rc<dyn Endpoints<TcpOrQuic>>, SimulationError> {
        Ok(Rc::new(match config.transport {
            TransportProtocol::Tcp => MixedEndpoints::Tcp(self.tcp.endpoints(config)?),
            TransportProtocol::Quic => MixedEndpoints::Quic(self.quic.endpoints(config)?),
        }))
    }

    fn share_memory(&self) -> bool {
        self.tcp.share_memory() || self.quic.share_memory()
    }
}

enum MixedEndpoints {
    Tcp(Rc<dyn Endpoints<Tcp>>),
    Quic(Rc<dyn Endpoints<QuicEndpoint>>),
}

impl Endpoints<TcpOrQuic> for MixedEndpoints {
    fn endpoint(&self, place: Place, now_ns: u64) -> TcpOrQuic {
        match self {
            Self::Tcp(endpoints) => Either::first(endpoints.endpoint(place, now_ns)),
            Self::Quic(endpoints) => Either::second(endpoints.endpoint(place, now_ns)),
        }
    }

    fn remember(&self, sender: &TcpOrQuic) {
        if let (Self::Tcp(endpoints), Some(sender)) = (self, sender.as_first()) {
            endpoints.remember(sender);
        }
    }

    fn sends_ect1(&self) -> bool {
        match self {
            Self::Tcp(endpoints) => endpoints.sends_ect1(),
            Self::Quic(endpoints) => endpoints.sends_ect1(),
        }
    }

    fn mss_bytes(&self) -> u32 {
        match self {
            Self::Tcp(endpoints) => endpoints.mss_bytes(),
            Self::Quic(endpoints) => endpoints.mss_bytes(),
        }
    }

    fn state_members(&self) -> &[StateMember] {
        match self {
            Self::Tcp(endpoints) => endpoints.state_members(),
            Self::Quic(endpoints) => endpoints.state_members(),
        }
    }

    fn wire_format(&self) -> Box<dyn WireFormat<<TcpOrQuic as Transport>::Datagram>> {
        match self {
            Self::Tcp(endpoints) => Box::new(EitherWireFormat::First(endpoints.wire_format())),
            Self::Quic(endpoints) => Box::new(EitherWireFormat::Second(endpoints.wire_format())),
        }
    }
}
