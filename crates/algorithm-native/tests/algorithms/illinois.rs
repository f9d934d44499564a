//! The laws of TCP-Illinois (Liu, Basar, Srikant 2006): alpha and beta as functions of the mean queueing delay.

use crate::common::round_trips::RoundTrips;
use crate::common::Flow;

const BASE_US: u32 = 50_000;
/// The largest delay that the connection has seen.
const DELAY_MAX_US: u32 = 20_000;
const ALPHA_MAX: f64 = 10.0;
const ALPHA_MIN: f64 = 0.3;

/// In congestion avoidance with this window; the path's delays have been seen from their shortest to their longest.
fn at(window: u32) -> RoundTrips {
    let mut rounds = RoundTrips::new(Flow::start("illinois", &[], BASE_US), window, BASE_US);
    for rtt_us in [BASE_US + DELAY_MAX_US, BASE_US] {
        rounds.next(rtt_us);
    }
    reset(&mut rounds, window);
    rounds
}

fn reset(rounds: &mut RoundTrips, window: u32) {
    rounds.flow.sock.snd_cwnd = window;
    rounds.flow.sock.snd_cwnd_cnt = 0;
}

/// `alpha` as the growth of a round trip, after a round of this delay.
fn alpha(delay_us: u32) -> f64 {
    const WINDOW: u32 = 400;
    let mut rounds = at(WINDOW);
    rounds.next(BASE_US + delay_us);
    reset(&mut rounds, WINDOW);
    let mut acks = 0.0;
    // Over ten packets or a window, for the small ones.
    while rounds.flow.sock.snd_cwnd == WINDOW {
        rounds.flow.ack(1, (BASE_US + delay_us) as i32);
        acks += 1.0;
    }
    f64::from(WINDOW) / acks * f64::from(rounds.flow.sock.snd_cwnd - WINDOW)
}

/// The share that a loss takes after a round of this delay.
fn beta(delay_us: u32) -> f64 {
    let mut rounds = at(1000);
    rounds.next(BASE_US + delay_us);
    reset(&mut rounds, 1000);
    rounds.flow.lose();
    1.0 - f64::from(rounds.cwnd()) / 1000.0
}

/// The paper's equation 2: k1 / (k2 + d) through (d1, 10) and (d_max, 0.3), with d1 = d_max / 100.
#[test]
fn alpha_falls_with_the_delay_along_a_hyperbola() {
    let (low, high) = (f64::from(DELAY_MAX_US) / 100.0, f64::from(DELAY_MAX_US));
    let k2 = (high * ALPHA_MIN - low * ALPHA_MAX) / (ALPHA_MAX - ALPHA_MIN);
    let k1 = (k2 + low) * ALPHA_MAX;
    for share in [2, 5, 10, 20, 40, 70, 100] {
        let delay_us = DELAY_MAX_US * share / 100;
        let expected = k1 / (k2 + f64::from(delay_us));
        let got = alpha(delay_us);
        assert!((got / expected - 1.0).abs() < 0.05, "at {share} % of the largest delay {got:.2}, not {expected:.2}");
    }
}

/// The paper's equation 3: 1/8 up to 10 % of the largest delay, 1/2 from 80 % on, linear in between.
#[test]
fn beta_rises_with_the_delay_along_a_line() {
    for (share, expected) in
        [(0.0, 0.125), (0.1, 0.125), (0.3, 0.232), (0.45, 0.3125), (0.6, 0.393), (0.8, 0.5), (1.0, 0.5)]
    {
        let got = beta((f64::from(DELAY_MAX_US) * share) as u32);
        assert!((got - expected).abs() < 0.017, "at {share} of the largest delay {got:.3}, not {expected:.3}");
    }
}

#[test]
fn without_a_queue_it_grows_by_ten_packets_in_a_round_trip() {
    let mut flow = Flow::start("illinois", &[], BASE_US);
    flow.set_window(500);
    for _ in 0..20 {
        flow.round_by(BASE_US, 1);
    }
    let per_round = f64::from(flow.sock.snd_cwnd - 500) / 20.0;
    assert!((9.0..=10.0).contains(&per_round), "{per_round}");
}

/// The paper's theta: once the delay has risen, it takes five round trips of low delay until alpha is the largest
/// again.
#[test]
fn the_largest_alpha_returns_with_the_fifth_round_of_low_delay() {
    for risen_again_after in [None, Some(2)] {
        let mut rounds = RoundTrips::new(Flow::start("illinois", &[], BASE_US), 400, BASE_US);
        rounds.next(BASE_US + DELAY_MAX_US);
        let mut low = 0;
        loop {
            reset(&mut rounds, 400);
            rounds.next(BASE_US);
            low += 1;
            assert!(low < 20);
            if rounds.cwnd() >= 408 {
                break;
            }
            if risen_again_after == Some(low) {
                rounds.next(BASE_US + DELAY_MAX_US);
            }
        }
        // As in Linux they need not follow one another.
        assert_eq!(low, 5, "risen again after {risen_again_after:?}");
    }
}

#[test]
fn below_fifteen_packets_it_is_reno() {
    for (window, grown, left) in [(14, 15, 7), (16, 23, 14)] {
        let mut rounds = RoundTrips::new(Flow::start("illinois", &[], BASE_US), window, BASE_US);
        // A round trip at just this window.
        rounds.flow.sock.is_cwnd_limited = 0;
        rounds.next(BASE_US);
        rounds.flow.sock.is_cwnd_limited = 1;
        for _ in 0..window {
            rounds.flow.ack(1, BASE_US as i32);
        }
        assert!((grown - 1..=grown + 1).contains(&rounds.cwnd()), "{window} grew to {}", rounds.cwnd());
        reset(&mut rounds, window);
        rounds.flow.lose();
        assert_eq!(rounds.cwnd(), left, "of {window}");
    }
}

#[test]
fn slow_start_doubles() {
    let mut flow = Flow::start("illinois", &[], BASE_US);
    for expected in [20, 40, 80] {
        flow.round(BASE_US);
        assert_eq!(flow.sock.snd_cwnd, expected);
    }
}

#[test]
fn a_time_out_resets_both_to_renos() {
    let mut rounds = at(400);
    rounds.flow.time_out();
    rounds.flow.set_state(fairlane_congestion_control::CaState::Open);
    reset(&mut rounds, 400);
    rounds.flow.lose();
    assert_eq!(rounds.cwnd(), 200);
}
