// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * cubic: grows with the cube of the time since the last loss, fast far from the old window, slowly near it
 *
 *	W(t) = C (t - K)^3 + W_max       C = 0.4, t in seconds since the epoch began
 *	K    = cbrt((W_max - cwnd) / C)  the time at which W(t) is back at W_max
 *	cwnd moves toward W(t + RTT), at no more than half the rate at which packets are delivered,
 *	and at least as fast as a Reno flow with the same decrease factor would
 *	after a loss: W_max = cwnd, ssthresh = 0.7 cwnd; below the last W_max: W_max = 0.85 cwnd
 *
 *	   slow start --ssthresh, HyStart or loss--> concave (t < K) --> convex (t > K)
 *	        ^                                       ^-------loss--------'
 *	        '-------------time-out------------------'
 *
 * HyStart leaves slow start before the first loss, when the ACKs of one round arrive in an unbroken
 * train as long as the path's delay, or when the delay of a round's first packets has risen by 1/8.
 *
 * Source: RFC 9438 (section numbers below); HyStart: Ha and Rhee, "Taming the elephants: New TCP
 * slow start", Computer Networks 55 (2011).
 *
 * Deviations, as in Linux:
 * 1. C is 41 * 10 / 1024 = 0.4004 and the decrease factor 717 / 1024 = 0.7002.
 * 2. The target is renewed once per jiffy at most, and every 1/32 s if the window stays the same.
 * 3. The Reno-like window (section 4.3) counts packets acknowledged and steps in whole packets; its
 *    additive increase stays below 1 even after it has passed W_max.
 * 4. W_max counts the whole window, not the data in flight; an epoch begins at the first ACK
 *    after the reduction and is moved by the length of an idle period.
 * 5. The ACK train must span the whole path delay, plus a millisecond at most for segmentation
 *    offload, when the flow is paced, half of it when it is not.
 * 6. HyStart sets ssthresh to cwnd; there is no conservative slow start (RFC 9406).
 *
 * Statements that RFC 9743 asks for:
 *
 * 5.3.1: The window is reduced to 0.7 of itself, not to half, and grows with time. On short or slow paths
 * it follows a window that is fair to Reno, as RFC 2914 section 3.2 asks; on long and fast ones, which Reno
 * cannot fill, it takes more (RFC 9438 sections 4.3, 5.1 and 5.2). Packets are counted, so the loss of a
 * small one weighs as much as that of a full one; RFC 7141 section 2.3 recommends to weigh bytes.
 *
 * 5.3.2: It changes the sender alone, and works with any receiver, router and middlebox that carries TCP.
 * It has been the default of Linux since 2006, and of Windows and Apple's systems (RFC 9438 section 1).
 *
 * 8: Those of Reno (RFC 5681 section 5): by dropping or inventing ACKs an attacker can make it too slow or
 * too fast (RFC 9438 section 6).
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* beta: 1/1024, share of the window that stays after a loss, RFC 9438 section 4.6 (0.7) */
const volatile __u32 beta = 717;
/* cubic_scale: 1/1024 per 0.1 s^3, the constant C, RFC 9438 section 5 (0.4) */
const volatile __u32 cubic_scale = 41;
/* fast_convergence: 0 or 1, leave room for new flows, RFC 9438 section 4.7 */
const volatile bool fast_convergence = 1;
/* reno_friendly: 0 or 1, never slower than Reno, RFC 9438 section 4.3 */
const volatile bool reno_friendly = 1;
/* initial_ssthresh: packets, slow start threshold of a new connection without HyStart (0: none), Linux */
const volatile __u32 initial_ssthresh = 0;
/* hystart: 0 or 1, leave slow start before loss, Ha and Rhee 2011 */
const volatile bool hystart = 1;
/* hystart_detect: bits, 1 ACK train and 2 delay increase, Linux */
const volatile __u32 hystart_detect = 3;
/* hystart_low_window: packets, smallest window at which HyStart looks, Ha and Rhee 2011 */
const volatile __u32 hystart_low_window = 16;
/* hystart_ack_delta_us: us, longest gap between two ACKs of one train, Ha and Rhee 2011 */
const volatile __u32 hystart_ack_delta_us = 2000;

