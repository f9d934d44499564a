//! Delivery-rate samples, as all transports complete them (draft-cheng-iccrg-delivery-rate-estimation).
//!
//! The transport chooses the packets of a sample, and sets its `prior_*` and `interval_us`.

use crate::{RateSample, TcpSock};

/// Completes the sample of one acknowledgement.
#[inline]
pub fn complete(sock: &mut TcpSock, delivered: u32, lost: u32, sample: &mut RateSample) {
    if sock.app_limited != 0 && (sock.delivered.wrapping_sub(sock.app_limited) as i32) > 0 {
        sock.app_limited = 0;
    }
    if delivered > 0 {
        sock.delivered_mstamp = sock.tcp_mstamp;
    }
    sample.acked_sacked = delivered;
    sample.losses = lost as i32;
    if sample.prior_mstamp == 0 || sock.is_sack_reneg != 0 {
        sample.delivered = -1;
        sample.interval_us = -1;
        return;
    }
    sample.delivered = sock.delivered.wrapping_sub(sample.prior_delivered) as i32;
    sample.delivered_ce = sock.delivered_ce.wrapping_sub(sample.prior_delivered_ce) as i32;
    let send_us = sample.interval_us;
    let ack_us = sock.tcp_mstamp.saturating_sub(sample.prior_mstamp) as i64;
    sample.interval_us = send_us.max(ack_us);
    sample.snd_interval_us = send_us as u32;
    sample.rcv_interval_us = ack_us as u32;
    // Shorter than the shortest round trip: the ACK was for the original of a retransmitted packet.
    if sample.interval_us < i64::from(sock.min_rtt_us()) {
        sample.interval_us = -1;
        return;
    }
    let better = u64::from(sample.delivered as u32) * u64::from(sock.rate_interval_us)
        >= u64::from(sock.rate_delivered) * sample.interval_us as u64;
    if sample.is_app_limited == 0 || better {
        sock.rate_delivered = sample.delivered as u32;
        sock.rate_interval_us = sample.interval_us as u32;
        sock.rate_app_limited = sample.is_app_limited;
    }
}
