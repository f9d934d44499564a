//! Every script in `tests/behaviour` passes, and scripts that should fail do.

use fairlane_packetdrill::{play, Options, Verdict};
use std::path::{Path, PathBuf};

fn scripts(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder of scripts can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            scripts(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pkt") {
            found.push(path);
        }
    }
}

#[test]
fn all_scripts_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/behaviour");
    let mut found = Vec::new();
    scripts(&folder, &mut found);
    assert!(found.len() >= 28, "{} scripts", found.len());
    let mut failures = Vec::new();
    for path in &found {
        let text = std::fs::read_to_string(path).expect("a script can be read");
        let name = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        let report = play(&name, &text, &Options::default());
        if report.verdict != Verdict::Passed || !report.notes.is_empty() {
            failures.push(format!("{}\n{}", report.message, report.notes.join("\n")));
        }
        assert!(text.starts_with("// "), "{name} begins with what it shows");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

const OPENING: &str = "
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 7>
  +.1 < . 1:1(0) ack 1 win 511
   +0 accept(3, ..., ...) = 4
";

fn verdict(rest: &str) -> (Verdict, String) {
    let report = play("it.pkt", &format!("{OPENING}{rest}"), &Options::default());
    (report.verdict, report.message)
}

#[test]
fn a_wrong_expectation_fails_with_its_line() {
    for (rest, expected) in [
        ("+0 write(4, ..., 1000) = 1000\n+0 > . 1:1001(1000) ack 1", "tcp_psh: expected: 0 (0x0) vs actual: 1 (0x1)"),
        ("+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 2", "tcp_ack_seq: expected: 2"),
        ("+0 write(4, ..., 1000) = 1000\n+.5 > P. 1:1001(1000) ack 1", "timing error"),
        ("+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1 <nop,nop>", "tcp_data_offset"),
        ("+0 > P. 1:1001(1000) ack 1", "timed out waiting for packet"),
        ("+0 write(4, ..., 1000) = 999", "Expected result 999 but got 1000"),
        ("+0 read(4, ..., 1000) = 0", "the call has not returned"),
        ("+0 %{ assert tcpi_snd_cwnd == 11, tcpi_snd_cwnd }%", "AssertionError: 10"),
        ("+0 close(4) = 0\n+0 > P. 1:1(0) ack 1", "tcp_fin"),
        ("+0 < . 1:1(0)", "window"),
        ("+0 < . 1:5(3) ack 1 win 1", "inconsistent TCP sequence numbers"),
        ("+0 frobnicate", "expected \"(\""),
    ] {
        let (verdict, message) = verdict(rest);
        assert_eq!(verdict, Verdict::Failed, "{rest}");
        assert!(message.contains(expected) && message.starts_with("it.pkt:"), "{rest}: {message}");
    }
}

#[test]
fn missing_features_are_named() {
    for (rest, feature) in [
        ("+0 setsockopt(4, SOL_TCP, TCP_FASTOPEN, [1], 4) = 0", "TCP Fast Open"),
        ("+0 setsockopt(4, SOL_SOCKET, SO_ZEROCOPY, [1], 4) = 0", "zero-copy sends"),
        ("+0 socket(..., SOCK_STREAM, IPPROTO_MPTCP) = 5", "multipath TCP"),
        ("+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 5", "several connections"),
        ("+0 < udp (1000)", "UDP"),
        ("+0 < icmp unreachable frag_needed mtu 1000 [1:1(0)]", "ICMP"),
        ("+0 %{ import socket }%", "Python statement import"),
        ("+0 epoll_create(1) = 5", "epoll_create"),
        ("+0 send(4, ..., 100, MSG_EOR) = 100", "ends of records"),
        ("+0 setsockopt(4, SOL_SOCKET, SO_TIMESTAMPING, [SOF_A | SOF_B |\n\tSOF_C], 4) = 0", "packet timestamps"),
        ("+0 recvmsg(4, {msg_name(...)=..., msg_iov(1)=[{..., 0}], msg_flags=0}, MSG_ERRQUEUE) = 0", "error queue"),
        ("+0 socket(..., SOCK_STREAM, IPPROTO_SCTP) = 5\n+0 < sctp: INIT[flgs=0, tag=1]", "sockets of SCTP"),
        ("+0 socket(AF_UNIX, SOCK_STREAM, 0) = 5", "AF_UNIX"),
        ("+0 < sctp: COOKIE_ECHO[flgs=0, len=4]", "SCTP"),
        ("+0 < quic: INITIAL[]", "packets of the kind quic"),
        ("+0 %{ assert tcpi_rehash == 0 }%", "tcpi_rehash of tcp_info"),
        ("+0 `sysctl -q net.ipv4.tcp_mtu_probing=2`", "MTU probing"),
        ("+0 `ethtool -K tun0 gso off tso off`", "without segmentation offload"),
        ("+0 write(4, NULL, 100) = -1 EFAULT (Bad address)", "pointers"),
        ("+0 writev(4, [{..., 10}, {NULL, 10}], 2) = -1 EFAULT (Bad address)", "pointers"),
    ] {
        let (verdict, message) = verdict(rest);
        assert_eq!(verdict, Verdict::Unsupported, "{rest}: {message}");
        assert!(message.contains(feature), "{rest}: {message}");
    }
}

#[test]
fn blanks_between_tokens_mean_nothing() {
    let (found, message) = verdict(
        "+ 0 write ( 4 , ... , 1000 )\n   = 1000\n+0 > P . 1 : 1001 ( 1000 )\n   ack 1 // here\n\
         + .1 < .  1:1 (0)  ack  1001 /* there */ win  511 < sack  2001 : 3001 , nop, nop >\n\
         +0 write(4, ..., 1000) = 1000\n+0\t>\tP.\t1001:2001(1000)\tack 1\n\
         +.1 < . 1:1(0) ack 2001 win 511\n+0 read(4, ..., 10, MSG_DONTWAIT) = -1\n EAGAIN (Try again)",
    );
    assert_eq!(found, Verdict::Passed, "{message}");
}

#[test]
fn an_event_may_be_late_within_the_tolerance() {
    // The packet leaves 3 ms after its time, and the next event is due then.
    let late = |us: u32| {
        let rest = format!(
            "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1\n0.{:06} < . 1:1(0) ack 1001 win 511",
            100_000 - us
        );
        verdict(&rest)
    };
    assert_eq!(late(3_000).0, Verdict::Passed, "{}", late(3_000).1);
    let (found, message) = late(5_000);
    assert_eq!(found, Verdict::Failed);
    assert!(message.contains("due 0.005000 s before the one above it was over; tolerance 0.004000 s"), "{message}");
}

#[test]
fn errors_have_two_names_and_a_misspelt_field_is_an_error() {
    let (found, message) =
        verdict("+0 read(4, ..., 10, MSG_DONTWAIT) = -1 EWOULDBLOCK (Resource temporarily unavailable)");
    assert_eq!(found, Verdict::Passed, "{message}");
    let (found, message) = verdict("+0 %{ assert tcpi_snd_cwd == 10 }%");
    assert_eq!(found, Verdict::Failed);
    assert!(message.contains("name 'tcpi_snd_cwd' is not defined"), "{message}");
}
