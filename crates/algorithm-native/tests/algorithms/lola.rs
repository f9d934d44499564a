//! The laws of the TCP LoLa paper (LCN 2017): thresholds, fair flow balancing, hold, tailored decrease.

use crate::common::{Flow, MSS};
use fairlane_congestion_control::CaEvent;

/// The path's own round-trip time.
const BASE_US: u32 = 20_000;

/// A flow in congestion avoidance with this window, its last reduction long ago.
fn started(parameters: &[(&str, i64)], window: u32) -> Flow {
    let mut flow = Flow::start("lola", parameters, BASE_US);
    flow.sock.snd_cwnd = window;
    flow.sock.snd_ssthresh = window;
    // Slow start has just been left: the flow balances.
    flow.ack(1, BASE_US as i32);
    flow
}

/// Round trips of this length for the given time.
fn run(flow: &mut Flow, rtt_us: u32, ms: u64) {
    flow.sock.srtt_us = rtt_us << 3;
    let end_us = flow.now_us() + ms * 1000;
    while flow.now_us() < end_us {
        flow.round(rtt_us);
    }
}

#[test]
fn slow_start_doubles_and_ends_when_the_queue_is_twice_q_low() {
    for (queueing_us, ends) in [(1_900, false), (2_100, true)] {
        let mut flow = Flow::start("lola", &[], BASE_US);
        flow.round(BASE_US);
        flow.round(BASE_US);
        assert_eq!(flow.sock.snd_cwnd, 40);
        flow.round(BASE_US + queueing_us);
        assert_eq!(flow.sock.snd_ssthresh < 1_000, ends, "{queueing_us} us of queueing");
    }
}

#[test]
fn a_few_late_packets_do_not_end_slow_start() {
    let mut flow = Flow::start("lola", &[], BASE_US);
    flow.round(BASE_US);
    for rtt_us in [BASE_US + 9_000, BASE_US, BASE_US + 9_000] {
        for _ in 0..5 {
            flow.ack(2, rtt_us as i32);
        }
    }
    assert!(flow.sock.in_slow_start());
}

#[test]
fn balancing_waits_until_the_curve_has_passed_what_the_flow_has_queued() {
    // 2 ms of 22 are queue: 9 of 100 packets, 13163 bytes. X(t) = (t / 35 ms)^3 is there after 826 ms.
    let mut flow = started(&[], 100);
    run(&mut flow, BASE_US + 2_000, 800);
    assert_eq!(flow.sock.snd_cwnd, 100);
    run(&mut flow, BASE_US + 2_000, 600);
    assert!(flow.sock.snd_cwnd > 100, "after 1.4 s X is 44 packets");
}

#[test]
fn balancing_adds_the_difference_between_the_curve_and_the_flows_queue() {
    // The queue is kept at 2 ms by others. Each step comes 62 ms after the last (a round trip and t_measure) and adds
    // X(t) - Q_data.
    let mut flow = started(&[], 100);
    let mut expected: f64 = 100.0;
    for step in 1..=22 {
        let wanted = (f64::from(step) * 62.0 / 35.0).powi(3) / f64::from(MSS);
        expected += (wanted - expected * 2.0 / 22.0).max(0.0);
    }
    run(&mut flow, BASE_US + 2_000, 22 * 62 + 20);
    let cwnd = f64::from(flow.sock.snd_cwnd);
    assert!((cwnd - expected).abs() < 0.12 * expected, "{cwnd} for {expected}");
}

#[test]
fn a_flow_with_less_in_the_queue_gains_on_one_with_more() {
    // The same queue and the same time: the small one grows first.
    let windows = [40, 160].map(|window| {
        let mut flow = started(&[], window);
        run(&mut flow, BASE_US + 3_000, 900);
        flow.sock.snd_cwnd
    });
    assert!(windows[0] > 40, "{windows:?}");
    assert_eq!(windows[1], 160);
}

