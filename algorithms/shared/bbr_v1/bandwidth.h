/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The bandwidth: the largest delivery rate of the last rounds (section 4.1.1), or the rate of a policer (policer.h).
 */
#ifndef FAIRLANE_BBR_V1_BANDWIDTH_H
#define FAIRLANE_BBR_V1_BANDWIDTH_H

#include "state.h"

static __always_inline __u32 max_bw(const struct bbr *bbr)
{
	return bbr->bw.best.value;
}

static __always_inline __u32 bandwidth(const struct bbr *bbr)
{
	return bbr->use_policer_bw ? bbr->policer_bw : max_bw(bbr);
}

/* Section 4.1.1.3: a round ends when a packet is delivered that was sent after it began. */
static __always_inline void update_rounds(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	if (before(rs->prior_delivered, bbr->round_end))
		return;
	bbr->round_end = tcp_sk(sk)->delivered;
	bbr->round++;
	bbr->round_start = 1;
	bbr->packet_conservation = 0;
}

/* Sections 4.1.1.4 and 4.1.1.5: an application-limited sample is only a lower bound. */
static __always_inline void update_max_bw(struct bbr *bbr, const struct rate_sample *rs)
{
	__u32 bw = (__u32)rs->delivered * BW_UNIT / (__u64)rs->interval_us;

	if (!rs->is_app_limited || bw >= max_bw(bbr)) {
		struct windowed_sample sample = { bbr->round, bw };

		windowed_max_add(&bbr->bw, bw_window, sample);
	}
}

#endif /* FAIRLANE_BBR_V1_BANDWIDTH_H */
