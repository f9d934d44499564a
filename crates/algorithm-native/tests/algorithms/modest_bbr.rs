//! The laws of the Modest BBR paper's Section III, on a bottleneck of 40 Mbit/s and a delay of 40 ms: 138 packets of
//! bandwidth-delay product, a window of twice that.

use crate::common::bbr::path_of;
use crate::common::path::{Path, Step};

const ROUND_S: f64 = 0.0415;

/// In BBR's steady state, and what its window is there.
fn steady(parameters: &[(&str, i64)]) -> (Path, f64) {
    let mut path = path_of("modest_bbr", parameters);
    path.run_to(3.0);
    let window = f64::from(path.flow.sock.snd_cwnd);
    (path, window)
}

/// By how much the window is below BBR's, as a share of two bandwidth-delay products.
fn taken_away(path: &Path, full: f64) -> f64 {
    (full - f64::from(path.flow.sock.snd_cwnd)) / (2.0 * path.bdp())
}

/// Loses a packet, waits until the loss is detected, and then for a number of round trips.
fn lose(path: &mut Path, rounds: f64) {
    let lost = path.flow.sock.lost;
    path.drop_next = 1;
    while path.flow.sock.lost == lost {
        let now_s = path.flow.sock.tcp_mstamp as f64 / 1e6;
        path.run_to(now_s + 0.001);
    }
    wait(path, rounds);
}

fn wait(path: &mut Path, rounds: f64) {
    let now_s = path.flow.sock.tcp_mstamp as f64 / 1e6;
    path.run_to(now_s + rounds * ROUND_S);
}

fn cwnds(steps: &[Step]) -> Vec<u32> {
    steps.iter().map(|step| step.cwnd).collect()
}

#[test]
fn without_losses_it_is_bbr() {
    let mut modest = path_of("modest_bbr", &[("pacing_margin", 1)]);
    let mut bbr = path_of("bbr", &[("extra_acked_gain", 0)]);
    modest.run_to(13.0);
    bbr.run_to(13.0);
    assert_eq!(cwnds(&modest.trace), cwnds(&bbr.trace));
}

#[test]
fn a_loss_takes_an_eighth_of_window_and_rate() {
    let (mut path, full) = steady(&[]);
    let before = path.trace.last().expect("ran").gain;
    lose(&mut path, 0.1);
    let taken = taken_away(&path, full);
    assert!((taken - 0.125).abs() < 0.02, "{taken}");
    let rate = path.trace.last().expect("ran").gain / before;
    assert!((rate - 0.875).abs() < 0.01, "{rate}");
}

#[test]
fn a_search_without_further_losses_ends_an_eighth_below() {
    // The window alone: a lower rate would lower what BBR measures, and with it the whole.
    let (mut path, full) = steady(&[("moderate", 2), ("probe_up_gain", 256), ("probe_down_gain", 256)]);
    let mut taken = Vec::new();
    lose(&mut path, 0.5);
    for _ in 0..8 {
        taken.push(taken_away(&path, full));
        wait(&mut path, 1.0);
    }
    // 0.875, then the middle between 0.75 and 0.875, and from there up again by halves.
    let expected = [0.125, 0.1875, 0.156, 0.141, 0.133, 0.129];
    for (taken, expected) in taken.iter().zip(expected) {
        assert!((taken - expected).abs() < 0.012, "{taken} for {expected}");
    }
}

#[test]
fn the_search_of_the_text_judges_the_middle_that_it_has_set() {
    let alone =
        [("search_tests_middle", 1), ("moderate", 2), ("probe_up_gain", 256), ("probe_down_gain", 256), ("s_min", 1)];
    let (mut path, full) = steady(&alone);
    let mut taken = Vec::new();
    lose(&mut path, 0.5);
    for _ in 0..5 {
        taken.push(taken_away(&path, full));
        wait(&mut path, 1.0);
    }
    // 0.875 loses nothing and is the new lower bound, and so is each middle between it and 1.
    let expected = [0.125, 0.0625, 0.031, 0.016, 0.008];
    for (taken, expected) in taken.iter().zip(expected) {
        assert!((taken - expected).abs() < 0.012, "{taken} for {expected}");
    }
}

#[test]
fn with_losses_in_each_round_the_search_ends_at_w_min_and_never_below() {
    let (mut path, full) = steady(&[("moderate", 2), ("probe_up_gain", 256), ("probe_down_gain", 256)]);
    for loss in 1..60 {
        path.drop_next = 1;
        wait(&mut path, 1.0);
        assert!(taken_away(&path, full) < 0.26, "loss {loss}: {}", taken_away(&path, full));
    }
    assert!(taken_away(&path, full) > 0.23, "{}", taken_away(&path, full));
}

