/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * inflight_high, the long-term bound: the largest inflight that probes have found safe. A probe that loses too much
 * lowers it (loss.h). This file has its growth, and the headroom that is left to other flows.
 */
#ifndef FAIRLANE_BBR_V3_LONG_TERM_H
#define FAIRLANE_BBR_V3_LONG_TERM_H

#include "state.h"

#define INCREMENT_ROUNDS_MAX 20   /* 2^20 packets in a round trip are enough */

/* Headroom below the bound, so that other flows can grow (section 5.3.3.1). */
static __always_inline __u32 inflight_less_headroom(const struct bbr *bbr)
{
	__u32 less;

	if (bbr->inflight_high == UNLIMITED)
		return UNLIMITED;
	less = max((__u64)bbr->inflight_high * headroom / PER_MILLE, 1ULL);
	return max(bbr->inflight_high > less ? bbr->inflight_high - less : 0, cwnd_min);
}

static __always_inline bool uses_window(const struct tcp_sock *tp, const struct bbr *bbr)
{
	return BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited) && tp->snd_cwnd >= bbr->inflight_high;
}

/* Section 5.3.3.5: inflight_high grows by 1, 2, 4, 8 packets in the rounds of a probe. */
static __always_inline void raise_slope(const struct sock *sk, struct bbr *bbr)
{
	__u32 growth = 1U << min(bbr->probe_up_rounds, (__u8)INCREMENT_ROUNDS_MAX);

	bbr->probe_up_rounds = min(bbr->probe_up_rounds + 1, INCREMENT_ROUNDS_MAX);
	bbr->probe_up_per_packet = max(tcp_sk(sk)->snd_cwnd / growth, 1U);
}

/* Spread over the round trip. Only a flow that uses its whole window tests whether more is safe. */
static __always_inline void raise_inflight_high(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	if (!uses_window(tcp_sk(sk), bbr))
		return;
	bbr->probe_up_acked += rs->acked_sacked;
	if (bbr->probe_up_acked >= bbr->probe_up_per_packet) {
		__u32 more = bbr->probe_up_acked / bbr->probe_up_per_packet;

		bbr->probe_up_acked -= more * bbr->probe_up_per_packet;
		bbr->inflight_high += more;
	}
	if (bbr->round_start)
		raise_slope(sk, bbr);
}

#endif /* FAIRLANE_BBR_V3_LONG_TERM_H */
