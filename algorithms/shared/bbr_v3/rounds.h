/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Round trips, counted in packets (section 5.5.1): a round ends when a packet is acknowledged that was sent after
 * the round began.
 */
#ifndef FAIRLANE_BBR_V3_ROUNDS_H
#define FAIRLANE_BBR_V3_ROUNDS_H

#include "state.h"

static __always_inline void start_round(const struct sock *sk, struct bbr *bbr)
{
	bbr->round_end = tcp_sk(sk)->delivered;
}

static __always_inline void update_rounds(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	bbr->round_start = 0;
	if (rs->delivered < 0 || before(rs->prior_delivered, bbr->round_end))
		return;
	start_round(sk, bbr);
	bbr->round++;
	bbr->rounds_since_probe++;
	bbr->round_start = 1;
	bbr->packet_conservation = 0;
}

#endif /* FAIRLANE_BBR_V3_ROUNDS_H */
