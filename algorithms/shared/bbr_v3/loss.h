/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The response to losses and marks in a probe (section 5.5.10.2): when more than loss_threshold of a flight is lost,
 * inflight_high becomes the inflight at that time, and the probe ends. startup.h responds in startup, short_term.h in
 * the other states.
 */
#ifndef FAIRLANE_BBR_V3_LOSS_H
#define FAIRLANE_BBR_V3_LOSS_H

#include "inflight.h"
#include "sample.h"
#include "undo.h"

static __always_inline bool is_too_high(__u32 lost, __u32 in_flight)
{
	return (__u64)lost * PER_MILLE > (__u64)in_flight * loss_threshold;
}

/* Not below `beta` of the target inflight, which CUBIC would keep as well. */
static __always_inline void too_much_in_flight(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs,
					       __u32 in_flight)
{
	__u32 wanted = min(bdp(bbr, bandwidth(bbr), GAIN_UNIT), tcp_sk(sk)->snd_cwnd);

	bbr->previous_probe_too_high = 1;
	bbr->probe_samples = 0; /* respond once per probe */
	if (!rs->is_app_limited) {
		__u32 least = (__u64)wanted * beta / PER_MILLE;

		bbr->inflight_high = max(in_flight, least);
	}
	if (bbr->mode == PROBE_UP) {
		bbr->undo_mode = PROBE_UP;
		start_down(sk, bbr);
	}
}

/* The inflight when the share of losses passed the threshold, within the `lost_now` packets that were marked as lost
 * together. */
static __always_inline __u32 inflight_at_loss(__u32 in_flight, __u32 lost, __u32 lost_now)
{
	__u32 before = in_flight > lost_now ? in_flight - lost_now : 0;
	__u32 lost_before = lost > lost_now ? lost - lost_now : 0;
	__u64 allowed = (__u64)before * loss_threshold, had = (__u64)lost_before * PER_MILLE;

	return before + (allowed > had ? (__u32)(allowed - had) / (PER_MILLE - loss_threshold) : 0);
}

static __always_inline void look_at_losses(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 lost_now = total_lost(tp) - bbr->lost_seen;

	bbr->lost_seen = total_lost(tp);
	if (!lost_now)
		return;
	if (!bbr->loss_in_round) {
		bbr->loss_round_end = tp->delivered;
		save_for_undo(sk, bbr);
	}
	bbr->loss_in_round = 1;
	if (bbr->loss_events < 255)
		bbr->loss_events++;
	if (bbr->probe_samples && is_too_high(bbr->sample_lost, bbr->sample_in_flight))
		too_much_in_flight(sk, bbr, rs, inflight_at_loss(bbr->sample_in_flight, bbr->sample_lost, lost_now));
}

#endif /* FAIRLANE_BBR_V3_LOSS_H */