#define ONE 1024U             /* unit of beta and cubic_scale */
#define TIME_SHIFT 10         /* time on the cubic curve counts in 1/1024 s */
#define DETECT_TRAIN 1
#define DETECT_DELAY 2
#define DELAY_SAMPLES 8       /* packets at the start of a round whose delay counts */
#define DELAY_RISE_MIN_US 4000U
#define DELAY_RISE_MAX_US 16000U
#define TRAIN_OFFLOAD_MAX_US 1000U

struct cubic {
	__u32 count;                /* packets to deliver for one packet of growth */
	__u32 w_max;                /* packets, window before the last reduction; 0: none yet */
	__u32 last_cwnd;            /* packets, window when count was last computed */
	__u32 last_time;            /* jiffies, when that was */
	__u32 origin;               /* packets, plateau of the curve */
	__u32 k;                    /* 1/1024 s, from the start of the epoch to the plateau */
	__u32 delay_min_us;         /* shortest RTT seen; 0: none yet */
	__u32 epoch_start;          /* jiffies; 0: the next ACK begins an epoch */
	__u32 reno_acked;           /* packets delivered that reno_cwnd has not counted yet */
	__u32 reno_cwnd;            /* packets, window of a Reno flow since the epoch began */
	__u32 round_start_us;       /* HyStart: when the round began */
	__u32 round_end_seq;        /*   the round ends when this is acknowledged */
	__u32 last_train_us;        /*   last ACK of the train */
	__u32 round_delay_us;       /*   smallest RTT of the round */
	__u8 round_samples;         /*   RTT samples in it, up to DELAY_SAMPLES */
	__u8 slow_start_left;       /*   HyStart exited slow start */
};
STATE_FITS(struct cubic);

static __always_inline void reset(struct cubic *ca)
{
	__builtin_memset(ca, 0, __builtin_offsetof(struct cubic, round_start_us));
	ca->slow_start_left = 0;
}

static __always_inline void start_round(const struct tcp_sock *tp, struct cubic *ca)
{
	ca->round_start_us = ca->last_train_us = (__u32)tp->tcp_mstamp;
	ca->round_end_seq = tp->snd_nxt;
	ca->round_delay_us = ~0U;
	ca->round_samples = 0;
}

SEC("struct_ops/init")
void BPF_PROG(cubic_init, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct cubic *ca = inet_csk_ca(sk);

	reset(ca);
	if (hystart)
		start_round(tp, ca);
	else if (initial_ssthresh)
		tp->snd_ssthresh = initial_ssthresh;
}

/* Largest x with x^3 <= a, for 0 < a < 2^63: Newton's method, downward from above the largest root. */
static __always_inline __u32 cube_root(__u64 a)
{
	__u64 root = 1 << 21;
	int i;

	/* Far from the root a step takes a third off, near it the error is squared. */
	for (i = 0; i < 48; i++) {
		__u64 next = (2 * root + a / (root * root)) / 3;

		if (next >= root)
			break;
		root = next;
	}
	return root;
}

/* RFC 9438 section 4.2: a new epoch starts where the window is now. */
static __always_inline void start_epoch(struct cubic *ca, __u32 cwnd, __u32 acked, __u32 now)
{
	ca->epoch_start = now;
	ca->reno_acked = acked;
	ca->reno_cwnd = cwnd;

	if (cwnd < ca->w_max) {
		__u64 inverse_c = (1ULL << (10 + 3 * TIME_SHIFT)) / (cubic_scale * 10);

		ca->k = cube_root(inverse_c * (ca->w_max - cwnd));
		ca->origin = ca->w_max;
	} else {
		ca->k = 0;
		ca->origin = cwnd;
	}
}

