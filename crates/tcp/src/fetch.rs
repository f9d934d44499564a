//! What a packet will touch of a connection, asked for before it comes; by the lines of the structs, which tests hold.

use fairlane_engine::fetch;

use crate::Connection;
use fairlane_congestion_control::TcpSock;
use fairlane_transport::Side;

impl Connection {
    /// An acknowledgement comes to this end, which sends.
    #[inline]
    pub(crate) fn fetch_for_ack(&self) {
        fetch(&self.state);
        fetch(&self.syn);
        let sender = &self.sender;
        sender.fetch_lines();
        fetch_sock(&sender.sock);
    }

    /// Data come to this end.
    #[inline]
    pub(crate) fn fetch_for_data(&self) {
        fetch(&self.state);
        fetch(&self.syn);
        fetch(&self.sender);
        self.receiver.fetch_lines();
    }

    /// What can be asked for when that is there: both ends of the scoreboard, the algorithm's own record of the
    /// connection, the segment that GRO holds.
    #[inline]
    pub(crate) fn fetch_behind(&self, side: Side) {
        if side == Side::Sender {
            self.sender.fetch_records();
            self.sender.algorithm().fetch();
        }
        if let Some(gro) = &self.gro {
            gro.fetch();
        }
    }

    /// The connection is to be sampled.
    #[inline]
    pub(crate) fn fetch_for_sample(&self, side: Side) {
        self.sender.algorithm().fetch();
        match side {
            Side::Sender => {
                fetch(&self.sender.rtt_samples);
                fetch_sock(&self.sender.sock);
            }
            Side::Receiver => fetch(&self.receiver),
        }
    }
}

#[inline]
fn fetch_sock(sock: &TcpSock) {
    fetch(&sock.sk_pacing_rate);
    fetch(&sock.icsk_ca_priv[0]);
    fetch(&sock.icsk_ca_priv[8]);
    fetch(&sock.tcp_clock_cache);
    fetch(&sock.delivered_ce);
    fetch(&sock.bytes_sent);
    fetch(&sock.rack_mstamp);
}
