//! Configures quinn-proto so that a run only depends on its settings: fixed connection ids, seeded random numbers, no
//! greasing, no tokens, no path MTU discovery, no clock.

use crate::config::QuicConfig;
use crate::listener::Listener;
use crate::null_crypto::NullCrypto;
use crate::tap::{Tap, Tapped};
use quinn_proto::crypto::{AeadKey, CryptoError, HandshakeTokenKey, HmacKey};
use quinn_proto::{
    AckFrequencyConfig, ClientConfig, ConnectionId, ConnectionIdGenerator, Endpoint, EndpointConfig, ServerConfig,
    TransportConfig, ValidationTokenConfig, VarInt,
};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::time::Duration;

/// Each endpoint has one peer, so the address does not matter.
pub(crate) const PEER: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 443));
pub(crate) const SERVER_NAME: &str = "localhost";

const CONNECTION_ID_BYTES: usize = 8;

/// Handshake and packet protection of both ends.
#[derive(Clone)]
pub struct Crypto {
    pub client: Arc<dyn quinn_proto::crypto::ClientConfig>,
    pub server: Arc<dyn quinn_proto::crypto::ServerConfig>,
}

impl Default for Crypto {
    /// None, in the sizes of TLS 1.3.
    fn default() -> Self {
        Self::null(false)
    }
}

impl Crypto {
    /// None, in the sizes of TLS 1.3: of a full handshake, or of a resumed session with 0-RTT data.
    pub fn null(resumes: bool) -> Self {
        Self { client: Arc::new(NullCrypto { resumes }), server: Arc::new(NullCrypto { resumes }) }
    }
}

/// An endpoint that can accept and open connections.
pub(crate) fn endpoint(
    config: &QuicConfig,
    crypto: &Crypto,
    listener: &Listener,
    tap: &Arc<Tap>,
    seed: u64,
) -> (Endpoint, ClientConfig) {
    let transport = Arc::new(transport(config, listener));
    let mut endpoint = EndpointConfig::new(Arc::new(NoKey));
    let mut rng_seed = [0; 32];
    rng_seed[..8].copy_from_slice(&seed.to_le_bytes());
    endpoint
        .rng_seed(Some(rng_seed))
        .grease_quic_bit(false)
        .cid_generator(move || Box::new(CountingIds(seed)))
        .max_udp_payload_size(config.udp_payload_bytes)
        .expect("the size was checked");

    let tapped = Tapped { config: crypto.server.clone(), tap: tap.clone() };
    let mut server = ServerConfig::new(Arc::new(tapped), Arc::new(NoKey));
    let mut no_tokens = ValidationTokenConfig::default();
    no_tokens.sent(0);
    server.transport_config(transport.clone()).validation_token_config(no_tokens);

    let tapped = Tapped { config: crypto.client.clone(), tap: tap.clone() };
    let mut client = ClientConfig::new(Arc::new(tapped));
    client.transport_config(transport).initial_dst_cid_provider(Arc::new(move || id(!seed)));
    (Endpoint::new(Arc::new(endpoint), Some(Arc::new(server)), false, None), client)
}

fn transport(config: &QuicConfig, listener: &Listener) -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport
        .congestion_controller_factory(Arc::new(listener.clone()))
        .initial_mtu(config.udp_payload_bytes)
        .min_mtu(config.udp_payload_bytes)
        .mtu_discovery_config(None)
        .max_idle_timeout(None)
        .initial_rtt(Duration::from_nanos(config.initial_rtt_ns))
        .packet_threshold(config.packet_threshold)
        .time_threshold(config.time_threshold_permille as f32 / 1000.0)
        .persistent_congestion_threshold(config.persistent_congestion_threshold)
        .stream_receive_window(window(config.stream_window_bytes))
        .receive_window(window(config.connection_window_bytes))
        .send_window(config.send_buffer_bytes)
        .max_concurrent_uni_streams(config.streams.into())
        .enable_segmentation_offload(false);
    // By default the peer acknowledges every second packet within 25 ms.
    if (config.ack_every_packets, config.max_ack_delay_us, config.ack_reordering_threshold) != (2, 25_000, 1) {
        let mut frequency = AckFrequencyConfig::default();
        frequency
            .ack_eliciting_threshold((config.ack_every_packets - 1).into())
            .max_ack_delay(Some(Duration::from_micros(config.max_ack_delay_us.into())))
            .reordering_threshold(config.ack_reordering_threshold.into());
        transport.ack_frequency_config(Some(frequency));
    }
    transport
}

fn window(bytes: u64) -> VarInt {
    VarInt::from_u64(bytes).unwrap_or(VarInt::MAX)
}

fn id(number: u64) -> ConnectionId {
    ConnectionId::new(&number.to_be_bytes())
}

/// Connection ids from a counter.
struct CountingIds(u64);

impl ConnectionIdGenerator for CountingIds {
    fn generate_cid(&mut self) -> ConnectionId {
        self.0 = self.0.wrapping_add(1);
        id(self.0)
    }

    fn cid_len(&self) -> usize {
        CONNECTION_ID_BYTES
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// Keys of stateless resets and tokens, which are not used here.
struct NoKey;

impl HmacKey for NoKey {
    fn sign(&self, data: &[u8], signature: &mut [u8]) {
        // FNV-1a: no two connection ids have similar tokens, and no token looks like data, which is zeros.
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        for (place, out) in signature.iter_mut().enumerate() {
            for &byte in data.iter().chain(&[place as u8]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
            }
            *out = (hash >> 56) as u8;
        }
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, _: &[u8], _: &[u8]) -> Result<(), CryptoError> {
        Err(CryptoError)
    }
}

impl HandshakeTokenKey for NoKey {
    fn aead_from_hkdf(&self, _: &[u8]) -> Box<dyn AeadKey> {
        Box::new(Self)
    }
}

impl AeadKey for NoKey {
    fn seal(&self, _: &mut Vec<u8>, _: &[u8]) -> Result<(), CryptoError> {
        Err(CryptoError)
    }

    fn open<'a>(&self, _: &'a mut [u8], _: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        Err(CryptoError)
    }
}
