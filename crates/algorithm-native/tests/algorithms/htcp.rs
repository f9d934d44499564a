//! The laws of H-TCP (draft-leith-tcp-htcp-06): alpha as a function of the time since the last loss, and the adaptive
//! beta.

use crate::common::Flow;

/// One at which growth is not scaled: 100 ms.
const RTT_US: u32 = 100_000;

/// After a loss just now that left this window.
fn after_loss(parameters: &[(&str, i64)], rtt_us: u32, window: u32) -> Flow {
    let mut flow = Flow::start("htcp", parameters, rtt_us);
    flow.set_window(2 * window);
    flow.round_by(rtt_us, 1);
    flow.lose();
    flow.set_window(window);
    flow
}

/// Packets of growth in one round trip, one ACK per packet.
fn growth(flow: &mut Flow, rtt_us: u32) -> u32 {
    let before = flow.sock.snd_cwnd;
    flow.round_by(rtt_us, 1);
    flow.sock.snd_cwnd - before
}

/// Section 2 of the draft: alpha(D) = 1 + 10 (D - 1) + ((D - 1) / 2)^2 times 2 (1 - beta), for D over a second.
fn alpha(seconds: f64) -> f64 {
    let over = (seconds - 1.0).max(0.0);
    1.0 + 10.0 * over + (over / 2.0).powi(2)
}

#[test]
fn in_the_first_second_it_is_reno() {
    let mut flow = after_loss(&[], RTT_US, 500);
    let grown: u32 = (0..9).map(|_| growth(&mut flow, RTT_US)).sum();
    assert_eq!(grown, 8, "a packet takes the ACKs of a window, and one more");
}

/// With beta = 1/2 the factor 2 (1 - beta) is 1.
#[test]
fn afterwards_growth_is_a_polynomial_of_the_time_since_the_loss() {
    let mut flow = after_loss(&[], RTT_US, 3_000);
    let mut expected = 3_000.0;
    for round in 0..100 {
        flow.round_by(RTT_US, 1);
        expected += alpha((f64::from(round) + 0.5) / 10.0);
        if round % 10 == 9 {
            let cwnd = f64::from(flow.sock.snd_cwnd);
            let grown = (cwnd - 3_000.0) / (expected - 3_000.0);
            // alpha counts whole packets, is that of the last growth, and a packet takes an integer number of ACKs.
            assert!((0.85..1.05).contains(&grown), "after {round} rounds {cwnd}, the polynomial gives {expected}");
        }
    }
    assert!(flow.sock.snd_cwnd > 5_500, "{}", flow.sock.snd_cwnd);
}

/// Section 3.2 of the draft: growth per round trip scaled by RTT / 100 ms between 0.5 and 10 in its inverse.
#[test]
fn with_rtt_scaling_growth_in_time_does_not_depend_on_the_rtt() {
    for (rtt_us, factor) in [(50_000, 0.5), (100_000, 1.0), (200_000, 2.0), (10_000, 0.1), (400_000, 2.0)] {
        let mut flow = after_loss(&[], rtt_us, 2_000);
        flow.advance_us(5_000_000);
        // A packet of growth computes alpha anew.
        flow.sock.snd_cwnd_cnt = 10_000;
        flow.ack(1, rtt_us as i32);
        let (grown, expected) = (f64::from(growth(&mut flow, rtt_us)), alpha(5.0) * factor);
        // alpha, and what a round grows by, are whole packets.
        assert!(
            (0.93 * expected - 1.5..=expected).contains(&grown),
            "{rtt_us} us: {grown} packets in a round trip, not {expected}"
        );
    }
    let mut flow = after_loss(&[("rtt_scaling", 0)], 50_000, 2_000);
    flow.advance_us(5_000_000);
    flow.sock.snd_cwnd_cnt = 10_000;
    flow.ack(1, 50_000);
    let grown = f64::from(growth(&mut flow, 50_000));
    assert!((grown / alpha(5.0) - 1.0).abs() < 0.1, "without scaling {grown}");
}

/// The windows after successive losses, when the queue increases the RTT by this factor before each.
fn shares(rtt_us: u32, rise: f64, windows: &[u32]) -> Vec<f64> {
    let mut flow = Flow::start("htcp", &[], rtt_us);
    flow.set_window(windows[0]);
    let mut shares = Vec::new();
    for window in windows {
        flow.set_window(*window);
        // Measures rate and RTTs, from the shortest to the longest.
        for step in 0..12 {
            let now_us = rtt_us + (f64::from(rtt_us) * (rise - 1.0) * f64::from(step) / 11.0) as u32;
            flow.sock.snd_cwnd = *window;
            flow.round(now_us);
        }
        flow.sock.snd_cwnd = *window;
        flow.lose();
        shares.push(f64::from(flow.sock.snd_cwnd) / f64::from(*window));
    }
    shares
}

/// beta = RTTmin / RTTmax in 0.5 to 0.8, once the rate has been steady over a loss.
#[test]
fn a_loss_leaves_the_part_that_was_not_queued() {
    for (rise, expected) in [(1.1, 0.8), (1.4, 0.71), (1.6, 0.625), (3.0, 0.5)] {
        let all = shares(100_000, rise, &[500; 8]);
        assert!(all[..2].iter().all(|share| *share == 0.5), "nothing is known yet: {all:?}");
        let last = *all.last().expect("some");
        assert!((last - expected).abs() < 0.02, "RTT x {rise}: {last:.3}, not {expected}; {all:?}");
    }
}

/// A rate that has changed by more than 20 % since the previous loss: a flow came or left.
#[test]
fn after_a_change_of_rate_a_loss_costs_half() {
    let all = shares(100_000, 1.4, &[500, 500, 500, 500, 300, 300, 300, 300]);
    assert!(all[3] > 0.65, "{all:?}");
    assert_eq!(all[4], 0.5, "{all:?}");
    assert!(all[7] > 0.65, "{all:?}");
}

#[test]
fn short_paths_have_no_adaptive_beta() {
    assert!(shares(8_000, 1.4, &[200; 6]).iter().all(|share| *share == 0.5));
}

/// The draft's 2 (1 - beta): the less is given up, the slower it grows, so that it stays fair to others.
#[test]
fn growth_is_scaled_by_what_was_given_up() {
    let mut flow = after_loss(&[("beta_min", 102), ("beta_max", 102)], RTT_US, 2_000);
    flow.advance_us(10_000_000);
    flow.sock.snd_cwnd_cnt = 10_000;
    flow.ack(1, RTT_US as i32);
    let (grown, expected) = (f64::from(growth(&mut flow, RTT_US)), alpha(10.0) * 2.0 * (1.0 - 102.0 / 128.0));
    assert!((grown / expected - 1.0).abs() < 0.1, "{grown}, not {expected}");
}

#[test]
fn a_needless_reduction_does_not_restart_the_clock() {
    let mut flow = after_loss(&[], RTT_US, 2_000);
    flow.advance_us(5_000_000);
    flow.sock.prior_cwnd = 2_000;
    flow.sock.snd_ssthresh = flow.control.ssthresh(&mut flow.sock);
    flow.set_state(fairlane_congestion_control::CaState::Recovery);
    flow.sock.snd_cwnd = flow.control.undo_cwnd(&mut flow.sock);
    flow.set_state(fairlane_congestion_control::CaState::Open);
    flow.set_window(2_000);
    flow.sock.snd_cwnd_cnt = 10_000;
    flow.ack(1, RTT_US as i32);
    assert!(growth(&mut flow, RTT_US) > 30);
}
