//! Reports of the host's queue: a throttled connection resumes, any other does not react.

use crate::support::{Fate, Sent, Wire, MS, MSS, SENDER};
use fairlane_tcp::{ConnectionConfig, SenderConfig};

/// An established connection behind an fq queue, whose reports the test makes.
fn behind_fq() -> Wire<impl FnMut(&Sent) -> Fate> {
    let sender = SenderConfig { fq_pacing: true, ..SenderConfig::default() };
    let mut wire = Wire::with(100 * MS, ConnectionConfig { sender, ..ConnectionConfig::default() }, |_| Fate::Arrives);
    // Two packets may be queued, which is more than a millisecond at this rate.
    wire.ends[SENDER].sender.sock.sk_pacing_rate = MSS;
    wire
}

#[test]
fn a_throttled_connection_resumes() {
    let mut wire = behind_fq();
    wire.ends[SENDER].sender.sock.snd_cwnd = 100;
    wire.write_packets(100);
    let before = wire.data_segments_sent();
    assert!(before < 100, "all of the window is in the queue");
    let now_ns = wire.now_ns;
    wire.ends[SENDER].on_host_queue_sent(now_ns, before as u64 * MSS);
    assert!(wire.ends[SENDER].has_outgoing());
}

/// As in Linux, where reports of the interface only wake throttled connections (`tcp_wfree`).
#[test]
fn a_window_limited_connection_does_not_resume() {
    let mut wire = behind_fq();
    wire.ends[SENDER].sender.sock.snd_cwnd = 2;
    wire.write_packets(100);
    assert_eq!(wire.data_segments_sent(), 2);
    wire.ends[SENDER].sender.sock.snd_cwnd = 10;
    let now_ns = wire.now_ns;
    wire.ends[SENDER].on_host_queue_sent(now_ns, 2 * MSS);
    assert!(!wire.ends[SENDER].has_outgoing(), "what widens the window sends");
}
