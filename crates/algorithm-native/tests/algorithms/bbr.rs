//! BBR's laws on a bottleneck of 40 Mbit/s and a delay of 40 ms: 138 packets of bandwidth-delay product.

use crate::common::bbr::{gain_after_idling, path_of, DELAY_US};
use crate::common::path::{Path, Step};
use crate::common::{Flow, MSS};
use fairlane_congestion_control::CaState;

fn path(parameters: &[(&str, i64)]) -> Path {
    path_of("bbr", parameters)
}

fn gains(steps: &[Step]) -> (f64, f64) {
    let all = steps.iter().map(|step| step.gain);
    (all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max))
}

#[test]
fn it_starts_at_one_window_per_round_trip_times_the_startup_gain() {
    let flow = Flow::start("bbr", &[], DELAY_US as u32);
    let expected = 2.887 * 10.0 * f64::from(MSS) * 0.99 / 0.04;
    assert!((flow.sock.sk_pacing_rate as f64 / expected - 1.0).abs() < 0.01);
    assert_eq!((flow.sock.sk_pacing_status, flow.sock.snd_ssthresh), (1, 0x7fff_ffff));
}

#[test]
fn startup_doubles_fills_the_pipe_and_drains_the_queue() {
    let mut path = path(&[]);
    path.run_to(2.0);
    let bdp = path.bdp();
    // 10, 20, 40, 80, 160 packets: the rate is found in the fifth round trip, three more without growth end startup.
    let drains = |pair: &&[Step]| pair[0].gain > 2.0 && pair[1].gain < 1.0;
    let startup_ends = path.trace.windows(2).find(drains).expect("drains")[1].at_s;
    assert!((0.2..0.7).contains(&startup_ends), "{startup_ends}");
    let most = path.trace.iter().map(|step| step.in_flight).max().expect("ran");
    // The window is the startup gain times the BDP and room for three bursts of 9 segments.
    assert!(f64::from(most) < 2.89 * bdp + 30.0, "{most} in flight, BDP {bdp}");
    // 2.89 times the rate, less the 1 % margin.
    let (_, high) = gains(&path.between(0.0, startup_ends));
    assert!((2.7..=2.88).contains(&high), "{high}");
    // Drain: 1 / 2.89.
    let (low, _) = gains(&path.between(startup_ends, startup_ends + 0.2));
    assert!((0.33..0.36).contains(&low), "{low}");
    let drained = path.between(1.0, 1.2).iter().map(|step| step.in_flight).min().expect("ran");
    assert!(f64::from(drained) < 1.1 * bdp, "{drained} in flight after drain");
}

#[test]
fn the_gain_cycles_through_up_down_and_six_times_one() {
    let mut path = path(&[]);
    path.run_to(8.0);
    let steps = path.between(2.0, 8.0);
    let share = |low: f64, high: f64| {
        steps.iter().filter(|step| step.gain > low && step.gain < high).count() as f64 / steps.len() as f64
    };
    let (up, down, cruise) = (share(1.2, 1.25), share(0.73, 0.76), share(0.97, 1.0));
    assert!(up + down + cruise > 0.99, "{up} {down} {cruise}");
    assert!((0.1..0.2).contains(&up) && (0.03..0.15).contains(&down), "{up} {down}");
    // Twice the BDP, and room for three bursts.
    let cwnd = steps.last().expect("ran").cwnd;
    assert!((2.0 * path.bdp()..2.0 * path.bdp() + 40.0).contains(&f64::from(cwnd)), "{cwnd}");
}

#[test]
fn gains_and_windows_are_parameters() {
    let mut path = path(&[("probe_up_gain", 384), ("probe_down_gain", 128), ("cwnd_gain", 768)]);
    path.run_to(4.0);
    let (low, high) = gains(&path.between(2.0, 4.0));
    assert!((0.49..0.51).contains(&low) && (1.47..1.5).contains(&high), "{low} {high}");
    assert!(path.trace.last().expect("ran").cwnd as f64 > 3.0 * path.bdp());
}

