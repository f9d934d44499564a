//! A packet that travels along a path.

/// The ECN field of the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// The sender does not understand ECN: a queue can only drop.
    #[default]
    NotEct,
    /// ECN-capable, codepoint 01 (RFC 9331 gives it a meaning of its own).
    Ect1,
    /// ECN-capable, codepoint 10.
    Ect0,
    /// A queue on the path has marked the packet.
    Ce,
}

/// A packet. `P` is the hosts' payload; the network copies it and never looks inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<P> {
    pub flow: u32,
    /// Index into the paths that the network was made with.
    pub path: u32,
    /// Size of the IP packet; a medium adds its own overhead.
    pub ip_bytes: u32,
    /// Index of the station on its path that the packet is at, or was at last; set by the network.
    pub hop: u16,
    pub ecn: Ecn,
    pub payload: P,
}

/// The acknowledgement in a packet's TCP header, which some queues read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Everything before this offset has arrived.
    pub ack: u64,
    /// The packet has no data, no flags other than ACK, ECE and CWR, and no options other than timestamps and SACK.
    pub is_pure: bool,
    /// Its ECE and CWR.
    pub ecn_flags: u8,
    /// Bounds of the SACK blocks; those behind the last are empty.
    pub sack: [(u64, u64); 4],
}

/// Reads the acknowledgement of a payload; none if it has none.
pub type ReadAcknowledgement<P> = fn(&P) -> Option<Acknowledgement>;

/// No path has this number.
pub const NO_PATH: u32 = u32::MAX;
