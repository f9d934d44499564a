//! Reads the IP header fields that the network uses, and sets the ECN mark.

use fairlane_network::Ecn;

/// The fields of a packet that the network uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub ecn: Ecn,
    /// The same for all packets of a connection in one direction; flow queues hash it again.
    pub flow: u32,
}

const TCP: u8 = 6;
const UDP: u8 = 17;
const IPV4_BYTES: usize = 20;
const IPV6_BYTES: usize = 40;
/// Fragment offset and the flag for more fragments (RFC 791 section 3.1).
const IPV4_FRAGMENT: u16 = 0x3fff;

/// Reads an IPv4 or IPv6 packet from a TUN device. None if it is neither.
pub(crate) fn read(packet: &[u8]) -> Option<Header> {
    match packet.first()? >> 4 {
        4 if packet.len() >= IPV4_BYTES => {
            let header_bytes = usize::from(packet[0] & 0x0f) * 4;
            let is_fragment = u16::from_be_bytes([packet[6], packet[7]]) & IPV4_FRAGMENT != 0;
            let ports = if is_fragment { None } else { packet.get(header_bytes..) };
            Some(Header { ecn: from_bits(packet[1]), flow: flow_of(&packet[12..20], packet[9], ports) })
        }
        6 if packet.len() >= IPV6_BYTES => {
            let traffic_class = packet[0] << 4 | packet[1] >> 4;
            let flow = flow_of(&packet[8..40], packet[6], packet.get(IPV6_BYTES..));
            Some(Header { ecn: from_bits(traffic_class), flow })
        }
        _ => None,
    }
}

/// Sets the ECN field (RFC 3168 section 5) of a packet accepted by [`read`].
pub(crate) fn set_ecn(packet: &mut [u8], ecn: Ecn) {
    const FIELD: u8 = 0b11;
    let bits = bits_of(ecn);
    if packet[0] >> 4 == 4 {
        let before = u16::from_be_bytes([packet[0], packet[1]]);
        packet[1] = packet[1] & !FIELD | bits;
        let after = u16::from_be_bytes([packet[0], packet[1]]);
        let sum = u16::from_be_bytes([packet[10], packet[11]]);
        packet[10..12].copy_from_slice(&updated_checksum(sum, before, after).to_be_bytes());
    } else {
        // IPv6 has no checksum, and those of TCP and UDP do not cover the traffic class (RFC 8200 section 8.1).
        packet[1] = packet[1] & !(FIELD << 4) | bits << 4;
    }
}

/// RFC 1624 section 3, equation 3.
fn updated_checksum(sum: u16, before: u16, after: u16) -> u16 {
    let mut total = u32::from(!sum) + u32::from(!before) + u32::from(after);
    total = (total & 0xffff) + (total >> 16);
    total = (total & 0xffff) + (total >> 16);
    !(total as u16)
}

fn from_bits(traffic_class: u8) -> Ecn {
    match traffic_class & 0b11 {
        0b00 => Ecn::NotEct,
        0b01 => Ecn::Ect1,
        0b10 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

fn bits_of(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0b00,
        Ecn::Ect1 => 0b01,
        Ecn::Ect0 => 0b10,
        Ecn::Ce => 0b11,
    }
}

/// FNV-1a over addresses, protocol and ports.
fn flow_of(addresses: &[u8], protocol: u8, rest: Option<&[u8]>) -> u32 {
    let ports = rest.filter(|_| matches!(protocol, TCP | UDP)).and_then(|rest| rest.get(..4)).unwrap_or(&[]);
    let bytes = addresses.iter().chain([&protocol]).chain(ports);
    bytes.fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 1071: the sum over a header that includes its checksum is all ones.
    fn is_valid(header: &[u8]) -> bool {
        let words = header.chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])));
        let mut sum: u32 = words.sum();
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum == 0xffff
    }

    /// An IPv4 header with a valid checksum, and two ports.
    fn ipv4(traffic_class: u8, identification: u16, ports: [u8; 4]) -> Vec<u8> {
        let mut packet = vec![0x45, traffic_class, 0, 24];
        packet.extend(identification.to_be_bytes());
        packet.extend([0x40, 0, 64, TCP, 0, 0, 10, 1, 0, 1, 10, 2, 0, 1]);
        let words = packet.chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])));
        let sum: u32 = words.sum();
        let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
        packet.extend(ports);
        packet
    }

    #[test]
    fn a_changed_ecn_field_keeps_the_checksum_valid() {
        for identification in (0..=u16::MAX).step_by(17) {
            for (traffic_class, ecn) in [(0b01, Ecn::Ce), (0b1011_1010, Ecn::Ce), (0b1011_1011, Ecn::NotEct)] {
                let mut packet = ipv4(traffic_class, identification, [0; 4]);
                assert!(is_valid(&packet[..20]), "before, identification {identification}");
                set_ecn(&mut packet, ecn);
                assert!(is_valid(&packet[..20]), "after, identification {identification}");
                assert_eq!(packet[1], traffic_class & !0b11 | bits_of(ecn));
            }
        }
    }

    #[test]
    fn codepoints_are_those_of_rfc_3168() {
        for (bits, ecn) in [(0, Ecn::NotEct), (1, Ecn::Ect1), (2, Ecn::Ect0), (3, Ecn::Ce)] {
            assert_eq!(read(&ipv4(0b1011_1000 | bits, 7, [0; 4])).map(|header| header.ecn), Some(ecn));
            let mut ipv6 = vec![0; 48];
            (ipv6[0], ipv6[1], ipv6[6]) = (0x6f, bits << 4 | 0xf, UDP);
            assert_eq!(read(&ipv6).map(|header| header.ecn), Some(ecn));
            set_ecn(&mut ipv6, Ecn::Ce);
            assert_eq!((ipv6[0], ipv6[1]), (0x6f, 0x3f | bits << 4 & 0xc0));
        }
    }

    #[test]
    fn connections_differ_by_their_ports_and_fragments_have_none() {
        let flow = |packet: &[u8]| read(packet).expect("an IP packet").flow;
        let (one, other) = (ipv4(0, 7, [1, 2, 3, 4]), ipv4(0, 8, [1, 2, 3, 5]));
        assert_ne!(flow(&one), flow(&other));
        assert_eq!(flow(&one), flow(&ipv4(2, 9, [1, 2, 3, 4])));
        let (mut one, mut other) = (one, other);
        (one[6], other[6]) = (0x20, 0x20);
        assert_eq!(flow(&one), flow(&other));
    }

    #[test]
    fn only_ip_packets_are_read() {
        for packet in [&[][..], &[0x45; 19], &[0x60; 39], &[0x25; 40]] {
            assert_eq!(read(packet), None);
        }
        assert!(read(&[0x4f; 20]).is_some(), "options beyond the end are not looked at");
    }
}
