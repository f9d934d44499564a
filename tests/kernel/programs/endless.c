// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * x: a loop that the verifier cannot see the end of
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

SEC("struct_ops/cong_avoid")
void BPF_PROG(x_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	while (tp->packets_out)
		tp->snd_cwnd += 1;
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(x_ssthresh, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd / 2, 2U);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(x_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops x = {
	.ssthresh   = (void *)x_ssthresh,
	.undo_cwnd  = (void *)x_undo_cwnd,
	.cong_avoid = (void *)x_cong_avoid,
	.name       = "x",
};
