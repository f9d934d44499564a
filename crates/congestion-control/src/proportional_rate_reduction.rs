//! Proportional Rate Reduction (RFC 6937 and its update, draft-ietf-tcpm-prr-rfc6937bis).
//!
//! Its counters (`prior_cwnd`, `prr_delivered`, `prr_out`) are fields of [`TcpSock`], because algorithms may read them.

use crate::TcpSock;

/// Begins a reduction.
pub fn begin(sock: &mut TcpSock) {
    sock.snd_cwnd_cnt = 0;
    sock.prior_cwnd = sock.snd_cwnd;
    sock.prr_delivered = 0;
    sock.prr_out = 0;
}

/// Counts transmitted packets, retransmissions included.
#[inline]
pub fn on_sent(sock: &mut TcpSock, packets: u32) {
    if sock.in_cwnd_reduction() {
        sock.prr_out += packets;
    }
}

/// Updates the window for one acknowledgement. `made_progress`: it advanced the cumulative ACK.
#[inline]
pub fn on_ack(sock: &mut TcpSock, newly_delivered: u32, newly_lost: u32, made_progress: bool) {
    if newly_delivered == 0 || sock.prior_cwnd == 0 {
        return;
    }
    let in_flight = i64::from(sock.packets_in_flight());
    let room = i64::from(sock.snd_ssthresh) - in_flight;
    sock.prr_delivered += newly_delivered;
    let sent = i64::from(sock.prr_out);
    let mut send = if room < 0 {
        // Above ssthresh: send in proportion to deliveries.
        let numerator = u64::from(sock.snd_ssthresh) * u64::from(sock.prr_delivered) + u64::from(sock.prior_cwnd) - 1;
        (numerator / u64::from(sock.prior_cwnd)) as i64 - sent
    } else {
        // Below: up to the packets delivered, and one more while recovery makes progress (slow start reduction bound;
        // without progress the conservative bound).
        let mut limit = (i64::from(sock.prr_delivered) - sent).max(i64::from(newly_delivered));
        if made_progress && newly_lost == 0 {
            limit += 1;
        }
        limit.min(room)
    };
    // The first retransmission of an episode is always sent.
    send = send.max(i64::from(sock.prr_out == 0));
    sock.snd_cwnd = (in_flight + send).max(1) as u32;
}
