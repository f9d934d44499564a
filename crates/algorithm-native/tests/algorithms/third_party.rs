//! Programs in the form in which people publish them, compiled from their source files.

use crate::common::{load, program, Flow, MSS};
use fairlane_congestion_control::{CaEvent, CaState, RateSample};

const RTT_US: u32 = 20_000;

#[test]
fn a_delay_based_program_keeps_its_queue_short() {
    let mut flow = Flow::start(&program("delay_gradient.bpf.c"), &[], RTT_US);
    for _ in 0..5 {
        flow.round(RTT_US);
    }
    assert_eq!(flow.sock.snd_cwnd, 320);
    flow.sock.srtt_us = (RTT_US + 6_000) << 3;
    flow.advance_us(200_000);
    flow.ack(2, 26_000);
    assert_eq!((flow.sock.snd_cwnd, flow.sock.snd_ssthresh), (280, 280));
    // Not twice within a tenth of a second, and with a higher target not at all.
    flow.ack(2, 26_000);
    assert_eq!(flow.sock.snd_cwnd, 280);
    assert_eq!(flow.control.min_tso_segs(&mut flow.sock), 6, "rounds counted in the socket's storage");
}

#[test]
fn storage_belongs_to_the_connection_and_ends_with_it() {
    let program = load(&program("delay_gradient.bpf.c"), &[("target_us", 1)]);
    let mut first = Flow::of(&program, RTT_US);
    let mut second = Flow::of(&program, RTT_US);
    for _ in 0..3 {
        first.round(RTT_US);
    }
    assert_eq!(first.control.min_tso_segs(&mut first.sock), 3);
    assert_eq!(second.control.min_tso_segs(&mut second.sock), 0);
    first.control.release(&mut first.sock);
    let mut third = Flow::of(&program, RTT_US);
    assert_eq!(third.control.min_tso_segs(&mut third.sock), 0);
}

#[test]
fn config_hz_is_the_runs_and_jiffies_are_the_connections() {
    let program = load(&program("delay_gradient.bpf.c"), &[]);
    for hz in [100, 250, 1000] {
        let mut flow = Flow::of(&program, RTT_US);
        flow.sock.fairlane_jiffy_ns = 1_000_000_000 / u64::from(hz);
        flow.control.init(&mut flow.sock);
        assert_eq!(flow.control.sndbuf_expand(&mut flow.sock), hz);
    }
}

#[test]
fn jiffies_are_right_whatever_the_steps_of_time() {
    let mut flow = Flow::start(&program("clock.c"), &[], RTT_US);
    // Within one, to the next, over several, at the very edges, back (another connection's clock), and in another unit.
    let times_us = [0, 400, 999, 1_000, 1_700, 2_000, 3_999, 4_000, 9_500, 10_499, 3_200, 4_100, 1_000_000];
    for jiffy_ns in [1_000_000, 4_000_000, 10_000_000, 1_000_000] {
        flow.sock.fairlane_jiffy_ns = jiffy_ns;
        for now_us in times_us {
            flow.sock.tcp_clock_cache = now_us * 1000;
            let expected = (1 << 16) + now_us * 1000 / jiffy_ns;
            assert_eq!(u64::from(flow.control.ssthresh(&mut flow.sock)), expected, "{now_us} us of {jiffy_ns} ns");
            assert_eq!(u64::from(flow.control.undo_cwnd(&mut flow.sock)), now_us * 1000);
        }
    }
}

fn sample() -> RateSample {
    RateSample { delivered: 20, interval_us: 1_000, acked_sacked: 2, ..RateSample::default() }
}

