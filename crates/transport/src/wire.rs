//! Datagrams as bytes on Ethernet, for captures: Ethernet and IPv4 (RFC 791) headers. The transport writes the rest.
//!
//! Payload is zeros. Addresses and ports, which a simulation does not have, follow from the number of the flow, so that
//! a reader of the capture sees one connection.

use crate::Side;

const ETHERNET_BYTES: usize = 14;
const IPV4_BYTES: usize = 20;

const ETHERTYPE_IPV4: u16 = 0x0800;
const DONT_FRAGMENT: u16 = 0x4000;
const TIME_TO_LIVE: u8 = 64;

/// iperf3's port.
const RECEIVER_PORT: u16 = 5201;
const FIRST_SENDER_PORT: u16 = 40_000;
const SENDER_PORTS: u32 = 20_000;

/// Wire format of the datagrams of one connection.
pub trait WireFormat<D> {
    /// The number of the protocol in the IP header.
    fn ip_protocol(&self) -> u8;
    /// Appends the transport's headers of a datagram to `packet` and returns the size of the payload, which is not
    /// appended.
    fn write_headers(&self, connection: &WireConnection, from: Side, datagram: &D, packet: &mut Vec<u8>) -> u32;
}

/// Addresses and ports of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireConnection {
    pub flow: u32,
    /// Counts the connections that a flow opens one after the other.
    pub generation: u32,
}

impl WireConnection {
    /// Writes all headers of a datagram that `from` sends into `frame`, and returns the frame's length with payload. `ecn`
    /// is the field of the IP header.
    pub fn write_frame<D>(
        &self,
        from: Side,
        datagram: &D,
        format: &dyn WireFormat<D>,
        (ecn, identification): (u8, u16),
        frame: &mut Vec<u8>,
    ) -> u32 {
        frame.clear();
        self.write_ethernet(from, frame);
        frame.resize(ETHERNET_BYTES + IPV4_BYTES, 0);
        let payload_bytes = format.write_headers(self, from, datagram, frame);
        let ip_bytes = (frame.len() - ETHERNET_BYTES) as u32 + payload_bytes;
        let header = &mut frame[ETHERNET_BYTES..][..IPV4_BYTES];
        header[..2].copy_from_slice(&[0x45, ecn]);
        header[2..4].copy_from_slice(&(ip_bytes as u16).to_be_bytes());
        header[4..6].copy_from_slice(&identification.to_be_bytes());
        header[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
        header[8..10].copy_from_slice(&[TIME_TO_LIVE, format.ip_protocol()]);
        header[12..16].copy_from_slice(&self.address(from));
        header[16..20].copy_from_slice(&self.address(from.peer()));
        let sum = checksum(ones_complement_sum(header, 0));
        header[10..12].copy_from_slice(&sum.to_be_bytes());
        ETHERNET_BYTES as u32 + ip_bytes
    }

    /// 10.0.x.y sends the data, 10.1.x.y receives it.
    pub fn address(&self, side: Side) -> [u8; 4] {
        let host = self.flow + 1;
        [10, side as u8, (host >> 8) as u8, host as u8]
    }

    pub fn port(&self, side: Side) -> u16 {
        match side {
            Side::Sender => FIRST_SENDER_PORT + (self.generation % SENDER_PORTS) as u16,
            Side::Receiver => RECEIVER_PORT,
        }
    }

    /// The part of a transport's checksum for addresses, protocol and length (RFC 9293 section 3.1).
    pub fn pseudo_header_sum(&self, from: Side, ip_protocol: u8, transport_bytes: u32) -> u32 {
        let addresses = ones_complement_sum(&self.address(from.peer()), ones_complement_sum(&self.address(from), 0));
        addresses + u32::from(ip_protocol) + transport_bytes
    }

    fn write_ethernet(&self, from: Side, frame: &mut Vec<u8>) {
        for side in [from.peer(), from] {
            frame.extend([2, 0]); // locally administered
            frame.extend(self.address(side));
        }
        frame.extend(ETHERTYPE_IPV4.to_be_bytes());
    }
}

/// The unfolded sum of RFC 1071. All parts have an even length.
pub fn ones_complement_sum(bytes: &[u8], sum: u32) -> u32 {
    bytes.chunks_exact(2).fold(sum, |sum, pair| sum + u32::from(u16::from_be_bytes([pair[0], pair[1]])))
}

/// The checksum of RFC 1071.
pub fn checksum(mut sum: u32) -> u16 {
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONNECTION: WireConnection = WireConnection { flow: 0, generation: 0 };

    #[test]
    fn the_example_of_rfc_1071() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]; // section 3
        assert_eq!(ones_complement_sum(&bytes, 0), 0x2_DDF0);
        assert_eq!(checksum(0x2_DDF0), !0xDDF2);
    }

    #[test]
    fn a_frame_has_a_valid_ip_header() {
        struct Nothing;
        impl WireFormat<u32> for Nothing {
            fn ip_protocol(&self) -> u8 {
                253
            }
            fn write_headers(&self, _: &WireConnection, _: Side, payload: &u32, packet: &mut Vec<u8>) -> u32 {
                packet.extend([7; 4]);
                *payload
            }
        }
        let mut frame = Vec::new();
        let bytes = CONNECTION.write_frame(Side::Sender, &1000, &Nothing, (2, 9), &mut frame);
        assert_eq!((frame.len(), bytes), (38, 1038));
        let ip = &frame[14..34];
        assert_eq!(checksum(ones_complement_sum(ip, 0)), 0);
        assert_eq!(ip[..6], [0x45, 2, 4, 0, 0, 9]);
        assert_eq!(ip[9..10], [253]);
        assert_eq!(ip[12..], [10, 0, 0, 1, 10, 1, 0, 1]);
    }

    #[test]
    fn connections_differ() {
        let later = WireConnection { generation: 1, ..CONNECTION };
        let other = WireConnection { flow: 1, ..CONNECTION };
        assert_ne!(later.port(Side::Sender), CONNECTION.port(Side::Sender));
        assert_ne!(other.address(Side::Sender), CONNECTION.address(Side::Sender));
        assert_ne!(CONNECTION.address(Side::Receiver), CONNECTION.address(Side::Sender));
    }
}