#[test]
fn afterwards_it_grows_by_one_packet_in_a_round_trip_up_to_bbrs_window() {
    let (mut path, full) = steady(&[("moderate", 2), ("probe_up_gain", 256), ("probe_down_gain", 256)]);
    lose(&mut path, 10.0);
    let before = f64::from(path.flow.sock.snd_cwnd);
    wait(&mut path, 20.0);
    let grown = f64::from(path.flow.sock.snd_cwnd) - before;
    assert!((17.0..=22.0).contains(&grown), "{grown} packets in 20 round trips");
    // An eighth of the window, 35 packets, was taken away.
    wait(&mut path, 20.0);
    assert!((f64::from(path.flow.sock.snd_cwnd) - full).abs() <= 2.0, "{} of {full}", path.flow.sock.snd_cwnd);
}

#[test]
fn the_steps_are_parameters() {
    let (mut mild, full) = steady(&[("w_min", 922)]);
    lose(&mut mild, 0.1);
    assert!((taken_away(&mild, full) - 0.05).abs() < 0.02, "{}", taken_away(&mild, full));

    let (mut fast, _) = steady(&[("s_min", 64), ("moderate", 2), ("probe_up_gain", 256), ("probe_down_gain", 256)]);
    lose(&mut fast, 8.0);
    let before = fast.flow.sock.snd_cwnd;
    wait(&mut fast, 4.0);
    let grown = fast.flow.sock.snd_cwnd - before;
    assert!((14..=18).contains(&grown), "{grown} packets in 4 round trips");
}

#[test]
fn other_states_of_bbr_are_left_alone() {
    let (mut path, full) = steady(&[("moderate", 2)]);
    while path.flow.sock.snd_cwnd > 4 {
        path.drop_next = 1;
        wait(&mut path, 1.0);
    }
    let probe_rtt_s = path.flow.sock.tcp_mstamp as f64 / 1e6;
    assert!((10.0..11.5).contains(&probe_rtt_s), "{probe_rtt_s}");
    // 200 ms and a round trip later the window is the one from before the first loss.
    path.run_to(probe_rtt_s + 0.5);
    let after =
        path.between(probe_rtt_s + 0.1, probe_rtt_s + 0.5).iter().map(|step| f64::from(step.cwnd)).fold(0.0, f64::max);
    assert!(after >= full - 2.0, "{after} of {full}");
}

#[test]
fn line_7_as_printed_shuts_the_window_without_any_loss() {
    let mut path = path_of("modest_bbr", &[("literal_line_7", 1), ("anchor", 1), ("moderate", 2)]);
    path.run_to(5.0);
    let most = path.between(3.0, 5.0).iter().map(|step| step.cwnd).max().expect("ran");
    assert!(f64::from(most) < 0.6 * path.bdp(), "{most} of a BDP of {}", path.bdp());
}

#[test]
fn line_20_as_printed_is_a_ratchet() {
    let window_after = |parameters: &[(&str, i64)]| {
        let (mut path, full) = steady(parameters);
        for _ in 0..8 {
            lose(&mut path, 10.0);
        }
        f64::from(path.flow.sock.snd_cwnd) / full
    };
    // Eight losses of an eighth: 0.34, and a few packets of growth after each.
    let ratchet = window_after(&[("anchor", 1), ("moderate", 2)]);
    assert!((0.3..0.55).contains(&ratchet), "{ratchet}");
    assert!(window_after(&[("moderate", 2)]) > 0.8);
}

#[test]
fn line_21_as_printed_is_back_within_a_round_trip() {
    let (mut path, full) = steady(&[("increase_per_ack", 1), ("search_per_ack", 1)]);
    lose(&mut path, 1.0);
    assert!(f64::from(path.flow.sock.snd_cwnd) >= full - 2.0, "{} of {full}", path.flow.sock.snd_cwnd);
}

#[test]
fn a_w_max_above_one_exceeds_bbrs_window() {
    let after_a_loss = |parameters: &[(&str, i64)]| {
        let (mut path, full) = steady(parameters);
        lose(&mut path, 60.0);
        f64::from(path.flow.sock.snd_cwnd) / full
    };
    let window = [("moderate", 2), ("probe_up_gain", 256), ("probe_down_gain", 256), ("s_min", 64), ("w_max", 1280)];
    let above = after_a_loss(&window);
    assert!((1.2..1.3).contains(&above), "{above}");
    let with_line_20 = after_a_loss(&[window.as_slice(), &[("anchor", 1)]].concat());
    assert!(with_line_20 < 1.01, "{with_line_20}");
}
