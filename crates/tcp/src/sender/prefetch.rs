//! Prefetches the cache lines that packets and samples touch. Which fields share a line is tested in `mod.rs`.

use fairlane_congestion_control::TcpSock;
use fairlane_engine::prefetch;
use fairlane_transport::Prefetch;

use super::Sender;

impl Sender {
    #[inline]
    pub(crate) fn prefetch(&self, part: Prefetch) {
        match part {
            Prefetch::Endpoint => {
                prefetch(&self.out);
                prefetch(&self.timer);
                prefetch(&self.board);
                prefetch(&self.algorithm);
                prefetch(&self.config.slow_start_pacing_percent);
                prefetch(&self.snd_wl1);
                prefetch(&self.rtt_samples);
                prefetch(&self.write_queue);
                prefetch(&self.host_queue_bytes);
                prefetch_sock(&self.sock);
            }
            Prefetch::Records => {
                // Segments that the next ACK may acknowledge, and where loss detection and retransmission continue.
                let (first, next) = (self.board.first(), self.board.end());
                self.board.prefetch([
                    first,
                    first + 2,
                    first + 4,
                    next,
                    self.rack.first_unsettled(),
                    self.retransmit_hint,
                ]);
                self.rtt_samples.prefetch();
                self.algorithm.prefetch();
            }
            Prefetch::Sample => {
                self.algorithm.prefetch();
                prefetch(&self.rtt_samples);
                prefetch_sock(&self.sock);
            }
        }
    }
}

#[inline]
fn prefetch_sock(sock: &TcpSock) {
    prefetch(&sock.sk_pacing_rate);
    prefetch(&sock.icsk_ca_priv[0]);
    prefetch(&sock.icsk_ca_priv[8]);
    prefetch(&sock.tcp_clock_cache);
    prefetch(&sock.delivered_ce);
    prefetch(&sock.bytes_sent);
    prefetch(&sock.rack_mstamp);
}
