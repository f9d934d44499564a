//! More accurate ECN feedback (AccECN, RFC 9768).
//!
//! What belongs here: how two ends agree on it ([`handshake`]), the 3-bit counter of marked packets in the TCP header
//! ([`ace`]), the option with byte counters ([`option`]), and the counters of both roles ([`DataReceiver`],
//! [`DataSender`]). What does not: what congestion control makes of the marks. Section numbers are the RFC's.

pub mod ace;
mod data_receiver;
mod data_sender;
pub mod handshake;
pub mod option;

pub use data_receiver::DataReceiver;
pub use data_sender::{Acknowledged, DataSender};
