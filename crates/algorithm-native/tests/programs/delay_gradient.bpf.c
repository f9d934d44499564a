// SPDX-License-Identifier: GPL-2.0
/* A small delay-based control in the style of programs that people publish: per-socket storage, jiffies,
 * CONFIG_HZ from the kernel configuration, kernel functions as kfuncs, its own copies of the usual helpers.
 */
#include "vmlinux.h"
#include "bpf_tracing_net.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

char _license[] SEC("license") = "GPL";

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
static bool before(__u32 seq1, __u32 seq2)
{
	return (__s32)(seq1 - seq2) < 0;
}
#define after(seq2, seq1) before(seq1, seq2)

extern unsigned long CONFIG_HZ __kconfig;
#define HZ CONFIG_HZ

extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 w, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;
extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;

/* longest queue that is tolerated */
const volatile __u32 target_us = 5000;

struct history {
	__u64 started_ns;
	__u32 base_rtt_us;
	__u32 last_cut; /* jiffies */
	__u32 round_end;
	__u32 rounds;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct history);
} histories SEC(".maps");

__u64 connections = 0;

static __always_inline struct history *history_of(struct sock *sk)
{
	return bpf_sk_storage_get(&histories, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
}

SEC("struct_ops/gradient_init")
void BPF_PROG(gradient_init, struct sock *sk)
{
	struct history *history = history_of(sk);

	if (!history)
		return;
	history->started_ns = bpf_ktime_get_ns();
	history->base_rtt_us = ~0U;
	history->last_cut = tcp_jiffies32;
	connections++;
	bpf_printk("connection %llu", connections);
}

SEC("struct_ops/gradient_cong_avoid")
void BPF_PROG(gradient_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct history *history = history_of(sk);

	if (!history || !tcp_is_cwnd_limited(sk))
		return;
	if (after(ack, history->round_end)) {
		history->round_end = tp->snd_nxt;
		history->rounds++;
	}
	/* At most one cut in a tenth of a second. */
	if (history->base_rtt_us != ~0U && (tp->srtt_us >> 3) > history->base_rtt_us + target_us &&
	    tcp_jiffies32 - history->last_cut > HZ / 10) {
		history->last_cut = tcp_jiffies32;
		tp->snd_cwnd = max(tp->snd_cwnd - tp->snd_cwnd / 8, 2U);
		tp->snd_ssthresh = tp->snd_cwnd;
		return;
	}
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}

SEC("struct_ops/gradient_pkts_acked")
void BPF_PROG(gradient_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct history *history = history_of(sk);

	if (history && sample->rtt_us > 0)
		history->base_rtt_us = min(history->base_rtt_us, (__u32)sample->rtt_us);
}

/* Shows the test what the program sees. */
SEC("struct_ops/gradient_min_tso_segs")
__u32 BPF_PROG(gradient_min_tso_segs, struct sock *sk)
{
	struct history *history = history_of(sk);

	return history ? history->rounds : 0;
}

SEC("struct_ops/gradient_sndbuf_expand")
__u32 BPF_PROG(gradient_sndbuf_expand, struct sock *sk)
{
	return HZ;
}

SEC("struct_ops/gradient_ssthresh")
__u32 BPF_PROG(gradient_ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops/gradient_undo_cwnd")
__u32 BPF_PROG(gradient_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC("struct_ops/gradient_release")
void BPF_PROG(gradient_release, struct sock *sk)
{
	bpf_sk_storage_delete(&histories, sk);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops gradient = {
	.init = (void *)gradient_init,
	.release = (void *)gradient_release,
	.ssthresh = (void *)gradient_ssthresh,
	.cong_avoid = (void *)gradient_cong_avoid,
	.pkts_acked = (void *)gradient_pkts_acked,
	.min_tso_segs = (void *)gradient_min_tso_segs,
	.sndbuf_expand = (void *)gradient_sndbuf_expand,
	.undo_cwnd = (void *)gradient_undo_cwnd,
	.name = "gradient",
};
