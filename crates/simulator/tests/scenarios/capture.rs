//! A capture agrees with the counters of the result. Python tests check that tshark reads it.

use crate::support::{dumbbell, run, MS, SEC};
use serde_json::{json, Value};
use std::io::Write;
use std::sync::{Arc, Mutex};

/// A file in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("one thread").extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Frame {
    source: [u8; 4],
    sequence_number: u32,
    payload_bytes: usize,
    is_control: bool,
}

fn capture(scenario: &Value, config: &Value) -> (Value, Vec<Frame>) {
    let file = Memory::default();
    let result = fairlane_simulator::run_with_capture(
        &scenario.to_string(),
        &config.to_string(),
        Box::new(file.clone()),
        &fairlane_algorithm_native::Programs,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let bytes = file.0.lock().expect("one thread").clone();
    let text = serde_json::to_string(&result).expect("a result is JSON");
    (serde_json::from_str(&text).expect("JSON"), frames(&bytes))
}

fn frames(mut bytes: &[u8]) -> Vec<Frame> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let length = word(4) as usize;
        if word(0) == 6 {
            let (frame, frame_bytes) = (&bytes[28..], word(24) as usize);
            found.push(Frame {
                source: frame[26..30].try_into().expect("4 bytes"),
                sequence_number: u32::from_be_bytes(frame[38..42].try_into().expect("4 bytes")),
                payload_bytes: frame_bytes - 34 - 4 * usize::from(frame[46] >> 4),
                is_control: frame[47] & 0b11 != 0,
            });
        }
        bytes = &bytes[length..];
    }
    found
}

fn lossy() -> Value {
    dumbbell(&["cubic", "reno"], 10_000_000, 20 * MS, json!({"kind": "fifo", "limit_bytes": 15_000}), 5 * SEC)
}

#[test]
fn the_result_is_the_same_with_a_capture() {
    assert_eq!(capture(&lossy(), &json!({"flows": [0, 1]})).0, run(&lossy()));
}

#[test]
fn the_sender_sees_what_it_sent_and_what_came_back() {
    let (result, frames) = capture(&lossy(), &json!({"flows": [1]}));
    let flow = &result["flows"][1];
    let data: Vec<_> = frames.iter().filter(|frame| frame.payload_bytes > 0).collect();
    assert!(data.iter().all(|frame| frame.source == [10, 0, 0, 2]));
    assert_eq!(json!(data.len()), flow["data_packets_sent"]);
    let mut seen = std::collections::BTreeSet::new();
    let repeated = data.iter().filter(|frame| !seen.insert(frame.sequence_number)).count();
    assert!(repeated > 0);
    assert_eq!(json!(repeated), flow["retransmits"]);
    assert!(frames.iter().any(|frame| frame.source == [10, 1, 0, 2] && !frame.is_control));
}

#[test]
fn the_receiver_sees_what_arrived() {
    let (result, frames) = capture(&lossy(), &json!({"flows": [0], "at": "receiver"}));
    let arrived = frames.iter().filter(|frame| frame.payload_bytes > 0).count();
    assert_eq!(json!(arrived), result["flows"][0]["data_packets_received"]);
    assert!(result["flows"][0]["lost_packets"].as_u64() > Some(0));
}

#[test]
fn an_unknown_flow_is_refused() {
    let config = json!({"flows": [2]}).to_string();
    let error = fairlane_simulator::run_with_capture(
        &lossy().to_string(),
        &config,
        Box::new(Memory::default()),
        &fairlane_algorithm_native::Programs,
    )
    .expect_err("there are two flows");
    assert_eq!(error.to_string(), "capture.flows: there is no flow 2; flows are 0 to 1");
}
