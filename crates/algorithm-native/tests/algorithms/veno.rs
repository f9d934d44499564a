//! The laws of TCP Veno (Fu and Liew 2003).

use crate::common::Flow;

const BASE_US: u32 = 50_000;

/// In congestion avoidance with this window, the path's own RTT known.
fn at(window: u32) -> Flow {
    let mut flow = Flow::start("veno", &[], BASE_US);
    flow.set_window(window);
    for _ in 0..4 {
        flow.ack(1, BASE_US as i32);
    }
    flow.set_window(window);
    flow
}

/// The RTT at which this many packets of the window are queued.
fn rtt_with_queued(packets: f64, window: u32) -> u32 {
    (f64::from(BASE_US) / (1.0 - packets / f64::from(window))) as u32
}

/// Packets of growth in `rounds` round trips with `queued` packets queued.
fn growth(flow: &mut Flow, queued: f64, rounds: u32) -> u32 {
    let before = flow.sock.snd_cwnd;
    for _ in 0..rounds {
        flow.round_by(rtt_with_queued(queued, flow.sock.snd_cwnd), 1);
    }
    flow.sock.snd_cwnd - before
}

#[test]
fn with_fewer_than_beta_packets_queued_it_grows_as_reno() {
    for queued in [0.0, 1.0, 2.4] {
        let mut flow = at(100);
        assert_eq!(growth(&mut flow, queued, 10), 10, "{queued} packets queued");
    }
}

#[test]
fn with_beta_packets_queued_it_grows_in_every_second_round_trip() {
    for queued in [3.6, 10.0, 50.0] {
        let mut flow = at(100);
        let grown = growth(&mut flow, queued, 20);
        assert!((9..=10).contains(&grown), "{queued} packets queued: {grown} packets in 20 round trips");
    }
}

#[test]
fn a_loss_without_a_queue_costs_a_fifth_and_one_with_a_queue_half() {
    for (queued, left) in [(0.0, 80), (2.0, 80), (4.0, 50), (30.0, 50)] {
        let mut flow = at(100);
        flow.ack(1, rtt_with_queued(queued, 100) as i32);
        flow.lose();
        assert_eq!(flow.sock.snd_cwnd, left, "{queued} packets queued");
    }
}

#[test]
fn the_threshold_is_a_parameter() {
    let mut flow = Flow::start("veno", &[("beta", 10)], BASE_US);
    flow.set_window(100);
    for _ in 0..4 {
        flow.ack(1, BASE_US as i32);
    }
    flow.set_window(100);
    flow.ack(1, rtt_with_queued(8.0, 100) as i32);
    flow.lose();
    assert_eq!(flow.sock.snd_cwnd, 80);
}

#[test]
fn slow_start_is_renos() {
    let mut flow = Flow::start("veno", &[], BASE_US);
    for expected in [20, 40, 80] {
        flow.round(BASE_US);
        assert_eq!(flow.sock.snd_cwnd, expected);
    }
}

/// The paper's section III: at a random loss rate p without a queue, AIMD with decrease 1/5 has a mean window of
/// sqrt(a (2 - b) / (2 b)) / sqrt(p) = 2.12 / sqrt(p), against Reno's 1.22 / sqrt(p).
#[test]
fn random_losses_cost_less_than_half_of_what_they_cost_reno() {
    let mean_window = |algorithm: &str| {
        let mut flow = Flow::start(algorithm, &[], BASE_US);
        flow.set_window(30);
        let (loss, mut since_loss, mut rounds, mut sum) = (1e-3, 0.0, 0.0, 0.0);
        for round in 0..3_000 {
            if since_loss >= 1.0 / loss {
                flow.lose();
                since_loss = 0.0;
            }
            since_loss += f64::from(flow.sock.snd_cwnd);
            flow.round_by(BASE_US, 1);
            if round > 500 {
                sum += f64::from(flow.sock.snd_cwnd);
                rounds += 1.0;
            }
        }
        sum / rounds * f64::sqrt(loss)
    };
    let (veno, reno) = (mean_window("veno"), mean_window("reno"));
    assert!((2.02..2.23).contains(&veno), "{veno:.2} / sqrt(p)");
    assert!((1.16..1.28).contains(&reno), "{reno:.2} / sqrt(p)");
}
