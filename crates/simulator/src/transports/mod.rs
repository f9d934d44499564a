//! The transports that a run can use.
//!
//! This is the only place of the simulator that names a concrete transport; everything else is generic over
//! [`Transport`]. A run whose flows all use one transport is compiled for it alone. A run with several is a simulation of
//! [`Either`](fairlane_transport::Either), whose datagrams are an enum: only such runs pay for the choice.

#[cfg(test)]
mod constant_window;
#[cfg(feature = "quic")]
mod mixed;
mod programs;
#[cfg(feature = "quic")]
mod quic;
#[cfg(feature = "quic")]
mod rtp;
mod tcp;
#[cfg(test)]
mod tests;

#[cfg(feature = "quic")]
pub use mixed::AnyTransport;
#[cfg(feature = "quic")]
pub(crate) use mixed::MixedTransports;
use programs::Programs;
pub(crate) use programs::CUBIC;
#[cfg(feature = "quic")]
use quic::QuicTransports;
#[cfg(feature = "quic")]
pub(crate) use quic::{udp_payload_bytes, QuicLog};
#[cfg(feature = "quic")]
use rtp::RtpTransports;
pub use tcp::Tcp;
pub(crate) use tcp::TcpTransports;

use crate::error::SimulationError;
use fairlane_congestion_control::StateMember;
use fairlane_contract::FlowConfig;
use fairlane_transport::{Side, Transport, WireFormat};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The transports of a scenario's flows.
pub(crate) trait Transports<T: Transport> {
    /// # Errors
    /// An option of the flow does not exist, for example its algorithm.
    fn endpoints(&mut self, config: &FlowConfig) -> Result<Rc<dyn Endpoints<T>>, SimulationError>;
    /// Whether endpoints of the run affect each other by other ways than packets.
    fn share_memory(&self) -> bool;
    /// Whether endpoints of different shards ([`Place::shard`]) may run on different threads.
    fn have_copies(&self) -> bool {
        false
    }
}

/// Makes the endpoints of the flows that one entry of a scenario describes.
pub(crate) trait Endpoints<T: Transport> {
    fn endpoint(&self, place: Place, now_ns: u64) -> T;
    /// Caches metrics of an ended connection's data sender, as its host does.
    fn remember(&self, _sender: &T) {}
    /// ECN-capable packets carry ECT(1) regardless of the settings, because the algorithm needs it.
    fn sends_ect1(&self) -> bool {
        false
    }
    /// Payload of a full packet.
    fn mss_bytes(&self) -> u32;
    /// The known members of the algorithm's own memory.
    fn state_members(&self) -> &[StateMember] {
        &[]
    }
    /// Gives all flows that use these endpoints' algorithm other parameters from now on.
    fn change_parameters(&self, parameters: &BTreeMap<String, i64>) -> Result<(), String> {
        let _ = parameters;
        Err("the flow has no parameters".to_owned())
    }
    /// The format of datagrams between two such endpoints in a capture.
    fn wire_format(&self) -> Box<dyn WireFormat<T::Datagram>>;
}

/// The identity of an endpoint in the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub flow: u32,
    pub side: Side,
    /// The group of flows that one thread runs.
    pub shard: u32,
    /// Seed of the random numbers that the endpoint's algorithm may draw.
    pub algorithm_seed: u64,
}
