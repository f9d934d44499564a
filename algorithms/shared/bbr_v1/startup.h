/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Startup ends when the bandwidth has not grown by a quarter in three rounds; drain then empties the queue that startup
 * has built (sections 4.3.2.2 and 4.3.3).
 */
#ifndef FAIRLANE_BBR_V1_STARTUP_H
#define FAIRLANE_BBR_V1_STARTUP_H

#include "gain_cycle.h"

static __always_inline void check_full_bandwidth(struct bbr *bbr, const struct rate_sample *rs)
{
	if (bbr->full_bw_reached || !bbr->round_start || rs->is_app_limited)
		return;
	if (max_bw(bbr) >= (__u64)bbr->full_bw * full_bw_growth >> GAIN_SHIFT) {
		bbr->full_bw = max_bw(bbr);
		bbr->full_rounds = 0;
		return;
	}
	bbr->full_rounds++;
	bbr->full_bw_reached = bbr->full_rounds >= full_bw_rounds;
}

static __always_inline void check_drain(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (bbr->mode == STARTUP && bbr->full_bw_reached) {
		bbr->mode = DRAIN;
		tp->snd_ssthresh = target_inflight(sk, bbr, max_bw(bbr), GAIN_UNIT);
	}
	if (bbr->mode == DRAIN && inflight_at_departure(sk, bbr, tcp_packets_in_flight(tp)) <=
					  target_inflight(sk, bbr, max_bw(bbr), GAIN_UNIT))
		enter_probe_bw(sk, bbr);
}

#endif /* FAIRLANE_BBR_V1_STARTUP_H */