#[test]
fn at_q_target_the_window_is_held_and_then_reduced_by_the_queue_and_gamma() {
    let mut flow = started(&[], 200);
    let rtt_us = BASE_US + 6_000;
    run(&mut flow, rtt_us, 70); // until RTT_now has forgotten the base
    let window = flow.sock.snd_cwnd;
    run(&mut flow, rtt_us, 180);
    assert_eq!(flow.sock.snd_cwnd, window, "held for 250 ms");
    while flow.sock.snd_cwnd == window {
        flow.round(rtt_us);
        assert!(flow.now_us() < 700_000, "no decrease");
    }
    assert!(flow.now_us() > 290_000, "{} us", flow.now_us());
    let expected = f64::from(window) * 20.0 / 26.0 * 0.95;
    assert!((f64::from(flow.sock.snd_cwnd) - expected).abs() <= 2.0, "{} for {expected}", flow.sock.snd_cwnd);
}

#[test]
fn after_the_decrease_the_curve_leads_back_in_k_seconds() {
    let mut flow = started(&[], 200);
    while flow.sock.snd_cwnd >= 200 {
        flow.round(BASE_US + 6_000);
    }
    let drop = 200.0 - f64::from(flow.sock.snd_cwnd);
    let k_s = (drop / 0.4_f64).cbrt();
    let start_us = flow.now_us();
    while flow.sock.snd_cwnd < 197 {
        flow.round(BASE_US);
        assert!(flow.now_us() - start_us < 20_000_000, "never back");
    }
    // C 2^3 = 3.2 packets are missing two seconds before the plateau.
    let back_s = (flow.now_us() - start_us) as f64 / 1e6;
    assert!((back_s - (k_s - 2.0)).abs() < 0.3, "{back_s} s, K is {k_s}");
}

#[test]
fn no_second_decrease_for_the_same_queue() {
    let decreases = |parameters: &[(&str, i64)]| {
        let mut flow = started(parameters, 200);
        let mut windows = vec![200];
        // The queue is gone within a round trip of the decrease.
        for _ in 0..60 {
            let emptied = windows.len() > 1;
            flow.round(if emptied { BASE_US } else { BASE_US + 6_000 });
            if flow.sock.snd_cwnd < *windows.last().expect("one") {
                windows.push(flow.sock.snd_cwnd);
            }
        }
        windows.len() - 1
    };
    assert_eq!(decreases(&[]), 1);
}

#[test]
fn a_loss_leaves_seven_tenths_and_a_time_out_leads_to_slow_start() {
    let mut flow = started(&[], 100);
    flow.lose();
    assert_eq!(flow.sock.snd_cwnd, 70);
    flow.time_out();
    assert_eq!((flow.sock.snd_cwnd, flow.sock.snd_ssthresh), (1, 49));
    flow.set_state(fairlane_congestion_control::CaState::Open);
    flow.round(BASE_US);
    assert_eq!(flow.sock.snd_cwnd, 2);
}

#[test]
fn a_longer_path_is_believed_after_a_hundred_decreases() {
    // 30 ms more, for ever: every decrease finds its queue still there.
    let mut flow = started(&[("decreases_until_reset", 10)], 200);
    run(&mut flow, BASE_US + 30_000, 10_000);
    assert!(flow.sock.snd_cwnd > 10, "{}", flow.sock.snd_cwnd);
    let mut flow = started(&[("decreases_until_reset", 255)], 200);
    run(&mut flow, BASE_US + 30_000, 10_000);
    assert!(flow.sock.snd_cwnd <= 10, "{}", flow.sock.snd_cwnd);
}

#[test]
fn idle_time_does_not_count_in_balancing() {
    let mut flow = started(&[], 100);
    run(&mut flow, BASE_US + 2_000, 300);
    flow.advance_us(20_000_000);
    flow.control.cwnd_event(&mut flow.sock, CaEvent::TxStart);
    run(&mut flow, BASE_US + 2_000, 300);
    assert_eq!(flow.sock.snd_cwnd, 100);
}

#[test]
fn a_window_that_is_not_the_limit_does_not_grow() {
    let mut flow = started(&[], 100);
    flow.sock.is_cwnd_limited = 0;
    run(&mut flow, BASE_US, 3_000);
    assert_eq!(flow.sock.snd_cwnd, 100);
}
