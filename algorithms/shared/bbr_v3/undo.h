/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Undo of a spurious recovery (section 5.5.11): restores the window, the bounds, and the state that the loss ended.
 */
#ifndef FAIRLANE_BBR_V3_UNDO_H
#define FAIRLANE_BBR_V3_UNDO_H

#include "transitions.h"

/* Section 5.6.4.4: the last window that neither recovery nor ProbeRTT had reduced. */
static __always_inline void save_cwnd(const struct sock *sk, struct bbr *bbr)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	if (bbr->prior_ca_state < TCP_CA_Recovery && bbr->mode != PROBE_RTT)
		bbr->prior_cwnd = cwnd;
	else
		bbr->prior_cwnd = max(bbr->prior_cwnd, cwnd);
}

/* Section 5.5.11.1. DRAIN, which is never restored, means that there is nothing to undo. */
static __always_inline void save_for_undo(const struct sock *sk, struct bbr *bbr)
{
	save_cwnd(sk, bbr);
	bbr->undo_mode = DRAIN;
	bbr->undo_bw_low = bbr->bw_low;
	bbr->undo_inflight_low = bbr->inflight_low;
	bbr->undo_inflight_high = bbr->inflight_high;
}

/* Section 5.5.11.2. Returns the restored window. */
static __always_inline __u32 undo(const struct sock *sk, struct bbr *bbr)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	bbr->loss_in_round = 0;
	reset_full_bw(bbr, 0);
	bbr->bw_low = max(bbr->bw_low, bbr->undo_bw_low);
	bbr->inflight_low = max(bbr->inflight_low, bbr->undo_inflight_low);
	bbr->inflight_high = max(bbr->inflight_high, bbr->undo_inflight_high);
	if (bbr->undo_mode == STARTUP && bbr->mode != STARTUP) {
		bbr->full_bw_reached = 0;
		if (bbr->mode != PROBE_RTT)
			enter_startup(bbr);
	} else if (bbr->undo_mode == PROBE_UP && bbr->mode != PROBE_UP && bbr->mode != PROBE_RTT) {
		start_refill(sk, bbr);
	}
	bbr->undo_mode = DRAIN;
	return max(cwnd, bbr->prior_cwnd);
}

#endif /* FAIRLANE_BBR_V3_UNDO_H */
