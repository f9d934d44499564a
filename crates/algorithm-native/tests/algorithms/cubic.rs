//! CUBIC against the equations of RFC 9438, and HyStart's two ways out of slow start.

use crate::common::Flow;

const RTT_US: u32 = 50_000;
/// 41 * 10 / 1024 and 717 / 1024, Linux's C and beta.
const C: f64 = 410.0 / 1024.0;
const BETA: f64 = 717.0 / 1024.0;

/// A flow whose window is `cwnd`, in congestion avoidance, without HyStart.
fn at(cwnd: u32, parameters: &[(&str, i64)]) -> Flow {
    let mut all = vec![("hystart", 0)];
    all.extend_from_slice(parameters);
    let mut flow = Flow::start("cubic", &all, RTT_US);
    flow.sock.snd_cwnd = cwnd;
    flow.sock.snd_ssthresh = cwnd;
    flow
}

/// `RFC 9438 §4.2`: W(t) = C (t - K)^3 + W_max, K = cbrt((W_max - cwnd_epoch) / C).
fn curve(w_max: f64, cwnd_epoch: f64, t_s: f64) -> f64 {
    let k = ((w_max - cwnd_epoch) / C).cbrt();
    C * (t_s - k).powi(3) + w_max
}

#[test]
fn after_a_loss_the_window_follows_the_curve() {
    let mut flow = at(1000, &[("reno_friendly", 0)]);
    flow.lose();
    let cwnd_epoch = flow.sock.snd_cwnd;
    assert_eq!(cwnd_epoch, (1000.0 * BETA) as u32);
    flow.ack(1, RTT_US as i32);
    let start_us = flow.now_us();
    for round in 1..=300 {
        flow.round(RTT_US);
        let t_s = (flow.now_us() - start_us) as f64 / 1e6;
        // Concave up to K = 9.1 s, then convex.
        if round % 20 == 0 {
            let expected = curve(1000.0, f64::from(cwnd_epoch), t_s);
            let cwnd = f64::from(flow.sock.snd_cwnd);
            assert!((cwnd / expected - 1.0).abs() < 0.01, "at {t_s} s: {cwnd} packets, the curve says {expected}");
        }
    }
    assert!(flow.sock.snd_cwnd > 1050);
}

#[test]
fn the_plateau_is_at_the_old_window() {
    let mut flow = at(1000, &[("reno_friendly", 0)]);
    flow.lose();
    let mut near_the_plateau = 0;
    for _ in 0..300 {
        flow.round(RTT_US);
        near_the_plateau += u32::from((990..=1010).contains(&flow.sock.snd_cwnd));
    }
    // 2 * cbrt(10 / C) = 5.8 s of the curve are within 10 packets of it.
    assert!((100..=130).contains(&near_the_plateau), "{near_the_plateau} rounds");
}

/// `RFC 9438 §4.7`.
#[test]
fn a_loss_below_the_old_window_lowers_the_plateau() {
    for (fast, w_max) in [(1, 900.0 * (1.0 + BETA) / 2.0), (0, 900.0)] {
        let mut flow = at(1000, &[("fast_convergence", fast), ("reno_friendly", 0)]);
        flow.lose();
        flow.sock.snd_cwnd = 900;
        flow.lose();
        let cwnd_epoch = f64::from(flow.sock.snd_cwnd);
        flow.ack(1, RTT_US as i32);
        let start_us = flow.now_us();
        for _ in 0..100 {
            flow.round(RTT_US);
        }
        let expected = curve(w_max, cwnd_epoch, (flow.now_us() - start_us) as f64 / 1e6);
        let cwnd = f64::from(flow.sock.snd_cwnd);
        assert!((cwnd / expected - 1.0).abs() < 0.01, "fast convergence {fast}: {cwnd} packets, not {expected}");
    }
}

/// `RFC 9438 §4.3`: alpha = 3 (1 - beta) / (1 + beta) packets per round trip. At a short RTT the curve is slower.
#[test]
fn in_the_reno_friendly_region_it_grows_as_fast_as_reno_would() {
    let short_rtt_us = 10_000;
    let alpha = 3.0 * (1.0 - BETA) / (1.0 + BETA);
    let mut flow = at(40, &[]);
    flow.lose();
    let cwnd_epoch = f64::from(flow.sock.snd_cwnd);
    // Growth starts anew at the first ACK of the epoch.
    flow.ack(1, short_rtt_us as i32);
    for _ in 0..100 {
        flow.round(short_rtt_us);
    }
    let expected = cwnd_epoch + alpha * 100.0;
    let cwnd = f64::from(flow.sock.snd_cwnd);
    assert!((cwnd - expected).abs() <= 3.0, "{cwnd} packets, Reno with this decrease would have {expected}");

    let mut alone = at(40, &[("reno_friendly", 0)]);
    alone.lose();
    for _ in 0..100 {
        alone.round(short_rtt_us);
    }
    assert!(alone.sock.snd_cwnd < flow.sock.snd_cwnd - 10);
}

#[test]
fn the_window_grows_by_half_in_a_round_trip_at_most() {
    let mut flow = at(1000, &[]);
    flow.lose();
    flow.ack(1, RTT_US as i32);
    flow.advance_us(60_000_000); // far beyond the plateau
    flow.ack(1, RTT_US as i32);
    let before = flow.sock.snd_cwnd;
    flow.round(RTT_US);
    assert!(flow.sock.snd_cwnd <= before + before / 2 + 1, "{before} to {}", flow.sock.snd_cwnd);
    assert!(flow.sock.snd_cwnd >= before + before / 2 - 2);
}

