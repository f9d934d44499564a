//! What a packet will touch of a connection, asked for before it comes; by the lines of the structs, which tests hold.

use fairlane_engine::fetch;

use crate::Connection;
use fairlane_congestion_control::TcpSock;

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

    /// What can be asked for when that is there: both ends of the scoreboard, the segment that GRO holds.
    #[inline]
    pub(crate) fn fetch_behind(&self) {
        self.sender.fetch_records();
        if let Some(gro) = &self.gro {
            gro.fetch();
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
