//! The laws of BIC (Xu, Harfoush, Rhee 2004) with Linux's parameters.

use crate::common::Flow;

const RTT_US: u32 = 50_000;
/// Packets per ACK, by which Linux multiplies all increments: the average begins at 2, and rounding keeps it there.
const PER_ACK: f64 = 31.0 / 16.0;

/// After a loss at `w_max`, with a window of `window`.
fn below(w_max: u32, window: u32) -> Flow {
    let mut flow = Flow::start("bic", &[], RTT_US);
    flow.set_window(w_max);
    flow.lose();
    flow.set_window(window);
    flow
}

/// The paper's increment: packets of growth per round trip, over a number of round trips.
fn increment(flow: &mut Flow, rounds: u32) -> f64 {
    let before = f64::from(flow.sock.snd_cwnd);
    for _ in 0..rounds {
        flow.round_by(RTT_US, 1);
    }
    (f64::from(flow.sock.snd_cwnd) - before) / f64::from(rounds) / PER_ACK
}

#[test]
fn a_loss_costs_a_fifth_and_small_windows_half() {
    let mut flow = Flow::start("bic", &[], RTT_US);
    flow.set_window(1000);
    flow.lose();
    assert_eq!(flow.sock.snd_cwnd, 1000 * 819 / 1024);
    flow.set_window(14);
    flow.lose();
    assert_eq!(flow.sock.snd_cwnd, 7);
}

#[test]
fn far_below_the_old_window_growth_is_additive() {
    let mut flow = below(2000, 1600);
    assert!((increment(&mut flow, 10) - 16.0).abs() < 1.0, "max_increment");
}

#[test]
fn nearer_a_quarter_of_the_distance_is_taken_in_a_round_trip() {
    for distance in [60, 40, 20] {
        let mut flow = below(2000, 2000 - distance);
        let expected = f64::from(distance) / 4.0;
        let got = increment(&mut flow, 1);
        assert!((expected * 0.5..=expected * 1.1).contains(&got), "{distance} packets below: grew by {got}");
    }
}

#[test]
fn close_to_the_old_window_a_packet_takes_five_round_trips() {
    let mut flow = below(1000, 997);
    assert!((increment(&mut flow, 10) - 0.2).abs() < 0.05);
}

#[test]
fn above_the_old_window_growth_is_slow_first_and_then_fast() {
    let mut flow = below(1000, 1000);
    let mut rounds = 0.0;
    while flow.sock.snd_cwnd < 1004 {
        flow.round_by(RTT_US, 1);
        rounds += PER_ACK;
    }
    assert!((18.0..=22.0).contains(&rounds), "smooth: {rounds} round trips for four packets");
    for above in [12, 24, 36] {
        let mut flow = below(1000, 1000 + above);
        let got = increment(&mut flow, 1);
        assert!((got / (f64::from(above) / 3.0) - 1.0).abs() < 0.4, "a third of {above} packets, not {got}");
    }
    let mut flow = below(1000, 1100);
    assert!((increment(&mut flow, 5) - 16.0).abs() < 1.0, "max probing is additive");
}

#[test]
fn the_way_back_to_the_old_window_is_concave() {
    let mut flow = below(1000, 800);
    let mut last = f64::INFINITY;
    for _ in 0..8 {
        let now = increment(&mut flow, 4);
        assert!(now <= last + 0.3, "growth rose from {last} to {now}");
        last = now;
    }
    assert!((990..=1001).contains(&flow.sock.snd_cwnd), "{}", flow.sock.snd_cwnd);
}

#[test]
fn a_loss_below_the_old_window_leaves_room_for_others() {
    for (fast, w_max) in [(1, 900), (0, 1000)] {
        let mut flow = Flow::start("bic", &[("fast_convergence", fast)], RTT_US);
        flow.set_window(1200);
        flow.lose();
        flow.set_window(1000);
        flow.lose();
        // A quarter of the distance shows where the maximum is taken to be.
        flow.set_window(w_max - 40);
        let got = increment(&mut flow, 1);
        assert!((5.0..=11.0).contains(&got), "fast convergence {fast}: {got} packets toward {w_max}");
    }
}

#[test]
fn small_windows_grow_like_reno_whatever_was_lost() {
    let mut flow = below(500, 12);
    assert_eq!(increment(&mut flow, 1) * PER_ACK, 1.0, "and is not multiplied");
}

#[test]
fn acks_that_cover_more_packets_multiply_the_increments() {
    let mut flow = below(4000, 1000);
    let before = flow.sock.snd_cwnd;
    for _ in 0..20 {
        flow.round_by(RTT_US, 4);
    }
    let per_round = f64::from(flow.sock.snd_cwnd - before) / 20.0;
    assert!((58.0..=66.0).contains(&per_round), "{per_round} packets, not four times 16");
}

#[test]
fn before_the_first_loss_growth_is_at_least_5_percent() {
    let mut flow = Flow::start("bic", &[], RTT_US);
    flow.set_window(1000);
    flow.round_by(RTT_US, 1);
    assert!(flow.sock.snd_cwnd >= 1050, "{}", flow.sock.snd_cwnd);
}

#[test]
fn a_time_out_forgets_the_old_window() {
    let mut flow = below(1000, 990);
    flow.time_out();
    flow.set_state(fairlane_congestion_control::CaState::Open);
    flow.set_window(800);
    assert!(increment(&mut flow, 1) >= 20.0, "as before the first loss");
}
