//! A simulated segment as bytes: Ethernet, IPv4 (RFC 791) and TCP (RFC 9293) headers, with options and checksums.
//!
//! Payload is zeros. What a simulation does not have is made up so that a reader of the bytes sees one connection:
//! addresses and ports from the number of the flow, and initial sequence numbers.

use fairlane_tcp::segment::flags;
use fairlane_tcp::Segment;

const ETHERNET_BYTES: usize = 14;
const IPV4_BYTES: usize = 20;

const ETHERTYPE_IPV4: u16 = 0x0800;
const DONT_FRAGMENT: u16 = 0x4000;
const TIME_TO_LIVE: u8 = 64;
const PROTOCOL_TCP: u8 = 6;

/// Kinds of TCP options (RFC 9293 section 3.2, RFC 7323, RFC 2018).
const NO_OPERATION: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// iperf3's port.
const RECEIVER_PORT: u16 = 5201;
const FIRST_SENDER_PORT: u16 = 40_000;
const SENDER_PORTS: u32 = 20_000;

/// One end of a connection, as its SYN told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireEnd {
    /// MSS option.
    pub mss: u16,
    pub window_scale: u8,
}

/// What all packets of a connection have in common; end 0 sends the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireConnection {
    pub flow: u32,
    /// Counts the connections that a flow opens one after the other.
    pub generation: u32,
    pub ends: [WireEnd; 2],
}

impl WireConnection {
    /// Writes the headers of a segment that `from` sends into `frame`, and returns the frame's length with payload.
    /// `ecn` is the field of the IP header.
    pub fn write_headers(
        &self,
        from: usize,
        segment: &Segment,
        ecn: u8,
        identification: u16,
        frame: &mut Vec<u8>,
    ) -> u32 {
        frame.clear();
        self.write_ethernet(from, frame);
        let ip_start = frame.len();
        frame.resize(ip_start + IPV4_BYTES, 0);
        self.write_tcp(from, segment, frame);
        let ip_bytes = (frame.len() - ip_start) as u32 + segment.len;
        debug_assert_eq!(ip_bytes, segment.ip_bytes(), "headers as long as the simulation takes them to be");
        self.write_ipv4(from, ip_bytes as u16, ecn, identification, &mut frame[ip_start..]);
        ETHERNET_BYTES as u32 + ip_bytes
    }

    /// 10.0.x.y sends the data, 10.1.x.y receives it.
    fn address(&self, end: usize) -> [u8; 4] {
        let host = self.flow + 1;
        [10, end as u8, (host >> 8) as u8, host as u8]
    }

    fn port(&self, end: usize) -> u16 {
        [FIRST_SENDER_PORT + (self.generation % SENDER_PORTS) as u16, RECEIVER_PORT][end]
    }

    /// Anything will do, as long as ends and connections differ: here multiples of 2^32 over the golden ratio.
    fn initial_sequence_number(&self, end: usize) -> u32 {
        (self.flow * 2 + end as u32 + 1).wrapping_mul(0x9E37_79B9) ^ (self.generation << 8)
    }

    /// A place in the stream of `end` as a sequence number.
    fn sequence_number(&self, end: usize, offset: u64) -> u32 {
        self.initial_sequence_number(end).wrapping_add(offset as u32)
    }

    fn write_ethernet(&self, from: usize, frame: &mut Vec<u8>) {
        for end in [1 - from, from] {
            frame.extend([2, 0]); // locally administered
            frame.extend(self.address(end));
        }
        frame.extend(ETHERTYPE_IPV4.to_be_bytes());
    }

