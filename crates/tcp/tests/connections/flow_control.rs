//! Closed windows, and applications that do not fill the window.

use crate::support::{Fate, Sent, Wire, MS, MSS, RECEIVER, SENDER};
use fairlane_tcp::receiver::ReceiverConfig;
use fairlane_tcp::{ConnectionConfig, SenderConfig};

const RTT: u64 = 100 * MS;

#[test]
fn a_closed_window_is_probed_and_reopens() {
    let config = ConnectionConfig {
        timestamps: true,
        receiver: ReceiverConfig { auto_read: false, autotune: false, ..Default::default() },
        ..Default::default()
    };
    // The only window update after the reading is lost: window probes must find out.
    let mut updates_to_lose = 0;
    let lose_update = std::rc::Rc::new(std::cell::Cell::new(false));
    let flag = lose_update.clone();
    let mut wire = Wire::with(RTT, config, move |sent: &Sent| {
        if sent.from == RECEIVER && flag.get() && updates_to_lose == 0 {
            updates_to_lose += 1;
            return Fate::Lost;
        }
        Fate::Arrives
    });
    wire.write_packets(1000);
    wire.run_for(20 * RTT);
    let stuck = wire.delivered_packets();
    assert!(stuck < 100, "the reader does not read: {stuck}");
    assert!(wire.ends[SENDER].sender.sock.snd_wnd < MSS as u32);
    lose_update.set(true);
    while wire.delivered_packets() < 1000 && wire.now_ns < 400 * RTT {
        let now_ns = wire.now_ns;
        wire.ends[RECEIVER].read(now_ns, u64::MAX);
        wire.run_for(RTT / 4);
    }
    assert_eq!(wire.delivered_packets(), 1000);
}

#[test]
fn an_idle_connection_starts_again_from_the_restart_window() {
    let mut wire = Wire::new(RTT, |_| Fate::Arrives);
    wire.write_packets(300);
    wire.run_for(10 * RTT);
    assert!(wire.cwnd() > 100);
    wire.run_for(300 * RTT);
    wire.write_packets(300);
    assert_eq!(wire.cwnd(), 10, "RFC 5681 section 4.1");
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut wire = Wire::new(RTT, |_| Fate::Arrives);
    for _ in 0..50 {
        wire.write_packets(4);
        wire.run_for(2 * RTT);
    }
    assert_eq!(wire.delivered_packets(), 200);
    assert_eq!(wire.cwnd(), 10, "4 packets at a time never fill a window of 10");
}

#[test]
fn small_writes_are_gathered_while_a_small_segment_is_out() {
    let mut wire = Wire::new(RTT, |_| Fate::Arrives);
    for _ in 0..20 {
        let now_ns = wire.now_ns;
        wire.ends[SENDER].write(now_ns, 100);
        wire.run_for(MS);
    }
    wire.run_for(10 * RTT);
    assert_eq!(wire.ends[RECEIVER].receiver.delivered_bytes(), 2000);
    assert!(wire.data_segments_sent() <= 4, "Nagle: {} segments for 20 writes", wire.data_segments_sent());
}

/// The kernel fills buffers with at most half of the peer's window, here 22 segments; a larger burst takes the missing
/// segments from the next buffer (Linux since 6.10).
#[test]
fn the_end_of_a_buffer_does_not_split_a_burst() {
    let config = ConnectionConfig {
        timestamps: true,
        sender: SenderConfig { initial_cwnd_packets: 100, ..SenderConfig::default() },
        ..ConnectionConfig::default()
    };
    let mut wire = Wire::with(100 * MS, config, |_| Fate::Arrives);
    wire.ends[SENDER].write(wire.now_ns, 1000 * MSS);
    let sent: Vec<_> = wire.ends[SENDER].take_outgoing().collect();
    let starts: Vec<usize> = (0..sent.len()).filter(|&packet| !sent[packet].continues_burst).collect();
    assert_eq!(sent.len(), 45, "65,160 bytes of window");
    assert_eq!(starts, [0]);
}
