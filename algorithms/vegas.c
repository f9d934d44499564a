// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * vegas: keeps two to four packets of its own in the queue, estimated from the increase of the RTT
 *
 *	once per round trip, with rtt = its smallest RTT and base = the smallest RTT ever:
 *	queued = cwnd (rtt - base) / base
 *	slow start:     queued > 1: cwnd = cwnd base / rtt + 1, and leave slow start
 *	otherwise:      queued < 2: cwnd += 1;   queued > 4: cwnd -= 1
 *	after a loss:   ssthresh = cwnd / 2, and like Reno until the loss is repaired
 *
 *	   slow start --queued > gamma--> one packet up, down or none, each round trip
 *	        ^                            |        ^
 *	        '---time-out---- Reno <----loss       '--repaired (back from Reno)
 *
 * Source: Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet",
 * IEEE JSAC 13 (1995).
 *
 * Deviations from the paper, as in Linux:
 * 1. The paper's queue estimate is cwnd (rtt - base) / rtt; division by base gives a slightly larger estimate.
 * 2. Slow start grows in every round trip, not in every second one, and leaves for the window that
 *    fills the path and no more, instead of 7/8 of the current one.
 * 3. A loss halves the window (paper: 3/4 when noticed early); retransmitting early is TCP's own matter.
 * 4. A round trip with fewer than three RTT samples grows like Reno's.
 * 5. base is measured anew after an idle period.
 * 6. After each decision ssthresh is at least 3/4 of the window, so that a restart comes back quickly.
 */
#include "congestion_control.h"
#include "round_trip.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* alpha: packets, grow while fewer are queued, paper (2) */
const volatile __u32 alpha = 2;
/* beta: packets, shrink when more are queued, paper (4) */
const volatile __u32 beta = 4;
/* gamma: packets, leave slow start when more are queued, paper (1) */
const volatile __u32 gamma = 1;

STATE_FITS(struct round_trip);

SEC("struct_ops/init")
void BPF_PROG(vegas_init, struct sock *sk)
{
	round_trip_forget(tcp_sk(sk), inet_csk_ca(sk));
}

SEC("struct_ops/set_state")
void BPF_PROG(vegas_set_state, struct sock *sk, __u8 new_state)
{
	round_trip_state(tcp_sk(sk), inet_csk_ca(sk), new_state);
}

SEC("struct_ops/cwnd_event")
void CWND_EVENT(vegas_cwnd_event, sk, event)
{
	round_trip_event(tcp_sk(sk), inet_csk_ca(sk), event);
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(vegas_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	round_trip_sample(inet_csk_ca(sk), sample);
}

/* The decision of the paper's section 3.2, and that of section 3.3 in slow start. */
static __always_inline void decide(struct tcp_sock *tp, const struct round_trip *round, __u32 acked)
{
	__u32 cwnd = tp->snd_cwnd, base = round->base_rtt_us, rtt = round->min_rtt_us;
	__u32 queued = (__u64)cwnd * (rtt - base) / base;

	if (tcp_in_slow_start(tp) && queued <= gamma) {
		tcp_slow_start(tp, acked);
		cwnd = tp->snd_cwnd;
	} else if (tcp_in_slow_start(tp)) {
		__u32 fills_path = (__u64)cwnd * base / rtt;

		cwnd = min(cwnd, fills_path + 1);
		tp->snd_ssthresh = min(tp->snd_ssthresh, cwnd);
	} else if (queued > beta) {
		cwnd--;
		tp->snd_ssthresh = min(tp->snd_ssthresh, cwnd);
	} else if (queued < alpha) {
		cwnd++;
	}

	cwnd = max(cwnd, 2U);
	cwnd = min(cwnd, tp->snd_cwnd_clamp);
	tp->snd_cwnd = cwnd;
	tp->snd_ssthresh = max(tp->snd_ssthresh, (cwnd >> 1) + (cwnd >> 2));
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(vegas_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct round_trip *round = inet_csk_ca(sk);

	if (!round->is_open) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}
	if (!round_trip_is_over(round, ack)) {
		if (tcp_in_slow_start(tp))
			tcp_slow_start(tp, acked);
		return;
	}

	if (round->samples < ROUND_TRIP_MIN_SAMPLES)
		tcp_reno_cong_avoid(sk, ack, acked);
	else
		decide(tp, round, acked);
	round_trip_begin(tp, round);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(vegas_ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(vegas_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops vegas = {
	.init                = (void *)vegas_init,
	.ssthresh            = (void *)vegas_ssthresh,
	.cong_avoid          = (void *)vegas_cong_avoid,
	.set_state           = (void *)vegas_set_state,
	.cwnd_event          = (void *)vegas_cwnd_event,
	.cwnd_event_tx_start = (void *)vegas_cwnd_event_tx_start,
	.pkts_acked          = (void *)vegas_pkts_acked,
	.undo_cwnd           = (void *)vegas_undo_cwnd,
	.name                = "fl_vegas",
};
