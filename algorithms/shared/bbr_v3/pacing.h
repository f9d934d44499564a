/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The pacing rate (section 5.6.2): the bandwidth times the gain of the state.
 */
#ifndef FAIRLANE_BBR_V3_PACING_H
#define FAIRLANE_BBR_V3_PACING_H

#include "bandwidth.h"

/* The table of section 5.6.1. */
static __always_inline __u32 pacing_gain(const struct bbr *bbr)
{
	switch (bbr->mode) {
	case STARTUP:
		return startup_pacing_gain;
	case DRAIN:
		return drain_gain;
	case PROBE_DOWN:
		return probe_down_gain;
	case PROBE_UP:
		return probe_up_gain;
	default:
		return GAIN_UNIT;
	}
}

/* Before the first sample: one window per round trip, times the startup gain. */
static __always_inline void start_pacing(struct sock *sk, struct bbr *bbr)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 rtt_us = USEC_PER_MSEC;

	if (tp->srtt_us) {
		rtt_us = max(tp->srtt_us >> 3, 1U);
		bbr->has_rtt = 1;
	}
	sk->sk_pacing_rate = pacing_rate(sk, tp->snd_cwnd * BW_UNIT / rtt_us, startup_pacing_gain);
}

/* In startup the rate never decreases. */
static __always_inline void set_pacing_rate(struct sock *sk, struct bbr *bbr, __u32 gain)
{
	__u64 rate = pacing_rate(sk, bandwidth(bbr), gain);

	if (!bbr->has_rtt && tcp_sk(sk)->srtt_us)
		start_pacing(sk, bbr);
	if (bbr->full_bw_reached || rate > sk->sk_pacing_rate)
		sk->sk_pacing_rate = rate;
}

#endif /* FAIRLANE_BBR_V3_PACING_H */
