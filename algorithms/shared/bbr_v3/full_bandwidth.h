/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The pipe is full when the delivery rate of an accelerating flow has not grown by a quarter in three rounds: in
 * startup, and again in each probe (section 5.3.1.2).
 */
#ifndef FAIRLANE_BBR_V3_FULL_BANDWIDTH_H
#define FAIRLANE_BBR_V3_FULL_BANDWIDTH_H

#include "bandwidth.h"

static __always_inline void reset_full_bw(struct bbr *bbr, __u32 bw)
{
	bbr->full_bw = bw;
	bbr->full_rounds = 0;
	bbr->full_bw_now = 0;
}

static __always_inline void check_full_bw(struct bbr *bbr, const struct rate_sample *rs)
{
	__u32 bw = full_bw_from_maximum ? max_bw(bbr) : bbr->sample_bw;

	if (bbr->full_bw_now || !bbr->round_start || rs->is_app_limited || !bbr->sample_bw)
		return;
	if (bw >= (__u64)bbr->full_bw * full_bw_growth >> GAIN_SHIFT) {
		reset_full_bw(bbr, bw);
		return;
	}
	bbr->full_rounds++;
	bbr->full_bw_now = bbr->full_rounds >= full_bw_rounds;
	bbr->full_bw_reached |= bbr->full_bw_now;
}

#endif /* FAIRLANE_BBR_V3_FULL_BANDWIDTH_H */
