// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * bic: searches the window between the last loss and now by halving the distance
 *
 *	W_max = window at the last loss;   per round trip, with d = (W_max - cwnd) / 4:
 *	far below W_max:  cwnd += 16            (additive increase, at most max_increment)
 *	closer:           cwnd += d             (binary search)
 *	near (d <= 1):    cwnd += 1/5           (smooth arrival)
 *	above W_max:      the mirror image: 1/5, then (cwnd - W_max) / 3, then 16   (max probing)
 *	after a loss:     ssthresh = 0.8 cwnd;  below the last W_max: W_max = 0.9 cwnd
 *
 *	   slow start --loss--> additive --> binary search --> smooth --> max probing
 *	        ^                  ^----------------loss------------------------'
 *	        '---time-out-------'
 *
 * Source: Xu, Harfoush, Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance
 * Networks", IEEE INFOCOM 2004.
 *
 * Deviations from the paper, as in Linux:
 * 1. The search takes a quarter of the distance per round trip, not half; it arrives with 1/5 packet
 *    per round trip for the last packets, and leaves W_max as slowly.
 * 2. max_increment is 16 packets (paper: 32), the decrease factor 819/1024 = 0.8 (paper: 0.875).
 * 3. The increment is renewed when the window has changed, or every 1/32 s.
 * 4. All increments are multiplied by the average number of packets per ACK. It begins at 2 and, being
 *    rounded down, does not fall much below: growth is about twice the figures above.
 * 5. Before the first loss growth is at least 5 % per round trip.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* max_increment: packets per round trip, fastest growth after slow start, Linux */
const volatile __u32 max_increment = 16;
/* low_window: packets, up to here grow and shrink like Reno, paper (14) */
const volatile __u32 low_window = 14;
/* beta: 1/1024, share of the window that stays after a loss, Linux (0.8) */
const volatile __u32 beta = 819;
/* fast_convergence: 0 or 1, leave room for new flows, paper */
const volatile bool fast_convergence = 1;
/* smooth_part: round trips times four that one packet takes close to the last maximum, Linux */
const volatile __u32 smooth_part = 20;
/* initial_ssthresh: packets, slow start threshold of a new connection (0: none), Linux */
const volatile __u32 initial_ssthresh = 0;

#define ONE 1024U                 /* unit of beta */
#define SEARCH_DIVISOR 4U         /* the binary search takes this part of the distance */
#define SLOWEST_BEFORE_LOSS 20U   /* packets per packet of growth: 5 % */
#define ACK_RATIO_SHIFT 4         /* packets per ACK are averaged over 16 ACKs */

struct bic {
	__u32 count;          /* packets to deliver for one packet of growth */
	__u32 w_max;          /* packets, window before the last reduction; 0: none yet */
	__u32 last_cwnd;      /* packets, window when count was computed */
	__u32 last_time;      /* jiffies, when that was */
	__u32 ack_ratio;      /* 1/16, packets per ACK */
};
STATE_FITS(struct bic);

static __always_inline void reset(struct bic *ca)
{
	__builtin_memset(ca, 0, sizeof(*ca));
	ca->ack_ratio = 2 << ACK_RATIO_SHIFT;
}

SEC("struct_ops/init")
void BPF_PROG(bic_init, struct sock *sk)
{
	reset(inet_csk_ca(sk));
	if (initial_ssthresh)
		tcp_sk(sk)->snd_ssthresh = initial_ssthresh;
}

/* Packets to deliver per packet of growth below the last maximum: additive, binary, smooth. */
static __always_inline __u32 search(__u32 cwnd, __u32 w_max)
{
	__u32 step = (w_max - cwnd) / SEARCH_DIVISOR;

	if (step > max_increment)
		return cwnd / max_increment;
	if (step > 1)
		return cwnd / step;
	return cwnd * smooth_part / SEARCH_DIVISOR;
}

/* The same above the last maximum: slowly at first, as the new maximum may be near, then faster. */
static __always_inline __u32 probe(__u32 cwnd, __u32 w_max)
{
	if (cwnd < w_max + SEARCH_DIVISOR)
		return cwnd * smooth_part / SEARCH_DIVISOR;
	if (cwnd < w_max + max_increment * (SEARCH_DIVISOR - 1))
		return cwnd * (SEARCH_DIVISOR - 1) / (cwnd - w_max);
	return cwnd / max_increment;
}

static __always_inline void update(struct bic *ca, __u32 cwnd)
{
	__u32 now = tcp_jiffies32;
	__u32 count;

	if (ca->last_cwnd == cwnd && (__s32)(now - ca->last_time) <= (__s32)(HZ / 32))
		return;
	ca->last_cwnd = cwnd;
	ca->last_time = now;

	if (cwnd <= low_window) {
		ca->count = cwnd;
		return;
	}
	count = cwnd < ca->w_max ? search(cwnd, ca->w_max) : probe(cwnd, ca->w_max);
	if (!ca->w_max)
		count = min(count, SLOWEST_BEFORE_LOSS);
	count = (count << ACK_RATIO_SHIFT) / ca->ack_ratio;
	ca->count = max(count, 1U);
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(bic_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bic *ca = inet_csk_ca(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	update(ca, tp->snd_cwnd);
	tcp_cong_avoid_ai(tp, ca->count, acked);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(bic_ssthresh, struct sock *sk)
{
	struct bic *ca = inet_csk_ca(sk);
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	if (fast_convergence && cwnd < ca->w_max)
		ca->w_max = cwnd * (ONE + beta) / (2 * ONE);
	else
		ca->w_max = cwnd;

	if (cwnd <= low_window)
		return max(cwnd / 2, 2U);
	return max(cwnd * beta / ONE, 2U);
}

SEC("struct_ops/set_state")
void BPF_PROG(bic_set_state, struct sock *sk, __u8 new_state)
{
	if (new_state == TCP_CA_Loss)
		reset(inet_csk_ca(sk));
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(bic_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct bic *ca = inet_csk_ca(sk);

	if (ca_state(sk) == TCP_CA_Open)
		ca->ack_ratio += sample->pkts_acked - (ca->ack_ratio >> ACK_RATIO_SHIFT);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(bic_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops bic = {
	.init       = (void *)bic_init,
	.ssthresh   = (void *)bic_ssthresh,
	.cong_avoid = (void *)bic_cong_avoid,
	.set_state  = (void *)bic_set_state,
	.pkts_acked = (void *)bic_pkts_acked,
	.undo_cwnd  = (void *)bic_undo_cwnd,
	.name       = "fl_bic",
};
