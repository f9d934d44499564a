// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * htcp: the longer since the last loss, the faster it grows; decreases by the queue's share of the window
 *
 *	D = time since the last loss in s, beyond the first second (during which f = 1)
 *	f(D)  = 1 + 10 D + (D / 2)^2,   scaled by RTT / 100 ms
 *	alpha = 2 (1 - beta) f(D)        packets per round trip
 *	beta  = RTT_min / RTT_max        in 0.5 ... 0.8;  0.5 when the rate changed by more than 20 %
 *	after a loss: ssthresh = beta cwnd
 *
 *	   slow start --loss--> Reno-like (first second) --> polynomial growth
 *	        ^                   ^-----------loss------------'
 *	        '-----time-out------'
 *
 * Source: Leith and Shorten, "H-TCP: TCP Congestion Control for High Bandwidth-Delay Product Paths",
 * draft-leith-tcp-htcp-06 (2008); "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004.
 *
 * Deviations from the draft, as in Linux:
 * 1. All times, also RTTs, are in jiffies, rounded up: a path's 41 ms are 50 ms at HZ = 100.
 * 2. RTT scaling is on, between 0.5 and 10 times the growth of a 100 ms path.
 * 3. RTT_max rises by 20 ms per ACK at most, and 5 % of its distance to RTT_min fade at each loss.
 * 4. After a change of rate the second loss, not the first, may use a beta other than 0.5; so may
 *    only paths of more than 10 ms.
 * 5. Rates are measured over a window of data and averaged with weight 1/4 from the fourth RTT after a
 *    loss on.
 * 6. The polynomial is recomputed when the window has grown, and so lags by one packet.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* rtt_scaling: 0 or 1, growth in time independent of the RTT, draft */
const volatile bool rtt_scaling = 1;
/* bandwidth_switch: 0 or 1, beta = 0.5 when the rate has changed by a fifth, draft */
const volatile bool bandwidth_switch = 1;
/* beta_min: 1/128, smallest share that stays after a loss, draft (0.5) */
const volatile __u32 beta_min = 64;
/* beta_max: 1/128, largest share that stays after a loss, draft (0.8) */
const volatile __u32 beta_max = 102;

#define SHIFT 7                   /* alpha and beta count in 1/128 */
#define ONE (1U << SHIFT)
#define SCALE_SHIFT 3             /* the RTT's scale counts in 1/8 */
#define SCALE_MIN 4U              /* 0.5 */
#define SCALE_MAX 80U             /* 10 */
#define MAX_RTT_RISE_MS 20
#define ADAPTIVE_MIN_RTT_MS 10
#define MAX_RTT_KEPT_PERCENT 95

struct htcp {
	__u32 alpha;                  /* 1/128 packets of growth per window */
	__u32 beta;                   /* 1/128, share of the window that stays */
	__u32 acked;                  /* packets that the latest ACK covered */
	__u32 min_rtt, max_rtt;       /* jiffies; 0: none yet */
	__u32 last_loss;              /* jiffies */
	__u32 counted_packets;        /* rate: acknowledged since */
	__u32 counting_since;         /*   then (jiffies) */
	__u32 rate;                   /*   packets per second, averaged */
	__u32 min_rate, max_rate;     /*   extremes since the last loss */
	__u32 prior_max_rate;         /*   largest before it */
	__u32 undo_last_loss;         /* what the last reduction overwrote; 0: nothing to undo */
	__u32 undo_max_rtt;
	__u32 undo_prior_max_rate;
	bool adaptive;                /* the rate has been steady over one loss */
};
STATE_FITS(struct htcp);

SEC("struct_ops/init")
void BPF_PROG(htcp_init, struct sock *sk)
{
	struct htcp *ca = inet_csk_ca(sk);

	__builtin_memset(ca, 0, sizeof(*ca));
	ca->alpha = ONE;
	ca->beta = beta_min;
	ca->acked = 1;
	ca->last_loss = tcp_jiffies32;
}

/* ---- measuring ---- */

static __always_inline void measure_rtt(const struct sock *sk, struct htcp *ca, __u32 rtt)
{
	if (!ca->min_rtt || rtt < ca->min_rtt)
		ca->min_rtt = rtt;
	if (ca_state(sk) != TCP_CA_Open)
		return;

	ca->max_rtt = max(ca->max_rtt, ca->min_rtt);
	if (rtt > ca->max_rtt && rtt <= ca->max_rtt + msecs_to_jiffies(MAX_RTT_RISE_MS))
		ca->max_rtt = rtt;
}

