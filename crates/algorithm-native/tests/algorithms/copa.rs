//! The laws of Copa (Arun and Balakrishnan 2018), section 2 of the paper.

use crate::common::path::Path;
use crate::common::{Flow, MSS};
use fairlane_congestion_control::{CaState, RateSample};

const BASE_US: u32 = 40_000;
/// The rise that ends slow start and is then the largest RTT.
const SWING_US: u32 = 20_000;

/// A flow in the hands of the test, one ACK per packet.
struct Acks {
    flow: Flow,
}

impl Acks {
    /// Out of slow start, with a window of this many packets.
    fn at(parameters: &[(&str, i64)], window: u32) -> Self {
        let mut acks = Self { flow: Flow::start("copa", parameters, BASE_US) };
        for rtt_us in [BASE_US, BASE_US + SWING_US] {
            // Half an RTT of it, so that the standing RTT is this.
            for _ in 0..40 {
                acks.flow.advance_us(u64::from(BASE_US) / 10);
                acks.ack(rtt_us, 0, acks.flow.sock.delivered);
            }
        }
        acks.flow.sock.snd_cwnd = window;
        // The queue is gone; the direction of the next round starts anew.
        acks.round(BASE_US);
        acks.flow.sock.snd_cwnd = window;
        acks
    }

    fn ack(&mut self, rtt_us: u32, losses: i32, prior_delivered: u32) {
        let sock = &mut self.flow.sock;
        sock.delivered += 1;
        sock.srtt_us = rtt_us << 3;
        self.flow.sample(&RateSample {
            prior_delivered,
            delivered: 1,
            interval_us: i64::from(rtt_us),
            rtt_us: i64::from(rtt_us),
            acked_sacked: 1,
            losses,
            ..RateSample::default()
        });
    }

    /// A round trip with this RTT; returns by how much the window changed.
    fn round(&mut self, rtt_us: u32) -> i64 {
        self.round_with(rtt_us, 0)
    }

    fn round_with(&mut self, rtt_us: u32, losses: i32) -> i64 {
        let before = self.flow.sock.snd_cwnd;
        let start = self.flow.sock.delivered;
        for packet in 0..before {
            self.flow.advance_us(u64::from(rtt_us / before));
            let lost = if packet == before / 2 { losses } else { 0 };
            // The first ACK of a round is for a packet that was sent when the last one ended.
            self.ack(rtt_us, lost, if packet == 0 { start } else { start.saturating_sub(1) });
        }
        i64::from(self.flow.sock.snd_cwnd) - i64::from(before)
    }
}

#[test]
fn slow_start_doubles_until_the_rate_exceeds_the_target() {
    let mut acks = Acks { flow: Flow::start("copa", &[], BASE_US) };
    acks.ack(BASE_US, 0, 0);
    acks.flow.sock.snd_cwnd = 10;
    for expected in [20, 40, 80] {
        acks.round(BASE_US);
        assert_eq!(acks.flow.sock.snd_cwnd, expected);
    }
    // 1 / (delta d_q) = 2 packets per ms of queueing, over an RTT of 41 ms: 82 packets. The standing RTT shows it half
    // a round trip later.
    acks.round(BASE_US + 1_000);
    let window = acks.flow.sock.snd_cwnd;
    assert!((115..=122).contains(&window), "{window}");
    acks.round(BASE_US + 1_000);
    assert!(acks.flow.sock.snd_cwnd < window, "slow start is over: {}", acks.flow.sock.snd_cwnd);
}

/// "Over an RTT the change is about v / delta packets."
#[test]
fn a_round_trip_changes_the_window_by_v_over_delta() {
    for (delta, expected) in [(500, 2), (250, 4), (1000, 1), (100, 10)] {
        let mut acks = Acks::at(&[("delta", delta), ("mode_switching", 0)], 200);
        let grown = acks.round(BASE_US);
        assert!((expected - 1..=expected).contains(&grown), "delta {delta}: {grown} packets in a round trip");
    }
}

/// v doubles once the window has gone the same way for three round trips, and is 1 after a turn.
#[test]
fn velocity_doubles_after_three_rounds_in_the_same_direction() {
    let mut acks = Acks::at(&[("mode_switching", 0)], 1_000);
    let grown: Vec<i64> = (0..9).map(|_| acks.round(BASE_US)).collect();
    let doublings = grown.windows(2).filter(|pair| (1.7..2.3).contains(&(pair[1] as f64 / pair[0] as f64))).count();
    assert!((1..=2).contains(&grown[0]) && (1..=2).contains(&grown[1]), "{grown:?}");
    assert!(doublings >= 5, "{grown:?}");
    // The queue appears: the next round still goes with the old v, and then v is 1.
    acks.round(BASE_US + SWING_US);
    acks.round(BASE_US + SWING_US);
    let change = acks.round(BASE_US + SWING_US);
    assert!((-3..=-1).contains(&change), "{change}");
}

/// At a fixed queueing delay the window goes to RTT / (delta d_q).
#[test]
fn the_window_goes_to_the_target_rate() {
    for (queueing_us, delta) in [(2_000, 500), (10_000, 500), (2_000, 250)] {
        let rtt_us = BASE_US + queueing_us;
        let target = f64::from(rtt_us) / (delta as f64 / 1e3 * f64::from(queueing_us));
        for start in [0.3, 3.0] {
            let window = (target * start).max(4.0) as u32;
            let mut acks = Acks::at(&[("delta", delta), ("mode_switching", 0)], window);
            let mut last = Vec::new();
            for round in 0..120 {
                acks.round(rtt_us);
                if round >= 100 {
                    last.push(f64::from(acks.flow.sock.snd_cwnd));
                }
            }
            let mean = last.iter().sum::<f64>() / last.len() as f64;
            // It turns only after a round trip: up to v / delta on either side.
            assert!((mean - target).abs() < 0.1 * target + 2.0, "{queueing_us} us, delta {delta}: {mean} for {target}");
        }
    }
}

