//! QUIC datagrams in captures: UDP (RFC 768), and the QUIC packets as they are.

use crate::datagram::{DatagramStore, QuicDatagram};
use fairlane_transport::{Datagram, Side, WireConnection, WireFormat};

const UDP: u8 = 17;
const IPV4_BYTES: u32 = 20;

pub struct QuicWireFormat(pub DatagramStore);

impl WireFormat<QuicDatagram> for QuicWireFormat {
    fn ip_protocol(&self) -> u8 {
        UDP
    }

    fn write_headers(
        &self,
        connection: &WireConnection,
        from: Side,
        datagram: &QuicDatagram,
        packet: &mut Vec<u8>,
    ) -> u32 {
        let udp_bytes = datagram.ip_bytes() - IPV4_BYTES;
        packet.extend(connection.port(from).to_be_bytes());
        packet.extend(connection.port(from.peer()).to_be_bytes());
        packet.extend((udp_bytes as u16).to_be_bytes());
        packet.extend([0; 2]); // no checksum, which IPv4 allows
        let before = packet.len();
        self.0.append_to(datagram, packet);
        udp_bytes - 8 - (packet.len() - before) as u32
    }
}