static __always_inline void measure_rate(const struct sock *sk, struct htcp *ca, __u32 acked)
{
	__u32 now = tcp_jiffies32, state = ca_state(sk), growth = ca->alpha >> SHIFT;
	__u32 rate, elapsed;

	/* Rates in recovery do not show the capacity of the path. */
	if (state != TCP_CA_Open && state != TCP_CA_Disorder) {
		ca->counted_packets = 0;
		ca->counting_since = now;
		return;
	}

	ca->counted_packets += acked;
	elapsed = now - ca->counting_since;
	growth = max(growth, 1U);
	if (!ca->min_rtt || elapsed < ca->min_rtt || ca->counted_packets < tcp_sk(sk)->snd_cwnd - growth)
		return;

	rate = ca->counted_packets * HZ / elapsed;
	if ((now - ca->last_loss) / ca->min_rtt <= 3) {
		ca->rate = ca->min_rate = ca->max_rate = rate;
	} else {
		ca->rate = (3 * ca->rate + rate) / 4;
		ca->max_rate = max(ca->max_rate, ca->rate);
		ca->min_rate = min(ca->min_rate, ca->max_rate);
	}
	ca->counted_packets = 0;
	ca->counting_since = now;
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(htcp_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct htcp *ca = inet_csk_ca(sk);

	if (ca_state(sk) == TCP_CA_Open)
		ca->acked = sample->pkts_acked;
	if (sample->rtt_us > 0)
		measure_rtt(sk, ca, usecs_to_jiffies(sample->rtt_us));
	if (bandwidth_switch)
		measure_rate(sk, ca, sample->pkts_acked);
}

/* ---- the two parameters ---- */

/* How much faster than Reno: 1 for a second, then the polynomial of the time since. */
static __always_inline __u32 growth_factor(const struct htcp *ca)
{
	__u32 since = tcp_jiffies32 - ca->last_loss;
	__u32 factor = 1, scale;

	if (since > HZ) {
		__u32 half;

		since -= HZ;
		half = since / 2;
		factor += (10 * since + half * half / HZ) / HZ;
	}
	if (!rtt_scaling || !ca->min_rtt)
		return factor;

	/* 100 ms over the RTT, so that windows grow the same in time. */
	scale = (HZ << SCALE_SHIFT) / (10 * ca->min_rtt);
	scale = max(scale, SCALE_MIN);
	scale = min(scale, SCALE_MAX);
	factor = (factor << SCALE_SHIFT) / scale;
	return max(factor, 1U);
}

static __always_inline void update_alpha(struct htcp *ca)
{
	__u32 alpha = 2 * growth_factor(ca) * (ONE - ca->beta);

	ca->alpha = alpha ? alpha : ONE;
}

/* Is the rate at this loss within a fifth of the rate at the one before? */
static __always_inline bool rate_is_steady(struct htcp *ca)
{
	__u32 now = ca->max_rate, then = ca->prior_max_rate;

	ca->prior_max_rate = now;
	return 5 * now >= 4 * then && 5 * now <= 6 * then;
}

static __always_inline void update_beta(struct htcp *ca)
{
	ca->beta = beta_min;
	if (bandwidth_switch && !rate_is_steady(ca)) {
		ca->adaptive = false;
	} else if (!ca->adaptive) {
		ca->adaptive = true;
	} else if (ca->min_rtt > msecs_to_jiffies(ADAPTIVE_MIN_RTT_MS) && ca->max_rtt) {
		/* The share of the window that the path holds without a queue: RTT_min / RTT_max. */
		__u32 beta = (ca->min_rtt << SHIFT) / ca->max_rtt;

		beta = max(beta, beta_min);
		ca->beta = min(beta, beta_max);
	}
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(htcp_ssthresh, struct sock *sk)
{
	struct htcp *ca = inet_csk_ca(sk);

	update_beta(ca);
	update_alpha(ca);
	/* The longest RTT is forgotten slowly: the queue may have shrunk. */
	if (ca->min_rtt && ca->max_rtt > ca->min_rtt)
		ca->max_rtt = ca->min_rtt + (ca->max_rtt - ca->min_rtt) * MAX_RTT_KEPT_PERCENT / 100;
	return max(tcp_sk(sk)->snd_cwnd * ca->beta >> SHIFT, 2U);
}

/* ---- the window ---- */

SEC("struct_ops/cong_avoid")
void BPF_PROG(htcp_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct htcp *ca = inet_csk_ca(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp)) {
		tcp_slow_start(tp, acked);
	} else if (tp->snd_cwnd_cnt * ca->alpha >> SHIFT >= tp->snd_cwnd) {
		if (tp->snd_cwnd < tp->snd_cwnd_clamp)
			tp->snd_cwnd++;
		tp->snd_cwnd_cnt = 0;
		update_alpha(ca);
	} else {
		tp->snd_cwnd_cnt += ca->acked;
		ca->acked = 1;
	}
}

SEC("struct_ops/set_state")
void BPF_PROG(htcp_set_state, struct sock *sk, __u8 new_state)
{
	struct htcp *ca = inet_csk_ca(sk);

	if (new_state == TCP_CA_Open) {
		/* The clock runs from the end of recovery. */
		if (ca->undo_last_loss) {
			ca->last_loss = tcp_jiffies32;
			ca->undo_last_loss = 0;
		}
	} else if (new_state != TCP_CA_Disorder) {
		ca->undo_last_loss = ca->last_loss;
		ca->undo_max_rtt = ca->max_rtt;
		ca->undo_prior_max_rate = ca->prior_max_rate;
		ca->last_loss = tcp_jiffies32;
	}
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(htcp_undo_cwnd, struct sock *sk)
{
	struct htcp *ca = inet_csk_ca(sk);

	if (ca->undo_last_loss) {
		ca->last_loss = ca->undo_last_loss;
		ca->max_rtt = ca->undo_max_rtt;
		ca->prior_max_rate = ca->undo_prior_max_rate;
		ca->undo_last_loss = 0;
	}
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops htcp = {
	.init       = (void *)htcp_init,
	.ssthresh   = (void *)htcp_ssthresh,
	.cong_avoid = (void *)htcp_cong_avoid,
	.set_state  = (void *)htcp_set_state,
	.pkts_acked = (void *)htcp_pkts_acked,
	.undo_cwnd  = (void *)htcp_undo_cwnd,
	.name       = "fl_htcp",
};
