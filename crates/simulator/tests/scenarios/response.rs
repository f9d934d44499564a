//! Response functions: the mean window of a flow alone on a path without a queue, whose packets are lost at random with
//! probability p, against the equation of each algorithm's paper.
//!
//! The equations are for one loss in every 1/p packets. Losses at random raise an AIMD's mean window by a fourteenth
//! (1.31 / sqrt(p) for Reno: Ott, Kemperman, Mathis 1996).

use crate::support::{number, run, MS, SEC};
use serde_json::json;

/// Packets that a flow has in flight on average.
fn mean_window(algorithm: &str, loss: f64, rtt_ms: u64, seconds: u64) -> f64 {
    let result = run(&json!({
        "seed": 3,
        "duration_ns": (seconds + seconds / 5) * SEC,
        "warm_up_ns": seconds / 5 * SEC,
        "links": [
            // So fast that nothing queues.
            {"name": "out", "rate_bps": 10_000_000_000_u64, "delay_ns": rtt_ms * MS / 2,
             "loss": {"kind": "independent", "probability": loss}, "queue": {"kind": "fifo", "limit_packets": 100_000}},
            {"name": "back", "delay_ns": rtt_ms * MS / 2},
        ],
        "flows": [{"algorithm": algorithm, "forward": ["out"], "reverse": ["back"]}],
    }));
    number(&result["flows"][0]["mean_cwnd_packets"])
}

fn assert_near(what: &str, window: f64, expected: f64, tolerance: f64) {
    println!("{what}: {window:.1} packets, the equation gives {expected:.1}, ratio {:.3}", window / expected);
    assert!((window / expected - 1.0).abs() < tolerance, "{what}: {window:.1} packets, not {expected:.1}");
}

/// Mathis et al. 1997, and for losses at random Ott et al. 1996. Linux counts packets and not ACKs, so that delayed ACKs
/// do not lower it.
#[test]
fn reno_has_a_window_of_one_point_three_over_the_root_of_p() {
    for (loss, seconds) in [(1e-3_f64, 300), (2e-4, 200)] {
        let expected = 1.31 / loss.sqrt();
        assert_near(&format!("reno, p = {loss}"), mean_window("reno", loss, 40, seconds), expected, 0.07);
    }
}

/// Fu and Liew 2003: a loss without a queue costs a fifth. sqrt((2 - b) / (2 b p)) with b = 1/5.
#[test]
fn veno_has_the_window_of_an_aimd_that_gives_up_a_fifth() {
    let expected = (1.8_f64 / 0.4 / 1e-3).sqrt();
    assert_near("veno", mean_window("veno", 1e-3, 40, 200), expected, 0.1);
}

/// `RFC 9438 §5.1`, equation 5: (C (3 + beta) / (4 (1 - beta)))^(1/4) (RTT / p)^(3/4). Losses at random raise that by a
/// seventh: the RFC's equations iterated over round trips, with random losses and fast convergence, have 1.15 of it.
#[test]
fn cubic_has_the_window_of_rfc_9438() {
    let response = (0.4_f64 * 3.7 / (4.0 * 0.3)).powf(0.25) * (0.2_f64 / 3e-4).powf(0.75);
    assert_near("cubic", mean_window("cubic", 3e-4, 200, 600), 1.15 * response, 0.1);
    // Section 4.3: where that is less than Reno's, Reno's.
    let expected = 1.31 / 1e-3_f64.sqrt();
    assert_near("cubic as Reno", mean_window("cubic", 1e-3, 20, 120), expected, 0.12);
}

/// Kelly 2003: in the mean ln(1.01) of growth and ln(8/7) for each loss cancel, w = 0.0745 / p (0.08 / p by his
/// approximation for small steps).
#[test]
fn scalable_and_yeah_have_a_window_of_eight_hundredths_over_p() {
    for (algorithm, loss) in [("scalable", 6e-4), ("yeah", 6e-4)] {
        let window = mean_window(algorithm, loss, 40, 120);
        assert_near(&format!("{algorithm}, p = {loss}"), window, 0.0745 / loss, 0.08);
    }
}

/// `RFC 3649 §4`: 0.12 / p^0.835, and delayed ACKs halve the growth: 1 / sqrt(2) of it. The rows of the table and losses
/// at random raise that by 1.09 (the rows iterated over round trips).
#[test]
fn highspeed_has_the_window_of_rfc_3649() {
    let expected = 0.12 / 3e-4_f64.powf(0.835) * 0.5_f64.sqrt() * 1.09;
    assert_near("highspeed", mean_window("highspeed", 3e-4, 40, 400), expected, 0.08);
}

/// Caini and Firrincieli 2004: packets per second do not depend on the RTT.
#[test]
fn hyblas_rate_does_not_depend_on_the_rtt() {
    let rate = |algorithm: &str, rtt_ms: u64| mean_window(algorithm, 1e-3, rtt_ms, 100) / rtt_ms as f64;
    let rates: Vec<f64> = [25, 50, 100, 200].iter().map(|rtt_ms| rate("hybla", *rtt_ms)).collect();
    println!("hybla: {rates:.3?} packets per ms");
    let (least, most) =
        (rates.iter().copied().fold(f64::INFINITY, f64::min), rates.iter().copied().fold(0.0, f64::max));
    assert!(most / least < 1.1, "{rates:?}");
    let reno = rate("reno", 25) / rate("reno", 200);
    assert!((7.0..9.0).contains(&reno), "and Reno's is inversely proportional to it: {reno}");
}

/// Brakmo and Peterson 1995: Vegas adds a packet in a round trip without a queue, and a loss halves it, as Reno.
#[test]
fn vegas_is_reno_where_nothing_queues() {
    let expected = 1.31 / 1e-3_f64.sqrt();
    assert_near("vegas", mean_window("vegas", 1e-3, 40, 200), expected, 0.1);
}

/// Leith and Shorten's draft: its polynomial iterated over round trips of 100 ms, with random losses that leave a half.
/// (The rate changes by more than a fifth from one random loss to the next, so that beta stays at 1/2.)
#[test]
fn htcp_has_the_window_of_its_polynomial() {
    for (loss, seconds, expected) in [(1e-3, 300, 73.4), (1e-4, 100, 395.0)] {
        assert_near(&format!("htcp, p = {loss}"), mean_window("htcp", loss, 100, seconds), expected, 0.12);
    }
}

/// Mascolo et al. 2001: without a queue the window after a loss is the BDP, and random losses cost little.
#[test]
fn westwood_keeps_three_times_renos_window_under_random_loss() {
    let (westwood, reno) = (mean_window("westwood", 1e-3, 40, 60), 1.31 / 1e-3_f64.sqrt());
    assert!(westwood > 3.0 * reno, "{westwood:.0} and {reno:.0} packets");
}
