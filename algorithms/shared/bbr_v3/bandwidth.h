/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The bandwidth: the largest delivery rate of the last two probing cycles (sections 5.5.2 to 5.5.6), at most the
 * short-term bound that losses since the last probe set (section 5.5.10.3).
 */
#ifndef FAIRLANE_BBR_V3_BANDWIDTH_H
#define FAIRLANE_BBR_V3_BANDWIDTH_H

#include "state.h"

static __always_inline __u32 max_bw(const struct bbr *bbr)
{
	return max(bbr->bw_previous, bbr->bw_current);
}

static __always_inline __u32 bandwidth(const struct bbr *bbr)
{
	return min(max_bw(bbr), bbr->bw_low);
}

/* Section 5.5.5. An application-limited sample is only a lower bound (section 5.5.4). */
static __always_inline void update_max_bw(struct bbr *bbr, const struct rate_sample *rs)
{
	if (bbr->sample_bw && (!rs->is_app_limited || bbr->sample_bw >= max_bw(bbr)))
		bbr->bw_current = max(bbr->bw_current, bbr->sample_bw);
}

/* Section 5.5.6, when the last packets of a probe are acknowledged. A cycle without a sample does not count. */
static __always_inline void advance_max_bw(struct bbr *bbr, const struct rate_sample *rs)
{
	if (rs->is_app_limited || !bbr->bw_current)
		return;
	bbr->bw_previous = bbr->bw_current;
	bbr->bw_current = 0;
}

#endif /* FAIRLANE_BBR_V3_BANDWIDTH_H */
