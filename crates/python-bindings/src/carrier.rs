//! The emulator's process without Python, for a guest that has no interpreter.
//!
//! A small program in the guest loads this library, whose Python symbols it defines without meaning, and calls
//! `fairlane_carry`. The process then speaks as `fairlane.runs.emulation.process` does.

use fairlane_contract::Scenario;
use fairlane_emulator::{Failure, Live, Run};
use std::fs;
use std::io::{self, Write};

/// Carries packets between devices: the descriptors from `first_port` on, `ports` of them, two for each flow. The file
/// `scenario` (JSON) has the network, and its report is written to the file `report`; both are descriptors.
///
/// Says "ready" on standard output, reads the line "origin N" from standard input (the network's time 0 on the monotonic
/// clock, in ns), and ends with the scenario or with standard input. Returns 0, or 1 after a line about an error.
#[expect(unsafe_code, reason = "C looks this name up; the function takes and touches no address")]
#[no_mangle]
pub extern "C" fn fairlane_carry(scenario: i32, report: i32, first_port: i32, ports: i32) -> i32 {
    match carry(scenario, report, (first_port..first_port + ports).collect()) {
        Ok(()) => 0,
        Err(line) => {
            println!("error {line}");
            1
        }
    }
}

fn carry(scenario: i32, report: i32, ports: Vec<i32>) -> Result<(), String> {
    let text = fs::read_to_string(of_this_process(scenario)).map_err(|error| format!("the scenario: {error}"))?;
    let scenario: Scenario = fairlane_contract::read(&text).map_err(|problems| problems[0].to_string())?;
    println!("ready");
    io::stdout().flush().map_err(|error| error.to_string())?;
    let mut line = String::new();
    io::stdin().read_line(&mut line).map_err(|error| error.to_string())?;
    let origin_ns = line.strip_prefix("origin ").and_then(|number| number.trim().parse().ok());
    let origin_ns = origin_ns.ok_or("the process that started this one is gone")?;
    let run = Run { ports, stop: 0, status: None, origin_ns, duration_ns: Some(scenario.duration_ns), wake_ns: 0 };
    let live = Live::new(&scenario, &run).and_then(Live::run);
    let found = live.map_err(|failure: Failure| failure.to_string())?;
    let content = serde_json::to_string(&found).expect("a report is numbers and lists");
    fs::write(of_this_process(report), content).map_err(|error| format!("the report: {error}"))
}

fn of_this_process(descriptor: i32) -> String {
    format!("/proc/self/fd/{descriptor}")
}
