//! Real-time media over RTP (RFC 3550) with SCReAMv2 as congestion control.
//!
//! The data sender is an encoder's side: each write is a frame, which is cut into RTP packets, queued, paced and sent
//! while the reference window allows. Nothing is retransmitted. The data receiver answers with congestion control
//! feedback (RFC 8888), from which `scream.rs` computes the window and the bitrate of the next frames. A frame is
//! delivered when all of its packets have arrived; when a later frame is, it is given up.
//!
//! A session begins with a connectivity check (RFC 8445), which is repeated until it is answered.

mod datagram;
mod endpoint;
mod receiver;
mod scream;
mod sender;
#[cfg(test)]
mod tests;

pub use datagram::{RtpDatagram, RtpWireFormat, MAX_PAYLOAD_BYTES};
pub use endpoint::RtpEndpoint;
pub use scream::ScreamConfig;
