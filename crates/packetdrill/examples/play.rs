//! Plays scripts without Python: `play [--hz=N] FILE.pkt...`.

use fairlane_packetdrill::{play, Options, Verdict};

fn main() {
    let mut counts = [0; 3];
    let mut options = Options::default();
    for name in std::env::args().skip(1) {
        if let Some(hz) = name.strip_prefix("--hz=") {
            options.hz = Some(hz.parse().expect("--hz takes a number"));
            continue;
        }
        let text = std::fs::read_to_string(&name).expect("the script can be read");
        let report = play(&name, &text, &options);
        for line in &report.printed {
            println!("{line}");
        }
        let (place, word) = match report.verdict {
            Verdict::Passed => (0, "ok"),
            Verdict::Failed => (1, "FAIL"),
            Verdict::Unsupported => (2, "skip"),
        };
        counts[place] += 1;
        println!("{word:4} {name}");
        if place > 0 {
            println!("{}", report.message);
        }
        for note in &report.notes {
            println!("     note: {note}");
        }
    }
    println!("{} passed, {} failed, {} not supported", counts[0], counts[1], counts[2]);
}
