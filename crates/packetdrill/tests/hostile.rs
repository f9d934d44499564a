//! Hostile scripts: each is reported in a line that names the script, and none overflows the stack, exhausts memory,
//! divides by zero or accesses a file. Mutated scripts are played by `fuzz/`.

use fairlane_packetdrill::{play, Options, Verdict};

const OPENING: &str = "
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 7>
  +.1 < . 1:1(0) ack 1 win 511
   +0 accept(3, ..., ...) = 4
";

fn message(script: &str) -> String {
    let report = play("it.pkt", script, &Options::default());
    assert_ne!(report.verdict, Verdict::Passed);
    report.message
}

/// Plays the lines in an open connection.
fn outcome(rest: &str) -> String {
    message(&format!("{OPENING}{rest}"))
}

#[test]
fn nesting_is_limited() {
    let deep = |open: &str, middle: &str, close: &str| {
        let levels = 20_000;
        format!("{}{middle}{}", open.repeat(levels), close.repeat(levels))
    };
    for code in [
        deep("(", "1", ")"),
        deep("[", "1", "]"),
        deep("min(", "1", ")"),
        deep("not ", "1", ""),
        deep("- ", "1", ""),
        deep("~", "1", ""),
        deep("2 ** ", "1", ""),
        deep("1 if 1 else ", "1", ""),
    ] {
        let said = message(&format!("0 `true`\n%{{ assert {code} }}%\n"));
        assert!(said.contains("RecursionError: nested more than 50 deep"), "{said}");
    }
    for arguments in [deep("[", "1", "]"), deep("{x=", "1", "}"), deep("{", "1", "}"), deep("htons(", "1", ")")] {
        let said = message(&format!("0 socket({arguments}) = 3\n"));
        assert!(said.contains("it.pkt:1: lists and structures nested more than 50 deep"), "{said}");
    }
}

#[test]
fn values_of_the_code_do_not_grow_without_limit() {
    let many = |line: &str| line.repeat(3_000);
    for (code, expected) in [
        (format!("x = 'ab'\n{}", many("x = x + x\n")), "MemoryError"),
        (format!("x = (1, 2)\n{}", many("x = (x, x)\n")), "MemoryError"),
        (format!("x = 1\n{}", many("x = (x,)\n")), "RecursionError"),
        ("x = '%.999999999f' % 1.0".into(), "MemoryError"),
        (format!("x = 'a'\n{}y = ({})", "x += x\n".repeat(15), "x, ".repeat(10_000)), "MemoryError"),
        ((0..3_000).map(|number| format!("x{number} = 1\n")).collect(), "MemoryError: more than 1000 variables"),
        (format!("x = 'a'\n{}{}", "x += x\n".repeat(15), many("print(x)\n")), "MemoryError: the code prints too much"),
    ] {
        let said = message(&format!("0 `true`\n%{{\n{code}\n}}%\n"));
        assert!(said.contains(expected), "{expected}: {}", &said[..said.len().min(300)]);
        assert!(said.len() < 500);
    }
}

#[test]
fn numbers_of_the_code_do_not_overflow() {
    let least = "-170141183460469231731687303715884105727 - 1";
    for expression in
        [format!("({least}) // -1"), format!("({least}) % -1"), format!("0 - ({least})"), format!("abs({least})")]
    {
        let said = message(&format!("0 `true`\n%{{ assert {expression} == 1, 'no' }}%\n"));
        assert!(said.contains("Error"), "{expression}: {said}");
    }
}

#[test]
fn scripts_are_limited_in_size() {
    assert!(message(&" ".repeat(2 << 20)).contains("the script is larger than 1 MiB"));
    assert!(message(&"*`:`\n".replace('*', "").repeat(30_000)).contains("more than 20000 events"));
    let notes =
        play("it.pkt", &format!("`{}`\n0 `true`", "nonsense$((1))\n".repeat(10_000)), &Options::default()).notes;
    assert!(notes.len() <= 1_000);
}