/* Where the curve will be one RTT from now. */
static __always_inline __u32 curve(const struct cubic *ca, __u32 now)
{
	__u64 t = (__u64)(now - ca->epoch_start) + usecs_to_jiffies(ca->delay_min_us);
	__u64 distance;
	__u32 rise;

	t = (t << TIME_SHIFT) / HZ;
	distance = t < ca->k ? ca->k - t : t - ca->k;
	rise = ((__u64)(cubic_scale * 10) * distance * distance * distance) >> (10 + 3 * TIME_SHIFT);
	return t < ca->k ? ca->origin - rise : ca->origin + rise;
}

/* RFC 9438 section 4.3: with its mild decrease a Reno flow may add only 3 (1 - beta) / (1 + beta)
 * packets per round trip to be fair to real Reno. */
static __always_inline void follow_reno(struct cubic *ca, __u32 cwnd)
{
	__u32 scale = 8 * (ONE + beta) / 3 / (ONE - beta);
	__u32 per_packet = (cwnd * scale) >> 3;

	/* The counter may equal the packets per packet of growth, but not exceed them. */
	if (per_packet && ca->reno_acked > per_packet) {
		__u32 grow = (ca->reno_acked - 1) / per_packet;

		ca->reno_acked -= grow * per_packet;
		ca->reno_cwnd += grow;
	}
	if (ca->reno_cwnd > cwnd)
		ca->count = min(ca->count, cwnd / (ca->reno_cwnd - cwnd));
}