#[test]
fn every_ten_seconds_it_looks_for_the_paths_own_delay() {
    let mut long = path(&[]);
    long.run_to(24.0);
    let small: Vec<f64> =
        long.trace.iter().filter(|step| step.cwnd == 4 && step.at_s > 1.0).map(|step| step.at_s).collect();
    let (first, last) = (small[0], *small.last().expect("some"));
    // The queue of startup hid the delay until the drain; ten seconds later, 200 ms and a round trip.
    assert!((10.0..11.5).contains(&first), "{first}");
    let visits: Vec<f64> = small.windows(2).filter(|pair| pair[1] - pair[0] > 1.0).map(|pair| pair[1]).collect();
    assert_eq!(visits.len(), 1, "{visits:?}");
    assert!((visits[0] - first - 10.2).abs() < 0.3, "{first} {visits:?}");
    let length = last - visits[0];
    assert!((0.2..0.35).contains(&length), "{length}");
    // And the window comes back.
    assert!(long.trace.last().expect("ran").cwnd as f64 > 2.0 * long.bdp());

    let mut never = path(&[("probe_rtt_ms", 0)]);
    never.run_to(12.0);
    assert!(never.between(1.0, 12.0).iter().all(|step| step.cwnd > 4));
}

#[test]
fn losses_alone_do_not_slow_it_down() {
    let mut path = path(&[]);
    path.run_to(2.0);
    let before = path.flow.sock.snd_cwnd;
    for i in 0..20 {
        path.drop_next = 1;
        path.run_to(2.0 + 0.1 * f64::from(i + 1));
    }
    assert!(path.flow.sock.snd_cwnd + 10 > before, "{before} to {}", path.flow.sock.snd_cwnd);
    let threshold = path.flow.sock.snd_ssthresh;
    assert_eq!(path.flow.control.ssthresh(&mut path.flow.sock), threshold);
}

#[test]
fn in_recovery_packets_are_conserved_and_afterwards_the_window_returns() {
    let mut path = path(&[]);
    path.run_to(2.0);
    let before = path.flow.sock.snd_cwnd;
    path.flow.control.ssthresh(&mut path.flow.sock);
    path.flow.set_state(CaState::Recovery);
    path.run_to(2.01);
    assert!(path.flow.sock.snd_cwnd <= path.flow.sock.packets_out + 2);
    path.flow.set_state(CaState::Open);
    path.run_to(2.05);
    assert!(path.flow.sock.snd_cwnd >= before - 1, "{before} to {}", path.flow.sock.snd_cwnd);
}

#[test]
fn a_policers_rate_is_believed_after_two_lossy_intervals_of_the_same_rate() {
    for (detection, believed) in [(1, true), (0, false)] {
        let mut path = path(&[("policer_detection", detection)]);
        path.run_to(2.0);
        // A fifth and more of all packets is lost, in every round trip.
        for i in 0..300 {
            path.drop_next = 5;
            path.run_to(2.0 + 0.005 * f64::from(i + 1));
        }
        // With the policer's rate the gain stays 1: no probing.
        let (low, high) = gains(&path.between(3.0, 3.5));
        assert_eq!(high - low < 0.3, believed, "detection {detection}: {low} to {high}");
    }
}

#[test]
fn after_idling_it_goes_on_at_the_estimated_rate() {
    let gain = gain_after_idling(path(&[]));
    assert!((0.97..1.0).contains(&gain), "{gain}");
}

#[test]
fn bursts_and_buffers_are_bbrs_own() {
    let mut flow = Flow::start("bbr", &[], DELAY_US as u32);
    flow.sock.sk_pacing_rate = 100_000;
    assert_eq!(flow.control.min_tso_segs(&mut flow.sock), 1);
    flow.sock.sk_pacing_rate = 200_000;
    assert_eq!(flow.control.min_tso_segs(&mut flow.sock), 2);
    assert_eq!(flow.control.sndbuf_expand(&mut flow.sock), 3);
}

#[test]
fn the_phase_of_the_cycle_is_drawn_from_the_flows_own_stream() {
    let second_phase_at = |seed: u64| {
        let mut path = path(&[]);
        path.flow.sock.fairlane_random = seed;
        path.run_to(3.0);
        path.between(1.0, 3.0).iter().find(|step| step.gain > 1.1).expect("probes").at_s
    };
    assert_eq!(second_phase_at(1), second_phase_at(1));
    let all: std::collections::BTreeSet<u64> = (0..8).map(|seed| (second_phase_at(seed) * 1e3) as u64).collect();
    assert!(all.len() >= 3, "{all:?}");
}
