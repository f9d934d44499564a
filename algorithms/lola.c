// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * lola: keeps a standing queue between 1 and 5 ms, in which each flow has the same amount of data
 *
 *	Q       = RTT_now - RTT_min,   RTT_now = min(RTT) of the last t_measure     queueing delay
 *	Q_data  = cwnd * Q / RTT_now                                               the flow's own part of the queue
 *	X(t)    = (t / phi)^3 bytes, t in ms since balancing began                  what each flow should have there
 *	balancing: cwnd += X(t) - Q_data, if that is positive
 *	decrease:  cwnd = (cwnd - Q_data) * gamma; then W(t) = C (t - K)^3 + old cwnd, with W(0) = cwnd
 *
 *	slow start --Q > 2 Q_low--> fair flow balancing --Q > Q_target--> hold for t_sync --> tailored decrease
 *	     ^                            ^--------Q > Q_low-------- cubic increase <--------------'
 *	     '-----time-out-----                                           ^--loss: cwnd = beta cwnd
 *
 * All flows at a bottleneck see the same queueing delay, so they enter and leave balancing together, and a
 * flow with less than X(t) in the queue gains while the others wait.
 *
 * Source: Hock, Neumeister, Zitterbart, Bless, "TCP LoLa: Congestion Control for Low Latencies and High
 * Throughput", IEEE LCN 2017, pp. 215-218. The values are those with which a public ns-3 model follows the
 * paper (github.com/joe019/Implementation-of-TCP-LoLa-in-ns-3): C, phi, gamma, Q_low, Q_target, t_measure, t_sync,
 * 100 decreases, slow start up to 2 Q_low. The authors' own Linux module, version 1.5, has the same Q_target, t_sync,
 * t_measure and C, and differs in Q_low (0.5 ms), gamma (927/1024) and decreases (10).
 *
 * Choices where the paper is silent:
 * 1. cwnd is raised once per round trip and not before RTT_now shows the last raise, that is after t_measure
 *    at least. A step each round trip would add the same difference again and again on short paths.
 *    The raise is spread over the packets of a window.
 * 2. In slow start RTT_now is the minimum of one round trip: t_measure would see the queue several
 *    doublings too late. It takes 8 samples, as HyStart does.
 * 3. After the decrease no new balancing begins before RTT_now consists of packets sent since, a round trip
 *    and t_measure. Otherwise the old queue would look like a new one and reduce the window twice.
 *    wait_after_decrease = 0 does that; then the mean RTT on a path of 1 ms and 100 Mbit/s is 2.2 ms,
 *    with the wait 3.6 ms, and Turkovic et al. (2019) measured 2.7 ms.
 * 4. After a loss the window is reduced as CUBIC's (beta), and a timeout leads to slow start.
 * 5. RTT_min is measured anew after 100 tailored decreases without an RTT_now below RTT_min + Q_low.
 * 6. Packets are paced by TCP (at most 1.2 times the window per round trip), as bursts are queues.
 */
#include "congestion_control.h"
#include "windowed_max.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* q_low_us: us, queueing delay that shows a full link, ns-3 model (1 ms) */
const volatile __u32 q_low_us = 1000;
/* q_target_us: us, queueing delay at which the window is reduced, ns-3 model and the authors' module (5 ms) */
const volatile __u32 q_target_us = 5000;
/* phi: ms per cube root of a byte, slope of what each flow should have queued, ns-3 model (35) */
const volatile __u32 phi = 35;
/* gamma: 1/1024, what stays of the window without its queue, ns-3 model (0.95) */
const volatile __u32 gamma = 973;
/* t_sync_us: us, how long the window is held before a reduction, ns-3 model and the authors' module (250 ms) */
const volatile __u32 t_sync_us = 250000;
/* t_measure_us: us, over which the smallest RTT is the present one, the authors' module (40 ms) */
const volatile __u32 t_measure_us = 40000;
/* cubic_scale: 1/1024 per 0.1 s^3, the constant C, ns-3 model and the authors' module (0.4) */
const volatile __u32 cubic_scale = 41;
/* beta: 1/1024, share of the window that stays after a loss, RFC 9438 section 4.6 (0.7) */
const volatile __u32 beta = 717;
/* decreases_until_reset: tailored decreases without an empty queue after which RTT_min is void, ns-3 model (100) */
const volatile __u32 decreases_until_reset = 100;
/* wait_after_decrease: 0 or 1, balance again only when RTT_now is of after the decrease, own choice */
const volatile bool wait_after_decrease = 1;
/* paced: 0 or 1, let TCP pace, own choice */
const volatile bool paced = 1;

#define ONE 1024U                      /* unit of beta, gamma and cubic_scale */
#define TIME_SHIFT 10                  /* time on the cubic curve counts in 1/1024 s */
#define ROUND_SAMPLES 8                /* RTTs that slow start looks at in a round trip */
#define CURVE_MAX_S 1000U              /* beyond, the cube no longer fits */

enum phase { CUBIC_INCREASE, BALANCING, HOLD };

