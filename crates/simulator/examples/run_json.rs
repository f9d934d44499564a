//! Runs the scenario on standard input and prints its result: `cargo run --release --example run_json < scenario.json`,
//! with `-- --by-events` event by event, with `-- --threads=2` on two threads, with `-- --peak` its peak memory in bytes
//! on standard error.

use fairlane_simulator::Prepared;
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut run = prepare()?;
    if std::env::args().any(|argument| argument == "--by-events") {
        run = run.by_events();
    }
    let mut arguments = std::env::args();
    if let Some(count) = arguments.find_map(|argument| argument.strip_prefix("--threads=")?.parse().ok()) {
        run = run.on_threads(count);
    }
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    serde_json::to_writer(&mut output, &run.run()?)?;
    writeln!(output)?;
    if std::env::args().any(|argument| argument == "--peak") {
        eprintln!("{}", peak_bytes()?);
    }
    Ok(())
}

/// Linux's count of the process's resident memory at its highest.
fn peak_bytes() -> Result<u64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("the system does not tell")?;
    Ok(1024 * line.trim().trim_end_matches(" kB").parse::<u64>()?)
}

/// The scenario and its text are freed when the run is prepared.
fn prepare() -> Result<Prepared, Box<dyn std::error::Error>> {
    let scenario = std::io::read_to_string(std::io::stdin())?;
    let scenario = fairlane_contract::read(&scenario).map_err(|problems| format!("{problems:?}"))?;
    Ok(Prepared::new(&scenario, &fairlane_algorithm_native::Programs)?)
}
