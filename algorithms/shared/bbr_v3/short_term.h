/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The short-term bounds, bw_low and inflight_low: recently delivered rate and inflight, for the states that do not probe
 * (section 5.5.10.3). A probe begins by removing them.
 */
#ifndef FAIRLANE_BBR_V3_SHORT_TERM_H
#define FAIRLANE_BBR_V3_SHORT_TERM_H

#include "bandwidth.h"

static __always_inline void reset_short_term(struct bbr *bbr)
{
	bbr->bw_low = UNLIMITED;
	bbr->inflight_low = UNLIMITED;
}

static __always_inline void reset_signals(struct bbr *bbr)
{
	bbr->loss_in_round = 0;
	bbr->bw_latest = 0;
	bbr->inflight_latest = 0;
}

/* Updates the maxima of this round, and finds whether the ACK ends a round in which losses count. */
static __always_inline void update_latest(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	bbr->loss_round_start = 0;
	if (rs->delivered < 0)
		return;
	bbr->bw_latest = max(bbr->bw_latest, bbr->sample_bw);
	bbr->inflight_latest = max(bbr->inflight_latest, (__u32)rs->delivered);
	if (!before(rs->prior_delivered, bbr->loss_round_end)) {
		bbr->loss_round_end = tcp_sk(sk)->delivered;
		bbr->loss_round_start = 1;
	}
}

/* Once per round with losses the short-term bounds become the delivered rate and inflight, but at least `beta` of the
 * bounds before, as in CUBIC (section 5.5.10.2). */
static __always_inline void lower_short_term(const struct sock *sk, struct bbr *bbr)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;
	__u32 least_bw, least_inflight;

	if (!bbr->loss_round_start || !bbr->loss_in_round || is_accelerating(bbr))
		return;
	if (bbr->bw_low == UNLIMITED)
		bbr->bw_low = max_bw(bbr);
	/* After a timeout the window is no estimate of the inflight. */
	if (bbr->inflight_low == UNLIMITED)
		bbr->inflight_low = ca_state(sk) == TCP_CA_Loss ? max(cwnd, bbr->prior_cwnd) : cwnd;

	least_bw = (__u64)bbr->bw_low * beta / PER_MILLE;
	least_inflight = (__u64)bbr->inflight_low * beta / PER_MILLE;
	bbr->bw_low = max(bbr->bw_latest, least_bw);
	bbr->inflight_low = max(bbr->inflight_latest, least_inflight);
}

/* The ACK that ends a round is the first ACK of the next. */
static __always_inline void advance_latest(struct bbr *bbr, const struct rate_sample *rs)
{
	if (!bbr->loss_round_start)
		return;
	bbr->loss_in_round = 0;
	bbr->bw_latest = bbr->sample_bw;
	bbr->inflight_latest = max(rs->delivered, 0);
}

#endif /* FAIRLANE_BBR_V3_SHORT_TERM_H */
