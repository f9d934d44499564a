//! Negotiation of options in the SYNs: segment size, SACK, timestamps, window scale, ECN.
//!
//! In a simulation both ends have one configuration and nothing is negotiated. A caller that plays the peer itself (a
//! behaviour script, a fuzzer) passes the options of the peer's SYN before it delivers the SYN.

use super::Connection;
use crate::segment::{PeerOffer, DEFAULT_MSS};

/// `net.ipv4.tcp_min_snd_mss`.
const MIN_SENT_MSS: u32 = 48;
/// Timestamp option, padded (RFC 7323 section 3.2).
const TIMESTAMP_OPTION_BYTES: u32 = 12;

impl Connection {
    /// Disables options that the peer does not offer. Called before the peer's SYN is handled.
    pub fn negotiate(&mut self, now_ns: u64, offer: &PeerOffer) {
        self.timestamps &= offer.timestamps;
        let option_bytes = if self.timestamps { TIMESTAMP_OPTION_BYTES } else { 0 };
        let own_mss = self.receiver.advertised_mss();
        // Linux ignores an MSS of 0 as if the option were absent, and sends segments of tcp_min_snd_mss, options
        // included, to a peer that asks for less.
        let peer_mss = offer.mss.filter(|&mss| mss > 0).map_or(DEFAULT_MSS, u32::from).max(MIN_SENT_MSS);
        let sent_mss = peer_mss.min(own_mss) - option_bytes;
        self.sender.negotiate(sent_mss, offer.sack, offer.ecn);
        self.note_options(peer_mss.min(own_mss));
        self.receiver.negotiate(now_ns, offer, own_mss - option_bytes, sent_mss);
    }

    /// Shows the peer's options to the algorithm.
    pub(crate) fn note_options(&mut self, peer_mss: u32) {
        let sock = &mut self.sender.sock;
        sock.rx_opt_mss_clamp = peer_mss.try_into().unwrap_or(u16::MAX);
        sock.rx_opt_tstamp_ok = self.timestamps.into();
    }
}
