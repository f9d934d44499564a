//! Errors in a program are reported before anything runs, in one line with its location.

use crate::common::{load_error, program, Flow};
use std::fs;
use std::path::PathBuf;

const HEAD: &str = r#"#include "vmlinux.h"
#include "bpf_tracing_net.h"
#include <bpf/bpf_tracing.h>
"#;

const CALLBACKS: &str = r#"
SEC("struct_ops") __u32 BPF_PROG(x_ssthresh, struct sock *sk) { return 2; }
SEC("struct_ops") __u32 BPF_PROG(x_undo, struct sock *sk) { return 2; }
"#;

const TABLE: &str = r#"
SEC(".struct_ops") struct tcp_congestion_ops x = {
	.ssthresh = (void *)x_ssthresh, .undo_cwnd = (void *)x_undo, .cong_avoid = (void *)x_avoid, .name = "x",
};
"#;

/// A file of a folder of its own.
fn write(folder: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).expect("can be created");
    let path = folder.join("program.bpf.c");
    fs::write(&path, text).expect("can be written");
    path.to_str().expect("is UTF-8").to_owned()
}

fn avoid(body: &str) -> String {
    format!(
        "{HEAD}{CALLBACKS}SEC(\"struct_ops\") void BPF_PROG(x_avoid, struct sock *sk, __u32 ack, __u32 acked)\n{{ {body} }}{TABLE}"
    )
}

#[test]
fn functions_that_are_not_offered_are_named_together() {
    let text =
        format!("extern void vegas_init(struct sock *sk) __ksym;\n{}", avoid("bpf_fancy_helper(3); vegas_init(sk);"));
    let message = load_error(&write("functions", &format!("{HEAD}{text}")), &[]);
    assert!(message.contains("uses bpf_fancy_helper, vegas_init, which the simulator does not offer"), "{message}");
    assert!(message.contains("program.bpf.c:12: "), "{message}");
}

#[test]
fn a_compile_error_has_its_line_and_reason() {
    let path = write("syntax", &avoid("\n\ntcp_sk(sk)->no_such_member = 1;"));
    let message = load_error(&path, &[]);
    assert!(message.starts_with(&format!("{path}:10: ")) && message.contains("no_such_member"), "{message}");
    assert_eq!(message.lines().count(), 1);
}

#[test]
fn floating_point_is_refused_with_its_line_and_a_remedy() {
    let path = write("floats", &avoid("\n\ntcp_sk(sk)->snd_cwnd = tcp_sk(sk)->snd_cwnd * 0.7;"));
    let message = load_error(&path, &[]);
    assert!(message.contains("floating point") && message.contains("fixed point"), "{message}");
    assert_eq!(message.lines().count(), 1);
    if cfg!(target_arch = "x86_64") {
        assert!(message.starts_with(&format!("{path}:10: ")), "{message}");
    }
    // Constants that the compiler folds are not floating point any more.
    Flow::start(&write("folded", &avoid("tcp_sk(sk)->snd_cwnd = (__u32)(0.7 * 1024);")), &[], 1);
}

#[test]
fn an_unbounded_loop_is_refused_with_its_line_and_a_remedy() {
    let path = write("unbounded", &avoid("\n\nfor (;;)\n\ttcp_sk(sk)->snd_cwnd++;"));
    let message = load_error(&path, &[]);
    assert_eq!(
        message,
        format!("{path}:10: an unbounded loop, which the kernel refuses; count it: for (i = 0; i < 64; i++)")
    );
    // One that is left, and one in a comment, are not checked here.
    Flow::start(&write("left", &avoid("for (;;) { if (++acked > 9) break; } /* while (1); */")), &[], 1);
}

#[test]
fn numbers_of_128_bits_are_refused() {
    let body = "tcp_sk(sk)->snd_cwnd = (unsigned __int128)acked * ack * acked / tcp_sk(sk)->snd_cwnd;";
    let message = load_error(&write("wide", &avoid(body)), &[]);
    assert!(message.contains("program.bpf.c:8: "), "{message}");
    assert!(message.contains("128 bits") && message.contains("stay within 64 bits"), "{message}");
}

#[test]
fn a_write_that_the_kernel_refuses_is_refused_here() {
    let message = load_error(&write("writes", &avoid("tcp_sk(sk)->srtt_us = 1;")), &[]);
    assert!(message.contains("srtt_us") && message.contains("may write only snd_cwnd"), "{message}");
    // A copy with the member's type is harmless.
    Flow::start(
        &write("copies", &avoid("typeof(tcp_sk(sk)->srtt_us) copy; copy = acked; tcp_sk(sk)->snd_cwnd = copy;")),
        &[],
        1,
    );
}