/// Section 2.2: five round trips without a nearly empty queue are caused by another flow. Then 1 / delta grows by one
/// in a round trip, and a loss halves it.
#[test]
fn a_queue_that_is_never_empty_makes_it_compete() {
    let full_us = BASE_US + SWING_US;
    let mut acks = Acks::at(&[], 6);
    // RTT / d_q = 3 windows of 1 / delta: 6 packets in default mode.
    for _ in 0..4 {
        acks.round(full_us);
    }
    let before = acks.flow.sock.snd_cwnd;
    assert!((4..=8).contains(&before), "{before}");
    for _ in 0..30 {
        acks.round(full_us);
    }
    let competing = acks.flow.sock.snd_cwnd;
    assert!(competing > 40, "{competing}");
    // Losses in each round trip bring 1 / delta, and with it the window, down.
    for _ in 0..30 {
        acks.round_with(full_us, 1);
    }
    assert!(acks.flow.sock.snd_cwnd < 12, "{} after losses", acks.flow.sock.snd_cwnd);
    // And a nearly empty queue ends the competition: 1 / delta is 2 again, no longer 30.
    for _ in 0..30 {
        acks.round(full_us);
    }
    acks.round(BASE_US);
    acks.flow.sock.snd_cwnd = 500;
    let turned = acks.round(BASE_US);
    assert!((1..=4).contains(&turned), "{turned}");
}

#[test]
fn without_mode_switching_it_gives_way() {
    let mut acks = Acks::at(&[("mode_switching", 0)], 6);
    for _ in 0..40 {
        acks.round(BASE_US + SWING_US);
    }
    assert!((4..=8).contains(&acks.flow.sock.snd_cwnd), "{}", acks.flow.sock.snd_cwnd);
}

#[test]
fn in_default_mode_losses_are_not_answered() {
    let mut acks = Acks::at(&[], 100);
    let grown: i64 = (0..3).map(|_| acks.round_with(BASE_US, 1)).sum();
    assert!(grown >= 4, "{grown}");
    let threshold = acks.flow.sock.snd_ssthresh;
    assert_eq!(acks.flow.control.ssthresh(&mut acks.flow.sock), threshold);
}

#[test]
fn a_time_out_leads_to_slow_start() {
    let mut acks = Acks::at(&[], 100);
    acks.flow.time_out();
    acks.flow.set_state(CaState::Open);
    for expected in [2, 4, 8] {
        acks.round(BASE_US);
        assert_eq!(acks.flow.sock.snd_cwnd, expected);
    }
}

#[test]
fn a_window_that_is_not_the_limit_does_not_grow() {
    let mut acks = Acks::at(&[], 100);
    acks.flow.sock.is_cwnd_limited = 0;
    acks.round(BASE_US);
    assert_eq!(acks.flow.sock.snd_cwnd, 100);
}

#[test]
fn pacing_is_twice_the_window_in_a_standing_rtt() {
    let acks = Acks::at(&[], 100);
    let expected = 2.0 * f64::from(acks.flow.sock.snd_cwnd) * f64::from(MSS) / f64::from(BASE_US) * 1e6;
    assert!((acks.flow.sock.sk_pacing_rate as f64 / expected - 1.0).abs() < 0.03);
    assert_eq!(acks.flow.sock.sk_pacing_status, 1);
}

/// Alone on a link the queue swings between empty and some packets, so that it is empty often enough to show that no
/// flow else is there. The paper's analysis (section 3.1) has 2.5 / delta packets at most, with v = 1 and RTTs that are
/// known at once; in a climb of five round trips, three with v = 1 and then 2 and 4, it is 9 / delta.
#[test]
fn alone_on_a_link_it_empties_the_queue_in_each_cycle() {
    let mut path = Path::new(Flow::start("copa", &[], BASE_US), 40.0, f64::from(BASE_US));
    path.run_to(30.0);
    let bdp = path.bdp();
    let steps = path.between(10.0, 30.0);
    // In addition to what the path holds, and the packet in service.
    let queued = |step: &crate::common::path::Step| f64::from(step.in_flight) - bdp - 1.0;
    let most = steps.iter().map(queued).fold(f64::NEG_INFINITY, f64::max);
    let mean = steps.iter().map(|step| queued(step).max(0.0)).sum::<f64>() / steps.len() as f64;
    // With what an ACK lets go at once.
    assert!(most <= 9.0 / 0.5 + 2.0, "{most} packets queued at most");
    assert!((1.0..4.0 / 0.5).contains(&mean), "{mean} packets queued in the mean");
    // Each stretch of eight round trips sees it nearly empty.
    for start in 0..60 {
        let from_s = 10.0 + 0.33 * f64::from(start);
        let least = path.between(from_s, from_s + 0.33).iter().map(queued).fold(f64::INFINITY, f64::min);
        assert!(least < 2.0, "{least} packets at least, from {from_s} s on");
    }
    let delivered = steps.len() as f64 * path.service_us / 20e6;
    assert!(delivered > 0.97, "{delivered} of the link");
}
