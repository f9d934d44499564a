//! Metrics of a route that a host keeps from one connection to the next (Linux: `tcp_metrics`).
//!
//! When a connection ends, Linux stores its slow-start threshold and its degree of reordering per pair of addresses,
//! and the next connection between them starts with these values (net/ipv4/tcp_metrics.c). Since Linux 5.6 the
//! threshold is not stored by default (`tcp_no_ssthresh_metrics_save`, commit 65e6d90168f3). The stored RTT, which only
//! affects the first timeout, is not modelled.

use fairlane_congestion_control::sock::{CaState, TcpSock, INFINITE_SSTHRESH};

/// Stored metrics of one route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RouteMemory {
    /// 0 if none was stored, as in Linux.
    pub ssthresh_packets: u32,
    /// 0 if none was stored.
    pub reordering_packets: u32,
}

impl RouteMemory {
    /// A connection over the route begins.
    pub fn apply(&self, sock: &mut TcpSock) {
        if self.ssthresh_packets > 0 {
            sock.snd_ssthresh = self.ssthresh_packets;
        }
        if self.reordering_packets > 0 {
            sock.reordering = self.reordering_packets;
        }
    }

    /// A connection over the route has ended. `usual_reordering_packets` is the default without stored metrics.
    pub fn learn(&mut self, sock: &TcpSock, usual_reordering_packets: u32) {
        if sock.srtt_us == 0 {
            return; // no data was ever acknowledged
        }
        let known = self.ssthresh_packets;
        if sock.snd_ssthresh >= INFINITE_SSTHRESH {
            // Slow start has not ended: the threshold is at least half of the window.
            if known > 0 {
                self.ssthresh_packets = known.max(sock.snd_cwnd / 2);
            }
        } else if !sock.in_slow_start() && sock.ca_state() == CaState::Open {
            self.ssthresh_packets = sock.snd_ssthresh.max(sock.snd_cwnd / 2);
        } else if known > 0 {
            // The current window is not representative.
            self.ssthresh_packets = known.max(sock.snd_ssthresh);
        }
        if sock.reordering != usual_reordering_packets {
            self.reordering_packets = self.reordering_packets.max(sock.reordering);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(snd_cwnd: u32, snd_ssthresh: u32) -> TcpSock {
        TcpSock { snd_cwnd, snd_ssthresh, reordering: 3, srtt_us: 8_000, ..TcpSock::default() }
    }

    fn after(known: u32, sock: &TcpSock) -> u32 {
        let mut memory = RouteMemory { ssthresh_packets: known, reordering_packets: 0 };
        memory.learn(sock, 3);
        memory.ssthresh_packets
    }

    #[test]
    fn in_congestion_avoidance_the_threshold_is_kept_or_half_of_the_window() {
        assert_eq!(after(0, &ended(100, 80)), 80);
        assert_eq!(after(500, &ended(300, 80)), 150);
    }

    #[test]
    fn in_the_first_slow_start_a_known_threshold_only_grows() {
        assert_eq!(after(0, &ended(400, INFINITE_SSTHRESH)), 0);
        assert_eq!(after(60, &ended(400, INFINITE_SSTHRESH)), 200);
        assert_eq!(after(300, &ended(400, INFINITE_SSTHRESH)), 300);
    }

    #[test]
    fn in_a_later_slow_start_or_in_recovery_the_window_is_ignored() {
        assert_eq!(after(60, &ended(10, 90)), 90);
        let mut recovering = ended(100, 70);
        recovering.icsk_ca_state = CaState::Recovery as u8;
        assert_eq!(after(60, &recovering), 70);
        assert_eq!(after(0, &recovering), 0);
    }

    #[test]
    fn a_connection_without_any_acknowledgement_stores_nothing() {
        assert_eq!(after(60, &TcpSock { srtt_us: 0, ..ended(100, 80) }), 60);
    }

    #[test]
    fn the_next_connection_starts_with_the_stored_values() {
        let mut memory = RouteMemory::default();
        memory.learn(&TcpSock { reordering: 12, ..ended(100, 80) }, 3);
        let mut sock = TcpSock { reordering: 3, ..TcpSock::default() };
        memory.apply(&mut sock);
        assert_eq!((sock.snd_ssthresh, sock.reordering), (80, 12));
    }
}
