//! More accurate ECN feedback (AccECN, RFC 9768).
//!
//! It contains the negotiation ([`handshake`]), the 3-bit counter of marked packets in the TCP header ([`ace`]), the
//! option with byte counters ([`option`]), and the counters of both roles ([`DataReceiver`], [`DataSender`]), but not
//! the reaction of congestion control. Section numbers are those of the RFC.

pub mod ace;
mod data_receiver;
mod data_sender;
pub mod handshake;
pub mod option;

pub use data_receiver::DataReceiver;
pub use data_sender::{Acknowledged, DataSender};
