// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* clock: answers with the time in jiffies, and with the low 32 bits of it in nanoseconds. */
#include "vmlinux.h"
#include "bpf_tracing_net.h"
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "Dual MIT/GPL";

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(clock_ssthresh, struct sock *sk)
{
	return tcp_jiffies32;
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(clock_undo_cwnd, struct sock *sk)
{
	return bpf_ktime_get_ns();
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(clock_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
}

SEC(".struct_ops")
struct tcp_congestion_ops clock = {
	.ssthresh   = (void *)clock_ssthresh,
	.undo_cwnd  = (void *)clock_undo_cwnd,
	.cong_avoid = (void *)clock_cong_avoid,
	.name       = "clock",
};
