//! The cost of the callbacks for one ACK, for each bundled algorithm, and the cost of calling a user's program.
//!
//! The calls are those that TCP makes for an ACK of two packets in congestion avoidance. The clock advances
//! as at 1 Gbit/s.

#[path = "../../../crates/algorithm-native/tests/algorithms/common/mod.rs"]
#[allow(dead_code)] // it uses its own part
mod common;

use common::{program, Flow};
use criterion::{criterion_group, criterion_main, Criterion};
use fairlane_algorithm_native::bundled;
use fairlane_congestion_control::{AckSample, RateSample};
use std::hint::black_box;

const RTT_US: u32 = 20_000;
const ACK_INTERVAL_US: u64 = 24;

fn one_ack(flow: &mut Flow) {
    flow.advance_us(ACK_INTERVAL_US);
    let sock = &mut flow.sock;
    sock.snd_una = sock.snd_una.wrapping_add(2 * common::MSS);
    sock.delivered = sock.delivered.wrapping_add(2);
    sock.delivered_mstamp = sock.tcp_mstamp;
    let callbacks = flow.control.callbacks();
    if callbacks.in_ack_event {
        flow.control.in_ack_event(sock, 0);
    }
    if callbacks.pkts_acked {
        let sample = AckSample { pkts_acked: 2, rtt_us: RTT_US as i32, in_flight: 1000 };
        flow.control.pkts_acked(sock, &sample);
    }
    let ack = sock.snd_una;
    if callbacks.cong_control {
        let sample = RateSample {
            prior_delivered: sock.delivered.wrapping_sub(1000),
            delivered: 1000,
            interval_us: i64::from(RTT_US),
            rtt_us: i64::from(RTT_US),
            acked_sacked: 2,
            prior_in_flight: 1000,
            ..RateSample::default()
        };
        flow.control.cong_control(sock, ack, 0, &sample);
    } else {
        flow.control.cong_avoid(sock, ack, 2);
    }
    if callbacks.min_tso_segs {
        black_box(flow.control.min_tso_segs(sock));
    }
}

fn established(word: &str, parameters: &[(&str, i64)]) -> Flow {
    let mut flow = Flow::start(word, parameters, RTT_US);
    flow.sock.snd_cwnd = 1000;
    flow.sock.snd_ssthresh = 1000;
    flow.sock.packets_out = 1000;
    flow
}

fn callbacks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one ACK");
    for algorithm in bundled() {
        let mut flow = established(&algorithm.name, &[]);
        group.bench_function(&algorithm.name, |bencher| bencher.iter(|| one_ack(&mut flow)));
    }
    group.finish();

    // An almost empty callback of a program that is not bundled: the overhead of the call, of the guard, and of the copy
    // that such a program works on.
    let mut flow = established(&program("nothing.c"), &[]);
    criterion.bench_function("call of a user's program", |bencher| {
        bencher.iter(|| flow.control.cong_avoid(black_box(&mut flow.sock), 0, 2));
    });
}

criterion_group!(benches, callbacks);
criterion_main!(benches);
