//! The laws of Scalable TCP (Kelly 2003): 1 % per round trip, an eighth after a loss.

use crate::common::Flow;

const RTT_US: u32 = 50_000;

fn at(window: u32) -> Flow {
    let mut flow = Flow::start("scalable", &[], RTT_US);
    flow.set_window(window);
    flow
}

#[test]
fn the_window_grows_by_one_packet_for_a_hundred_delivered() {
    let mut flow = at(1000);
    flow.ack(100, RTT_US as i32);
    assert_eq!(flow.sock.snd_cwnd, 1001);
    for window in [200, 1000, 20_000] {
        let mut flow = at(window);
        flow.round(RTT_US);
        assert_eq!(flow.sock.snd_cwnd, window + window / 100, "1 % of {window}");
    }
}

#[test]
fn below_a_hundred_packets_it_grows_like_reno() {
    let mut flow = at(40);
    for rounds in 1..=20 {
        flow.round(RTT_US);
        assert_eq!(flow.sock.snd_cwnd, 40 + rounds);
    }
}

#[test]
fn growth_does_not_depend_on_how_many_packets_an_ack_covers() {
    for packets in [1, 2, 10] {
        let mut flow = at(1000);
        flow.round_by(RTT_US, packets);
        assert_eq!(flow.sock.snd_cwnd, 1010, "{packets} per ACK");
    }
}

#[test]
fn a_loss_costs_an_eighth() {
    for (window, left) in [(1000, 875), (100, 88), (8, 7), (2, 2)] {
        let mut flow = at(window);
        flow.lose();
        assert_eq!(flow.sock.snd_cwnd, left);
    }
}

/// ln(8/7) / ln(1.01) = 13.4: the paper's point is that this holds for every window.
#[test]
fn recovery_from_a_loss_takes_14_round_trips_at_any_rate() {
    for window in [500, 5_000, 50_000] {
        let mut flow = at(window);
        flow.lose();
        let mut rounds = 0;
        while flow.sock.snd_cwnd < window {
            flow.round(RTT_US);
            rounds += 1;
        }
        assert_eq!(rounds, 14, "{window} packets");
    }
}

/// The paper's response function for a = 0.01, b = 0.125: w = 0.08 / p.
#[test]
fn the_mean_window_at_a_given_loss_rate_is_the_response_function() {
    for loss in [2e-4, 5e-5] {
        let mut flow = at(400);
        let (mut since_loss, mut rounds, mut sum) = (0.0, 0.0, 0.0);
        for round in 0..1_000 {
            if since_loss >= 1.0 / loss {
                flow.lose();
                since_loss = 0.0;
            }
            since_loss += f64::from(flow.sock.snd_cwnd);
            flow.round(RTT_US);
            if round > 200 {
                sum += f64::from(flow.sock.snd_cwnd);
                rounds += 1.0;
            }
        }
        let (mean, expected) = (sum / rounds, 0.08 / loss);
        assert!((0.9..1.1).contains(&(mean / expected)), "p = {loss}: {mean:.0} packets, the paper says {expected:.0}");
    }
}

/// Linux before 5.7 counted ACKs, and took 50 of them for 100 packets, as most ACKs are delayed.
#[test]
fn growth_per_ack_counts_acks() {
    for (packets, grown) in [(1, 20), (2, 10), (10, 2)] {
        let mut flow = Flow::start("scalable", &[("growth_per_ack", 1), ("increase_every", 50)], RTT_US);
        flow.set_window(1000);
        flow.round_by(RTT_US, packets);
        assert_eq!(flow.sock.snd_cwnd, 1000 + grown, "{packets} per ACK");
    }
}
