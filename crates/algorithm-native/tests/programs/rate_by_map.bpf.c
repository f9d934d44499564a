// SPDX-License-Identifier: GPL-2.0
/* A program that keeps what it knows in maps, keyed by port, and has cong_control() in both of its
 * signatures, in two tables; a third table is incomplete. */
#include <linux/bpf.h>
#include <linux/types.h>
#include <linux/version.h>
#include "bpf_tcp_helpers.h"

char _license[] SEC("license") = "GPL";

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#error "too old"
#endif

struct flow {
	__u64 bytes_per_s;
	__u32 acks;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u16);
	__type(value, struct flow);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} reports SEC(".maps");

static __always_inline void count(__u32 which)
{
	__u64 *total = bpf_map_lookup_elem(&totals, &which);

	if (total)
		__sync_fetch_and_add(total, 1);
}

static __always_inline void learn(struct sock *sk, const struct rate_sample *rs)
{
	__u16 port = sk->__sk_common.skc_num;
	struct flow *flow = bpf_map_lookup_elem(&flows, &port);
	__u64 *report;

	if (!flow) {
		struct flow empty = { .bytes_per_s = 1000 };

		bpf_map_update_elem(&flows, &port, &empty, BPF_ANY);
		flow = bpf_map_lookup_elem(&flows, &port);
		if (!flow)
			return;
	}
	flow->acks++;
	if (rs->interval_us > 0 && rs->delivered > 0)
		flow->bytes_per_s = (__u64)rs->delivered * tcp_sk(sk)->mss_cache * 1000000 / rs->interval_us;
	sk->sk_pacing_rate = flow->bytes_per_s;
	tcp_sk(sk)->snd_cwnd = 10 + flow->acks;

	report = bpf_ringbuf_reserve(&reports, sizeof(*report), 0);
	if (!report)
		return;
	*report = flow->bytes_per_s;
	bpf_ringbuf_submit(report, 0);
}

SEC("struct_ops/long_control")
void BPF_PROG(long_control, struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs)
{
	learn(sk, rs);
	if (flag < 0)
		tcp_sk(sk)->snd_cwnd = ack;
	count(0);
}

BPF_TCP_OPS_2(short_control, void, struct sock *, sk, const struct rate_sample *, rs)
{
	learn(sk, rs);
	count(1);
	count(2);
}

SEC("struct_ops/raw_ssthresh")
__u32 raw_ssthresh(unsigned long long *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	__u32 which = 1;
	__u64 *total = bpf_map_lookup_elem(&totals, &which);

	return total ? *total : 0;
}

SEC("struct_ops/map_undo_cwnd")
__u32 BPF_PROG(map_undo_cwnd, struct sock *sk)
{
	return bpf_get_prandom_u32() >> 1; /* a larger one is no window */
}

SEC(".struct_ops")
struct tcp_congestion_ops incomplete = {
	.cong_control = (void *)long_control,
	.name = "incomplete",
};

SEC(".struct_ops")
struct tcp_congestion_ops long_form = {
	.cong_control = (void *)long_control,
	.ssthresh = (void *)raw_ssthresh,
	.undo_cwnd = (void *)map_undo_cwnd,
	.flags = TCP_CONG_NEEDS_ECN,
	.name = "long",
};

SEC(".struct_ops.link")
struct tcp_congestion_ops short_form = {
	.cong_control = (void *)short_control,
	.ssthresh = (void *)raw_ssthresh,
	.undo_cwnd = (void *)map_undo_cwnd,
	.name = "short",
};