#[test]
fn a_read_of_what_the_simulator_does_not_keep_is_refused_by_name() {
    let path = write("not_kept", &avoid("\n\ntcp_sk(sk)->snd_cwnd = tcp_sk(sk)->rcv_wnd + sk->sk_sndbuf;"));
    let message = load_error(&path, &[]);
    assert!(message.starts_with(&format!("{path}:10: reads rcv_wnd, sk_sndbuf, which the simulator")), "{message}");

    let path = write("core_read", &avoid("tcp_sk(sk)->snd_cwnd = BPF_CORE_READ(tcp_sk(sk), copied_seq);"));
    let message = load_error(&path, &[]);
    assert!(message.starts_with(&format!("{path}:8: reads copied_seq, which")), "{message}");
}

#[test]
fn what_the_simulator_does_not_keep_does_not_exist() {
    let body = "struct tcp_sock *tp = tcp_sk(sk);
\tif (bpf_core_field_exists(tp->rcv_wnd)) tp->snd_cwnd = tp->rcv_wnd;
\telse tp->snd_cwnd = bpf_core_field_exists(tp->srtt_us) ? 33 : 44;
\tif (bpf_core_field_exists(struct sock, sk_sndbuf)) tp->snd_cwnd = 55;";
    let mut flow = Flow::start(&write("exists", &avoid(body)), &[], 1000);
    flow.ack(1, 1000);
    assert_eq!(flow.sock.snd_cwnd, 33);
}

#[test]
fn a_table_must_be_complete_and_hold_programs() {
    let text = format!("{HEAD}{CALLBACKS}{}", TABLE.replace(", .cong_avoid = (void *)x_avoid", ""));
    let message = load_error(&write("incomplete", &text), &[]);
    assert!(message.contains("program.bpf.c:8: "), "{message}");
    assert!(message.contains("lacks cong_avoid or cong_control; write it"), "{message}");
    assert!(message.ends_with("set .cong_avoid = (void *)..."), "{message}");

    let text = format!(
        "{HEAD}extern void tcp_reno_cong_avoid(struct sock *, __u32, __u32) __ksym;{CALLBACKS}{}",
        TABLE.replace("x_avoid", "tcp_reno_cong_avoid")
    );
    let message = load_error(&write("direct", &text), &[]);
    assert!(message.contains("cong_avoid is tcp_reno_cong_avoid(), which is not a BPF program"), "{message}");

    let text = avoid("").replace(".name", ".get_info = (void *)x_undo, .name");
    let message = load_error(&write("get_info", &text), &[]);
    assert!(message.contains("get_info"), "{message}");

    let message = load_error(&write("none", &format!("{HEAD}{CALLBACKS}")), &[]);
    assert!(message.contains("has no struct tcp_congestion_ops"), "{message}");

    let message = load_error(&format!("{}:shrt_form", program("rate_by_map.bpf.c")), &[]);
    assert!(message.contains("it has: short_form, long_form"), "{message}");
}

#[test]
fn structures_of_its_own_are_an_error_and_not_a_wrong_layout() {
    let text =
        format!("struct tcp_sock {{ unsigned snd_cwnd; }} __attribute__((preserve_access_index));\n{}", avoid(""));
    let message = load_error(&write("structures", &text), &[]);
    assert!(message.contains("tcp_sock"), "{message}");
}

#[test]
fn the_folders_own_vmlinux_is_not_used_but_its_other_headers_are() {
    let path = write(
        "headers",
        &avoid("tcp_sk(sk)->snd_cwnd = GAIN;")
            .replace("#include \"vmlinux.h\"", "#include \"vmlinux.h\"\n#include \"mine.h\""),
    );
    let folder = PathBuf::from(&path).parent().expect("has a folder").to_owned();
    fs::write(folder.join("vmlinux.h"), "#ifndef __VMLINUX_H__\n#error the wrong one\n#endif\n")
        .expect("can be written");
    fs::write(folder.join("mine.h"), "#include \"vmlinux.h\"\n#define GAIN 33\n").expect("can be written");
    let mut flow = Flow::start(&path, &[], 1000);
    flow.ack(1, 1000);
    assert_eq!(flow.sock.snd_cwnd, 33);
}
