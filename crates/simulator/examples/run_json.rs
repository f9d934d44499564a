//! Runs the scenario on standard input and prints its result: `cargo run --release --example run_json < scenario.json`,
//! with `-- --by-events` event by event, with `-- --threads=2` on two threads.

use fairlane_simulator::Prepared;
use std::io::Read;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scenario = String::new();
    std::io::stdin().read_to_string(&mut scenario)?;
    let scenario = fairlane_contract::read(&scenario).map_err(|problems| format!("{problems:?}"))?;
    let mut run = Prepared::new(&scenario, &fairlane_algorithm_native::Programs)?;
    if std::env::args().any(|argument| argument == "--by-events") {
        run = run.by_events();
    }
    let mut arguments = std::env::args();
    if let Some(count) = arguments.find_map(|argument| argument.strip_prefix("--threads=")?.parse().ok()) {
        run = run.on_threads(count);
    }
    println!("{}", serde_json::to_string(&run.run()?)?);
    Ok(())
}
