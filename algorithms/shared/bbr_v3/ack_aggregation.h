/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * ACK aggregation: the largest number of packets by which ACKs ran ahead of the bandwidth in recent rounds. It is added
 * to the window, so that the flow does not pause between two bursts (section 5.5.9).
 */
#ifndef FAIRLANE_BBR_V3_ACK_AGGREGATION_H
#define FAIRLANE_BBR_V3_ACK_AGGREGATION_H

#include "bandwidth.h"

#define AGGREGATION_LIMIT 0xfffffU /* packets, as in Linux, whose counter has 20 bits */

static __always_inline void update_aggregation(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct windowed_sample extra;
	__u32 expected;

	if (!rs->acked_sacked)
		return;
	expected = (__u64)bandwidth(bbr) * elapsed_us(now_us(sk), bbr->aggregation_start_us) >> BW_SHIFT;
	if (bbr->aggregation_acked <= expected || bbr->aggregation_acked > AGGREGATION_LIMIT) {
		bbr->aggregation_acked = 0;
		bbr->aggregation_start_us = now_us(sk);
		expected = 0;
	}
	bbr->aggregation_acked += rs->acked_sacked;
	extra.time = bbr->round;
	extra.value = min(bbr->aggregation_acked - expected, tp->snd_cwnd);
	windowed_max_add(&bbr->extra_acked, bbr->full_bw_reached ? extra_acked_rounds : 1, extra);
}

#endif /* FAIRLANE_BBR_V3_ACK_AGGREGATION_H */
