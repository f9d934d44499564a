/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * ACK aggregation: the largest number of packets by which ACKs ran ahead of the bandwidth in recent rounds. It is added
 * to the window, so that the flow does not pause between two bursts. As in Linux since 5.1; not in the draft of
 * version 1.
 *
 * Optional: a program that includes this file defines the parameters used here first, as bbr.c does.
 */
#ifndef FAIRLANE_BBR_V1_ACK_AGGREGATION_H
#define FAIRLANE_BBR_V1_ACK_AGGREGATION_H

#include "bandwidth.h"

#define AGGREGATION_LIMIT 0xfffffU /* packets, as in Linux, whose counter has 20 bits */

struct ack_aggregation {
	__u32 start_us;                /* when counting began; wraps after 71 minutes */
	__u32 acked;                   /* packets acknowledged since then */
	__u16 extra;                   /* packets, largest aggregation in this window */
	__u16 extra_before;            /* and in the one before */
	__u8 rounds;                   /* of this window */
};

static __always_inline void restart_aggregation(const struct sock *sk, struct ack_aggregation *aggregation)
{
	aggregation->start_us = tcp_sk(sk)->tcp_mstamp;
	aggregation->acked = 0;
}

/* Packets added to the window. */
static __always_inline __u32 aggregation_allowance(const struct bbr *bbr, const struct ack_aggregation *aggregation)
{
	__u64 most;
	__u32 packets;

	if (!extra_acked_gain || !bbr->full_bw_reached)
		return 0;
	most = (__u64)bandwidth(bbr) * (extra_acked_max_ms * USEC_PER_MSEC) >> BW_SHIFT;
	packets = max(aggregation->extra, aggregation->extra_before);
	packets = (extra_acked_gain * packets) >> GAIN_SHIFT;
	return min((__u64)packets, most);
}

/* Counts packets acknowledged beyond those that the bandwidth explains. */
static __always_inline void update_aggregation(const struct sock *sk, const struct bbr *bbr,
					       struct ack_aggregation *aggregation, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 expected, extra;

	if (!extra_acked_gain || !rs->acked_sacked || rs->delivered < 0 || rs->interval_us <= 0)
		return;

	if (bbr->round_start) {
		aggregation->rounds++;
		if (aggregation->rounds >= min(extra_acked_window, 31U)) {
			aggregation->rounds = 0;
			aggregation->extra_before = aggregation->extra;
			aggregation->extra = 0;
		}
	}

	expected = (__u64)bandwidth(bbr) * elapsed_us(tp->delivered_mstamp, aggregation->start_us) >> BW_SHIFT;
	if (aggregation->acked <= expected || aggregation->acked + rs->acked_sacked > AGGREGATION_LIMIT) {
		aggregation->acked = 0;
		aggregation->start_us = tp->delivered_mstamp;
		expected = 0;
	}
	aggregation->acked = min(aggregation->acked + rs->acked_sacked, AGGREGATION_LIMIT);

	extra = aggregation->acked - expected;
	extra = min(extra, tp->snd_cwnd);
	aggregation->extra = max((__u32)aggregation->extra, extra);
}

#endif /* FAIRLANE_BBR_V1_ACK_AGGREGATION_H */
