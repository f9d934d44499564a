/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The sample of an ACK: delivery rate, packets in flight when the acknowledged one was sent, and packets lost since
 * then (sections 2.3 and 4.1). Packets whose ACKs echo an ECN mark count as lost; only startup tells them apart.
 */
#ifndef FAIRLANE_BBR_V3_SAMPLE_H
#define FAIRLANE_BBR_V3_SAMPLE_H

#include "state.h"

/* All losses of the connection, marked packets included (section 3.7). */
static __always_inline __u32 total_lost(const struct tcp_sock *tp)
{
	return tp->lost + (marks_are_losses ? tp->delivered_ce : 0);
}

static __always_inline void take_sample(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct looked_up *looked_up = inet_csk_ca(sk);
	__u32 shift = record_shift(tp->snd_cwnd);
	__u32 delivered_before = tp->delivered - rs->acked_sacked;
	__u32 lost_before = total_lost(tp) - (rs->losses > 0 ? rs->losses : 0);
	struct transmit_entry entry;

	record_put(&bbr->record, shift, delivered_before, rs->prior_in_flight, lost_before);

	bbr->sample_bw = 0;
	bbr->sample_lost = rs->losses > 0 ? rs->losses : 0;
	bbr->sample_in_flight = rs->prior_in_flight;
	if (rs->delivered < 0)
		return;
	bbr->sample_in_flight = rs->delivered;
	if (record_get(&bbr->record, shift, rs->prior_delivered, &entry)) {
		bbr->sample_lost = total_lost(tp) - entry.lost;
		/* Without holes, exactly the packets that were in flight have been delivered since. */
		if (tp->sacked_out || rs->is_retrans)
			bbr->sample_in_flight = entry.in_flight;
	}
	looked_up->in_flight = bbr->sample_in_flight;
	looked_up->lost = bbr->sample_lost;
	if (rs->interval_us > 0)
		bbr->sample_bw = (__u32)rs->delivered * BW_UNIT / (__u64)rs->interval_us;
}

#endif /* FAIRLANE_BBR_V3_SAMPLE_H */
