// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * scalable: grows by one packet per 100 delivered, regardless of the window, and decreases by an eighth after a loss
 *
 *	above ssthresh:   cwnd += 1/100 per packet delivered    (1 % in a round trip)
 *	after a loss:     ssthresh = cwnd - cwnd / 8
 *	so that recovery from a loss takes about 14 round trips at any rate
 *
 *	   slow start --cwnd reaches ssthresh, or loss--> 1 % per round trip
 *	        ^-------------retransmission time-out------------'
 *
 * Source: Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks", ACM SIGCOMM
 * CCR 33 (2003).
 *
 * Deviations from the paper, as in Linux:
 * 1. Below 100 packets growth is Reno's, one packet per round trip, as the paper's legacy window
 *    has it; there is no legacy window for the decrease, which is 1/8 at all sizes.
 * 2. Growth counts packets delivered, not ACKs.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* increase_every: packets, delivered for one packet of growth, paper (a = 0.01) */
const volatile __u32 increase_every = 100;
/* decrease_shift: bits, cwnd / 2^shift is given up after a loss, paper (b = 0.125) */
const volatile __u32 decrease_shift = 3;
/* growth_per_ack: 0 or 1, an ACK counts once, however many packets it delivers (with increase_every=50), Linux before 5.7 */
const volatile bool growth_per_ack = 0;

SEC("struct_ops/cong_avoid")
void BPF_PROG(scalable_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 cwnd;

	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	cwnd = tp->snd_cwnd;
	tcp_cong_avoid_ai(tp, min(cwnd, increase_every), growth_per_ack ? 1 : acked);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(scalable_ssthresh, struct sock *sk)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	return max(cwnd - (cwnd >> decrease_shift), 2U);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(scalable_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops scalable = {
	.ssthresh   = (void *)scalable_ssthresh,
	.cong_avoid = (void *)scalable_cong_avoid,
	.undo_cwnd  = (void *)scalable_undo_cwnd,
	.name       = "fl_scalable",
};
