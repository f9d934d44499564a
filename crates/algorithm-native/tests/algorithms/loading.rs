//! Finding, configuring and loading programs.

use crate::common::{load, load_error, program, Flow};
use fairlane_algorithm_native::bundled;

#[test]
fn every_bundled_algorithm_loads_and_describes_itself() {
    let all = bundled();
    assert!(all.len() >= 2);
    for algorithm in all {
        Flow::start(&algorithm.name, &[], 10_000);
        assert!(!algorithm.summary.is_empty(), "{} has no summary", algorithm.name);
        assert!(algorithm.header.contains("Source:"), "{} names no source", algorithm.name);
        for parameter in &algorithm.parameters {
            assert!(parameter.unit.is_some() && parameter.description.is_some(), "{}: {parameter:?}", algorithm.name);
        }
    }
}

#[test]
fn a_parameter_changes_the_behaviour_of_its_own_instance_only() {
    let halved = |parameters: &[(&str, i64)]| {
        let mut flow = Flow::start("cubic", parameters, 50_000);
        flow.sock.snd_cwnd = 1000;
        flow
    };
    let mut plain = halved(&[]);
    let mut mild = halved(&[("beta", 1000)]);
    let mut again = halved(&[]);
    assert_eq!(mild.control.ssthresh(&mut mild.sock), 976);
    assert_eq!(plain.control.ssthresh(&mut plain.sock), 700);
    assert_eq!(again.control.ssthresh(&mut again.sock), 700);
}

#[test]
fn unknown_names_are_answered_with_the_nearest_one() {
    let message = load_error("cubik", &[]);
    assert!(message.contains("did you mean cubic?") && message.contains("reno"), "{message}");
    let message = load_error("cubic", &[("hystart_low_windw", 3)]);
    assert!(message.contains("did you mean hystart_low_window?") && message.contains("beta"), "{message}");
    let message = load_error("reno", &[("beta", 3)]);
    assert!(message.contains("has no parameter \"beta\"; it has none"), "{message}");
}

#[test]
fn values_outside_of_the_type_are_refused() {
    for (name, value, range) in [("beta", -1, "0 to 4294967295"), ("hystart", 2, "0 to 1")] {
        let message = load_error("cubic", &[(name, value)]);
        assert!(message.contains(name) && message.contains(range), "{message}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let message = load_error("./no-such-file.c", &[]);
    assert!(message.contains("cannot read ./no-such-file.c"), "{message}");
}

#[test]
fn a_program_that_is_no_longer_used_leaves_nothing_behind() {
    let count = |folder: &str| std::fs::read_dir(folder).expect("is readable").count();
    let maps =
        || std::fs::read_to_string("/proc/self/maps").expect("is readable").matches("fairlane-algorithm").count();
    Flow::start("bbr", &[], 10_000);
    let (files, mapped) = (count("/proc/self/fd"), maps());
    for _ in 0..200 {
        Flow::start("bbr", &[("cwnd_gain", 600)], 10_000);
    }
    // Other tests of this process load programs at the same time.
    assert!(count("/proc/self/fd") < files + 50);
    assert!(maps() < mapped + 100);
}

/// In a run, flows of a program with variables are called in order of time, all others in any order.
#[test]
fn what_flows_have_in_common_is_seen() {
    for algorithm in bundled() {
        assert!(!load(&algorithm.name, &[]).shares_memory(), "{} is called in any order", algorithm.name);
    }
    let reno = std::fs::read_to_string("../../algorithms/reno.c").expect("reno is there");
    let shares = |change: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mine.c");
        std::fs::write(&file, format!("{reno}\n{change}\n")).expect("the file is written");
        load(file.to_str().expect("a plain path"), &[]).shares_memory()
    };
    assert!(!shares(""), "everything is in the connection");
    assert!(!shares("const volatile unsigned int step = 3; /* step: packets, a parameter */"));
    assert!(shares("unsigned int flows = 1;"));
    assert!(shares("unsigned int count_flows(void) { static unsigned int flows; return ++flows; }"));
    assert!(load(&program("rate_by_map.bpf.c"), &[]).shares_memory(), "maps belong to the program");
}