#[test]
fn the_first_complete_table_runs_and_another_can_be_named() {
    let path = program("rate_by_map.bpf.c");
    let mut long = Flow::start(&path, &[], RTT_US);
    assert!(long.control.callbacks().needs_ecn());
    long.sample(&sample());
    assert_eq!(long.sock.sk_pacing_rate, u64::from(20 * MSS) * 1000);
    assert_eq!(long.sock.snd_cwnd, 11);
    long.control.cong_control(&mut long.sock, 77, -1, &sample());
    assert_eq!(long.sock.snd_cwnd, 77, "ack and flag arrive");
    assert_eq!(long.control.ssthresh(&mut long.sock), 0);

    let mut short = Flow::start(&format!("{path}:short_form"), &[], RTT_US);
    assert!(!short.control.callbacks().needs_ecn());
    short.sample(&sample());
    assert_eq!(short.sock.sk_pacing_rate, u64::from(20 * MSS) * 1000);
    assert_eq!(short.control.ssthresh(&mut short.sock), 1, "counted in an array map");
}

#[test]
fn flows_of_one_program_have_ports_and_random_streams_of_their_own() {
    let program = load(&program("rate_by_map.bpf.c"), &[]);
    let mut flows: Vec<Flow> = (0..2)
        .map(|number| {
            let mut flow = Flow::of(&program, RTT_US);
            flow.sock.fairlane_flow = number;
            flow.sock.fairlane_random = u64::from(number) << 32;
            flow.control.init(&mut flow.sock);
            flow
        })
        .collect();
    for _ in 0..3 {
        flows[0].sample(&sample());
    }
    flows[1].sample(&sample());
    assert_eq!((flows[0].sock.snd_cwnd, flows[1].sock.snd_cwnd), (13, 11));

    let mut draw = |i: usize| {
        let flow = &mut flows[i];
        flow.control.undo_cwnd(&mut flow.sock)
    };
    let (first, other, second) = (draw(0), draw(1), draw(0));
    assert!(first != other && first != second);
    flows[0].sock.fairlane_random = 0;
    let mut again = || {
        let flow = &mut flows[0];
        flow.control.undo_cwnd(&mut flow.sock)
    };
    assert_eq!((again(), again()), (first, second), "the same state gives the same numbers");
}

#[test]
fn the_congestion_state_is_readable_under_its_name() {
    let mut flow = Flow::start("bbr", &[], RTT_US);
    flow.sock.icsk_ca_state = CaState::Recovery as u8;
    flow.sock.packets_out = 5;
    flow.sock.delivered = 100;
    flow.sample(&RateSample { acked_sacked: 1, delivered: -1, ..RateSample::default() });
    assert_eq!(flow.sock.snd_cwnd, 6, "packet conservation: what is in flight, and the one that arrived");
}

#[test]
fn an_acknowledgement_that_is_asked_for_carries_the_echo_of_that_moment() {
    let mut flow = Flow::start(&program("mark_echo.bpf.c"), &[], RTT_US);
    assert!(flow.control.callbacks().needs_ecn());
    flow.sock.rcv_nxt = 5 * MSS;
    flow.control.cwnd_event(&mut flow.sock, CaEvent::EcnNoCe);
    assert_eq!((flow.sock.fairlane_ack_asked, flow.sock.icsk_ack_pending), (0, 0));
    flow.sock.icsk_ack_pending = 2; // the timer of a delayed ACK runs
    flow.control.cwnd_event(&mut flow.sock, CaEvent::EcnIsCe);
    let sock = &flow.sock;
    assert_eq!((sock.fairlane_ack_asked, sock.fairlane_ack_seq, sock.fairlane_ack_ece), (1, 4 * MSS, 1));
    assert_eq!((sock.icsk_ack_pending, sock.ecn_flags), (2 | 16, 0));
}

#[test]
fn the_start_of_a_transmission_comes_to_the_callback_of_its_own() {
    let mut flow = Flow::start(&program("tx_start.bpf.c"), &[], RTT_US);
    assert!(flow.control.callbacks().cwnd_event);
    flow.control.cwnd_event(&mut flow.sock, CaEvent::TxStart);
    assert_eq!(flow.sock.snd_cwnd_cnt, 100, "as since Linux 7.1, and not to both");
    flow.control.cwnd_event(&mut flow.sock, CaEvent::Loss);
    assert_eq!(flow.sock.snd_cwnd_cnt, 101);
}