struct lola {
	struct windowed_max complement;/* of the RTT, ~rtt_us: its maximum is the smallest RTT of t_measure */
	__u32 rtt_min_us;
	__u32 phase_start_us;          /* when balancing or hold began */
	__u32 reduced_us;              /* when the window was last reduced */
	__u32 adjusted_us;             /* when balancing last raised the window */
	__u32 cwnd_max;                /* packets, window before that; 0: not reduced yet */
	__u32 k;                       /* 1/1024 s, from the reduction until the curve is at cwnd_max */
	__u32 raise_per;               /* packets to deliver for one packet of growth in balancing; 0: no growth */
	__u32 round_end_seq;
	__u32 round_rtt_us;            /* smallest RTT of this round trip */
	__u8 round_samples;
	__u8 phase;
	__u8 decreases;                /* without an empty queue since */
};
STATE_FITS(struct lola);

static __always_inline __u32 now_us(const struct sock *sk)
{
	return tcp_sk(sk)->tcp_mstamp;
}

static __always_inline __u32 rtt_now_us(const struct lola *lola)
{
	return ~lola->complement.best.value;
}

static __always_inline __u32 queueing_us(__u32 rtt_us, const struct lola *lola)
{
	return rtt_us > lola->rtt_min_us ? rtt_us - lola->rtt_min_us : 0;
}

static __always_inline void start_round(const struct tcp_sock *tp, struct lola *lola)
{
	lola->round_end_seq = tp->snd_nxt;
	lola->round_rtt_us = ~0U;
	lola->round_samples = 0;
}

static __always_inline void enter(const struct sock *sk, struct lola *lola, enum phase phase)
{
	lola->phase = phase;
	lola->phase_start_us = now_us(sk);
	lola->adjusted_us = now_us(sk);
	lola->raise_per = 0;
}

/* Largest x with x^3 <= a, for a < 2^63: Newton's method, downward from above the largest root. */
static __always_inline __u32 cube_root(__u64 a)
{
	__u64 root = 1 << 21;
	int i;

	if (!a)
		return 0;
	for (i = 0; i < 48; i++) {
		__u64 next = (2 * root + a / (root * root)) / 3;

		if (next >= root)
			break;
		root = next;
	}
	return root;
}

/* The curve that starts at `cwnd` now and has its plateau at the window before. */
static __always_inline void start_curve(const struct sock *sk, struct lola *lola, __u32 before, __u32 cwnd)
{
	__u64 inverse_c = (1ULL << (10 + 3 * TIME_SHIFT)) / max(cubic_scale * 10, 1U);
	__u32 drop = before > cwnd ? before - cwnd : 0;

	lola->cwnd_max = before;
	lola->k = cube_root(inverse_c * min(drop, 1U << 20));
	lola->reduced_us = now_us(sk);
	enter(sk, lola, CUBIC_INCREASE);
}

/* Where the curve is one round trip from now. */
static __always_inline __u32 curve(const struct sock *sk, const struct lola *lola)
{
	__u64 t = now_us(sk) - lola->reduced_us + (tcp_sk(sk)->srtt_us >> 3);
	__u64 distance;
	__u32 rise;

	t = (t << TIME_SHIFT) / USEC_PER_SEC;
	t = min(t, (__u64)(CURVE_MAX_S << TIME_SHIFT));
	distance = t < lola->k ? lola->k - t : t - lola->k;
	distance = min(distance, (__u64)(CURVE_MAX_S << TIME_SHIFT));
	rise = ((cubic_scale * 10) * ((distance * distance * distance) >> TIME_SHIFT)) >> (10 + 2 * TIME_SHIFT);
	if (t < lola->k)
		return rise < lola->cwnd_max ? lola->cwnd_max - rise : 0;
	return lola->cwnd_max + rise;
}

static __always_inline void increase(struct sock *sk, struct lola *lola, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 target = curve(sk, lola);

	/* At most by half in a round trip, as CUBIC. */
	if (target > tp->snd_cwnd)
		tcp_cong_avoid_ai(tp, max(tp->snd_cwnd / (target - tp->snd_cwnd), 2U), acked);
}

/* Balancing: by how much the window is to grow within the next round trip. */
static __always_inline void balance(struct sock *sk, struct lola *lola)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 rtt_us = max(rtt_now_us(lola), 1U);
	__u64 window = (__u64)tp->snd_cwnd * tp->mss_cache;
	__u64 own = window * queueing_us(rtt_us, lola) / rtt_us;
	__u64 t = (now_us(sk) - lola->phase_start_us) / USEC_PER_MSEC;
	__u64 wanted;

	t = min(t, 1000000ULL);
	wanted = t * t * t / ((__u64)phi * phi * phi);
	lola->raise_per = 0;
	if (wanted > own)
		lola->raise_per = max(window / (wanted - own), 1ULL);
	lola->adjusted_us = now_us(sk);
}

