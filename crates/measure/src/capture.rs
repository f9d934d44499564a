//! A capture of a simulated flow as a file that Wireshark reads: segments become bytes, bytes become a pcapng file.

mod pcapng;
mod wire_format;

pub use pcapng::PcapngFile;
pub use wire_format::{WireConnection, WireEnd};
