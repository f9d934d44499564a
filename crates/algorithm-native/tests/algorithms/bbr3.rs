//! The laws of draft-ietf-ccwg-bbr-06 (and, at the end, of version 2) on a bottleneck of 40 Mbit/s and a delay of 40 ms:
//! 138 packets of bandwidth-delay product.

use crate::common::bbr::{gain_after_idling, path_of, DELAY_US};
use crate::common::path::{Path, Step};
use crate::common::{Flow, MSS};
use fairlane_congestion_control::CaState;

const BDP: f64 = 138.1;

fn path(parameters: &[(&str, i64)]) -> Path {
    path_of("bbr3", parameters)
}

/// The gain of a phase without the pacing margin, if all of a stretch has it.
fn is_gain(step: &Step, gain: f64) -> bool {
    (step.gain - 0.99 * gain).abs() < 0.012
}

/// Times at which the pacing gain becomes this one, after the start.
fn beginnings(path: &Path, gain: f64) -> Vec<f64> {
    let pairs = path.trace.windows(2).filter(|pair| pair[1].at_s > 1.0);
    pairs.filter(|pair| !is_gain(&pair[0], gain) && is_gain(&pair[1], gain)).map(|pair| pair[1].at_s).collect()
}

/// Runs until the flow probes (gain 1.25) or stops doing so.
fn run_until_probing(path: &mut Path, probing: bool) {
    while is_gain(path.trace.last().expect("ran"), 1.25) != probing {
        let next_s = path.flow.now_us() as f64 / 1e6 + 0.001;
        path.run_to(next_s);
        assert!(next_s < 60.0, "waited for a probe");
    }
}

fn wait(path: &mut Path, seconds: f64) {
    let now_s = path.flow.now_us() as f64 / 1e6;
    path.run_to(now_s + seconds);
}

fn cwnd(path: &Path) -> f64 {
    f64::from(path.flow.sock.snd_cwnd)
}

#[test]
fn section_5_6_2_it_starts_at_one_window_per_round_trip_times_the_startup_gain() {
    let flow = Flow::start("bbr3", &[], DELAY_US as u32);
    let expected = 2.77 * 10.0 * f64::from(MSS) * 0.99 / 0.04;
    assert!((flow.sock.sk_pacing_rate as f64 / expected - 1.0).abs() < 0.01);
}

#[test]
fn section_5_3_1_startup_doubles_the_rate_until_it_no_longer_grows_and_drains_at_half() {
    let mut path = path(&[]);
    path.run_to(2.0);
    let drains = |pair: &&[Step]| pair[0].gain > 2.0 && pair[1].gain < 0.6;
    let drain = path.trace.windows(2).find(drains).expect("drains")[1];
    assert!((0.3..0.7).contains(&drain.at_s), "10 packets double four times, then three rounds: {}", drain.at_s);
    assert!(is_gain(&drain, 0.5), "{drain:?}");
    let most = path.trace.iter().map(|step| step.in_flight).max().expect("ran");
    assert!(f64::from(most) < 2.0 * BDP + 30.0, "the window bounds the queue to one BDP: {most}");
    let drained = path.between(0.8, 1.0).iter().map(|step| step.in_flight).min().expect("ran");
    assert!(f64::from(drained) < 1.1 * BDP, "{drained}");
}

#[test]
fn section_5_3_1_3_six_losses_and_two_percent_end_startup() {
    let end_of_startup = |lost: u32| {
        let mut path = path(&[]);
        path.run_to(0.25);
        path.flow.sock.icsk_ca_state = CaState::Recovery as u8;
        for _ in 0..lost {
            path.drop_next = 1;
            wait(&mut path, 0.002);
        }
        path.run_to(1.0);
        path.trace.windows(2).find(|pair| pair[0].gain > 2.0 && pair[1].gain < 0.6).expect("drains")[1].at_s
    };
    let (without, with) = (end_of_startup(0), end_of_startup(12));
    assert!(with < without - 0.03, "{with} and {without}");
}

#[test]
fn section_5_3_3_the_gains_are_down_cruise_refill_up() {
    let mut path = path(&[]);
    path.run_to(12.0);
    let steps = path.between(1.5, 12.0);
    let known = steps.iter().filter(|step| [0.9, 1.0, 1.25].iter().any(|gain| is_gain(step, *gain))).count();
    assert!(known as f64 > 0.97 * steps.len() as f64, "{known} of {}", steps.len());
    // Down follows up at once.
    for up_s in beginnings(&path, 1.25) {
        let down_s = beginnings(&path, 0.9).into_iter().find(|at_s| *at_s > up_s);
        if let Some(down_s) = down_s {
            // Three rounds without growth, each with a queue that makes it longer.
            assert!((0.12..0.35).contains(&(down_s - up_s)), "{up_s} to {down_s}");
        }
    }
}