/* Reduces the window by the flow's data in the queue, and a little more. */
static __always_inline void reduce(struct sock *sk, struct lola *lola)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 before = tp->snd_cwnd, rtt_us = max(rtt_now_us(lola), 1U);
	__u32 cwnd = (__u64)before * min(lola->rtt_min_us, rtt_us) / rtt_us * gamma / ONE;

	tp->snd_cwnd = max(cwnd, 2U);
	tp->snd_ssthresh = tp->snd_cwnd;
	start_curve(sk, lola, before, tp->snd_cwnd);
	if (++lola->decreases >= decreases_until_reset) {
		lola->decreases = 0;
		lola->rtt_min_us = ~0U;
	}
}

static __always_inline void congestion_avoidance(struct sock *sk, struct lola *lola, __u32 acked)
{
	__u32 queueing = queueing_us(rtt_now_us(lola), lola);
	__u32 in_phase_us = now_us(sk) - lola->phase_start_us;
	__u32 rtt_us = tcp_sk(sk)->srtt_us >> 3;

	/* Earlier samples are of packets sent before the reduction. */
	if (lola->phase == CUBIC_INCREASE && queueing > q_low_us &&
	    (!wait_after_decrease || in_phase_us >= rtt_us + t_measure_us))
		enter(sk, lola, BALANCING);
	else if (lola->phase == BALANCING && queueing > q_target_us)
		enter(sk, lola, HOLD);
	else if (lola->phase == HOLD && in_phase_us >= t_sync_us)
		reduce(sk, lola);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (lola->phase == CUBIC_INCREASE) {
		increase(sk, lola, acked);
	} else if (lola->phase == BALANCING) {
		if (now_us(sk) - lola->adjusted_us >= rtt_us + t_measure_us)
			balance(sk, lola);
		else if (now_us(sk) - lola->adjusted_us >= rtt_us)
			lola->raise_per = 0;
		if (lola->raise_per)
			tcp_cong_avoid_ai(tcp_sk(sk), lola->raise_per, acked);
	}
}

SEC("struct_ops/init")
void BPF_PROG(lola_init, struct sock *sk)
{
	struct lola *lola = inet_csk_ca(sk);

	__builtin_memset(lola, 0, sizeof(*lola));
	lola->rtt_min_us = ~0U;
	start_round(tcp_sk(sk), lola);
	if (paced && MAY_WRITE_PACING && sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(lola_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct lola *lola = inet_csk_ca(sk);
	struct windowed_sample measured;

	if (sample->rtt_us < 0)
		return;
	measured.time = now_us(sk);
	measured.value = ~max((__u32)sample->rtt_us, 1U);
	windowed_max_add(&lola->complement, t_measure_us, measured);
	lola->rtt_min_us = min(lola->rtt_min_us, ~measured.value);
	if (queueing_us(~measured.value, lola) <= q_low_us)
		lola->decreases = 0;

	if (!tcp_in_slow_start(tp))
		return;
	if (after(tp->snd_una, lola->round_end_seq))
		start_round(tp, lola);
	lola->round_rtt_us = min(lola->round_rtt_us, ~measured.value);
	if (lola->round_samples < ROUND_SAMPLES)
		lola->round_samples++;
	else if (queueing_us(lola->round_rtt_us, lola) > 2 * q_low_us)
		tp->snd_ssthresh = tp->snd_cwnd;
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(lola_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct lola *lola = inet_csk_ca(sk);

	if (tcp_in_slow_start(tp)) {
		if (!tcp_is_cwnd_limited(sk))
			return;
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	/* Slow start ended by delay: the queue is there already. */
	if (!lola->cwnd_max) {
		lola->cwnd_max = tp->snd_cwnd;
		enter(sk, lola, BALANCING);
	}
	congestion_avoidance(sk, lola, acked);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(lola_ssthresh, struct sock *sk)
{
	struct lola *lola = inet_csk_ca(sk);
	__u32 before = tcp_sk(sk)->snd_cwnd;
	__u32 cwnd = max(before * beta / ONE, 2U);

	start_curve(sk, lola, before, cwnd);
	return cwnd;
}

SEC("struct_ops/set_state")
void BPF_PROG(lola_set_state, struct sock *sk, __u8 new_state)
{
	struct lola *lola = inet_csk_ca(sk);

	if (new_state == TCP_CA_Loss)
		start_round(tcp_sk(sk), lola);
}

/* Idle time does not count towards the data that a flow should have queued. */
SEC("struct_ops/cwnd_event")
void CWND_EVENT(lola_cwnd_event, sk, event)
{
	struct lola *lola = inet_csk_ca(sk);

	if (event == CA_EVENT_TX_START && lola->phase == BALANCING)
		enter(sk, lola, BALANCING);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(lola_undo_cwnd, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

SEC(".struct_ops")
struct tcp_congestion_ops lola = {
	.init                = (void *)lola_init,
	.ssthresh            = (void *)lola_ssthresh,
	.cong_avoid          = (void *)lola_cong_avoid,
	.set_state           = (void *)lola_set_state,
	.cwnd_event          = (void *)lola_cwnd_event,
	.cwnd_event_tx_start = (void *)lola_cwnd_event_tx_start,
	.pkts_acked          = (void *)lola_pkts_acked,
	.undo_cwnd           = (void *)lola_undo_cwnd,
	.name                = "fl_lola",
};
