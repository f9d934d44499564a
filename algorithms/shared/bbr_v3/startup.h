/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Startup ends when the pipe is full (full_bandwidth.h) or loses too much; drain then empties the queue that startup
 * has built (sections 5.3.1 and 5.3.2).
 */
#ifndef FAIRLANE_BBR_V3_STARTUP_H
#define FAIRLANE_BBR_V3_STARTUP_H

#include "loss.h"

/* Section 5.3.1.3: a round in recovery whose losses are above the threshold and in several ranges. In version 2 the
 * bandwidth-delay product is then the safe inflight; in version 3 it is what was delivered in the round, if that is
 * more. Marks lead to state CWR instead of recovery: alone they do not end startup. */
static __always_inline void check_startup_loss(const struct sock *sk, struct bbr *bbr)
{
	if (bbr->loss_round_start && bbr->loss_in_round && ca_state(sk) == TCP_CA_Recovery &&
	    startup_loss_events && bbr->loss_events >= startup_loss_events &&
	    is_too_high(bbr->sample_lost, bbr->sample_in_flight)) {
		__u32 safe = bdp(bbr, max_bw(bbr), GAIN_UNIT);

		bbr->undo_mode = STARTUP;
		bbr->full_bw_reached = 1;
		bbr->inflight_high = startup_keeps_latest ? max(safe, bbr->inflight_latest) : safe;
	}
	if (bbr->loss_round_start)
		bbr->loss_events = 0;
}

static __always_inline void check_startup_and_drain(const struct sock *sk, struct bbr *bbr)
{
	if (bbr->mode == STARTUP) {
		check_startup_loss(sk, bbr);
		if (bbr->full_bw_reached)
			enter_drain(bbr);
	}
	/* Section 5.3.2: the inflight is down to the BDP, or draining takes so long that the bandwidth is overestimated. */
	if (bbr->mode == DRAIN && (tcp_packets_in_flight(tcp_sk(sk)) <= target_inflight(sk, bbr, GAIN_UNIT) ||
				   (drain_rounds && bbr->round - bbr->drain_start_round > drain_rounds)))
		start_down(sk, bbr);
}

#endif /* FAIRLANE_BBR_V3_STARTUP_H */
