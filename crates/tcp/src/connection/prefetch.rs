//! Software prefetching of the cache lines that a packet will touch; tests check the layout of the structs.

use super::Connection;
use fairlane_congestion_control::TcpSock;
use fairlane_engine::fetch;
use fairlane_transport::Side;

impl Connection {
    /// An acknowledgement is about to arrive at this end, which sends.
    #[inline]
    pub(crate) fn prefetch_for_ack(&self) {
        fetch(&self.state);
        fetch(&self.syn);
        let sender = &self.sender;
        sender.prefetch_lines();
        prefetch_sock(&sender.sock);
    }

    /// Data is about to arrive at this end.
    #[inline]
    pub(crate) fn prefetch_for_data(&self) {
        fetch(&self.state);
        fetch(&self.syn);
        fetch(&self.sender);
        self.receiver.prefetch_lines();
    }

    /// A second step, for memory that those lines point to: both ends of the scoreboard, the algorithm's own record of the
    /// connection, the segment that GRO holds.
    #[inline]
    pub(crate) fn prefetch_referenced(&self, side: Side) {
        if side == Side::Sender {
            self.sender.prefetch_records();
            self.sender.algorithm().fetch();
        }
        if let Some(gro) = &self.gro {
            gro.prefetch();
        }
    }

    /// The connection is about to be sampled.
    #[inline]
    pub(crate) fn prefetch_for_sample(&self, side: Side) {
        self.sender.algorithm().fetch();
        match side {
            Side::Sender => {
                fetch(&self.sender.rtt_samples);
                prefetch_sock(&self.sender.sock);
            }
            Side::Receiver => fetch(&self.receiver),
        }
    }
}

#[inline]
fn prefetch_sock(sock: &TcpSock) {
    fetch(&sock.sk_pacing_rate);
    fetch(&sock.icsk_ca_priv[0]);
    fetch(&sock.icsk_ca_priv[8]);
    fetch(&sock.tcp_clock_cache);
    fetch(&sock.delivered_ce);
    fetch(&sock.bytes_sent);
    fetch(&sock.rack_mstamp);
}
