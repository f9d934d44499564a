//! A run that its caller pauses, looks into and changes gives the result of a run in one go.

use crate::support::{dumbbell, one_bdp, run_text, MS, SEC};
use fairlane_algorithm_native::Programs;
use fairlane_simulator::{Live, LiveChange, PacketStep, Prepared};
use serde_json::{json, Value};

const RATE_BPS: u64 = 20_000_000;

fn live(scenario: &Value) -> Box<dyn Live> {
    let scenario = fairlane_contract::read(&scenario.to_string()).expect("the scenario is valid");
    Prepared::new(&scenario, &Programs).expect("the scenario can run").live()
}

fn result(live: Box<dyn Live>) -> String {
    serde_json::to_string(&live.into_result().expect("the run ends")).expect("a result can be written")
}

fn network(queue: &Value) -> Value {
    let mut scenario = dumbbell(&["cubic", "bbr"], RATE_BPS, 30 * MS, queue.clone(), 3 * SEC);
    scenario["flows"][0]["sender"] = json!({"ecn": true});
    scenario["links"][1]["loss"] = json!({"kind": "independent", "probability": 0.01});
    scenario["warm_up_ns"] = json!(500 * MS);
    scenario
}

fn queues() -> [Value; 4] {
    let bytes = one_bdp(RATE_BPS, 30 * MS);
    [bytes, json!({"kind": "fq_codel"}), json!({"kind": "red", "limit_bytes": 75_000}), json!({"kind": "unlimited"})]
}

#[test]
fn pauses_change_nothing() {
    for scenario in queues().map(|queue| network(&queue)) {
        let whole = run_text(&scenario.to_string()).expect("the scenario runs");
        for step_ns in [SEC, 37 * MS + 1] {
            let mut live = live(&scenario);
            while !live.is_over() {
                live.advance(live.time_ns() + step_ns).expect("it runs");
            }
            assert!(result(live) == whole, "pauses every {step_ns} ns: {scenario}");
        }
    }
}

#[test]
fn recorded_steps_change_nothing_and_keep_every_packet() {
    for scenario in queues().map(|queue| network(&queue)) {
        let mut live = live(&scenario);
        live.record();
        live.advance(2 * SEC).expect("it runs");
        let steps = live.take_steps();
        assert!(steps.is_sorted_by_key(|step| step.time_ns));
        let count = |kind: PacketStep, station: Option<u32>| {
            steps.iter().filter(|step| step.step == kind && step.station == station).count()
        };
        let queued = live.stations()[0].1.queue_bytes.last().map_or(0, |bytes| bytes / 1_514) as usize;
        let (entered, left) = (count(PacketStep::Enqueue, Some(0)), count(PacketStep::Transmit, Some(0)));
        assert!(entered > 1_000 && entered >= left, "{entered} entered, {left} left");
        assert!(entered - left <= queued + count(PacketStep::Drop, Some(0)) + 200, "{entered} entered, {left} left");
        assert!(count(PacketStep::Lose, Some(1)) > 0, "the way back loses 1 %");
        assert!(count(PacketStep::Send, None) > count(PacketStep::Receive, None));
        assert!(result(live) == run_text(&scenario.to_string()).expect("it runs"), "{scenario}");
    }
}

#[test]
fn a_run_stops_at_the_next_loss() {
    let mut live = live(&network(&queues()[0]));
    live.record();
    live.advance_to(3 * SEC, &|step| step.step == PacketStep::Drop).expect("it runs");
    let last = live.take_steps().into_iter().rev().find(|step| step.step == PacketStep::Drop).expect("it drops");
    assert!(live.time_ns() < SEC && last.time_ns == live.time_ns(), "dropped at {}", last.time_ns);
}

/// A frame in transmission goes on at the new rate, as if the scenario had announced the change.
#[test]
fn a_change_equals_the_scenarios_own() {
    let at_ns = 1_234_567_890;
    for change in [
        json!({"at_ns": at_ns + 1, "rate_bps": 7_000_000}),
        json!({"at_ns": at_ns + 1, "rate_bps": 90_000_000, "delay_ns": 40 * MS}),
        json!({"at_ns": at_ns + 1, "delay_ns": MS}),
    ] {
        for queue in queues() {
            let scenario = network(&queue);
            let mut announced = scenario.clone();
            announced["links"][0]["changes"] = json!([change]);
            let mut live = live(&scenario);
            live.record();
            live.advance(at_ns).expect("it runs");
            let config = serde_json::from_value(change.clone()).expect("a change");
            let change = LiveChange { config, limit_bytes: None, limit_packets: None };
            live.change_link("bottleneck", &change).expect("the link can change");
            assert!(result(live) == run_text(&announced.to_string()).expect("it runs"), "{change:?} {queue}");
        }
    }
}

#[test]
fn a_smaller_buffer_drops() {
    let mut live = live(&network(&json!({"kind": "fifo", "limit_bytes": 10_000_000})));
    live.advance(SEC).expect("it runs");
    let config = serde_json::from_value(json!({"at_ns": SEC + 1})).expect("a change");
    let change = LiveChange { config, limit_bytes: Some(15_140), limit_packets: None };
    live.change_link("bottleneck", &change).expect("the queue is a FIFO");
    live.advance(2 * SEC).expect("it runs");
    assert!(live.stations()[0].1.dropped_packets.iter().sum::<u64>() > 0);
    let unknown = live.change_link("elsewhere", &change).expect_err("there is no such link");
    assert_eq!(unknown, "there is no link \"elsewhere\"; there are bottleneck, back");
}
