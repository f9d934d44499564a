//! The laws of RFC 5681.

use crate::common::Flow;

const RTT_US: u32 = 50_000;

#[test]
fn slow_start_doubles_the_window_in_a_round_trip() {
    let mut flow = Flow::start("reno", &[], RTT_US);
    for expected in [20, 40, 80, 160] {
        flow.round(RTT_US);
        assert_eq!(flow.sock.snd_cwnd, expected);
    }
}

#[test]
fn slow_start_ends_at_ssthresh_and_hands_the_rest_to_congestion_avoidance() {
    let mut flow = Flow::start("reno", &[], RTT_US);
    flow.sock.snd_ssthresh = 12;
    flow.ack(10, RTT_US as i32);
    assert_eq!((flow.sock.snd_cwnd, flow.sock.snd_cwnd_cnt), (12, 8));
}

#[test]
fn congestion_avoidance_adds_one_packet_in_a_round_trip() {
    let mut flow = Flow::start("reno", &[], RTT_US);
    flow.sock.snd_cwnd = 100;
    flow.sock.snd_ssthresh = 100;
    for rounds in 1..=50 {
        flow.round(RTT_US);
        assert_eq!(flow.sock.snd_cwnd, 100 + rounds);
    }
}

#[test]
fn a_loss_halves_the_window_and_two_packets_remain() {
    let mut flow = Flow::start("newreno", &[], RTT_US);
    flow.sock.snd_cwnd = 101;
    assert_eq!(flow.control.ssthresh(&mut flow.sock), 50);
    flow.sock.snd_cwnd = 3;
    assert_eq!(flow.control.ssthresh(&mut flow.sock), 2);
}

#[test]
fn a_needless_reduction_is_undone() {
    let mut flow = Flow::start("reno", &[], RTT_US);
    flow.sock.snd_cwnd = 60;
    flow.lose();
    assert_eq!(flow.sock.snd_cwnd, 30);
    assert_eq!(flow.control.undo_cwnd(&mut flow.sock), 60);
}

#[test]
fn a_window_that_is_not_the_limit_does_not_grow() {
    let mut flow = Flow::start("reno", &[], RTT_US);
    flow.sock.is_cwnd_limited = 0;
    flow.sock.max_packets_out = 3;
    flow.control.cong_avoid(&mut flow.sock, 0, 5);
    assert_eq!(flow.sock.snd_cwnd, 10);
}
