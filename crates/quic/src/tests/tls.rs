//! TLS 1.3 by rustls, without a certificate authority.

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, DigitallySignedStruct, Error, ServerConfig, SignatureScheme};
use std::sync::Arc;

/// A certificate size with which the server's handshake messages have 2000 bytes, as in the null cryptography.
const CERTIFICATE_BYTES: usize = 1_736;

/// Ed25519, whose signatures all have the same size, and a certificate of zeros, which the client does not read.
pub fn configs() -> (Arc<QuicClientConfig>, Arc<QuicServerConfig>) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let document = ring::signature::Ed25519KeyPair::generate_pkcs8(&ring::rand::SystemRandom::new()).expect("a key");
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(document.as_ref().to_vec()));
    let key = rustls::crypto::ring::sign::any_supported_type(&key).expect("Ed25519 is supported");
    let certificate = CertificateDer::from(vec![0; CERTIFICATE_BYTES]);
    let resolver = SingleCertAndKey::from(CertifiedKey::new(vec![certificate], key));
    let tls13 = &[&rustls::version::TLS13];

    let server = ServerConfig::builder_with_provider(provider.clone()).with_protocol_versions(tls13);
    let mut server = server.expect("TLS 1.3").with_no_client_auth().with_cert_resolver(Arc::new(resolver));
    server.send_tls13_tickets = 0;
    let client = ClientConfig::builder_with_provider(provider).with_protocol_versions(tls13).expect("TLS 1.3");
    let client = client.dangerous().with_custom_certificate_verifier(Arc::new(TakesAny)).with_no_client_auth();
    let client = QuicClientConfig::try_from(client).expect("AES-128-GCM is there");
    (Arc::new(client), Arc::new(QuicServerConfig::try_from(server).expect("AES-128-GCM is there")))
}

#[derive(Debug)]
struct TakesAny;

impl ServerCertVerifier for TakesAny {
    fn verify_server_cert(
        &self,
        _: &CertificateDer,
        _: &[CertificateDer],
        _: &ServerName,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }
}
