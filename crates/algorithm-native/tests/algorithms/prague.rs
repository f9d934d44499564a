//! The laws of the Prague draft: the estimate of marks, the decrease, growth that does not depend on short RTTs, losses.

use crate::common::{Flow, MSS};
use fairlane_congestion_control::{CaEvent, CaState, RateSample};

/// `TCP_ECN_OK` and `TCP_ECN_MODE_ACCECN`.
const CLASSIC: u8 = 1;
const ACCECN: u8 = 16;
const VIRTUAL_RTT_US: u32 = 25_000;

fn at(parameters: &[(&str, i64)], rtt_us: u32, window: u32) -> Flow {
    let mut flow = Flow::start("prague", parameters, rtt_us);
    flow.sock.ecn_flags = ACCECN;
    flow.set_window(window);
    flow
}

/// An ACK of `acked` packets, of which `marked` were marked.
fn ack(flow: &mut Flow, acked: u32, marked: u32) {
    flow.sock.snd_una = flow.sock.snd_una.wrapping_add(acked * MSS);
    flow.sock.packets_out = flow.sock.snd_cwnd;
    flow.sock.max_packets_out = flow.sock.snd_cwnd;
    flow.sock.delivered += acked;
    flow.sock.delivered_ce += marked;
    flow.sample(&RateSample { acked_sacked: acked, ..RateSample::default() });
}

/// A time in which `packets` are acknowledged one by one, the first `marked` of them marked.
fn pass(flow: &mut Flow, us: u32, packets: u32, marked: u32) {
    for packet in 0..packets {
        flow.advance_us(u64::from(us / packets));
        ack(flow, 1, u32::from(packet < marked));
    }
}

#[test]
fn alpha_is_the_mean_share_of_marks_with_weight_g() {
    for marked in [0, 10, 50, 100] {
        let mut flow = at(&[], VIRTUAL_RTT_US, 100);
        let mut alpha = 1.0;
        for _ in 0..80 {
            flow.set_window(100);
            pass(&mut flow, VIRTUAL_RTT_US, 100, marked);
            alpha += (f64::from(marked) / 100.0 - alpha) / 16.0;
        }
        // The decrease for one mark, in a window large enough to measure it.
        flow.advance_us(u64::from(2 * VIRTUAL_RTT_US));
        flow.set_window(100_000);
        ack(&mut flow, 1, 1);
        let got = 2.0 * (1.0 - f64::from(flow.sock.snd_cwnd) / 100_000.0);
        assert!((got - alpha).abs() < 0.02, "{marked} % marked: {got:.3}, not {alpha:.3}");
    }
}

/// Section 2.4.2.
#[test]
fn the_window_falls_at_once_and_once_per_virtual_round_trip() {
    let mut flow = at(&[], 5_000, 100);
    flow.advance_us(1_000);
    ack(&mut flow, 1, 1);
    assert_eq!(flow.sock.snd_cwnd, 50, "alpha is 1 at first");
    // More marks within 25 ms, five real round trips, take nothing more.
    pass(&mut flow, 24_000, 24, 24);
    assert_eq!(flow.sock.snd_cwnd, 50);
    pass(&mut flow, 2_000, 2, 2);
    assert!((25..=27).contains(&flow.sock.snd_cwnd), "{}", flow.sock.snd_cwnd);
}

/// Section 2.4.4: per second, a flow with an RTT of 5 ms grows as one with 25 ms does.
#[test]
fn growth_per_second_does_not_depend_on_short_round_trips() {
    let growth = |rtt_us: u32| {
        let mut flow = at(&[], rtt_us, 100);
        for _ in 0..2_000_000 / rtt_us {
            let window = flow.sock.snd_cwnd;
            pass(&mut flow, rtt_us, window, 0);
        }
        f64::from(flow.sock.snd_cwnd - 100) / f64::from(rtt_us)
    };
    // In rate: packets per RTT, per RTT.
    let (short, at_target) = (growth(5_000), growth(25_000));
    assert!((short / at_target - 1.0).abs() < 0.1, "{short} against {at_target}");
    // Above the target it is Reno: one packet per round trip.
    let mut flow = at(&[], 50_000, 100);
    for _ in 0..40 {
        let window = flow.sock.snd_cwnd;
        pass(&mut flow, 50_000, window, 0);
    }
    assert!((138..=141).contains(&flow.sock.snd_cwnd), "{}", flow.sock.snd_cwnd);
}

