// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * yeah: grows fast while the queue is short; drains a long queue at once and continues like Reno
 *
 *	once per round trip, with rtt = its smallest RTT, base = the smallest ever:
 *	Q = cwnd (rtt - base) / rtt         packets queued,   L = (rtt - base) / base
 *	Q <= 80 and L <= 1/8:  fast mode, cwnd += 1 % per round trip (Scalable)
 *	otherwise:             slow mode, Reno; and if Q > 80: cwnd -= Q (half of it at most)
 *	after a loss:          ssthresh = cwnd - max(Q, cwnd / 8);  cwnd / 2 where greedy flows compete
 *
 *	   fast (Scalable) --Q > 80 or L > 1/8--> slow (Reno, drains Q at once)
 *	        ^---------------queue short again------------'
 *
 * Competition shows as slow mode for more than 16 rounds in a row: draining does not help then. And the
 * window is not drained below reno_count, an estimate of what a Reno flow would have on this path.
 *
 * Source: Baiocchi, Castellani, Vacirca, "YeAH-TCP: Yet Another Highspeed TCP", PFLDnet 2007.
 *
 * Deviations from the paper, as in Linux:
 * 1. The fast mode's growth is Scalable's 1 per 100 packets, but Reno's below 100.
 * 2. Draining sets ssthresh to the new window.
 * 3. After a loss the decrease for Q is at most half the window.
 * 4. A round trip with fewer than three RTT samples decides nothing.
 */
#include "congestion_control.h"
#include "round_trip.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* queue_max: packets, queue from which on it is drained, paper (Q_max = 80) */
const volatile __u32 queue_max = 80;
/* queue_share: 1/packets, the part 1/gamma of the queue that is drained, paper (1) */
const volatile __u32 queue_share = 1;
/* delay_share: 1/share, base RTT over the rise that ends fast mode, paper (phi = 8) */
const volatile __u32 delay_share = 8;
/* drain_shift: bits, draining takes cwnd / 2^shift at most, paper (epsilon = 1) */
const volatile __u32 drain_shift = 1;
/* decrease_shift: bits, a loss costs cwnd / 2^shift at least, paper (delta = 3) */
const volatile __u32 decrease_shift = 3;
/* greedy_rounds: rounds in slow mode that show greedy flows, paper (rho = 16) */
const volatile __u32 greedy_rounds = 16;
/* alone_rounds: rounds in fast mode that show there are none, paper (zeta = 50) */
const volatile __u32 alone_rounds = 50;
/* increase_every: packets, delivered for one packet of growth in fast mode, Scalable TCP (100) */
const volatile __u32 increase_every = 100;
/* growth_per_ack: 0 or 1, in slow mode an ACK counts once, however many packets it delivers, Linux before 5.7 */
const volatile bool growth_per_ack = 0;

#define RENO_COUNT_MIN 2U
#define SLOW_ROUNDS_MAX 0xffffffU

struct yeah {
	struct round_trip round;
	__u32 queue;            /* packets, at the end of the last round; Q */
	__u32 slow_rounds;      /* in a row; 0: fast mode */
	__u32 fast_rounds;      /* since reno_count was last reset */
	__u32 reno_count;       /* packets, window that a Reno flow would have */
};
STATE_FITS(struct yeah);

SEC("struct_ops/init")
void BPF_PROG(yeah_init, struct sock *sk)
{
	struct yeah *ca = inet_csk_ca(sk);

	__builtin_memset(ca, 0, sizeof(*ca));
	ca->reno_count = RENO_COUNT_MIN;
	round_trip_forget(tcp_sk(sk), &ca->round);
}

SEC("struct_ops/set_state")
void BPF_PROG(yeah_set_state, struct sock *sk, __u8 new_state)
{
	struct yeah *ca = inet_csk_ca(sk);

	round_trip_state(tcp_sk(sk), &ca->round, new_state);
}

SEC("struct_ops/cwnd_event")
void CWND_EVENT(yeah_cwnd_event, sk, event)
{
	struct yeah *ca = inet_csk_ca(sk);

	round_trip_event(tcp_sk(sk), &ca->round, event);
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(yeah_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct yeah *ca = inet_csk_ca(sk);

	round_trip_sample(&ca->round, sample);
}

/* The paper's precautionary decongestion, down to what a Reno flow would have. */
static __always_inline void drain(struct tcp_sock *tp, const struct yeah *ca, __u32 queue)
{
	__u32 cwnd = tp->snd_cwnd, reduction;

	if (queue <= queue_max || cwnd <= ca->reno_count)
		return;
	reduction = min(queue / queue_share, cwnd >> drain_shift);
	cwnd -= reduction;
	cwnd = max(cwnd, ca->reno_count);
	tp->snd_cwnd = tp->snd_ssthresh = cwnd;
}

static __always_inline void choose_mode(struct tcp_sock *tp, struct yeah *ca)
{
	__u32 base = ca->round.base_rtt_us, rtt = ca->round.min_rtt_us;
	__u32 queue = (__u64)tp->snd_cwnd * (rtt - base) / rtt;

	if (queue > queue_max || rtt - base > base / delay_share) {
		drain(tp, ca, queue);
		/* A Reno flow would start from half the window, and add a packet in each such round. */
		if (ca->reno_count <= RENO_COUNT_MIN)
			ca->reno_count = max(tp->snd_cwnd / 2, RENO_COUNT_MIN);
		else
			ca->reno_count++;
		if (ca->slow_rounds < SLOW_ROUNDS_MAX)
			ca->slow_rounds++;
	} else {
		ca->slow_rounds = 0;
		if (++ca->fast_rounds > alone_rounds) {
			ca->reno_count = RENO_COUNT_MIN;
			ca->fast_rounds = 0;
		}
	}
	ca->queue = queue;
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(yeah_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct yeah *ca = inet_csk_ca(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp))
		acked = tcp_slow_start(tp, acked);
	if (acked) {
		__u32 cwnd = tp->snd_cwnd;

		if (!ca->slow_rounds)
			tcp_cong_avoid_ai(tp, min(cwnd, increase_every), acked);
		else
			tcp_cong_avoid_ai(tp, cwnd, growth_per_ack ? 1 : acked);
	}

	if (round_trip_is_over(&ca->round, ack)) {
		if (ca->round.samples >= ROUND_TRIP_MIN_SAMPLES)
			choose_mode(tp, ca);
		round_trip_begin(tp, &ca->round);
	}
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(yeah_ssthresh, struct sock *sk)
{
	struct yeah *ca = inet_csk_ca(sk);
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;
	__u32 half = max(cwnd / 2, 2U), reduction = half;

	if (ca->slow_rounds < greedy_rounds) {
		reduction = min(ca->queue, half);
		reduction = max(reduction, cwnd >> decrease_shift);
	}
	ca->fast_rounds = 0;
	ca->reno_count = max(ca->reno_count / 2, RENO_COUNT_MIN);
	return cwnd > reduction + 2 ? cwnd - reduction : 2;
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(yeah_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops yeah = {
	.init                = (void *)yeah_init,
	.ssthresh            = (void *)yeah_ssthresh,
	.cong_avoid          = (void *)yeah_cong_avoid,
	.set_state           = (void *)yeah_set_state,
	.cwnd_event          = (void *)yeah_cwnd_event,
	.cwnd_event_tx_start = (void *)yeah_cwnd_event_tx_start,
	.pkts_acked          = (void *)yeah_pkts_acked,
	.undo_cwnd           = (void *)yeah_undo_cwnd,
	.name                = "fl_yeah",
};
