// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * x: forgets that a map may have no entry
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* careless: 0 or 1, make the mistake */
const volatile bool careless = 1;

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u32);
} counts SEC(".maps");

SEC("struct_ops/cong_avoid")
void BPF_PROG(x_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	__u32 *count = bpf_sk_storage_get(&counts, sk, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!careless && !count)
		return;
	*count += acked;
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