#[test]
fn section_5_3_3_8_probes_are_two_to_three_seconds_apart() {
    let mut path = path(&[("probe_rtt_ms", 0)]);
    path.run_to(40.0);
    let starts = beginnings(&path, 1.25);
    assert!(starts.len() > 10, "{starts:?}");
    for pair in starts.windows(2) {
        // From the end of a probe 2 to 3 s, but at most 63 round trips of 40.3 ms; then one to refill.
        assert!((2.1..3.1).contains(&(pair[1] - pair[0])), "{pair:?}");
    }
}

#[test]
fn section_5_3_3_8_a_small_bdp_probes_as_often_as_reno_loses() {
    let mut flow = Flow::start("bbr3", &[("probe_rtt_ms", 0)], DELAY_US as u32);
    flow.sock.fairlane_random = 12_345;
    // 4 Mbit/s: a BDP of 14 packets, hence 14 round trips.
    let mut path = Path::new(flow, 4.0, DELAY_US);
    path.run_to(20.0);
    let starts = beginnings(&path, 1.25);
    let mean = (starts[starts.len() - 1] - starts[0]) / (starts.len() - 1) as f64;
    assert!((0.6..1.2).contains(&mean), "{mean} s apart, {starts:?}");
}

#[test]
fn section_5_6_1_the_window_is_two_bdp_and_more_in_probes() {
    let mut path = path(&[]);
    path.run_to(1.5);
    assert!((2.0 * BDP..2.0 * BDP + 12.0).contains(&cwnd(&path)), "{}", cwnd(&path));
    run_until_probing(&mut path, true);
    wait(&mut path, 0.1);
    assert!((2.25 * BDP..2.25 * BDP + 14.0).contains(&cwnd(&path)), "{}", cwnd(&path));
}

#[test]
fn section_5_3_4_every_five_seconds_half_a_bdp_for_200_ms() {
    let mut path = path(&[]);
    path.run_to(16.0);
    let low: Vec<&Step> =
        path.trace.iter().filter(|step| step.at_s > 1.0 && f64::from(step.cwnd) < 0.6 * BDP).collect();
    assert!(low.iter().all(|step| (f64::from(step.cwnd) - 0.5 * BDP).abs() < 4.0), "{:?}", low[0]);
    let mut visits = vec![(low[0].at_s, low[0].at_s)];
    for step in &low {
        let last = visits.last_mut().expect("one");
        if step.at_s - last.1 < 1.0 {
            last.1 = step.at_s;
        } else {
            visits.push((step.at_s, step.at_s));
        }
    }
    assert!(visits.len() >= 2, "{visits:?}");
    for (start_s, end_s) in &visits {
        assert!((0.2..0.4).contains(&(end_s - start_s)), "{visits:?}");
    }
    assert!((4.9..5.8).contains(&(visits[1].0 - visits[0].0)), "{visits:?}");
}

/// Loses every `nth` packet for some time.
fn lose_every(path: &mut Path, nth: u32, seconds: f64) {
    let end_s = path.flow.now_us() as f64 / 1e6 + seconds;
    while (path.flow.now_us() as f64) < end_s * 1e6 {
        path.drop_next = 1;
        wait(path, f64::from(nth) * 0.00029);
    }
}

#[test]
fn section_5_5_10_2_a_probe_that_loses_more_than_two_percent_sets_inflight_high() {
    let mut path = path(&[("probe_rtt_ms", 0)]);
    path.run_to(1.5);
    run_until_probing(&mut path, true);
    wait(&mut path, 0.03);
    let in_flight = f64::from(path.flow.sock.packets_in_flight());
    lose_every(&mut path, 20, 0.06);
    run_until_probing(&mut path, false);
    assert!(is_gain(path.trace.last().expect("ran"), 0.9), "down at once: {:?}", path.trace.last());
    // It is what was in flight when the losses passed 2 %; the window rises to it with the next ACKs.
    let start_s = path.flow.now_us() as f64 / 1e6;
    wait(&mut path, 0.4);
    let bound = path.between(start_s, start_s + 0.4).iter().map(|step| f64::from(step.cwnd)).fold(0.0, f64::max);
    assert!(
        (0.9 * in_flight..1.4 * in_flight).contains(&bound),
        "{bound}, {in_flight} were in flight when losses began"
    );
    // Cruising leaves 15 % of it to others.
    assert!((cwnd(&path) - 0.85 * bound).abs() <= 3.0, "{} of {bound}", cwnd(&path));
}

#[test]
fn section_5_5_10_2_less_than_two_percent_is_borne() {
    let mut path = path(&[("probe_rtt_ms", 0)]);
    path.run_to(1.5);
    run_until_probing(&mut path, true);
    lose_every(&mut path, 100, 0.1);
    wait(&mut path, 2.0);
    run_until_probing(&mut path, true);
    wait(&mut path, 0.1);
    assert!(cwnd(&path) > 2.2 * BDP, "{}", cwnd(&path));
}

