//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation).
//!
//! Each segment records the connection's delivered count and its time when it is sent. When it is acknowledged, the
//! increase divided by the elapsed time is a sample of the delivery rate. The interval is the longer of the send phase
//! and the ACK phase, so that neither compressed ACKs nor bursts look like bandwidth.

use super::scoreboard::{SentSegment, APP_LIMITED, EVER_RETRANSMITTED, SACKED};
pub(crate) use fairlane_congestion_control::delivery_rate::complete;
use fairlane_congestion_control::sock::TcpSock;
use fairlane_congestion_control::RateSample;

/// Stamps a segment that is about to be sent.
#[inline]
pub(crate) fn on_sent(sock: &mut TcpSock, segment: &mut SentSegment) {
    if sock.packets_out == 0 {
        // Sending restarts: the idle time before does not count.
        sock.first_tx_mstamp = segment.sent_us;
        sock.delivered_mstamp = segment.sent_us;
    }
    segment.first_tx_mstamp = sock.first_tx_mstamp;
    segment.delivered_mstamp = sock.delivered_mstamp;
    segment.delivered = sock.delivered;
    segment.delivered_ce = sock.delivered_ce;
    segment.flags = (segment.flags & !APP_LIMITED) | if sock.app_limited != 0 { APP_LIMITED } else { 0 };
}

/// Updates the sample from a segment that was just acknowledged or SACKed; the most recently sent one counts.
#[inline]
pub(crate) fn on_delivered(sock: &mut TcpSock, segment: &mut SentSegment, sample: &mut RateSample) {
    if segment.delivered_mstamp == 0 {
        return;
    }
    let end_seq = segment.end_seq() as u32;
    if sample.prior_delivered == 0 || sent_after(segment.sent_us, sock.first_tx_mstamp, end_seq, sample.last_end_seq) {
        sample.prior_delivered = segment.delivered;
        sample.prior_delivered_ce = segment.delivered_ce;
        sample.prior_mstamp = segment.delivered_mstamp;
        sample.is_app_limited = u8::from(segment.has(APP_LIMITED));
        sample.is_retrans = u8::from(segment.has(EVER_RETRANSMITTED));
        sample.last_end_seq = end_seq;
        sock.first_tx_mstamp = segment.sent_us;
        sample.interval_us = sock.first_tx_mstamp.saturating_sub(segment.first_tx_mstamp) as i64;
    }
    if segment.has(SACKED) {
        segment.delivered_mstamp = 0;
    }
}

/// Order of transmission: by time, then by sequence number.
#[inline]
pub(crate) fn sent_after(t1_us: u64, t2_us: u64, end_seq1: u32, end_seq2: u32) -> bool {
    t1_us > t2_us || (t1_us == t2_us && (end_seq1.wrapping_sub(end_seq2) as i32) > 0)
}
