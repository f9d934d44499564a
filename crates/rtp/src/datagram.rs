//! Datagrams of a session, and their wire format.

use fairlane_transport::{Datagram, Side, WireConnection, WireFormat};

/// IPv4 and UDP.
const HEADER_BYTES: u32 = 20 + 8;
/// RFC 3550 section 5.1, without extensions.
const RTP_HEADER_BYTES: u32 = 12;
/// A STUN message with the attributes of a connectivity check (RFC 8445 section 7.1).
const CHECK_BYTES: u32 = 80;
/// RFC 8888 section 3.1: header, SSRC of the sender, SSRC and range of packets, timestamp.
const FEEDBACK_BYTES: u32 = 4 + 4 + 4 + 4 + 4;
/// The number of packets that a report covers: the reports overlap, so that one may be lost.
pub(crate) const REPORTED_PACKETS: u64 = 64;
/// The largest RTP packet has 1000 bytes (the draft's MSS).
pub const MAX_PAYLOAD_BYTES: u32 = MSS_BYTES - RTP_HEADER_BYTES;
pub(crate) const MSS_BYTES: u32 = 1_000;

/// One datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RtpDatagram {
    #[default]
    Check,
    CheckAnswer,
    Media(MediaPacket),
    Feedback(Feedback),
}

/// An RTP packet. Numbers do not wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaPacket {
    pub number: u64,
    /// Its frame: the first packet, the number of packets, and the bytes of all frames up to its end.
    pub first: u64,
    pub packets: u32,
    pub end_bytes: u64,
    pub payload_bytes: u32,
}

impl MediaPacket {
    /// RTP's marker bit: the last packet of a frame.
    pub fn is_last(&self) -> bool {
        self.number + 1 == self.first + u64::from(self.packets)
    }

    /// Bytes of the RTP packet, in which SCReAM counts.
    pub fn rtp_bytes(&self) -> u32 {
        RTP_HEADER_BYTES + self.payload_bytes
    }
}

/// A report about the last packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The highest number that arrived.
    pub highest: u64,
    /// Bit n: packet `highest` - n arrived; and with CE.
    pub arrived: u64,
    pub marked: u64,
    /// Arrival of the highest, by the receiver's clock, and the time since.
    pub arrival_ns: u64,
    pub held_ns: u64,
}

impl Datagram for RtpDatagram {
    fn ip_bytes(&self) -> u32 {
        HEADER_BYTES
            + match self {
                Self::Check | Self::CheckAnswer => CHECK_BYTES,
                Self::Media(packet) => packet.rtp_bytes(),
                // Two bytes for each packet, padded to words.
                Self::Feedback(report) => {
                    let packets = REPORTED_PACKETS.min(report.highest + 1) as u32;
                    FEEDBACK_BYTES + (2 * packets).next_multiple_of(4)
                }
            }
    }

    fn payload_bytes(&self) -> u32 {
        match self {
            Self::Media(packet) => packet.payload_bytes,
            _ => 0,
        }
    }

    fn number(&self) -> u64 {
        match self {
            Self::Media(packet) => packet.number,
            Self::Feedback(report) => report.highest,
            _ => 0,
        }
    }
}

/// UDP, and the first words of RTP and RTCP; the rest is zeros.
pub struct RtpWireFormat;

/// H.264 and the like have dynamic payload types (RFC 3551 section 3).
const PAYLOAD_TYPE: u8 = 96;
/// Transport-layer feedback, format 11 (RFC 8888 section 3.1).
const RTCP_FEEDBACK: [u8; 2] = [0x80 | 11, 205];
const STUN: [[u8; 2]; 2] = [[0x00, 0x01], [0x01, 0x01]];

impl WireFormat<RtpDatagram> for RtpWireFormat {
    fn ip_protocol(&self) -> u8 {
        17
    }

    fn write_headers(
        &self,
        connection: &WireConnection,
        from: Side,
        datagram: &RtpDatagram,
        packet: &mut Vec<u8>,
    ) -> u32 {
        let udp_bytes = datagram.ip_bytes() - 20;
        let end = packet.len() + (udp_bytes - datagram.payload_bytes()) as usize;
        packet.extend(connection.port(from).to_be_bytes());
        packet.extend(connection.port(from.peer()).to_be_bytes());
        packet.extend((udp_bytes as u16).to_be_bytes());
        packet.extend([0; 2]);
        match datagram {
            RtpDatagram::Check => packet.extend(STUN[0]),
            RtpDatagram::CheckAnswer => packet.extend(STUN[1]),
            RtpDatagram::Media(media) => {
                packet.extend([0x80, u8::from(media.is_last()) << 7 | PAYLOAD_TYPE]);
                packet.extend((media.number as u16).to_be_bytes());
                packet.extend((media.first as u32).to_be_bytes());
            }
            RtpDatagram::Feedback(_) => {
                packet.extend(RTCP_FEEDBACK);
                packet.extend(((udp_bytes - 8) as u16 / 4 - 1).to_be_bytes());
            }
        }
        packet.resize(end, 0);
        datagram.payload_bytes()
    }
}
