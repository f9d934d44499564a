/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The kernel functions that a congestion control may call (RFC 5681 as Linux counts it), linked into
 * every natively compiled program. Weak, so that a program that brings its own of the same name wins.
 */
#include "vmlinux.h"
#include "bpf_tracing_net.h"

#define KFUNC __attribute__((weak))

/* The kernel's configuration. The host sets CONFIG_HZ before the first call. */
KFUNC unsigned long CONFIG_HZ = 1000;
KFUNC int LINUX_KERNEL_VERSION = KERNEL_VERSION(6, 12, 0);

/* Slow start: one packet more for each one delivered, up to ssthresh. Returns what is left of
 * `acked` for congestion avoidance. RFC 5681 section 3.1. */
KFUNC __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked)
{
	__u32 grown = min(tp->snd_cwnd + acked, tp->snd_ssthresh);

	acked -= grown - tp->snd_cwnd;
	tp->snd_cwnd = min(grown, tp->snd_cwnd_clamp);
	return acked;
}

/* Additive increase: one packet for every `w` delivered. A full count left over from a larger `w`
 * is worth one packet, not several, so that a sudden fall of `w` makes no burst. */
KFUNC void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 w, __u32 acked)
{
	if (tp->snd_cwnd_cnt >= w) {
		tp->snd_cwnd_cnt = 0;
		tp->snd_cwnd++;
	}

	tp->snd_cwnd_cnt += acked;
	if (tp->snd_cwnd_cnt >= w) {
		__u32 grow = tp->snd_cwnd_cnt / w;

		tp->snd_cwnd_cnt -= grow * w;
		tp->snd_cwnd += grow;
	}
	tp->snd_cwnd = min(tp->snd_cwnd, tp->snd_cwnd_clamp);
}

KFUNC __u32 tcp_reno_ssthresh(struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd >> 1, 2U);
}

KFUNC void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked)
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

KFUNC __u32 tcp_reno_undo_cwnd(struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}
