// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * x: cong_control() as it was before Linux 6.10
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";


SEC("struct_ops/cong_control")
void BPF_PROG(x_cong_control, struct sock *sk, const struct rate_sample *sample)
{
	tcp_sk(sk)->snd_cwnd = max(sample->prior_in_flight, 4U);
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
	.cong_control = (void *)x_cong_control,
	.name       = "x",
};
