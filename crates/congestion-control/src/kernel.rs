//! The kernel functions that congestion control algorithms share (RFC 5681 as Linux counts it), and Reno from them.
//!
//! Native programs link C versions of the same functions (`algorithms/interface/native/runtime/kernel_functions.c`).

use crate::{AckSample, AlgorithmFault, CaEvent, Callbacks, CongestionControl, RateSample, TcpSock};

/// Slow start (RFC 5681 section 3.1): one packet more for each one delivered, up to ssthresh. Returns the rest of `acked`
/// for congestion avoidance.
pub fn tcp_slow_start(sock: &mut TcpSock, acked: u32) -> u32 {
    let grown = (sock.snd_cwnd + acked).min(sock.snd_ssthresh);
    let left = acked - (grown - sock.snd_cwnd);
    sock.snd_cwnd = grown.min(sock.snd_cwnd_clamp);
    left
}

/// Additive increase: one packet for every `w` delivered. A full count left over from a larger `w` is worth one packet,
/// so that a sudden fall of `w` causes no burst.
pub fn tcp_cong_avoid_ai(sock: &mut TcpSock, w: u32, acked: u32) {
    if sock.snd_cwnd_cnt >= w {
        sock.snd_cwnd_cnt = 0;
        sock.snd_cwnd += 1;
    }
    sock.snd_cwnd_cnt += acked;
    if sock.snd_cwnd_cnt >= w {
        let grow = sock.snd_cwnd_cnt / w;
        sock.snd_cwnd_cnt -= grow * w;
        sock.snd_cwnd += grow;
    }
    sock.snd_cwnd = sock.snd_cwnd.min(sock.snd_cwnd_clamp);
}

/// Was the window the limit? In slow start it may grow to twice the packets that were in flight.
pub fn tcp_is_cwnd_limited(sock: &TcpSock) -> bool {
    sock.is_cwnd_limited != 0 || (sock.in_slow_start() && sock.snd_cwnd < 2 * sock.max_packets_out)
}

pub fn tcp_reno_ssthresh(sock: &TcpSock) -> u32 {
    (sock.snd_cwnd >> 1).max(2)
}

pub fn tcp_reno_cong_avoid(sock: &mut TcpSock, acked: u32) {
    if !tcp_is_cwnd_limited(sock) {
        return;
    }
    let left = if sock.in_slow_start() { tcp_slow_start(sock, acked) } else { acked };
    if left > 0 {
        tcp_cong_avoid_ai(sock, sock.snd_cwnd, left);
    }
}

pub fn tcp_reno_undo_cwnd(sock: &TcpSock) -> u32 {
    sock.snd_cwnd.max(sock.prior_cwnd)
}

/// Reno in Rust, for transports without an algorithm host, as in tests and in a browser.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl CongestionControl for Reno {
    fn callbacks(&self) -> Callbacks {
        Callbacks::default()
    }

    fn init(&mut self, _: &mut TcpSock) {}
    fn release(&mut self, _: &mut TcpSock) {}

    fn ssthresh(&mut self, sock: &mut TcpSock) -> u32 {
        tcp_reno_ssthresh(sock)
    }

    fn cong_avoid(&mut self, sock: &mut TcpSock, _: u32, acked: u32) {
        tcp_reno_cong_avoid(sock, acked);
    }

    fn cong_control(&mut self, _: &mut TcpSock, _: u32, _: i32, _: &RateSample) {}
    fn set_state(&mut self, _: &mut TcpSock, _: u8) {}
    fn cwnd_event(&mut self, _: &mut TcpSock, _: CaEvent) {}
    fn in_ack_event(&mut self, _: &mut TcpSock, _: u32) {}
    fn pkts_acked(&mut self, _: &mut TcpSock, _: &AckSample) {}

    fn undo_cwnd(&mut self, sock: &mut TcpSock) -> u32 {
        tcp_reno_undo_cwnd(sock)
    }

    fn min_tso_segs(&mut self, _: &mut TcpSock) -> u32 {
        2
    }

    fn sndbuf_expand(&mut self, _: &mut TcpSock) -> u32 {
        2
    }

    fn fault(&self) -> Option<AlgorithmFault> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_start_hands_on_what_it_does_not_use() {
        let mut sock = TcpSock { snd_cwnd: 8, snd_ssthresh: 10, ..TcpSock::default() };
        assert_eq!(tcp_slow_start(&mut sock, 5), 3);
        assert_eq!(sock.snd_cwnd, 10);
    }

    #[test]
    fn a_full_count_of_a_larger_divisor_is_worth_one_packet() {
        let mut sock = TcpSock { snd_cwnd: 10, snd_cwnd_cnt: 40, ..TcpSock::default() };
        tcp_cong_avoid_ai(&mut sock, 10, 0);
        assert_eq!((sock.snd_cwnd, sock.snd_cwnd_cnt), (11, 0));
        tcp_cong_avoid_ai(&mut sock, 10, 25);
        assert_eq!((sock.snd_cwnd, sock.snd_cwnd_cnt), (13, 5));
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        let mut sock = TcpSock { snd_cwnd: 10, snd_ssthresh: 5, is_cwnd_limited: 0, ..TcpSock::default() };
        tcp_reno_cong_avoid(&mut sock, 10);
        assert_eq!(sock.snd_cwnd, 10);
        sock.is_cwnd_limited = 1;
        tcp_reno_cong_avoid(&mut sock, 10);
        assert_eq!(sock.snd_cwnd, 11);
    }
}
