//! The handshake and packet protection of RFC 9001 without cryptography.
//!
//! Messages, keys and tags have the order and the sizes of TLS 1.3 with AES-128-GCM, so packets have the same sizes and
//! times as with encryption. Packets are neither encrypted nor authenticated: a simulated network has no attacker and
//! does not change bytes.

use bytes::BytesMut;
use quinn_proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig, Session,
    UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};
use std::any::Any;
use std::sync::Arc;

/// Bytes of each message. A client hello for one group and one application protocol; a server hello; encrypted extensions, a
/// chain of two ECDSA certificates, its signature and the finished message; the client's finished message.
const CLIENT_HELLO_BYTES: usize = 280;
const SERVER_HELLO_BYTES: usize = 90;
const SERVER_FLIGHT_BYTES: usize = 2_000;
const CLIENT_FINISHED_BYTES: usize = 36;
/// The same in a resumed session (RFC 8446 section 2.2): a client hello with a ticket of 200 bytes, its binder, key exchange
/// modes and early data; and encrypted extensions and a finished message, without certificates.
const RESUMING_CLIENT_HELLO_BYTES: usize = 280 + 257;
const RESUMED_SERVER_FLIGHT_BYTES: usize = 200;
/// Every message starts with the size of the transport parameters in it.
const LENGTH_BYTES: usize = 2;
/// AEAD_AES_128_GCM: the tag, and the sample for header protection (RFC 9001 sections 5.3 and 5.4.3).
const TAG_BYTES: usize = 16;
const SAMPLE_BYTES: usize = 16;

/// Both configurations that quinn-proto needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullCrypto {
    /// The session is resumed: data may leave with the client's first flight (RFC 9001 section 4.6).
    pub resumes: bool,
}

impl ClientConfig for NullCrypto {
    fn start_session(
        self: Arc<Self>,
        _: u32,
        _: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(NullSession::new(Side::Client, parameters, self.resumes)))
    }
}

impl ServerConfig for NullCrypto {
    fn initial_keys(&self, _: u32, _: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _: u32, _: &ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(self: Arc<Self>, _: u32, parameters: &TransportParameters) -> Box<dyn Session> {
        Box::new(NullSession::new(Side::Server, parameters, self.resumes))
    }
}

struct NullSession {
    side: Side,
    resumes: bool,
    /// Our transport parameters, encoded.
    parameters: Vec<u8>,
    peer_parameters: Option<TransportParameters>,
    /// Received handshake bytes of an incomplete message.
    input: Vec<u8>,
    messages_read: usize,
    messages_written: usize,
    /// Key sets passed to quinn-proto so far: for handshake packets, then for 1-RTT packets.
    keys_made: usize,
}

impl NullSession {
    fn new(side: Side, parameters: &TransportParameters, resumes: bool) -> Self {
        let mut encoded = Vec::new();
        parameters.write(&mut encoded);
        Self {
            side,
            resumes,
            parameters: encoded,
            peer_parameters: None,
            input: Vec::new(),
            messages_read: 0,
            messages_written: 0,
            keys_made: 0,
        }
    }

    /// The sizes of the messages that one side sends.
    fn sizes(&self, side: Side) -> [usize; 2] {
        match (side, self.resumes) {
            (Side::Client, false) => [CLIENT_HELLO_BYTES, CLIENT_FINISHED_BYTES],
            (Side::Client, true) => [RESUMING_CLIENT_HELLO_BYTES, CLIENT_FINISHED_BYTES],
            (Side::Server, false) => [SERVER_HELLO_BYTES, SERVER_FLIGHT_BYTES],
            (Side::Server, true) => [SERVER_HELLO_BYTES, RESUMED_SERVER_FLIGHT_BYTES],
        }
    }

    /// A message of a fixed size, with our transport parameters in the place that TLS gives them.
    fn write_message(&mut self, buffer: &mut Vec<u8>) {
        let carries_parameters = match self.side {
            Side::Client => self.messages_written == 0,
            Side::Server => self.messages_written == 1,
        };
        let parameters: &[u8] = if carries_parameters { &self.parameters } else { &[] };
        let end = buffer.len() + self.sizes(self.side)[self.messages_written];
        buffer.extend((parameters.len() as u16).to_be_bytes());
        buffer.extend_from_slice(parameters);
        buffer.resize(end, 0);
        self.messages_written += 1;
    }

    fn read_message(&mut self, message: &[u8]) -> Result<(), TransportError> {
        self.messages_read += 1;
        let length = usize::from(u16::from_be_bytes([message[0], message[1]]));
        if length > 0 {
            let mut parameters = message.get(LENGTH_BYTES..LENGTH_BYTES + length).unwrap_or_default();
            self.peer_parameters = Some(TransportParameters::read(self.side, &mut parameters)?);
        }
        Ok(())
    }
}

impl Session for NullSession {
    fn initial_keys(&self, _: &ConnectionId, _: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        self.resumes.then(|| (Box::new(NullKey) as Box<dyn HeaderKey>, Box::new(NullKey) as Box<dyn PacketKey>))
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.resumes.then_some(true)
    }

    fn is_handshaking(&self) -> bool {
        self.messages_read < 2 || self.messages_written < 2
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.input.extend_from_slice(bytes);
        while let Some(&size) = self.sizes(!self.side).get(self.messages_read) {
            if self.input.len() < size {
                break;
            }
            let rest = self.input.split_off(size);
            let message = std::mem::replace(&mut self.input, rest);
            self.read_message(&message)?;
        }
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        if self.peer_parameters.is_none() && self.resumes && self.side.is_client() {
            // The client's remembered transport parameters of the server (RFC 9000 section 7.4.1): both ends have the
            // same settings.
            return Ok(Some(TransportParameters::read(self.side, &mut &self.parameters[..])?));
        }
        Ok(self.peer_parameters)
    }

    /// A client derives keys after it has read their message, a server together with the message that it writes.
    fn write_handshake(&mut self, buffer: &mut Vec<u8>) -> Option<Keys> {
        let writes = match self.side {
            Side::Client => self.messages_written == 0 || (self.messages_written == 1 && self.messages_read == 2),
            Side::Server => self.messages_written < 2 && self.messages_read > 0,
        };
        let makes_keys = match self.side {
            Side::Client => self.keys_made < self.messages_read,
            Side::Server => writes,
        };
        if writes {
            self.write_message(buffer);
        }
        makes_keys.then(|| {
            self.keys_made += 1;
            keys()
        })
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(keys().packet)
    }

    fn is_valid_retry(&self, _: &ConnectionId, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn export_keying_material(&self, _: &mut [u8], _: &[u8], _: &[u8]) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

fn keys() -> Keys {
    Keys {
        header: KeyPair { local: Box::new(NullKey), remote: Box::new(NullKey) },
        packet: KeyPair { local: Box::new(NullKey), remote: Box::new(NullKey) },
    }
}

struct NullKey;

impl HeaderKey for NullKey {
    fn decrypt(&self, _: usize, _: &mut [u8]) {}

    fn encrypt(&self, _: usize, _: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        SAMPLE_BYTES
    }
}

impl PacketKey for NullKey {
    fn encrypt(&self, _: u64, _: &mut [u8], _: usize) {}

    fn decrypt(&self, _: u64, _: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let length = payload.len().checked_sub(TAG_BYTES).ok_or(CryptoError)?;
        payload.truncate(length);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}
