/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The pacing rate (section 4.2.1): the bandwidth times the gain of the state.
 */
#ifndef FAIRLANE_BBR_V1_PACING_H
#define FAIRLANE_BBR_V1_PACING_H

#include "state.h"

/* Before the first sample: one window per round trip, times the startup gain. */
static __always_inline void start_pacing(struct sock *sk, struct bbr *bbr)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 rtt_us = USEC_PER_MSEC;

	if (tp->srtt_us) {
		rtt_us = max(tp->srtt_us >> 3, 1U);
		bbr->has_rtt = 1;
	}
	sk->sk_pacing_rate = pacing_rate(sk, tp->snd_cwnd * BW_UNIT / rtt_us, high_gain);
}

static __always_inline void set_pacing_rate(struct sock *sk, struct bbr *bbr, __u32 bw, __u32 gain)
{
	__u64 rate = pacing_rate(sk, bw, gain);

	if (!bbr->has_rtt && tcp_sk(sk)->srtt_us)
		start_pacing(sk, bbr);
	/* In startup the rate never decreases. */
	if (bbr->full_bw_reached || rate > sk->sk_pacing_rate)
		sk->sk_pacing_rate = rate;
}

#endif /* FAIRLANE_BBR_V1_PACING_H */
