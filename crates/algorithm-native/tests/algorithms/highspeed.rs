//! `RFC 3649`: the response function, the table of its appendix B, and what follows from it.

use crate::common::Flow;

const RTT_US: u32 = 100_000;

fn at(window: u32) -> Flow {
    let mut flow = Flow::start("highspeed", &[], RTT_US);
    flow.set_window(window);
    flow
}

/// `RFC 3649 §5`: b(w) falls from 0.5 at 38 packets to 0.1 at 83000 with the logarithm of w.
fn b(window: f64) -> f64 {
    let (low, high) = (38.0_f64, 83_000.0_f64);
    0.5 - 0.4 * (window.max(low) / low).ln() / (high / low).ln()
}

/// `RFC 3649 §5`: a(w) = 2 w^2 p(w) b(w) / (2 - b(w)), with p(w) = 0.078 / w^1.2.
fn a(window: f64) -> f64 {
    let loss = 0.078 / window.powf(1.2);
    (2.0 * window * window * loss * b(window) / (2.0 - b(window))).max(1.0)
}

#[test]
fn up_to_38_packets_it_is_reno() {
    let mut flow = at(20);
    flow.round_by(RTT_US, 1);
    assert_eq!(flow.sock.snd_cwnd, 21);
    flow.lose();
    assert_eq!(flow.sock.snd_cwnd, 11, "half is given up");
}

/// Some rows of the RFC's appendix B, as printed there: w, a(w), b(w).
const ROWS: [(u32, u32, f64); 7] = [
    (118, 2, 0.44),
    (347, 4, 0.38),
    (1058, 8, 0.33),
    (5036, 20, 0.24),
    (10_661, 30, 0.21),
    (48_961, 60, 0.13),
    (84_035, 71, 0.10),
];

#[test]
fn growth_and_decrease_are_those_of_the_rfcs_table() {
    for (window, growth, decrease) in ROWS {
        let mut flow = at(window - growth);
        flow.round_by(RTT_US, 1);
        assert!((growth - 1..=growth).contains(&(flow.sock.snd_cwnd + growth - window)), "a({window})");
        let before = f64::from(flow.sock.snd_cwnd);
        flow.lose();
        let given_up = 1.0 - f64::from(flow.sock.snd_cwnd) / before;
        assert!((given_up - decrease).abs() < 0.01, "b({window}) = {decrease}, given up {given_up:.3}");
    }
}

/// All windows from the second row on against the formulas; between two rows the row of the larger window counts.
#[test]
fn growth_and_decrease_follow_the_formulas() {
    let mut window: u32 = 119;
    while window < 80_000 {
        let mut flow = at(window);
        flow.round_by(RTT_US, 1);
        let growth = f64::from(flow.sock.snd_cwnd - window);
        let expected = a(f64::from(window));
        assert!((expected - 1.05..=expected + 1.05).contains(&growth), "a({window}) = {expected:.2}, grew by {growth}");
        flow.lose();
        let given_up = 1.0 - f64::from(flow.sock.snd_cwnd) / (f64::from(window) + growth);
        let expected = b(f64::from(window));
        assert!(
            (expected - 0.055..=expected + 0.01).contains(&given_up),
            "b({window}) = {expected:.3}, gave up {given_up:.3}"
        );
        window += window / 7;
    }
}

/// Mean window at a loss after every 1 / p packets, once the start is forgotten.
fn mean_window(loss: f64, mut window: impl FnMut(bool) -> f64) -> f64 {
    let (mut since_loss, mut sum) = (0.0, 0.0);
    for round in 0..4_000 {
        let lost = since_loss >= 1.0 / loss;
        let now = window(lost);
        since_loss = if lost { now } else { since_loss + now };
        sum += if round >= 2_000 { now } else { 0.0 };
    }
    sum / 2_000.0
}

/// `RFC 3649 §4`: w = 0.12 / p^0.835.
#[test]
fn the_mean_window_at_a_given_loss_rate_is_the_response_function() {
    for loss in [1e-3, 1e-4, 1e-5, 1e-6] {
        let mut flow = at(38);
        let mean = mean_window(loss, |lost| {
            if lost {
                flow.lose();
            }
            let window = f64::from(flow.sock.snd_cwnd);
            flow.round_by(RTT_US, 1);
            window
        });
        // The rows of the table, the first from 38 to 118, are too coarse for small windows: with a rounded up to the
        // next row and the b of that row the same recursion has this mean.
        let mut window = 38.0;
        let rows = mean_window(loss, |lost| {
            let mut row = window;
            let growth = a(window).ceil();
            while a(row) < growth {
                row *= 1.002;
            }
            if lost {
                window *= 1.0 - b(row);
            }
            window += growth;
            window - growth
        });
        assert!((mean / rows - 1.0).abs() < 0.05, "p = {loss}: {mean:.0} packets, the table's rows give {rows:.0}");
        if loss < 5e-5 {
            let response = 0.12 / f64::powf(loss, 0.835);
            assert!((mean / response - 1.0).abs() < 0.08, "p = {loss}: {mean:.0} packets, not {response:.0}");
        }
    }
}

#[test]
fn growth_is_per_ack() {
    let mut flow = at(1000);
    flow.round_by(RTT_US, 2);
    assert_eq!(flow.sock.snd_cwnd, 1003, "half of a(1000) = 8 with delayed ACKs, and not yet a fourth packet");
}