#[test]
fn numbers_of_the_script_do_not_overflow() {
    let big = "9".repeat(18);
    for line in [
        format!("{big} write(4, ..., 1) = 1"),
        format!("+{big} write(4, ..., 1) = 1"),
        "+999999 write(4, ..., 1) = 1\n".repeat(3),
        format!("+0...{big} read(4, ..., 1) = 1"),
        format!("+0 write(4, ..., {big}) = {big}"),
        format!("+0 read(4, ..., {big}) = {big}"),
        "+0 read(4, ..., -9223372036854775808) = 1".into(),
        "+0 read(4, ..., -0x8000000000000000) = -0x8000000000000001".into(),
        "+0 read(4, ..., 0xffffffffffffffff) = 1".into(),
        format!("+0 writev(4, [{{..., {big}}}, {{..., {big}}}], 2) = 1"),
        "+0 writev(4, [{..., -1}], 1) = 1".into(),
        format!("+0 setsockopt(4, SOL_SOCKET, SO_RCVBUF, [{big}], 4) = 0"),
        "+0 setsockopt(4, SOL_SOCKET, SO_SNDBUF, [0x7fffffffffffffff], 4) = 0".into(),
        "+0 < . 1:4294967297(4294967296) ack 1 win 100".into(),
        "+0 < . 1:1(0) ack 18446744073709551615 win 100".into(),
        "+0 ioctl(4, SIOCOUTQNSD, [-1]) = 0".into(),
    ] {
        let said = outcome(&line);
        assert!(said.starts_with("it.pkt:"), "{line}: {said}");
    }
}

#[test]
fn options_of_the_tool_and_of_sockets_have_the_kernels_bounds() {
    for option in [
        "--mtu=0",
        "--mtu=40",
        "--mtu=-1",
        "--tolerance_usecs=-1",
        "--tolerance_usecs=9223372036854775807",
        "--tcp_ts_tick_usecs=9223372036854775807",
    ] {
        assert!(message(&format!("{option}\n0 `true`\n")).contains(option), "{option}");
    }
    for bytes in ["0", "11", "87", "-1", "40000"] {
        let script = format!(
            "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 setsockopt(3, SOL_TCP, TCP_MAXSEG, [{bytes}], 4) = 0"
        );
        assert!(message(&script).contains("EINVAL"), "{bytes}");
    }
    let setting = "`sysctl -q net.ipv4.tcp_comp_sack_delay_ns=-1 net.ipv4.tcp_reordering=99999999999`\n0 `true`\n";
    assert_eq!(play("it.pkt", setting, &Options::default()).notes.len(), 2);
}

#[test]
fn any_mss_of_the_peer_is_accepted() {
    for mss in [0, 1, 11, 12, 13, 35, 36, 65_535] {
        for timestamps in ["", ",TS val 7 ecr 0"] {
            let script = format!(
                "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
                +0 bind(3, ..., ...) = 0
                +0 listen(3, 1) = 0
                +0 < S 0:0(0) win 65535 <mss {mss}{timestamps}>
                +0 > S. 0:0(0) ack 1 <...>
                +.1 < . 1:1(0) ack 1 win 511 <...>
                +0 accept(3, ..., ...) = 4
                +0 write(4, ..., 100000) = 100000"
            );
            let report = play("it.pkt", &script, &Options::default());
            assert_eq!(report.verdict, Verdict::Passed, "MSS {mss}: {}", report.message);
        }
    }
}

#[test]
fn a_script_cannot_name_a_program_to_run() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../algorithm-native/tests/programs/nothing.c");
    for script in [
        format!("`sysctl -q net.ipv4.tcp_congestion_control={file}`\n{OPENING}"),
        format!("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 setsockopt(3, SOL_TCP, TCP_CONGESTION, \"{file}\", 9) = 0\n+0 connect(3, ..., ...) = 0"),
    ] {
        let said = message(&script);
        assert!(said.contains("which is not a name"), "{said}");
    }
}
