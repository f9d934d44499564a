//! A segment as bytes, for captures: the TCP header (RFC 9293) with options and checksum.

use crate::segment::flags;
use crate::Segment;
use fairlane_transport::{checksum, ones_complement_sum, Side, WireConnection, WireFormat};

const PROTOCOL_TCP: u8 = 6;

/// Kinds of TCP options (RFC 9293 section 3.2, RFC 7323, RFC 2018).
const NO_OPERATION: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// Options that one end of a connection offered in its SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynOffer {
    /// MSS option.
    pub mss: u16,
    pub window_scale: u8,
}

/// Wire format of a connection with the options that its two ends offered; those of the data sender come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpWireFormat {
    pub offers: [SynOffer; 2],
}

impl WireFormat<Segment> for TcpWireFormat {
    fn ip_protocol(&self) -> u8 {
        PROTOCOL_TCP
    }

    fn write_headers(&self, connection: &WireConnection, from: Side, segment: &Segment, packet: &mut Vec<u8>) -> u32 {
        let start = packet.len();
        let numbers = SequenceNumbers { connection, from };
        let is_syn = segment.flags & flags::SYN != 0;
        let ack = if segment.flags & flags::ACK != 0 { numbers.of_peer(segment.ack) } else { 0 };
        // The window of a SYN is never scaled (RFC 7323 section 2.2).
        let scale = if is_syn { 0 } else { self.offers[from as usize].window_scale };
        let window = (segment.window >> scale).min(u32::from(u16::MAX)) as u16;
        packet.extend(connection.port(from).to_be_bytes());
        packet.extend(connection.port(from.peer()).to_be_bytes());
        packet.extend(numbers.own(segment.seq).to_be_bytes());
        packet.extend(ack.to_be_bytes());
        packet.extend([0, segment.flags & !flags::AE]);
        packet.extend(window.to_be_bytes());
        packet.extend([0; 4]); // checksum, urgent pointer
        if is_syn {
            write_syn_options(&self.offers[from as usize], segment, packet);
        } else {
            write_options(&numbers, segment, packet);
        }
        let tcp = &mut packet[start..];
        debug_assert_eq!(
            20 + tcp.len() as u32 + segment.len,
            segment.ip_bytes(),
            "as long as the simulation counts it"
        );
        tcp[12] = ((tcp.len() / 4) << 4) as u8 | u8::from(segment.flags & flags::AE != 0);
        // A payload of zeros adds nothing to the checksum.
        let pseudo_header = connection.pseudo_header_sum(from, PROTOCOL_TCP, tcp.len() as u32 + segment.len);
        let sum = checksum(ones_complement_sum(tcp, pseudo_header));
        tcp[16..18].copy_from_slice(&sum.to_be_bytes());
        segment.len
    }
}

/// Conversion of stream offsets to the sequence numbers of one end.
struct SequenceNumbers<'a> {
    connection: &'a WireConnection,
    from: Side,
}

impl SequenceNumbers<'_> {
    fn own(&self, offset: u64) -> u32 {
        self.initial(self.from).wrapping_add(offset as u32)
    }

    fn of_peer(&self, offset: u64) -> u32 {
        self.initial(self.from.peer()).wrapping_add(offset as u32)
    }

    /// Ends and connections need different numbers: here multiples of 2^32 over the golden ratio.
    fn initial(&self, side: Side) -> u32 {
        let WireConnection { flow, generation } = self.connection;
        (flow * 2 + side as u32 + 1).wrapping_mul(0x9E37_79B9) ^ (generation << 8)
    }
}

/// MSS, SACK permitted, timestamps, window scale, in the order of Linux.
fn write_syn_options(offer: &SynOffer, segment: &Segment, packet: &mut Vec<u8>) {
    packet.extend([MSS, 4]);
    packet.extend(offer.mss.to_be_bytes());
    if segment.has_timestamps {
        packet.extend([SACK_PERMITTED, 2, TIMESTAMPS, 10]);
        packet.extend(segment.tsval.to_be_bytes());
        packet.extend(segment.tsecr.to_be_bytes());
    } else {
        packet.extend([NO_OPERATION, NO_OPERATION, SACK_PERMITTED, 2]);
    }
    packet.extend([NO_OPERATION, WINDOW_SCALE, 3, offer.window_scale]);
    pad(segment.accecn_option_bytes(), packet);
    write_accecn_option(segment, packet);
}

