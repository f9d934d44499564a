"""C files in forms that the kernel accepts: for the simulator, for BPF, and where possible for the running kernel."""

from pathlib import Path

import pytest
from fairlane.algorithm import describe
from fairlane.algorithm.kernel import KernelError, Lacking, compiler, loading
from fairlane.algorithm.kernel.program import KernelProgram
from fairlane.engine import AlgorithmError

OLD_HELPERS = """
#include <linux/bpf.h>
#include <linux/types.h>
#include "bpf_tcp_helpers.h"

char _license[] SEC("license") = "GPL";
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

void BPF_STRUCT_OPS(s_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (tcp_cc_eq("one", "other") || !tcp_is_cwnd_limited(sk))
		return;
	tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}
__u32 BPF_STRUCT_OPS(s_ssthresh, struct sock *sk) { return max(tcp_sk(sk)->snd_cwnd >> 1, 2U); }
__u32 BPF_STRUCT_OPS(s_undo, struct sock *sk) { return tcp_reno_undo_cwnd(sk); }

SEC(".struct_ops")
struct tcp_congestion_ops s = {
	.cong_avoid = (void *)s_avoid, .ssthresh = (void *)s_ssthresh, .undo_cwnd = (void *)s_undo, .name = "bpf_s",
};
"""
PRIVATE = """
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

static STATE *state(struct sock *sk)
{
	return (STATE *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

SEC("struct_ops") void BPF_PROG(p_init, struct sock *sk) { state(sk)->cnt = INITIAL; }
SEC("struct_ops") __u32 BPF_PROG(p_ssthresh, struct sock *sk) { state(sk)->cnt++; return 2; }
SEC("struct_ops") __u32 BPF_PROG(p_undo, struct sock *sk) { return tcp_reno_undo_cwnd(sk); }
SEC("struct_ops") void BPF_PROG(p_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC(".struct_ops") struct tcp_congestion_ops p = {
	.init = (void *)p_init, .cong_avoid = (void *)p_avoid, .ssthresh = (void *)p_ssthresh,
	.undo_cwnd = (void *)p_undo, .name = "p",
};
"""
OF_BTF = PRIVATE.replace("STATE", "struct bictcp").replace("INITIAL", "7")
OF_ITS_OWN_HEADER = PRIVATE.replace("STATE", "struct mine")
VMLINUX = """
#ifndef __VMLINUX_H__
#define __VMLINUX_H__
typedef unsigned int __u32;
typedef __u32 count_t;
enum phase { NOTHING, INITIAL = 4 };
struct mine { count_t cnt; enum phase phase; };
struct tcp_sock { int another; };
#endif
"""
MODULE = """
#include <linux/module.h>
#include <net/tcp.h>
static u32 m_ssthresh(struct sock *sk) { return max(tcp_snd_cwnd(tcp_sk(sk)) >> 1U, 2U); }
static struct tcp_congestion_ops m __read_mostly = { .ssthresh = m_ssthresh, .owner = THIS_MODULE, .name = "m" };
static int __init m_register(void) { return tcp_register_congestion_control(&m); }
module_init(m_register);
MODULE_LICENSE("GPL");
"""


@pytest.mark.parametrize(
    ("text", "vmlinux"),
    [(OLD_HELPERS, ""), (OF_BTF, ""), (OF_ITS_OWN_HEADER, VMLINUX)],
    ids=["macro", "btf", "vmlinux.h"],
)
def test_a_file_that_the_kernel_takes_is_taken_unchanged(tmp_path: Path, text: str, vmlinux: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(text)
    if vmlinux:
        (tmp_path / "vmlinux.h").write_text(vmlinux)
    assert describe(str(path))["warnings"] == []
    program, warnings = KernelProgram.find(str(path), {}), list[str]()
    try:
        assert compiler.compile_program(program, warned=warnings.append)
    except Lacking as lacking:
        pytest.skip(str(lacking))
    assert warnings == []
    if not loading.cannot_load():
        loading.verify(program)


def test_a_type_that_the_file_defines_itself_is_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(OF_BTF.replace("char _license", "struct bictcp { __u64 cnt; };\nchar _license"))
    assert describe(str(path))["warnings"] == []


def test_a_kernel_module_is_recognised_with_what_to_rewrite(tmp_path: Path) -> None:
    path = tmp_path / "m.c"
    path.write_text(MODULE)
    wanted = (
        f"{path}:2: is a kernel module",
        'SEC("struct_ops") u32 BPF_PROG(m_ssthresh, struct sock *sk)',
        "module_init",
    )
    for take in (lambda: describe(str(path)), lambda: KernelProgram.find(str(path), {})):
        with pytest.raises((AlgorithmError, KernelError)) as raised:
            take()
        assert all(one in str(raised.value) for one in wanted)
        assert len(str(raised.value).splitlines()) == 1
