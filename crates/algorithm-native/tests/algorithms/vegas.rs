//! The laws of TCP Vegas (Brakmo and Peterson 1995).

use crate::common::round_trips::RoundTrips;
use crate::common::Flow;
use fairlane_congestion_control::{CaState, MAX_CWND};

const BASE_US: u32 = 50_000;

fn at(window: u32) -> RoundTrips {
    RoundTrips::new(Flow::start("vegas", &[], BASE_US), window, BASE_US)
}

/// The RTT at which this many packets of the window are queued.
fn rtt_with_queued(packets: f64, window: u32) -> u32 {
    (f64::from(BASE_US) * (1.0 + packets / f64::from(window))) as u32 + 20
}

#[test]
fn below_alpha_a_packet_more_in_a_round_trip() {
    let mut rounds = at(100);
    for count in 1..=20 {
        rounds.next(BASE_US);
        assert_eq!(rounds.flow.sock.snd_cwnd, 100 + count);
    }
}

#[test]
fn above_beta_a_packet_less_in_a_round_trip() {
    let mut rounds = at(100);
    for count in 1..=20 {
        let rtt_us = rtt_with_queued(5.0, rounds.flow.sock.snd_cwnd);
        rounds.next(rtt_us);
        assert_eq!(rounds.flow.sock.snd_cwnd, 100 - count);
    }
}

#[test]
fn between_alpha_and_beta_nothing_changes() {
    for queued in [2.0, 3.0, 4.0] {
        let mut rounds = at(100);
        for _ in 0..10 {
            rounds.next(rtt_with_queued(queued, 100));
        }
        assert_eq!(rounds.flow.sock.snd_cwnd, 100, "{queued} packets queued");
    }
}

/// The paper's aim, from above and from below.
#[test]
fn alone_on_a_link_two_to_four_packets_stay_queued() {
    for (start, bdp) in [(20, 60), (100, 60), (200, 173)] {
        let mut rounds = at(start);
        for _ in 0..250 {
            let rtt_us = (f64::from(BASE_US) * (f64::from(rounds.flow.sock.snd_cwnd) / f64::from(bdp)).max(1.0)) as u32;
            rounds.next(rtt_us);
        }
        let queued = rounds.flow.sock.snd_cwnd - bdp;
        assert!((2..=4).contains(&queued), "{queued} packets queued, from {start}");
    }
}

#[test]
fn slow_start_doubles_in_a_round_trip_while_nothing_is_queued() {
    let mut flow = Flow::start("vegas", &[], BASE_US);
    for expected in [20, 40, 80, 160] {
        flow.round_by(BASE_US, 1);
        assert_eq!(flow.sock.snd_cwnd, expected);
    }
}

#[test]
fn slow_start_ends_with_what_fills_the_path_when_more_than_gamma_packets_are_queued() {
    let mut rounds = at(100);
    rounds.flow.sock.snd_ssthresh = MAX_CWND;
    rounds.next(BASE_US * 5 / 4);
    assert!(!rounds.flow.sock.in_slow_start());
    // The window had doubled, and 4/5 of it fill the path.
    assert!((160..=162).contains(&rounds.cwnd()), "{}", rounds.cwnd());
}

#[test]
fn the_smallest_rtt_of_a_round_counts() {
    let mut rounds = at(100);
    rounds.flow.ack(1, BASE_US as i32);
    rounds.next(2 * BASE_US);
    assert_eq!(rounds.flow.sock.snd_cwnd, 101);
}

#[test]
fn a_loss_halves_the_window_and_until_it_is_repaired_growth_is_renos() {
    let mut rounds = at(100);
    rounds.flow.lose();
    assert_eq!(rounds.flow.sock.snd_cwnd, 50);
    rounds.flow.set_state(CaState::Disorder);
    for _ in 0..4 {
        rounds.flow.round(4 * BASE_US);
    }
    assert_eq!(rounds.flow.sock.snd_cwnd, 54, "regardless of the RTT");
}

#[test]
fn a_round_with_two_samples_is_renos() {
    let mut rounds = at(100);
    rounds.flow.ack(50, 2 * BASE_US as i32);
    rounds.flow.ack(51, 2 * BASE_US as i32);
    // Vegas would have taken one away; Reno counts the second ACK.
    assert_eq!((rounds.flow.sock.snd_cwnd, rounds.flow.sock.snd_cwnd_cnt), (100, 51));
}

#[test]
fn ssthresh_follows_the_window_at_three_quarters() {
    let mut rounds = at(100);
    for _ in 0..100 {
        rounds.next(BASE_US);
    }
    assert_eq!((rounds.flow.sock.snd_cwnd, rounds.flow.sock.snd_ssthresh), (200, 150));
}
