//! The interface between a transport protocol and the rest of the simulator.
//!
//! A [`Transport`] is one endpoint of a connection without any I/O: datagrams, times and application data go in;
//! datagrams and deadlines come out. The event loop, the applications, the time series and the results use only this
//! trait and [`TransportSample`]. This crate has the trait, the types in its signatures, and code that its
//! implementations share. Each protocol has a crate of its own.
//!
//! One network can carry several protocols: [`Either`] is the transport of a run in which both occur. A run with one
//! protocol is compiled for that protocol alone, so the interface has no cost.

mod checked;
mod datagram;
mod either;
mod sample;
mod send_limit;
mod transport;
mod wakeups;
mod wire;

pub use checked::Checked;
pub use datagram::{Acknowledgement, Datagram, EcnMark, Outgoing};
pub use either::{Either, EitherDatagram, EitherWireFormat};
pub use sample::TransportSample;
pub use send_limit::{LimitTimes, SendLimit};
pub use transport::{Prefetch, Side, Transport};
pub use wakeups::Wakeups;
pub use wire::{checksum, ones_complement_sum, WireConnection, WireFormat};
