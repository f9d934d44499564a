//! `campaign TARGET FROM TO`: plays the mutations FROM to TO - 1 of a target and prints how many it survived.
//!
//! Each input is written to `fuzz/last/TARGET` before it is tried, so that an input that kills the process is not lost.

use fairlane_fuzz::{Outcome, TARGETS};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = arguments.iter().skip(1).filter_map(|word| word.parse().ok()).collect();
    let target = arguments.first().and_then(|name| TARGETS.iter().find(|target| target.name == name));
    let (Some(target), [from, to]) = (target, numbers.as_slice()) else {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("usage: campaign {} FROM TO", names.join("|"));
        return ExitCode::from(2);
    };
    let seeds = (target.seeds)();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("last");
    std::fs::create_dir_all(&folder).expect("fuzz/last can be made");
    let (mut accepted, mut refused, mut panicked) = (0_u64, 0_u64, 0_u64);
    for number in *from..*to {
        let input = target.input(&seeds, number);
        std::fs::write(folder.join(target.name), &input).expect("fuzz/last can be written");
        match std::panic::catch_unwind(|| (target.run)(&input)) {
            Ok(Outcome::Accepted) => accepted += 1,
            Ok(Outcome::Refused) => refused += 1,
            Err(_) => {
                panicked += 1;
                let kept = folder.join(format!("{}-{number}", target.name));
                std::fs::write(&kept, &input).expect("fuzz/last can be written");
                println!("{}: mutation {number} panicked: {}", target.name, kept.display());
            }
        }
    }
    println!(
        "{}: {} tried, {} survived ({accepted} accepted, {refused} refused), {panicked} panicked",
        target.name,
        to - from,
        accepted + refused
    );
    ExitCode::from(u8::from(panicked > 0))
}