static __always_inline void update(struct cubic *ca, __u32 cwnd, __u32 acked)
{
	__u32 now = tcp_jiffies32;

	ca->reno_acked += acked;
	if (ca->last_cwnd == cwnd && (__s32)(now - ca->last_time) <= (__s32)(HZ / 32))
		return;

	/* The clock of the curve ticks in jiffies. */
	if (!ca->epoch_start || now != ca->last_time) {
		__u32 target;

		ca->last_cwnd = cwnd;
		ca->last_time = now;
		if (!ca->epoch_start)
			start_epoch(ca, cwnd, acked, now);

		target = curve(ca, now);
		ca->count = target > cwnd ? cwnd / (target - cwnd) : 100 * cwnd;
		/* Without a W_max the path is unknown: at least 5 % per round trip. */
		if (!ca->w_max)
			ca->count = min(ca->count, 20U);
	}

	if (reno_friendly)
		follow_reno(ca, cwnd);
	/* RFC 9438 section 4.2: the target is at most 1.5 times the window. */
	ca->count = max(ca->count, 2U);
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(cubic_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct cubic *ca = inet_csk_ca(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	update(ca, tp->snd_cwnd, acked);
	tcp_cong_avoid_ai(tp, ca->count, acked);
}

/* RFC 9438 sections 4.6 and 4.7. */
SEC("struct_ops/ssthresh")
__u32 BPF_PROG(cubic_ssthresh, struct sock *sk)
{
	struct cubic *ca = inet_csk_ca(sk);
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	ca->epoch_start = 0;
	if (fast_convergence && cwnd < ca->w_max)
		ca->w_max = cwnd * (ONE + beta) / (2 * ONE);
	else
		ca->w_max = cwnd;
	return max(cwnd * beta / ONE, 2U);
}

SEC("struct_ops/set_state")
void BPF_PROG(cubic_set_state, struct sock *sk, __u8 new_state)
{
	struct cubic *ca = inet_csk_ca(sk);

	if (new_state == TCP_CA_Loss) {
		reset(ca);
		start_round(tcp_sk(sk), ca);
	}
}

SEC("struct_ops/cwnd_event")
void CWND_EVENT(cubic_cwnd_event, sk, event)
{
	struct cubic *ca = inet_csk_ca(sk);
	__u32 now;
	__s32 idle;

	if (event != CA_EVENT_TX_START)
		return;

	/* RFC 9438 section 5.8: idle time does not count on the curve. */
	now = tcp_jiffies32;
	idle = now - tcp_sk(sk)->lsndtime;
	if (ca->epoch_start && idle > 0) {
		ca->epoch_start += idle;
		if (after(ca->epoch_start, now))
			ca->epoch_start = now;
	}
}

/* The time by which bursts of offload lengthen a train: four of the largest bursts at the pacing rate. */
static __always_inline __u32 offload_delay_us(const struct sock *sk)
{
	__u64 rate = sk->sk_pacing_rate;

	if (!rate)
		return 0;
	return min((__u64)sk->sk_gso_max_size * 4 * USEC_PER_SEC / rate, (__u64)TRAIN_OFFLOAD_MAX_US);
}

static __always_inline bool train_is_long(const struct sock *sk, struct cubic *ca)
{
	__u32 now_us = (__u32)tcp_sk(sk)->tcp_mstamp;
	__u32 limit_us;

	if ((__s32)(now_us - ca->last_train_us) > (__s32)hystart_ack_delta_us)
		return false;
	ca->last_train_us = now_us;

	/* Pacing spreads a slow start window over half of the round trip. */
	limit_us = ca->delay_min_us + offload_delay_us(sk);
	if (sk->sk_pacing_status == SK_PACING_NONE)
		limit_us /= 2;
	return (__s32)(now_us - ca->round_start_us) > (__s32)limit_us;
}

static __always_inline bool delay_has_risen(struct cubic *ca, __u32 delay_us)
{
	__u32 rise_us = ca->delay_min_us / 8;

	ca->round_delay_us = min(ca->round_delay_us, delay_us);
	if (ca->round_samples < DELAY_SAMPLES) {
		ca->round_samples++;
		return false;
	}
	rise_us = max(rise_us, DELAY_RISE_MIN_US);
	rise_us = min(rise_us, DELAY_RISE_MAX_US);
	return ca->round_delay_us > ca->delay_min_us + rise_us;
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(cubic_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct cubic *ca = inet_csk_ca(sk);
	bool leave = false;
	__u32 delay_us;

	if (sample->rtt_us < 0)
		return;
	/* The first second after a loss still shows the queue that caused it. */
	if (ca->epoch_start && (__s32)(tcp_jiffies32 - ca->epoch_start) < (__s32)HZ)
		return;

	delay_us = sample->rtt_us ? sample->rtt_us : 1;
	if (!ca->delay_min_us || delay_us < ca->delay_min_us)
		ca->delay_min_us = delay_us;

	if (!hystart || ca->slow_start_left || !tcp_in_slow_start(tp))
		return;

	/* Rounds are counted in small windows too, so that the first one looked at begins where a flight does. */
	if (after(tp->snd_una, ca->round_end_seq))
		start_round(tp, ca);
	if (tp->snd_cwnd < hystart_low_window)
		return;
	if (hystart_detect & DETECT_TRAIN)
		leave |= train_is_long(sk, ca);
	if (hystart_detect & DETECT_DELAY)
		leave |= delay_has_risen(ca, delay_us);
	if (leave) {
		ca->slow_start_left = 1;
		tp->snd_ssthresh = tp->snd_cwnd;
	}
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(cubic_undo_cwnd, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

SEC(".struct_ops")
struct tcp_congestion_ops cubic = {
	.init                = (void *)cubic_init,
	.ssthresh            = (void *)cubic_ssthresh,
	.cong_avoid          = (void *)cubic_cong_avoid,
	.set_state           = (void *)cubic_set_state,
	.cwnd_event          = (void *)cubic_cwnd_event,
	.cwnd_event_tx_start = (void *)cubic_cwnd_event_tx_start,
	.pkts_acked          = (void *)cubic_pkts_acked,
	.undo_cwnd           = (void *)cubic_undo_cwnd,
	.name                = "fl_cubic",
};
