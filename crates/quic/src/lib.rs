//! QUIC (RFC 9000) under the congestion control algorithms of Linux.
//!
//! [`QuicEndpoint`] is a [`Transport`](fairlane_transport::Transport). The protocol is quinn-proto's; congestion control and
//! pacing are ours, so that the programs written for TCP run unchanged:
//!
//! - `endpoint.rs` drives quinn-proto: datagrams and times in, datagrams and deadlines out.
//! - `congestion.rs` keeps what an algorithm sees, and calls it as Linux does.
//! - `listener.rs` and `tap.rs` are how quinn-proto's findings get from the one to the other.
//! - `qlog.rs` writes what an endpoint does for programs such as qvis.
//! - `setup.rs` and `null_crypto.rs` make a connection that depends on its settings only.
//!
//! What does not belong here: the network, applications, and any algorithm.

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

pub use config::{Profile, QuicConfig};
pub use datagram::{DatagramStore, QuicDatagram, HEADER_BYTES};
pub use endpoint::QuicEndpoint;
pub use null_crypto::NullCrypto;
pub use qlog::QlogSink;
pub use setup::Crypto;
pub use wire_format::QuicWireFormat;
