//! Runs the scenario on standard input and prints its result: `cargo run --release --example run_json < scenario.json`.

use std::io::Read;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scenario = String::new();
    std::io::stdin().read_to_string(&mut scenario)?;
    println!("{}", fairlane_simulator::run_json(&scenario, &fairlane_algorithm_native::Programs)?);
    Ok(())
}
