// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * mine: Reno (RFC 5681), to be changed into a control that keeps the queue short
 *
 * A callback for RTT samples: SEC("struct_ops/pkts_acked") void BPF_PROG(mine_pkts_acked, struct sock *sk,
 * const struct ack_sample *sample), where sample->rtt_us is the newest RTT in microseconds, or -1. A structure of up to
 * 104 bytes for each flow: struct mine *mine = inet_csk_ca(sk). Vegas (algorithms/vegas.c) is a longer example.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(mine_ssthresh, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd / 2, 2U);
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(mine_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(mine_undo_cwnd, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

SEC(".struct_ops")
struct tcp_congestion_ops mine = {
	.ssthresh   = (void *)mine_ssthresh,
	.cong_avoid = (void *)mine_cong_avoid,
	.undo_cwnd  = (void *)mine_undo_cwnd,
	.name       = "mine",
};