    fn write_ipv4(&self, from: usize, ip_bytes: u16, ecn: u8, identification: u16, packet: &mut [u8]) {
        let header = &mut packet[..IPV4_BYTES];
        header[..2].copy_from_slice(&[0x45, ecn]);
        header[2..4].copy_from_slice(&ip_bytes.to_be_bytes());
        header[4..6].copy_from_slice(&identification.to_be_bytes());
        header[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
        header[8..10].copy_from_slice(&[TIME_TO_LIVE, PROTOCOL_TCP]);
        header[12..16].copy_from_slice(&self.address(from));
        header[16..20].copy_from_slice(&self.address(1 - from));
        let sum = checksum(ones_complement_sum(header, 0));
        header[10..12].copy_from_slice(&sum.to_be_bytes());
    }

    fn write_tcp(&self, from: usize, segment: &Segment, frame: &mut Vec<u8>) {
        let start = frame.len();
        let is_syn = segment.flags & flags::SYN != 0;
        let ack = if segment.flags & flags::ACK != 0 { self.sequence_number(1 - from, segment.ack) } else { 0 };
        // The window of a SYN is never scaled (RFC 7323 section 2.2).
        let scale = if is_syn { 0 } else { self.ends[from].window_scale };
        let window = (segment.window >> scale).min(u32::from(u16::MAX)) as u16;
        frame.extend(self.port(from).to_be_bytes());
        frame.extend(self.port(1 - from).to_be_bytes());
        frame.extend(self.sequence_number(from, segment.seq).to_be_bytes());
        frame.extend(ack.to_be_bytes());
        frame.extend([0, segment.flags]);
        frame.extend(window.to_be_bytes());
        frame.extend([0; 4]); // checksum, urgent pointer
        if is_syn {
            self.write_syn_options(from, segment, frame);
        } else {
            self.write_options(from, segment, frame);
        }
        let tcp = &mut frame[start..];
        tcp[12] = ((tcp.len() / 4) << 4) as u8;
        let sum = checksum(ones_complement_sum(tcp, self.pseudo_header_sum(from, tcp.len() as u32 + segment.len)));
        tcp[16..18].copy_from_slice(&sum.to_be_bytes());
    }

    /// MSS, SACK permitted, timestamps, window scale, in the order in which Linux has them.
    fn write_syn_options(&self, from: usize, segment: &Segment, frame: &mut Vec<u8>) {
        let end = &self.ends[from];
        frame.extend([MSS, 4]);
        frame.extend(end.mss.to_be_bytes());
        if segment.has_timestamps {
            frame.extend([SACK_PERMITTED, 2, TIMESTAMPS, 10]);
            frame.extend(segment.tsval.to_be_bytes());
            frame.extend(segment.tsecr.to_be_bytes());
        } else {
            frame.extend([NO_OPERATION, NO_OPERATION, SACK_PERMITTED, 2]);
        }
        frame.extend([NO_OPERATION, WINDOW_SCALE, 3, end.window_scale]);
    }

    /// Timestamps and SACK blocks of a segment that is no SYN, each padded to 32 bits by NOPs in front.
    fn write_options(&self, from: usize, segment: &Segment, frame: &mut Vec<u8>) {
        if segment.has_timestamps {
            frame.extend([NO_OPERATION, NO_OPERATION, TIMESTAMPS, 10]);
            frame.extend(segment.tsval.to_be_bytes());
            frame.extend(segment.tsecr.to_be_bytes());
        }
        if segment.sack_count > 0 {
            frame.extend([NO_OPERATION, NO_OPERATION, SACK, 2 + 8 * segment.sack_count]);
            for (start, end) in segment.sack_blocks() {
                frame.extend(self.sequence_number(1 - from, start).to_be_bytes());
                frame.extend(self.sequence_number(1 - from, end).to_be_bytes());
            }
        }
    }

    /// What the TCP checksum covers besides header and payload; a payload of zeros adds nothing.
    fn pseudo_header_sum(&self, from: usize, tcp_bytes: u32) -> u32 {
        let addresses = ones_complement_sum(&self.address(1 - from), ones_complement_sum(&self.address(from), 0));
        addresses + u32::from(PROTOCOL_TCP) + tcp_bytes
    }
}

/// RFC 1071, not folded yet. All parts have an even length.
fn ones_complement_sum(bytes: &[u8], sum: u32) -> u32 {
    bytes.chunks_exact(2).fold(sum, |sum, pair| sum + u32::from(u16::from_be_bytes([pair[0], pair[1]])))
}

fn checksum(mut sum: u32) -> u16 {
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: [WireEnd; 2] = [WireEnd { mss: 1460, window_scale: 7 }, WireEnd { mss: 1460, window_scale: 10 }];
    const CONNECTION: WireConnection = WireConnection { flow: 0, generation: 0, ends: ENDS };

    fn frame(from: usize, segment: &Segment) -> (Vec<u8>, u32) {
        let mut frame = Vec::new();
        let bytes = CONNECTION.write_headers(from, segment, 2, 7, &mut frame);
        (frame, bytes)
    }

    fn sum_is_right(bytes: &[u8], sum: u32) -> bool {
        checksum(ones_complement_sum(bytes, sum)) == 0
    }

    #[test]
    fn the_known_sum_of_rfc_1071() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]; // section 3
        assert_eq!(ones_complement_sum(&bytes, 0), 0x2_DDF0);
        assert_eq!(checksum(0x2_DDF0), !0xDDF2);
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
        let (frame, bytes) = frame(0, &segment);
        assert_eq!((frame.len(), bytes), (66, 1514));
        let (ip, tcp) = (&frame[14..34], &frame[34..]);
        assert!(sum_is_right(ip, 0));
        assert_eq!(ip[2..4], 1500_u16.to_be_bytes());
        assert!(sum_is_right(tcp, CONNECTION.pseudo_header_sum(0, 1480)));
        assert_eq!(tcp[..4], [0x9C, 0x40, 0x14, 0x51]); // from 40000 to 5201
        assert_eq!(tcp[12..16], [0x80, 0x18, 0, 5]);
        assert_eq!(tcp[20..], [1, 1, 8, 10, 0, 0, 0, 77, 0, 0, 0, 66]);
    }

    #[test]
    fn a_syn_offers_and_its_window_is_not_scaled() {
        let segment = Segment { flags: flags::SYN, window: 64_240, has_timestamps: true, ..Segment::default() };
        let (frame, bytes) = frame(0, &segment);
        assert_eq!(bytes, 74);
        assert_eq!(frame[34 + 14..][..2], 64_240_u16.to_be_bytes());
        assert_eq!(frame[54..62], [2, 4, 0x05, 0xB4, 4, 2, 8, 10]);
        assert_eq!(frame[70..], [1, 3, 3, 7]);
    }

    #[test]
    fn sack_blocks_speak_of_the_other_ends_stream() {
        let mut segment = Segment { flags: flags::ACK, ack: 100, ..Segment::default() };
        segment.push_sack(1_000, 2_000);
        let (frame, _) = frame(1, &segment);
        let first = CONNECTION.sequence_number(0, 1_000);
        assert_eq!(frame[54..58], [1, 1, 5, 10]);
        assert_eq!(frame[58..62], first.to_be_bytes());
        assert_eq!(frame[62..], (first.wrapping_add(1_000)).to_be_bytes());
    }

    #[test]
    fn connections_differ() {
        let later = WireConnection { generation: 1, ..CONNECTION };
        let other = WireConnection { flow: 1, ..CONNECTION };
        assert_ne!(later.port(0), CONNECTION.port(0));
        assert_ne!(later.initial_sequence_number(0), CONNECTION.initial_sequence_number(0));
        assert_ne!(other.address(0), CONNECTION.address(0));
        assert_ne!(CONNECTION.initial_sequence_number(0), CONNECTION.initial_sequence_number(1));
    }
}
