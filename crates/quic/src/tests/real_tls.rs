//! TLS 1.3 by rustls instead of the null cryptography.

use super::pair::{Fate, Pair, Path, SECOND};
use super::tls;
use crate::{Crypto, QuicConfig};
use fairlane_congestion_control::kernel::Reno;

pub fn crypto() -> Crypto {
    let (client, server) = tls::configs();
    Crypto { client, server }
}

/// Every datagram of the handshake and of five seconds with losses leaves at the same time with the same size.
#[test]
fn packets_are_those_of_the_null_cryptography() {
    let log = |crypto: &Crypto| {
        let fate = |_, number| if number % 100 == 57 { Fate::IsLost } else { Fate::Arrives };
        let path = Path { fate: Box::new(fate), ..Path::default() };
        let mut pair = Pair::with(&QuicConfig::default(), path, crypto, || Box::new(Reno));
        pair.write(1 << 40);
        pair.run_for(5 * SECOND);
        pair.log
    };
    let (null, real) = (log(&Crypto::default()), log(&crypto()));
    assert!(null.len() > 1_000, "{}", null.len());
    for (index, (null, real)) in null.iter().zip(&real).enumerate() {
        assert_eq!(null, real, "datagram {index}");
    }
    assert_eq!(null.len(), real.len());
}
