//! An observer of the packets that an endpoint protects and reads.
//!
//! quinn-proto reports only sizes and times to its congestion controller. Delivery-rate samples, the retransmitted
//! bytes and spurious losses need more: packet numbers, the stream data in each packet, and the ranges of each
//! acknowledgement. A tap on the packet protection of 1-RTT packets reads all of this from the packets, with any
//! cryptography.

use crate::frames::{Ack, Frame, Frames, StreamRange};
use bytes::BytesMut;
use quinn_proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig, Session,
    UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An ack-eliciting packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct TappedPacket {
    pub number: u64,
    /// With header and tag.
    pub bytes: u32,
    /// Its stream data: the first chunk, and further ones.
    pub first: StreamRange,
    pub more: Vec<StreamRange>,
    /// Its data of unreliable messages.
    pub datagram_bytes: u64,
    pub is_ack_eliciting: bool,
    pub has_ack: bool,
    /// Bytes at its end that are known to be zeros: application data that is not encrypted, and a tag of zeros.
    pub zeros_at_end: u32,
}

impl TappedPacket {
    pub fn ranges(&self) -> impl Iterator<Item = StreamRange> + '_ {
        std::iter::once(self.first).chain(self.more.iter().copied()).filter(|range| range.end > range.start)
    }

    pub fn payload_bytes(&self) -> u32 {
        (self.ranges().map(|range| range.end - range.start).sum::<u64>() + self.datagram_bytes) as u32
    }
}

/// Keys that protect a packet (RFC 9001 section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Initial,
    Handshake,
    ZeroRtt,
    OneRtt,
}

impl Space {
    /// qlog's name of the packets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Handshake => "handshake",
            Self::ZeroRtt => "0RTT",
            Self::OneRtt => "1RTT",
        }
    }

    /// The packets carry application data.
    fn carries_data(self) -> bool {
        matches!(self, Self::ZeroRtt | Self::OneRtt)
    }
}

/// Findings of the tap since the last call.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The packets of the last datagram that was built.
    pub sent: Vec<TappedPacket>,
    pub acks: Vec<Ack>,
    /// Ack-eliciting packets that arrived.
    pub eliciting: Eliciting,
    /// The peer's new flow control limit, if it changed.
    pub max_data: u64,
    /// All packets, if they are logged.
    pub log: Option<Vec<LoggedPacket>>,
}

/// A packet's entry in the log.
#[derive(Clone, Debug)]
pub(crate) struct LoggedPacket {
    pub space: Space,
    pub is_sent: bool,
    pub number: u64,
    /// With header and tag.
    pub bytes: u32,
    pub frames: Vec<Frame>,
}

/// Ack-eliciting packets that arrived since the last call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Eliciting {
    #[default]
    None,
    /// One with this number and only stream data or messages.
    Data(u64),
    /// Several, or one with any other frame.
    Other,
}

