//! QUIC (RFC 9000) under the congestion control algorithms of Linux.
//!
//! [`QuicEndpoint`] is a [`Transport`](fairlane_transport::Transport). The protocol is quinn-proto's; congestion control and
//! pacing are ours, so that the programs written for TCP run unchanged:
//!
//! - `endpoint.rs` drives quinn-proto: datagrams and times in, datagrams and deadlines out.
//! - `congestion.rs` keeps the state that an algorithm sees, and calls it as Linux does.
//! - `listener.rs` and `tap.rs` pass quinn-proto's findings from the one to the other.
//! - `qlog.rs` writes logs for programs such as qvis.
//! - `setup.rs` and `null_crypto.rs` create a connection that only depends on its settings.
//!
//! The network, applications and algorithms do not belong here.

mod clock;
mod config;
mod congestion;
mod datagram;
mod endpoint;
mod frames;
mod in_flight;
mod listener;
mod null_crypto;
mod qlog;
mod rtt;
mod setup;
mod streams;
mod tap;
#[cfg(test)]
mod tests;
mod transport;
mod wire_format;

pub use clock::warm_up;
pub use config::QuicConfig;
pub use datagram::{DatagramStore, QuicDatagram, HEADER_BYTES};
pub use endpoint::QuicEndpoint;
pub use null_crypto::NullCrypto;
pub use qlog::QlogSink;
pub use setup::Crypto;
pub use wire_format::QuicWireFormat;