/// `RFC 9438 §5.8`: an idle period does not count as time on the curve.
#[test]
fn an_idle_period_stops_the_clock_of_the_curve() {
    use fairlane_congestion_control::CaEvent;
    let mut flow = at(1000, &[("reno_friendly", 0)]);
    flow.lose();
    for _ in 0..20 {
        flow.round(RTT_US);
    }
    let before = flow.sock.snd_cwnd;
    flow.sock.lsndtime = flow.sock.jiffies();
    flow.advance_us(30_000_000);
    flow.control.cwnd_event(&mut flow.sock, CaEvent::TxStart);
    flow.round(RTT_US);
    assert!(flow.sock.snd_cwnd - before < 20, "{before} to {}", flow.sock.snd_cwnd);
}

#[test]
fn a_time_out_forgets_the_old_window() {
    let mut flow = at(1000, &[]);
    flow.lose();
    flow.time_out();
    assert_eq!(flow.sock.snd_ssthresh, (700.0 * BETA) as u32);
    flow.sock.snd_cwnd = flow.sock.snd_ssthresh;
    let before = flow.sock.snd_cwnd;
    flow.round(RTT_US);
    flow.round(RTT_US);
    // Without a W_max: 5 % per round trip at least.
    assert!(flow.sock.snd_cwnd >= before + before / 10 - 6, "{before} to {}", flow.sock.snd_cwnd);
}

/// A round of slow start whose ACKs come in one burst after the path's delay, as without pacing.
fn burst_round(flow: &mut Flow, rtt_us: u32, spacing_us: u64) {
    let window = flow.sock.snd_cwnd;
    flow.advance_us(u64::from(rtt_us) - 1);
    for _ in 0..window / 2 {
        flow.advance_us(spacing_us);
        flow.ack(2, rtt_us as i32);
    }
}

#[test]
fn hystart_leaves_slow_start_when_the_delay_of_a_round_has_risen() {
    let mut flow = Flow::start("cubic", &[("hystart_detect", 2)], RTT_US);
    for _ in 0..3 {
        burst_round(&mut flow, RTT_US, 1);
    }
    assert!(flow.sock.in_slow_start());
    // RTT / 8 is 6.25 ms, between 4 and 16 ms: a rise of 6 ms is not enough, one of 7 ms is.
    burst_round(&mut flow, RTT_US + 6_000, 1);
    assert!(flow.sock.in_slow_start());
    burst_round(&mut flow, RTT_US + 7_000, 1);
    assert!(!flow.sock.in_slow_start());
    let (cwnd, ssthresh) = (flow.sock.snd_cwnd, flow.sock.snd_ssthresh);
    assert!(ssthresh >= 160 && ssthresh <= cwnd, "{ssthresh} of {cwnd}");
}

#[test]
fn hystart_leaves_slow_start_when_a_train_of_acks_is_as_long_as_the_path() {
    // Unpaced: half of the shortest RTT.
    for (spacing_us, leaves) in [(250, false), (380, true)] {
        // From the first window on, so that its rounds begin where ours do.
        let mut flow = Flow::start("cubic", &[("hystart_detect", 1), ("hystart_low_window", 2)], RTT_US);
        for _ in 0..3 {
            burst_round(&mut flow, RTT_US, 1);
        }
        burst_round(&mut flow, RTT_US, 1);
        assert_eq!(flow.sock.snd_cwnd, 160);
        // 80 ACKs; the round begins with the first.
        burst_round(&mut flow, RTT_US, spacing_us);
        assert_eq!(!flow.sock.in_slow_start(), leaves, "ACKs every {spacing_us} us");
    }
}

#[test]
fn hystart_counts_its_rounds_from_the_first_window_on() {
    // A round that began when the window reached the smallest one looked at would begin in the middle of a flight,
    // where the RTT is that of the queue; ours begins with a flight, whose first packets find no queue.
    let mut flow = Flow::start("cubic", &[("hystart_detect", 2)], RTT_US);
    let mut window = flow.sock.snd_cwnd;
    while window < 320 {
        for packet in 0..window {
            flow.advance_us(100);
            flow.ack(1, (RTT_US + 100 * packet) as i32);
        }
        assert!(flow.sock.in_slow_start(), "left at {} packets", flow.sock.snd_cwnd);
        window = flow.sock.snd_cwnd;
        flow.advance_us(u64::from(RTT_US) / 2);
    }
}

#[test]
fn hystart_keeps_quiet_at_small_windows_and_when_switched_off() {
    let mut small = Flow::start("cubic", &[("hystart_low_window", 1000)], RTT_US);
    let mut off = Flow::start("cubic", &[("hystart", 0)], RTT_US);
    for flow in [&mut small, &mut off] {
        for round in 0..5 {
            burst_round(flow, RTT_US + 20_000 * round, 1);
        }
        assert!(flow.sock.in_slow_start());
    }
    let capped = Flow::start("cubic", &[("hystart", 0), ("initial_ssthresh", 77)], RTT_US);
    assert_eq!(capped.sock.snd_ssthresh, 77);
}
