//! The laws of YeAH-TCP (Baiocchi, Castellani, Vacirca 2007): fast and slow mode, precautionary decongestion.

use crate::common::round_trips::RoundTrips;
use crate::common::Flow;

const BASE_US: u32 = 50_000;

fn at(window: u32) -> RoundTrips {
    RoundTrips::new(Flow::start("yeah", &[], BASE_US), window, BASE_US)
}

/// The RTT at which this many packets of the window are queued.
fn rtt_with_queued(packets: u32, window: u32) -> u32 {
    (f64::from(BASE_US) / (1.0 - f64::from(packets) / f64::from(window))) as u32
}

/// One round trip with this many packets queued.
fn next(rounds: &mut RoundTrips, queued: u32) {
    let rtt_us = rtt_with_queued(queued, rounds.cwnd());
    rounds.next(rtt_us);
}

#[test]
fn in_fast_mode_it_is_scalable_tcp() {
    for window in [200, 1_000, 5_000] {
        let mut rounds = at(window);
        rounds.next(BASE_US);
        let grown = rounds.cwnd() - window;
        assert!((window / 100..=window / 100 + 1).contains(&grown), "{window} grew by {grown}, not by 1 %");
    }
    let mut small = at(40);
    for _ in 0..5 {
        small.next(BASE_US);
    }
    assert_eq!(small.cwnd(), 45, "and below a hundred packets Reno");
}

#[test]
fn a_queue_of_eighty_packets_ends_fast_mode_and_is_drained_at_once() {
    for (queued, drained) in [(70, false), (90, true)] {
        // Large enough for an eighth of the RTT not to matter.
        let mut rounds = at(2_000);
        next(&mut rounds, queued);
        let window = rounds.cwnd();
        if drained {
            let expected = 2_020 - i64::from(queued);
            assert!((i64::from(window) - expected).abs() <= 3, "{window}, not {expected}");
            assert_eq!(rounds.flow.sock.snd_ssthresh, window);
        } else {
            assert!((2_019..=2_021).contains(&window), "{window}");
        }
    }
}

#[test]
fn draining_takes_half_of_the_window_at_most() {
    let mut rounds = at(400);
    next(&mut rounds, 300);
    assert!((200..=203).contains(&rounds.cwnd()), "{}", rounds.cwnd());
}

/// The paper's second condition: L = (RTT - base) / base above 1 / phi = 1/8.
#[test]
fn a_delay_of_an_eighth_ends_fast_mode_too() {
    for (rise_us, slow) in [(BASE_US / 9, false), (BASE_US / 7, true)] {
        let mut rounds = at(400);
        rounds.next(BASE_US + rise_us);
        let before = rounds.cwnd();
        rounds.next(BASE_US + rise_us);
        let grown = rounds.cwnd() - before;
        assert_eq!(grown == 1, slow, "{rise_us} us: grew by {grown}");
    }
}

/// The queue that was there at the loss, but an eighth of the window at least and half of it at most.
#[test]
fn a_loss_costs_what_was_queued() {
    for (queued, expected) in [(0, 1_750), (70, 1_750), (400, 1_600), (1_500, 1_000)] {
        // The queue is measured, but not drained.
        let mut flow = Flow::start("yeah", &[("queue_max", 100_000)], BASE_US);
        flow.set_window(2_000);
        let mut rounds = RoundTrips::new(flow, 2_000, BASE_US);
        next(&mut rounds, queued);
        rounds.flow.sock.snd_cwnd = 2_000;
        rounds.flow.lose();
        let left = rounds.cwnd();
        assert!((i64::from(left) - expected).abs() <= 6, "{queued} queued: {left}, not {expected}");
    }
}

/// More than 16 rounds of slow mode in a row show that others do not give way: then a loss costs half.
#[test]
fn beside_greedy_flows_a_loss_costs_half() {
    for (slow_rounds, left) in [(10, 350), (20, 200)] {
        let mut rounds = at(400);
        for _ in 0..slow_rounds {
            rounds.next(BASE_US * 8 / 7 + 500);
        }
        rounds.flow.sock.snd_cwnd = 400;
        rounds.flow.lose();
        // 50 packets of the 400 are queued, an eighth.
        let got = rounds.cwnd();
        assert!((i64::from(got) - left).abs() <= 6, "after {slow_rounds} slow rounds {got}, not {left}");
    }
}

/// It is not drained below what a Reno flow would have: half the window at first, and one packet more in each slow round.
#[test]
fn draining_stops_at_what_reno_would_have() {
    let mut rounds = at(1_000);
    next(&mut rounds, 100);
    let after_first = rounds.cwnd();
    assert!((905..=915).contains(&after_first), "{after_first}");
    // Greedy flows keep the queue long: it drains down to half of what it had then, and stays there.
    for _ in 0..12 {
        let queued = rounds.cwnd() / 2;
        next(&mut rounds, queued);
    }
    let low = rounds.cwnd();
    let reno = after_first / 2 + 12;
    assert!((reno - 5..=reno + 5).contains(&low), "{low}, Reno would have {reno}");
}

#[test]
fn slow_start_doubles() {
    let mut flow = Flow::start("yeah", &[], BASE_US);
    for expected in [20, 40, 80] {
        flow.round(BASE_US);
        assert_eq!(flow.sock.snd_cwnd, expected);
    }
}
