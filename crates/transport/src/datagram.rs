//! Datagrams and ECN marks, which endpoints exchange.

/// The content of one IP packet, as far as the simulation needs it. The default value represents a packet of something
/// else, for example of cross traffic.
///
/// Packets are copied from queue to queue, so a datagram that contains bytes should be a small handle to them.
pub trait Datagram: Copy + Default {
    /// Size of the IP packet with headers.
    fn ip_bytes(&self) -> u32;
    /// Application data; 0 in a pure acknowledgement.
    fn payload_bytes(&self) -> u32;
    /// The number by which an observer tells datagrams of a connection apart. TCP: the offset of the first byte, of a pure
    /// acknowledgement the offset that it acknowledges.
    fn number(&self) -> u64;
    /// The acknowledgement in its header, where a device on the path can read it: only TCP's.
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        None
    }
}

/// The acknowledgement in a TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Everything before this offset has arrived.
    pub ack: u64,
    /// The segment has no data, no flags other than ACK, ECE and CWR, and no options other than timestamps and SACK.
    pub is_pure: bool,
    /// Its ECE and CWR.
    pub ecn_flags: u8,
    /// Bounds of the SACK blocks; those behind the last are empty.
    pub sack: [(u64, u64); 4],
}

/// A datagram on its way out.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<D> {
    pub datagram: D,
    /// Earliest time of transmission; later than now only if the host's queue paces (fq).
    pub departure_ns: u64,
    /// Sent as ECN-capable.
    pub ect: bool,
    /// Belongs to the same burst as the previous datagram: segmentation offload passes both to the network card as one.
    pub continues_burst: bool,
}

impl<D> Outgoing<D> {
    /// Converts the datagram.
    #[inline]
    pub fn map<E>(self, convert: impl FnOnce(D) -> E) -> Outgoing<E> {
        let Self { datagram, departure_ns, ect, continues_burst } = self;
        Outgoing { datagram: convert(datagram), departure_ns, ect, continues_burst }
    }
}

/// The ECN field of an arriving IP packet (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMark {
    /// Not ECN-capable.
    #[default]
    NotEct,
    /// ECN-capable, codepoint 01 (RFC 9331 gives it a meaning of its own), no congestion experienced.
    Ect1,
    /// ECN-capable, codepoint 10, no congestion experienced.
    Ect0,
    /// Congestion experienced.
    Ce,
}

/// For callers that only distinguish CE from ECT.
impl From<bool> for EcnMark {
    fn from(congestion_experienced: bool) -> Self {
        if congestion_experienced {
            Self::Ce
        } else {
            Self::Ect0
        }
    }
}