#[test]
fn section_5_3_3_5_inflight_high_grows_slowly_first_and_then_faster() {
    let mut path = path(&[("probe_rtt_ms", 0), ("probe_wait_ms", 100), ("probe_wait_random_ms", 0)]);
    path.run_to(1.5);
    run_until_probing(&mut path, true);
    wait(&mut path, 0.03);
    lose_every(&mut path, 12, 0.06);
    run_until_probing(&mut path, false);
    let mut most = vec![cwnd(&path)];
    for _ in 0..3 {
        run_until_probing(&mut path, true);
        run_until_probing(&mut path, false);
        most.push(path.trace[path.trace.len() - 50..].iter().map(|step| f64::from(step.cwnd)).fold(0.0, f64::max));
    }
    assert!(most.windows(2).all(|pair| pair[1] >= pair[0]), "{most:?}");
    assert!(most[3] > most[0], "{most:?}");
}

#[test]
fn section_5_5_10_3_while_cruising_a_lossy_round_lowers_rate_and_window_to_what_was_delivered() {
    let mut path = path(&[("probe_rtt_ms", 0), ("probe_wait_ms", 60_000), ("reno_rounds_max", 10_000)]);
    path.run_to(2.0);
    let before = cwnd(&path);
    // 10 % of a round.
    lose_every(&mut path, 10, 0.05);
    wait(&mut path, 0.1);
    let step = path.trace.last().expect("ran");
    assert!((0.8..0.97).contains(&step.gain), "{step:?}");
    // 0.7 for each of the two rounds that the losses touch, but not below what arrived.
    assert!(cwnd(&path) < 0.75 * before && cwnd(&path) > 0.88 * BDP, "{} of {before}", cwnd(&path));
}

#[test]
fn section_5_3_3_3_refill_forgets_the_short_term_model() {
    let mut path = path(&[("probe_rtt_ms", 0)]);
    path.run_to(1.5);
    lose_every(&mut path, 10, 0.1);
    wait(&mut path, 0.1);
    assert!(path.trace.last().expect("ran").gain < 0.95);
    run_until_probing(&mut path, true);
    wait(&mut path, 0.5);
    assert!(path.trace.last().expect("ran").gain > 0.98, "{:?}", path.trace.last());
}

#[test]
fn section_5_5_11_what_a_needless_recovery_took_comes_back() {
    let mut path = path(&[("probe_rtt_ms", 0), ("probe_wait_ms", 60_000), ("reno_rounds_max", 10_000)]);
    path.run_to(2.0);
    let before = cwnd(&path);
    path.drop_next = 1;
    wait(&mut path, 0.15);
    assert!((cwnd(&path) - 0.7 * before).abs() <= 2.0, "one lossy round: {} of {before}", cwnd(&path));
    let returned = path.flow.control.undo_cwnd(&mut path.flow.sock);
    path.flow.sock.snd_cwnd = returned;
    wait(&mut path, 0.2);
    assert!(cwnd(&path) > 0.95 * before && path.trace.last().expect("ran").gain > 0.98, "{} of {before}", cwnd(&path));
}

#[test]
fn section_5_4_after_idling_it_goes_on_at_the_estimated_rate() {
    let gain = gain_after_idling(path(&[]));
    assert!((0.97..1.0).contains(&gain), "{gain}");
}

#[test]
fn version_2_has_other_gains_and_ends_a_probe_at_a_quarter_more_in_flight() {
    let mut path = path_of("bbr2", &[("probe_rtt_ms", 0)]);
    path.run_to(20.0);
    let drain = path.trace.windows(2).find(|pair| pair[0].gain > 2.0 && pair[1].gain < 0.6).expect("drains")[1];
    assert!(is_gain(&drain, 0.344), "{drain:?}");
    let most = path.trace.iter().map(|step| f64::from(step.in_flight)).fold(0.0, f64::max);
    assert!((2.5 * BDP..2.89 * BDP + 30.0).contains(&most), "startup's window: {most}");
    let (up, down) = (beginnings(&path, 1.25), beginnings(&path, 0.75));
    assert!(up.len() > 5, "{up:?}");
    for up_s in up.iter().take(4) {
        let down_s = down.iter().find(|at_s| *at_s > up_s).expect("goes down");
        assert!((0.04..0.11).contains(&(down_s - up_s)), "{up_s} to {down_s}");
        let in_flight =
            path.between(down_s - 0.005, *down_s).iter().map(|step| f64::from(step.in_flight)).fold(0.0, f64::max);
        assert!((1.2 * BDP..1.35 * BDP).contains(&in_flight), "{in_flight}");
    }
}
