//! The laws of TCP Westwood+ (Mascolo et al. 2001; Grieco and Mascolo 2004).

use crate::common::Flow;
use fairlane_congestion_control::CaState;

const RTT_MS: u32 = 50;
const RTT_US: u32 = RTT_MS * 1000;

/// In congestion avoidance, after a number of round trips at this window.
fn steady(window: u32, rounds: u32) -> Flow {
    let mut flow = Flow::start("westwood", &[], RTT_US);
    flow.set_window(window);
    run(&mut flow, window, rounds, RTT_US);
    flow
}

/// The same window all the time: its growth is Reno's, and of no interest here.
fn run(flow: &mut Flow, window: u32, rounds: u32, rtt_us: u32) {
    for _ in 0..rounds {
        flow.round(rtt_us);
        flow.sock.snd_cwnd = window;
    }
}

#[test]
fn growth_is_renos() {
    let mut flow = Flow::start("westwood", &[], RTT_US);
    for expected in [20, 40, 80] {
        flow.round(RTT_US);
        assert_eq!(flow.sock.snd_cwnd, expected);
    }
    flow.set_window(100);
    for rounds in 1..=20 {
        flow.round(RTT_US);
        assert_eq!(flow.sock.snd_cwnd, 100 + rounds);
    }
}

/// ssthresh = BWE RTTmin / MSS: with an empty queue that is the whole window.
#[test]
fn a_loss_on_a_path_without_a_queue_leaves_the_window() {
    for window in [40, 100, 400] {
        let mut flow = steady(window, 100);
        flow.lose();
        let left = f64::from(flow.sock.snd_cwnd);
        assert!((left / f64::from(window) - 1.0).abs() < 0.06, "{left} of {window}");
        assert_eq!(flow.sock.snd_ssthresh, flow.sock.snd_cwnd);
    }
}

/// With a queue the rate is the bottleneck's, and the window becomes what the path holds without its queue.
#[test]
fn a_loss_with_a_queue_leaves_what_fills_the_path() {
    let (bdp, rtt_us) = (100, 2 * RTT_US);
    let mut flow = steady(bdp, 20);
    run(&mut flow, 2 * bdp, 100, rtt_us);
    flow.lose();
    let left = f64::from(flow.sock.snd_cwnd);
    assert!((left / f64::from(bdp) - 1.0).abs() < 0.06, "{left}, the path holds {bdp}");
}

/// Two low-pass filters of weight 1/8 in a row, with one sample per round trip.
#[test]
fn the_rate_is_filtered_twice() {
    for samples in [8, 16, 24] {
        let mut flow = steady(100, 100);
        let (mut once, mut twice) = (100.0, 100.0);
        // The rate falls to a half; the first sample began before that.
        run(&mut flow, 50, samples, RTT_US);
        for _ in 1..samples {
            once += (50.0 - once) / 8.0;
            twice += (once - twice) / 8.0;
        }
        let left = f64::from(window_after_loss(&mut flow));
        assert!((left - twice).abs() < 3.0, "after {samples} round trips {left} packets, not {twice:.0}");
    }
}

/// The window after a loss, without the reduction of recovery.
fn window_after_loss(flow: &mut Flow) -> u32 {
    flow.control.cwnd_event(&mut flow.sock, fairlane_congestion_control::CaEvent::CompleteCwr);
    flow.sock.snd_cwnd
}

#[test]
fn during_recovery_the_window_goes_to_half_as_renos() {
    let mut flow = steady(100, 50);
    assert_eq!(flow.control.ssthresh(&mut flow.sock), 50);
}

#[test]
fn a_time_out_leads_to_slow_start_up_to_what_fills_the_path() {
    let mut flow = steady(100, 100);
    flow.time_out();
    let threshold = flow.sock.snd_ssthresh;
    assert!((94..=106).contains(&threshold), "{threshold}");
    flow.set_state(CaState::Open);
    for expected in [2, 4, 8, 16, 32, 64] {
        flow.round_by(RTT_US, 1);
        assert_eq!(flow.sock.snd_cwnd, expected);
    }
}

#[test]
fn after_a_time_out_the_shortest_rtt_is_measured_anew() {
    let mut flow = steady(100, 100);
    // The path becomes twice as long; at the same rate it holds twice as much. It looks like a queue.
    run(&mut flow, 200, 100, 2 * RTT_US);
    let left = window_after_loss(&mut flow);
    assert!((94..=106).contains(&left), "{left}");
    flow.set_window(200);
    flow.time_out();
    flow.set_state(CaState::Open);
    flow.set_window(200);
    run(&mut flow, 200, 100, 2 * RTT_US);
    let left = window_after_loss(&mut flow);
    assert!((188..=212).contains(&left), "{left}");
}

#[test]
fn at_least_two_packets_remain() {
    let mut flow = Flow::start("westwood", &[], RTT_US);
    flow.lose();
    assert_eq!(flow.sock.snd_cwnd, 2, "nothing is known of the rate yet");
}