/// Timestamps, SACK blocks and the AccECN option of a segment that is not a SYN. NOPs pad the first, and the other two
/// together, to 32 bits.
fn write_options(numbers: &SequenceNumbers<'_>, segment: &Segment, packet: &mut Vec<u8>) {
    if segment.has_timestamps {
        packet.extend([NO_OPERATION, NO_OPERATION, TIMESTAMPS, 10]);
        packet.extend(segment.tsval.to_be_bytes());
        packet.extend(segment.tsecr.to_be_bytes());
    }
    let sack_bytes = if segment.sack_count > 0 { 2 + 8 * segment.sack_count } else { 0 };
    pad(u32::from(sack_bytes) + segment.accecn_option_bytes(), packet);
    if segment.sack_count > 0 {
        packet.extend([SACK, sack_bytes]);
        for (start, end) in segment.sack_blocks() {
            packet.extend(numbers.of_peer(start).to_be_bytes());
            packet.extend(numbers.of_peer(end).to_be_bytes());
        }
    }
    write_accecn_option(segment, packet);
}

fn write_accecn_option(segment: &Segment, packet: &mut Vec<u8>) {
    if let Some(option) = segment.accecn_option() {
        option.write(packet);
    }
}

/// NOPs in front of options of this length.
fn pad(option_bytes: u32, packet: &mut Vec<u8>) {
    let padding = option_bytes.next_multiple_of(4) - option_bytes;
    packet.extend((0..padding).map(|_| NO_OPERATION));
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFERS: [SynOffer; 2] = [SynOffer { mss: 1460, window_scale: 7 }, SynOffer { mss: 1460, window_scale: 10 }];
    const CONNECTION: WireConnection = WireConnection { flow: 0, generation: 0 };

    fn frame(from: Side, segment: &Segment) -> (Vec<u8>, u32) {
        let mut frame = Vec::new();
        let bytes = CONNECTION.write_frame(from, segment, &TcpWireFormat { offers: OFFERS }, (2, 7), &mut frame);
        (frame, bytes)
    }

    fn sum_is_right(bytes: &[u8], sum: u32) -> bool {
        checksum(ones_complement_sum(bytes, sum)) == 0
    }

    #[test]
    fn a_data_packet() {
        let segment = Segment {
            flags: flags::ACK | flags::PSH,
            seq: 1,
            ack: 1,
            len: 1448,
            window: 5 << 7,
            has_timestamps: true,
            tsval: 77,
            tsecr: 66,
            ..Segment::default()
        };
        let (frame, bytes) = frame(Side::Sender, &segment);
        assert_eq!((frame.len(), bytes), (66, 1514));
        let (ip, tcp) = (&frame[14..34], &frame[34..]);
        assert!(sum_is_right(ip, 0));
        assert_eq!(ip[2..4], 1500_u16.to_be_bytes());
        assert!(sum_is_right(tcp, CONNECTION.pseudo_header_sum(Side::Sender, PROTOCOL_TCP, 1480)));
        assert_eq!(tcp[..4], [0x9C, 0x40, 0x14, 0x51]); // from 40000 to 5201
        assert_eq!(tcp[12..16], [0x80, 0x18, 0, 5]);
        assert_eq!(tcp[20..], [1, 1, 8, 10, 0, 0, 0, 77, 0, 0, 0, 66]);
    }

    #[test]
    fn a_syn_offers_and_its_window_is_not_scaled() {
        let segment = Segment { flags: flags::SYN, window: 64_240, has_timestamps: true, ..Segment::default() };
        let (frame, bytes) = frame(Side::Sender, &segment);
        assert_eq!(bytes, 74);
        assert_eq!(frame[34 + 14..][..2], 64_240_u16.to_be_bytes());
        assert_eq!(frame[54..62], [2, 4, 0x05, 0xB4, 4, 2, 8, 10]);
        assert_eq!(frame[70..], [1, 3, 3, 7]);
    }

    #[test]
    fn sack_blocks_are_numbers_of_the_peers_stream() {
        let mut segment = Segment { flags: flags::ACK, ack: 100, ..Segment::default() };
        segment.push_sack(1_000, 2_000);
        let (frame, _) = frame(Side::Receiver, &segment);
        let first = SequenceNumbers { connection: &CONNECTION, from: Side::Sender }.own(1_000);
        assert_eq!(frame[54..58], [1, 1, 5, 10]);
        assert_eq!(frame[58..62], first.to_be_bytes());
        assert_eq!(frame[62..], (first.wrapping_add(1_000)).to_be_bytes());
    }

    #[test]
    fn connections_differ() {
        let start =
            |flow, generation, from| SequenceNumbers { connection: &WireConnection { flow, generation }, from }.own(0);
        let first = start(0, 0, Side::Sender);
        assert_ne!(start(0, 0, Side::Receiver), first);
        assert_ne!(start(0, 1, Side::Sender), first);
        assert_ne!(start(1, 0, Side::Sender), first);
    }
}
