//! Faults of a running algorithm are reported, and the process survives.

use crate::common::{program, Flow};
use fairlane_congestion_control::{wrapped_value, FaultKind, MAX_CWND};

/// `cong_avoid` of the faulty program with this mistake, and what is reported.
fn make(mistake: i64) -> (Flow, Option<FaultKind>) {
    let mut flow = Flow::start(&program("faulty.c"), &[("mistake", mistake)], 10_000);
    flow.ack(2, 10_000);
    let kind = flow.control.fault().map(|fault| {
        assert_eq!(fault.callback, "cong_avoid");
        assert!(fault.algorithm.ends_with("faulty.c"), "{}", fault.algorithm);
        fault.kind
    });
    (flow, kind)
}

#[test]
fn without_a_mistake_nothing_is_reported() {
    let (flow, kind) = make(0);
    assert_eq!(kind, None);
    assert_eq!(flow.sock.snd_cwnd, 11);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the compiler under test")]
fn division_by_zero_has_bpfs_result_and_a_warning() {
    let warned = |mistake| {
        let (flow, kind) = make(mistake);
        assert_eq!(kind, None);
        (flow.sock.snd_cwnd, flow.control.warning())
    };
    let (window, warning) = warned(1);
    assert_eq!(window, 10, "a quotient of 0 is added");
    let warning = warning.expect("is there");
    assert!(warning.contains("faulty.c divided by zero in callback cong_avoid; as in the kernel"), "{warning}");
    // gcc keeps a division by a constant zero; clang assumes that it never happens.
    if !std::env::var("CC").is_ok_and(|compiler| compiler.contains("clang")) {
        assert!(warned(6).1.is_some());
    }
    let windows = [12, 13, 14].map(|mistake| warned(mistake).0);
    assert_eq!(windows, [22, 32, 47], "the remainder is the dividend, in each width and with signs");
    assert_eq!(warned(0).1, None, "the next program is another one");
}

#[test]
fn an_endless_loop_is_reported() {
    assert_eq!(make(2).1, Some(FaultKind::EndlessLoop));
}

#[test]
fn a_window_of_zero_is_reported_and_mended() {
    let (flow, kind) = make(3);
    assert_eq!(kind, Some(FaultKind::Cwnd(0)));
    assert_eq!(flow.sock.snd_cwnd, 1);
}

#[test]
fn a_window_that_wrapped_around_is_reported_and_mended() {
    let (flow, kind) = make(10);
    assert_eq!(kind, Some(FaultKind::Cwnd(4_294_966_306)));
    assert_eq!(flow.sock.snd_cwnd, MAX_CWND);
    let text = flow.control.fault().expect("is reported").to_string();
    assert!(
        text.contains("set cwnd to 4294966306, which is -990 as a signed number, in callback cong_avoid"),
        "{text}"
    );
}

#[test]
fn an_answer_that_wrapped_around_is_reported_and_not_used() {
    let (mut flow, _) = make(11);
    let window = flow.sock.snd_cwnd;
    assert_eq!(flow.control.ssthresh(&mut flow.sock), window / 2);
    let fault = flow.control.fault().expect("is reported");
    assert_eq!((fault.callback, fault.kind), ("ssthresh", FaultKind::Answer(4_294_966_307)));
}

#[test]
fn the_largest_values_have_not_wrapped_around() {
    let mut sock = Flow::start(&program("faulty.c"), &[], 10_000).sock;
    let mut fault = |cwnd, ssthresh, pacing_rate| {
        (sock.snd_cwnd, sock.snd_ssthresh, sock.sk_pacing_rate) = (cwnd, ssthresh, pacing_rate);
        wrapped_value(&sock)
    };
    let (most, rate) = (MAX_CWND, i64::MAX as u64);
    assert_eq!((fault(1, 0, 0), fault(most, most, rate), fault(most, most, u64::MAX)), (None, None, None));
    assert_eq!(fault(0, 0, 0), Some(FaultKind::Cwnd(0)));
    assert_eq!(fault(most + 1, most + 1, rate + 1), Some(FaultKind::Cwnd(most + 1)));
    assert_eq!(fault(1, most + 1, 0), Some(FaultKind::Ssthresh(most + 1)));
    assert_eq!(fault(1, 0, rate + 1), Some(FaultKind::PacingRate(rate + 1)));
    assert_eq!(fault(1, 0, u64::MAX - 1), Some(FaultKind::PacingRate(u64::MAX - 1)));
}

#[test]
fn a_null_pointer_and_a_full_stack_are_reported() {
    assert_eq!(make(4).1, Some(FaultKind::BadMemoryAccess));
    assert_eq!(make(5).1, Some(FaultKind::BadMemoryAccess));
}

#[test]
fn a_write_past_the_private_memory_is_reported_and_undone() {
    let (flow, kind) = make(7);
    assert_eq!(kind, Some(FaultKind::ForbiddenWrite { member: "icsk_rto_min", offset: 104 }));
    assert_eq!((flow.sock.icsk_rto_min, flow.sock.snd_cwnd), (0, 10));
    let text = flow.control.fault().expect("is reported").to_string();
    assert!(
        text.contains(
            "wrote icsk_rto_min, which it may only read (offset 104 of its icsk_ca_priv, which has 104 bytes)"
        ),
        "{text}"
    );
    assert!(text.ends_with("in callback cong_avoid"), "{text}");
}

#[test]
fn a_write_elsewhere_is_reported() {
    assert!(matches!(make(8).1, Some(FaultKind::ForbiddenWrite { member: "srtt_us", .. })));
    assert_eq!(make(9).1, Some(FaultKind::Other("wrote 24 bytes behind the end of tcp_sock,".into())));
}

#[test]
fn after_a_fault_the_program_is_not_called_again() {
    let (mut flow, _) = make(4);
    let cwnd = flow.sock.snd_cwnd;
    flow.ack(2, 10_000);
    assert_eq!(flow.sock.snd_cwnd, cwnd);
    assert_eq!(flow.control.ssthresh(&mut flow.sock), cwnd / 2);
    assert_eq!(flow.control.undo_cwnd(&mut flow.sock), cwnd);
}

#[test]
fn faults_in_many_threads_do_not_disturb_each_other() {
    let threads: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                for _ in 0..5 {
                    assert!(make(1).0.control.warning().is_some());
                    assert_eq!(make(4).1, Some(FaultKind::BadMemoryAccess));
                    assert_eq!(make(0).1, None);
                }
                assert_eq!(make(2).1, Some(FaultKind::EndlessLoop));
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("no thread fails");
    }
}
