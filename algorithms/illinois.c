// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * illinois: losses trigger the decrease; delay sets its size, and the speed of growth
 *
 *	d = mean RTT of the last round - smallest RTT,   d_max = largest RTT - smallest RTT
 *	alpha = 10 while d < d_max / 100,  then k1 / (k2 + d), down to 0.3 at d_max    packets per round trip
 *	beta  = 1/8 up to d_max / 10,  1/2 from 8/10 d_max on,  linear between
 *	after a loss: ssthresh = (1 - beta) cwnd
 *
 *	alpha 10 -|__                      beta 1/2 -|         ______
 *	          |  \__                             |    ____/
 *	      0.3 |     `-------             1/8 ____|___/
 *	          0  1 %     d_max                   0  10 %    80 %  d_max
 *
 * Source: Liu, Basar, Srikant, "TCP-Illinois: A Loss and Delay-Based Congestion Control Algorithm for
 * High-Speed Networks", VALUETOOLS 2006; Performance Evaluation 65 (2008).
 *
 * Deviations from the paper, as in Linux:
 * 1. Once the delay has risen, alpha returns to its largest value with the fifth (theta) round of low delay,
 *    so that a sudden drop of the queue makes no burst. The five need not follow one another.
 * 2. Below 15 packets the window behaves like Reno's (paper: 10).
 * 3. The smallest and the largest RTT are the connection's, never forgotten.
 * 4. Growth counts packets acknowledged at once and adds what is due in whole packets.
 * 5. In the first round, before the first measurement of delay, alpha is 10 and beta is 1/2.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* alpha_max: 1/128 packets per round trip, fastest growth, paper (10) */
const volatile __u32 alpha_max = 1280;
/* alpha_min: 1/128 packets per round trip, slowest growth, paper (0.3) */
const volatile __u32 alpha_min = 38;
/* beta_min: 1/64, share of the window given up when delay is low, paper (1/8) */
const volatile __u32 beta_min = 8;
/* beta_max: 1/64, share of the window given up when delay is high, paper (1/2) */
const volatile __u32 beta_max = 32;
/* win_thresh: packets, below behave like Reno, Linux */
const volatile __u32 win_thresh = 15;
/* theta: rounds, how many of low delay bring alpha back to its largest value, paper (5) */
const volatile __u32 theta = 5;

#define ALPHA_SHIFT 7
#define ALPHA_RENO (1U << ALPHA_SHIFT)
#define BETA_SHIFT 6
#define BETA_RENO (1U << BETA_SHIFT >> 1)
#define NO_RTT_US 0x7fffffffU

struct illinois {
	__u64 rtt_sum_us;       /* over this round's samples */
	__u32 rtt_min_us;
	__u32 rtt_max_us;
	__u32 round_end;        /* the round ends when this is acknowledged */
	__u32 alpha;            /* 1/128 packets per round trip */
	__u32 beta;             /* 1/64 of the window */
	__u16 rtt_samples;      /* in this round */
	__u16 acked;            /* packets that the latest ACK covered */
	__u8 low_rounds;        /* rounds of low delay since it rose */
	bool delay_rose;
};
STATE_FITS(struct illinois);

static __always_inline void start_round(const struct tcp_sock *tp, struct illinois *ca)
{
	ca->round_end = tp->snd_nxt;
	ca->rtt_samples = 0;
	ca->rtt_sum_us = 0;
}

SEC("struct_ops/init")
void BPF_PROG(illinois_init, struct sock *sk)
{
	struct illinois *ca = inet_csk_ca(sk);

	__builtin_memset(ca, 0, sizeof(*ca));
	ca->alpha = alpha_max;
	ca->beta = BETA_RENO;
	ca->rtt_min_us = NO_RTT_US;
	start_round(tcp_sk(sk), ca);
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(illinois_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct illinois *ca = inet_csk_ca(sk);
	__u32 rtt_us = sample->rtt_us;

	ca->acked = sample->pkts_acked;
	if (sample->rtt_us < 0)
		return;
	/* So that alpha times an RTT stays within 31 bits. */
	rtt_us = min(rtt_us, NO_RTT_US / alpha_max);
	ca->rtt_min_us = min(ca->rtt_min_us, rtt_us);
	ca->rtt_max_us = max(ca->rtt_max_us, rtt_us);
	ca->rtt_samples++;
	ca->rtt_sum_us += rtt_us;
}

/* The paper's f1: a hyperbola through alpha_max at 1 % of the largest delay and alpha_min at all of it. */
static __always_inline __u32 alpha_of(struct illinois *ca, __u32 delay, __u32 delay_max)
{
	__u32 low = delay_max / 100;

	if (delay <= low) {
		if (ca->delay_rose) {
			if (++ca->low_rounds < theta)
				return ca->alpha;
			ca->low_rounds = 0;
			ca->delay_rose = false;
		}
		return alpha_max;
	}
	ca->delay_rose = true;
	delay -= low;
	delay_max -= low;
	return delay_max * alpha_max / (delay_max + delay * (alpha_max - alpha_min) / alpha_min);
}

/* The paper's f2: linear between 10 % and 80 % of the largest delay. */
static __always_inline __u32 beta_of(__u32 delay, __u32 delay_max)
{
	__u32 low = delay_max / 10, high = 8 * delay_max / 10;

	if (delay <= low)
		return beta_min;
	if (delay >= high || high <= low)
		return beta_max;
	return (beta_min * high - beta_max * low + (beta_max - beta_min) * delay) / (high - low);
}

static __always_inline void end_round(const struct tcp_sock *tp, struct illinois *ca)
{
	if (tp->snd_cwnd < win_thresh) {
		ca->alpha = ALPHA_RENO;
		ca->beta = BETA_RENO;
	} else if (ca->rtt_samples) {
		__u32 delay = ca->rtt_sum_us / ca->rtt_samples - ca->rtt_min_us;
		__u32 delay_max = ca->rtt_max_us - ca->rtt_min_us;

		ca->alpha = alpha_of(ca, delay, delay_max);
		ca->beta = beta_of(delay, delay_max);
	}
	start_round(tp, ca);
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(illinois_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct illinois *ca = inet_csk_ca(sk);
	__u32 growth;

	if (after(ack, ca->round_end))
		end_round(tp, ca);
	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp)) {
		tcp_slow_start(tp, acked);
		return;
	}
	tp->snd_cwnd_cnt += ca->acked;
	ca->acked = 1;
	/* alpha packets per window, counted in windows of alpha times the packets. */
	growth = tp->snd_cwnd_cnt * ca->alpha >> ALPHA_SHIFT;
	if (growth >= tp->snd_cwnd) {
		__u32 cwnd = tp->snd_cwnd + growth / tp->snd_cwnd;

		tp->snd_cwnd = min(cwnd, tp->snd_cwnd_clamp);
		tp->snd_cwnd_cnt = 0;
	}
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(illinois_ssthresh, struct sock *sk)
{
	const struct illinois *ca = inet_csk_ca(sk);
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	return max(cwnd - (cwnd * ca->beta >> BETA_SHIFT), 2U);
}

SEC("struct_ops/set_state")
void BPF_PROG(illinois_set_state, struct sock *sk, __u8 new_state)
{
	struct illinois *ca = inet_csk_ca(sk);

	if (new_state != TCP_CA_Loss)
		return;
	ca->alpha = ALPHA_RENO;
	ca->beta = BETA_RENO;
	ca->low_rounds = 0;
	ca->delay_rose = false;
	start_round(tcp_sk(sk), ca);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(illinois_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops illinois = {
	.init       = (void *)illinois_init,
	.ssthresh   = (void *)illinois_ssthresh,
	.cong_avoid = (void *)illinois_cong_avoid,
	.set_state  = (void *)illinois_set_state,
	.pkts_acked = (void *)illinois_pkts_acked,
	.undo_cwnd  = (void *)illinois_undo_cwnd,
	.name       = "fl_illinois",
};