impl Seen {
    fn log(&mut self, is_sent: bool, space: Space, number: u64, bytes: usize, payload: &[u8]) {
        if let Some(log) = &mut self.log {
            let frames = Frames(payload).collect();
            log.push(LoggedPacket { space, is_sent, number, bytes: bytes as u32, frames });
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tap {
    seen: Mutex<Seen>,
    has_received: AtomicBool,
}

impl Tap {
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a packet has arrived since the last call. Takes no lock.
    pub fn has_received(&self) -> bool {
        let has_received = self.has_received.load(Ordering::Relaxed);
        if has_received {
            self.has_received.store(false, Ordering::Relaxed);
        }
        has_received
    }

    fn on_sent(&self, space: Space, number: u64, bytes: usize, payload: &[u8], tag_bytes: u32) {
        let mut seen = self.seen();
        seen.log(true, space, number, bytes, payload);
        if !space.carries_data() {
            return;
        }
        let mut packet = TappedPacket { number, bytes: bytes as u32, ..TappedPacket::default() };
        let mut frames = Frames(payload);
        while let Some(frame) = frames.next() {
            let is_ack = matches!(frame, Frame::Ack(_));
            packet.has_ack |= is_ack;
            packet.is_ack_eliciting |= !is_ack;
            let is_last = frames.0.is_empty();
            match frame {
                Frame::Stream { range, .. } if is_last => {
                    packet.zeros_at_end = (range.end - range.start) as u32 + tag_bytes
                }
                Frame::Datagram { bytes } if is_last => packet.zeros_at_end = bytes as u32 + tag_bytes,
                _ => {}
            }
            match frame {
                Frame::Stream { range, .. } if packet.first == StreamRange::default() => packet.first = range,
                Frame::Stream { range, .. } => packet.more.push(range),
                Frame::Datagram { bytes } => packet.datagram_bytes += bytes,
                Frame::Ack(_) | Frame::MaxData(_) | Frame::Crypto { .. } | Frame::Other(..) => {}
            }
        }
        seen.sent.push(packet);
    }

    /// The last packet is encrypted, so its data is no longer zeros.
    fn on_encrypted(&self) {
        if let Some(packet) = self.seen().sent.last_mut() {
            packet.zeros_at_end = 0;
        }
    }

    fn on_received(&self, space: Space, number: u64, bytes: usize, payload: &[u8]) {
        let mut seen = self.seen();
        seen.log(false, space, number, bytes, payload);
        if !space.carries_data() {
            return;
        }
        self.has_received.store(true, Ordering::Relaxed);
        let mut eliciting = Eliciting::None;
        for frame in Frames(payload) {
            let is_data = matches!(frame, Frame::Stream { is_last: false, .. } | Frame::Datagram { .. });
            match frame {
                Frame::Ack(ack) => {
                    seen.acks.push(ack);
                    continue;
                }
                Frame::MaxData(end) => seen.max_data = seen.max_data.max(end),
                Frame::Stream { .. } | Frame::Datagram { .. } | Frame::Crypto { .. } | Frame::Other(..) => {}
            }
            let is_only_data = is_data && eliciting != Eliciting::Other;
            eliciting = if is_only_data { Eliciting::Data(number) } else { Eliciting::Other };
        }
        if eliciting != Eliciting::None {
            let is_first = seen.eliciting == Eliciting::None;
            seen.eliciting = if is_first { eliciting } else { Eliciting::Other };
        }
    }
}

struct TappedKey {
    key: Box<dyn PacketKey>,
    tag_bytes: usize,
    tap: Arc<Tap>,
    space: Space,
}

impl TappedKey {
    fn new(key: Box<dyn PacketKey>, tap: &Arc<Tap>, space: Space) -> Self {
        Self { tag_bytes: key.tag_len(), key, tap: tap.clone(), space }
    }
}

impl PacketKey for TappedKey {
    fn encrypt(&self, packet: u64, buffer: &mut [u8], header_len: usize) {
        let payload_end = buffer.len() - self.tag_bytes;
        let payload = &buffer[header_len..payload_end];
        self.tap.on_sent(self.space, packet, buffer.len(), payload, self.tag_bytes as u32);
        self.key.encrypt(packet, buffer, header_len);
        if buffer[payload_end..].iter().any(|&byte| byte != 0) {
            self.tap.on_encrypted();
        }
    }

    fn decrypt(&self, packet: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let bytes = header.len() + payload.len();
        self.key.decrypt(packet, header, payload)?;
        self.tap.on_received(self.space, packet, bytes, payload);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        self.tag_bytes
    }

    fn confidentiality_limit(&self) -> u64 {
        self.key.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.key.integrity_limit()
    }
}

fn tapped(pair: KeyPair<Box<dyn PacketKey>>, tap: &Arc<Tap>, space: Space) -> KeyPair<Box<dyn PacketKey>> {
    let tapped = |key| Box::new(TappedKey::new(key, tap, space));
    KeyPair { local: tapped(pair.local), remote: tapped(pair.remote) }
}

fn tapped_keys(keys: Keys, tap: &Arc<Tap>, space: Space) -> Keys {
    Keys { header: keys.header, packet: tapped(keys.packet, tap, space) }
}

/// A configuration whose sessions have a tap.
pub(crate) struct Tapped<C: ?Sized> {
    pub config: Arc<C>,
    pub tap: Arc<Tap>,
}

impl<C: ?Sized> Tapped<C> {
    fn session(&self, session: Box<dyn Session>) -> Box<dyn Session> {
        Box::new(TappedSession { session, tap: self.tap.clone(), keys_made: 0 })
    }
}

impl ClientConfig for Tapped<dyn ClientConfig> {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        server_name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(self.session(self.config.clone().start_session(version, server_name, parameters)?))
    }
}

impl ServerConfig for Tapped<dyn ServerConfig> {
    fn initial_keys(&self, version: u32, id: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(tapped_keys(self.config.initial_keys(version, id)?, &self.tap, Space::Initial))
    }

    fn retry_tag(&self, version: u32, id: &ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.config.retry_tag(version, id, packet)
    }

    fn start_session(self: Arc<Self>, version: u32, parameters: &TransportParameters) -> Box<dyn Session> {
        self.session(self.config.clone().start_session(version, parameters))
    }
}

struct TappedSession {
    session: Box<dyn Session>,
    tap: Arc<Tap>,
    keys_made: u32,
}

impl Session for TappedSession {
    fn initial_keys(&self, id: &ConnectionId, side: Side) -> Keys {
        tapped_keys(self.session.initial_keys(id, side), &self.tap, Space::Initial)
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.session.handshake_data()
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.session.peer_identity()
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        let (header, key) = self.session.early_crypto()?;
        Some((header, Box::new(TappedKey::new(key, &self.tap, Space::ZeroRtt))))
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.session.early_data_accepted()
    }

    fn is_handshaking(&self) -> bool {
        self.session.is_handshaking()
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.session.read_handshake(bytes)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.session.transport_parameters()
    }

    /// The first keys are those of handshake packets, the second those of 1-RTT packets.
    fn write_handshake(&mut self, buffer: &mut Vec<u8>) -> Option<Keys> {
        let keys = self.session.write_handshake(buffer)?;
        self.keys_made += 1;
        let space = if self.keys_made < 2 { Space::Handshake } else { Space::OneRtt };
        Some(tapped_keys(keys, &self.tap, space))
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        let pair = self.session.next_1rtt_keys()?;
        Some(tapped(pair, &self.tap, Space::OneRtt))
    }

    fn is_valid_retry(&self, id: &ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        self.session.is_valid_retry(id, header, payload)
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        self.session.export_keying_material(output, label, context)
    }
}
