//! The laws of TCP Hybla (Caini and Firrincieli 2004): growth in time that does not depend on the RTT.

use crate::common::Flow;

/// The reference path of the paper.
const RTT0_US: u32 = 25_000;

fn at(rtt_us: u32, window: u32) -> Flow {
    let mut flow = Flow::start("hybla", &[], rtt_us);
    flow.set_window(window);
    flow
}

#[test]
fn on_the_reference_path_and_on_shorter_ones_it_is_reno() {
    for rtt_us in [5_000, RTT0_US] {
        let mut flow = Flow::start("hybla", &[], rtt_us);
        flow.sock.snd_cwnd = 10;
        for expected in [20, 40, 80] {
            flow.round_by(rtt_us, 1);
            assert_eq!(flow.sock.snd_cwnd, expected, "slow start at {rtt_us} us");
        }
        let mut flow = at(rtt_us, 16);
        flow.round_by(rtt_us, 1);
        assert_eq!(flow.sock.snd_cwnd, 17, "at {rtt_us} us");
    }
}

/// The paper's equation for congestion avoidance: rho^2 / cwnd per ACK, that is rho^2 packets in a round trip.
#[test]
fn congestion_avoidance_adds_rho_squared_packets_in_a_round_trip() {
    for rho in [2, 4, 8, 20] {
        let window = 8 * rho * rho;
        let mut flow = at(rho * RTT0_US, window);
        flow.round_by(rho * RTT0_US, 1);
        let (grown, expected) = (f64::from(flow.sock.snd_cwnd - window), f64::from(rho * rho));
        // The growth of one ACK falls with the window within the round (0.94), and is rounded down to 1/128 (0.94).
        assert!((0.88 * expected - 1.0..=expected).contains(&grown), "rho {rho}: {grown} packets, not {expected}");
    }
}

/// The paper's point: in packets per second all paths grow alike. The rate is the window over the RTT.
#[test]
fn rates_grow_alike_in_time_whatever_the_rtt() {
    for rtt_us in [25_000, 50_000, 125_000, 250_000] {
        let rho = rtt_us / RTT0_US;
        // All start with the same rate, 40 packets in 25 ms, which grows by a packet in each 25 ms.
        let mut flow = at(rtt_us, 40 * rho);
        for _ in 0..250_000 / rtt_us {
            flow.round_by(rtt_us, 1);
        }
        let gained = f64::from(flow.sock.snd_cwnd) / f64::from(rho) - 40.0;
        // Rounding down to 1/128 per ACK costs most where growth per ACK is smallest: 128 / 43 = 2.98 is 2.
        let least = if rho == 1 { 6.5 } else { 8.5 };
        assert!((least..=10.1).contains(&gained), "{rtt_us} us: {gained} packets in 25 ms more, not 10");
    }
}

/// Growth per ACK counts in 1/128 packets: above 128 rho^2 packets nothing is left of it, and Reno's takes over.
#[test]
fn very_large_windows_grow_as_reno() {
    for rho in [1, 2, 4] {
        let mut flow = at(rho * RTT0_US, 129 * rho * rho);
        for _ in 0..10 {
            flow.round_by(rho * RTT0_US, 1);
        }
        assert_eq!(flow.sock.snd_cwnd, 129 * rho * rho + 10, "rho {rho}");
    }
}

/// 2^rho - 1 per ACK: the window is multiplied by 2^rho in a round trip, and rates double every 25 ms on all paths.
#[test]
fn slow_start_multiplies_by_two_to_the_rho() {
    for rho in [1, 2, 3, 4] {
        let mut flow = Flow::start("hybla", &[], rho * RTT0_US);
        assert_eq!(flow.sock.snd_cwnd, rho, "the first window has rho packets");
        flow.sock.snd_cwnd = 10;
        for _ in 0..10 {
            flow.ack(1, (rho * RTT0_US) as i32);
        }
        assert_eq!(flow.sock.snd_cwnd, 10 << rho, "rho {rho}");
    }
}

/// Eighths of rho: 2^(n/8) from a table of 1/128.
#[test]
fn rho_is_exact_to_an_eighth() {
    for eighths in 8..32_u32 {
        let rtt_us = RTT0_US * eighths / 8;
        let mut flow = Flow::start("hybla", &[], rtt_us);
        flow.sock.snd_cwnd = 1_000;
        for _ in 0..100 {
            flow.ack(1, rtt_us as i32);
        }
        let expected = 100.0 * (f64::from(eighths) / 8.0).exp2() - 100.0;
        let grown = f64::from(flow.sock.snd_cwnd - 1_000);
        assert!((grown / expected - 1.0).abs() < 0.015, "rho {eighths}/8: {grown} for {expected}");
    }
}

#[test]
fn slow_start_ends_at_ssthresh() {
    let mut flow = Flow::start("hybla", &[], 200_000);
    flow.sock.snd_ssthresh = 200;
    flow.ack(1, 200_000);
    assert_eq!(flow.sock.snd_cwnd, 200, "255 packets for one ACK would be more");
}

#[test]
fn a_shorter_rtt_lowers_rho_and_a_longer_one_does_not_raise_it() {
    for (srtt_us, rho) in [(400_000, 4), (50_000, 2)] {
        let mut flow = at(100_000, 32);
        flow.sock.srtt_us = srtt_us << 3;
        let mut acks = 0;
        while flow.sock.snd_cwnd == 32 {
            flow.ack(1, 100_000);
            acks += 1;
        }
        assert_eq!(acks, 32 / (rho * rho), "ACKs for a packet at a smoothed RTT of {srtt_us} us");
    }
}

#[test]
fn a_loss_halves_the_window_and_until_it_is_repaired_growth_is_renos() {
    let mut flow = at(100_000, 1_000);
    flow.lose();
    assert_eq!(flow.sock.snd_cwnd, 500);
    flow.set_state(fairlane_congestion_control::CaState::Disorder);
    flow.sock.snd_cwnd_cnt = 0;
    flow.round_by(100_000, 1);
    assert_eq!(flow.sock.snd_cwnd, 501);
}
