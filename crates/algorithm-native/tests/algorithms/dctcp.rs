//! The laws of RFC 8257: the estimate of the share of marks, the reductions, and the receiver's echo.

use crate::common::{Flow, MSS};
use fairlane_congestion_control::{CaEvent, CaState};

const RTT_US: u32 = 1_000;
/// `shift_g`: the weight of a new window.
const G: f64 = 1.0 / 16.0;
/// Bits of `icsk_ack.pending` and of `ecn_flags`.
const TIMER: u8 = 2;
const NOW: u8 = 16;
const DEMAND_CWR: u8 = 4;

fn at(parameters: &[(&str, i64)], window: u32) -> Flow {
    let mut flow = Flow::start("dctcp", parameters, RTT_US);
    flow.set_window(window);
    flow
}

/// Windows of data of which this share was marked; the window stays.
fn windows(flow: &mut Flow, count: u32, marked: f64) {
    let window = flow.sock.snd_cwnd;
    for _ in 0..count {
        for packet in 0..window {
            flow.sock.delivered_ce += u32::from(f64::from(packet) < marked * f64::from(window));
            flow.ack(1, RTT_US as i32);
            flow.sock.snd_cwnd = window;
            flow.sock.snd_nxt = flow.sock.snd_una + window * MSS;
        }
    }
}

/// The relative decrease that a response to marks would have: alpha / 2.
fn cut(flow: &mut Flow) -> f64 {
    let window = f64::from(flow.sock.snd_cwnd);
    1.0 - f64::from(flow.control.ssthresh(&mut flow.sock)) / window
}

#[test]
fn section_3_3_alpha_is_the_mean_share_of_marks_with_weight_g() {
    for marked in [0.0, 0.1, 0.5, 1.0] {
        let mut flow = at(&[], 1000);
        let mut alpha = 1.0;
        for step in 1..=60 {
            windows(&mut flow, 1, marked);
            alpha += G * (marked - alpha);
            let got = 2.0 * cut(&mut flow);
            // A window of observation ends with the first ACK of the next: one behind, and 1/1024 of rounding in each.
            assert!((got - alpha).abs() < 0.07, "{marked} marked, after {step} windows {got:.3}, not {alpha:.3}");
        }
        windows(&mut flow, 60, marked);
        let got = 2.0 * cut(&mut flow);
        assert!((got - marked).abs() < 0.02, "{marked} marked for long: {got:.3}");
    }
}

#[test]
fn section_3_3_the_first_marks_halve_the_window() {
    let mut flow = at(&[], 100);
    assert_eq!(flow.control.ssthresh(&mut flow.sock), 50);
    let mut flow = at(&[("alpha_on_init", 0)], 100);
    assert_eq!(flow.control.ssthresh(&mut flow.sock), 100);
}

#[test]
fn section_4_2_g_is_a_parameter() {
    let mut fast = at(&[("shift_g", 1)], 1000);
    windows(&mut fast, 5, 0.0);
    assert!(cut(&mut fast) < 0.05, "half of alpha goes in each window: {}", cut(&mut fast));
}

#[test]
fn section_3_5_a_loss_halves_the_window_whatever_alpha_is() {
    let mut flow = at(&[("alpha_on_init", 0)], 100);
    flow.sock.prior_cwnd = 100;
    flow.sock.snd_ssthresh = flow.control.ssthresh(&mut flow.sock);
    assert_eq!(flow.sock.snd_ssthresh, 100);
    flow.set_state(CaState::Recovery);
    assert_eq!(flow.sock.snd_ssthresh, 50);
    let mut flow = at(&[("alpha_on_init", 0)], 100);
    flow.time_out();
    assert_eq!(flow.sock.snd_ssthresh, 50);
}

#[test]
fn growth_is_renos() {
    let mut flow = Flow::start("dctcp", &[], RTT_US);
    for expected in [20, 40, 80] {
        flow.round(RTT_US);
        assert_eq!(flow.sock.snd_cwnd, expected);
    }
    flow.set_window(100);
    for rounds in 1..=10 {
        flow.round(RTT_US);
        assert_eq!(flow.sock.snd_cwnd, 100 + rounds);
    }
}

#[test]
fn a_needless_reduction_is_undone() {
    let mut flow = at(&[], 100);
    flow.lose();
    assert_eq!(flow.control.undo_cwnd(&mut flow.sock), 100);
}

/// A data packet arrives, after which `rcv_nxt` is this; `waiting`: a delayed ACK is due for what came before.
fn arrive(flow: &mut Flow, rcv_nxt: u32, marked: bool, waiting: bool) {
    flow.sock.rcv_nxt = rcv_nxt;
    flow.sock.icsk_ack_pending = if waiting { TIMER } else { 0 };
    flow.sock.fairlane_ack_asked = 0;
    flow.control.cwnd_event(&mut flow.sock, if marked { CaEvent::EcnIsCe } else { CaEvent::EcnNoCe });
}

/// The figure of section 3.2: while marks do not change ACKs are delayed as usual, all with the same echo.
#[test]
fn section_3_2_the_echo_says_what_the_packets_were() {
    let mut flow = at(&[], 100);
    for (packet, marked) in [(1, false), (2, false), (3, true), (4, true), (5, false)] {
        arrive(&mut flow, packet * MSS, marked, false);
        assert_eq!(flow.sock.ecn_flags & DEMAND_CWR != 0, marked, "packet {packet}");
        assert_eq!(flow.sock.fairlane_ack_asked, 0, "nothing was waiting");
    }
}

/// When they change, packets with a delayed ACK are acknowledged first, with the old echo.
#[test]
fn section_3_2_a_change_of_marks_sends_the_waiting_ack_with_the_old_echo() {
    let mut flow = at(&[], 100);
    arrive(&mut flow, MSS, false, false);
    for (packet, marked) in [(2, true), (3, false), (4, true)] {
        arrive(&mut flow, packet * MSS, marked, true);
        let sock = &flow.sock;
        assert_eq!((sock.fairlane_ack_asked, sock.fairlane_ack_seq), (1, (packet - 1) * MSS), "packet {packet}");
        assert_eq!(sock.fairlane_ack_ece != 0, !marked, "packet {packet}: the ACK is of the packets before");
        assert_eq!(sock.ecn_flags & DEMAND_CWR != 0, marked, "packet {packet}");
        assert_ne!(sock.icsk_ack_pending & NOW, 0, "packet {packet}: its own ACK does not wait");
        arrive(&mut flow, packet * MSS, marked, true);
        assert_eq!((flow.sock.fairlane_ack_asked, flow.sock.icsk_ack_pending), (0, TIMER), "the same again");
    }
}