#[test]
fn only_what_was_not_marked_makes_it_grow() {
    let grown = |marked| {
        let mut flow = at(&[("alpha_on_init", 0)], VIRTUAL_RTT_US, 100);
        flow.control.init(&mut flow.sock);
        for _ in 0..40 {
            pass(&mut flow, VIRTUAL_RTT_US, 100, 0);
        }
        let window = flow.sock.snd_cwnd;
        pass(&mut flow, VIRTUAL_RTT_US / 2, 100, marked);
        flow.sock.snd_cwnd as i32 - window as i32
    };
    assert!(grown(100) <= 0);
    assert!(grown(0) >= 0);
}

#[test]
fn a_loss_halves_what_the_window_was_before_the_marks_of_that_round_trip() {
    let mut flow = at(&[], VIRTUAL_RTT_US, 100);
    flow.set_state(CaState::Recovery);
    assert_eq!((flow.sock.snd_ssthresh, flow.sock.snd_cwnd), (50, 50));

    let mut flow = at(&[], VIRTUAL_RTT_US, 100);
    flow.advance_us(1_000);
    ack(&mut flow, 1, 1);
    assert_eq!(flow.sock.snd_cwnd, 50);
    flow.advance_us(1_000);
    flow.set_state(CaState::Recovery);
    assert_eq!(flow.sock.snd_ssthresh, 50, "and not 25");
    assert_eq!(flow.control.undo_cwnd(&mut flow.sock), 100);
}

#[test]
fn a_timeout_halves_and_starts_slowly() {
    let mut flow = at(&[], VIRTUAL_RTT_US, 100);
    flow.control.cwnd_event(&mut flow.sock, CaEvent::Loss);
    assert_eq!(flow.sock.snd_ssthresh, 50);
    flow.sock.snd_cwnd = 1;
    flow.set_state(CaState::Loss);
    ack(&mut flow, 1, 0);
    assert_eq!(flow.sock.snd_cwnd, 2);
}

/// Without accurate feedback: RFC 3168 section 6.1.2 with classic ECN, and marks that are not counted.
#[test]
fn it_falls_back_to_reno() {
    for flags in [CLASSIC, 0] {
        let mut flow = at(&[], VIRTUAL_RTT_US, 100);
        flow.sock.ecn_flags = flags;
        flow.advance_us(1_000);
        ack(&mut flow, 1, 1);
        assert_eq!(flow.sock.snd_cwnd, 100);
        flow.sock.snd_ssthresh = flow.control.ssthresh(&mut flow.sock);
        flow.set_state(CaState::Cwr);
        assert_eq!(flow.sock.snd_cwnd, 50);
    }
}

#[test]
fn it_asks_for_accurate_feedback_and_ect1_and_paces() {
    let mut flow = at(&[], VIRTUAL_RTT_US, 100);
    let callbacks = flow.control.callbacks();
    assert!(callbacks.needs_accecn() && callbacks.uses_ect1() && !callbacks.needs_ecn());
    ack(&mut flow, 1, 0);
    assert_eq!(flow.sock.sk_pacing_status, 1);
    assert_eq!(flow.sock.sk_pacing_rate, u64::from(100 * MSS) * 40, "one window per 25 ms");
    flow.sock.snd_ssthresh = 1_000;
    ack(&mut flow, 1, 0);
    assert!(flow.sock.sk_pacing_rate > u64::from(100 * MSS) * 79, "twice that in slow start");
}

/// After a timeout the window is one packet, and a mark must leave it: a window of 0 would end the connection.
#[test]
fn a_mark_after_a_timeout_leaves_one_packet() {
    let mut flow = at(&[], VIRTUAL_RTT_US, 100);
    pass(&mut flow, VIRTUAL_RTT_US, 100, 100);
    flow.set_state(CaState::Loss);
    flow.set_window(1);
    flow.advance_us(u64::from(2 * VIRTUAL_RTT_US));
    ack(&mut flow, 1, 1);
    assert_eq!(flow.control.fault().map(|fault| fault.to_string()), None);
    assert_eq!(flow.sock.snd_cwnd, 1);
}
