// A program that does nothing, for measuring what a call costs.
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(nothing_ssthresh, struct sock *sk)
{
	return 2;
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(nothing_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(nothing_undo_cwnd, struct sock *sk)
{
	return 2;
}

SEC(".struct_ops")
struct tcp_congestion_ops nothing = {
	.ssthresh = (void *)nothing_ssthresh,
	.cong_avoid = (void *)nothing_cong_avoid,
	.undo_cwnd = (void *)nothing_undo_cwnd,
	.name = "nothing",
};
