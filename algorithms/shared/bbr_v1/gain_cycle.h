/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The gains of each state, and ProbeBW's cycle of eight phases: one above the measured bandwidth, one below, and six at
 * it (section 4.3.4).
 */
#ifndef FAIRLANE_BBR_V1_GAIN_CYCLE_H
#define FAIRLANE_BBR_V1_GAIN_CYCLE_H

#include "inflight.h"

#define CYCLE_PHASES 8

static __always_inline void next_phase(const struct sock *sk, struct bbr *bbr)
{
	bbr->phase = (bbr->phase + 1) % CYCLE_PHASES;
	bbr->cycle_start_us = tcp_sk(sk)->delivered_mstamp;
}

/* Section 4.3.4.3. */
static __always_inline bool phase_is_over(const struct sock *sk, const struct bbr *bbr, const struct rate_sample *rs)
{
	bool full_length = elapsed_us(tcp_sk(sk)->delivered_mstamp, bbr->cycle_start_us) > bbr->min_rtt_us;
	__u32 inflight;

	if (bbr->pacing_gain == GAIN_UNIT)
		return full_length;

	inflight = inflight_at_departure(sk, bbr, rs->prior_in_flight);
	/* Probing continues until the extra packets are in flight or a packet is lost. */
	if (bbr->pacing_gain > GAIN_UNIT)
		return full_length &&
		       (rs->losses || inflight >= target_inflight(sk, bbr, max_bw(bbr), bbr->pacing_gain));
	/* Draining ends as soon as the queue is empty. */
	return full_length || inflight <= target_inflight(sk, bbr, max_bw(bbr), GAIN_UNIT);
}

/* Section 4.3.4.2: at random, so that flows do not probe together. */
static __always_inline void enter_probe_bw(const struct sock *sk, struct bbr *bbr)
{
	bbr->mode = PROBE_BW;
	/* The phase before any phase except the draining one, which is number 1. */
	bbr->phase = CYCLE_PHASES - 1 - bpf_get_prandom_u32() % (CYCLE_PHASES - 1);
	next_phase(sk, bbr);
}

/* Sections 4.3.2.1, 4.3.3, 4.3.4.1 and 4.3.5. */
static __always_inline void set_gains(struct bbr *bbr)
{
	switch (bbr->mode) {
	case STARTUP:
		bbr->pacing_gain = high_gain;
		bbr->window_gain = high_gain;
		break;
	case DRAIN:
		bbr->pacing_gain = drain_gain;
		bbr->window_gain = high_gain;
		break;
	case PROBE_BW:
		bbr->pacing_gain = GAIN_UNIT;
		if (!bbr->use_policer_bw && bbr->phase == 0)
			bbr->pacing_gain = probe_up_gain;
		if (!bbr->use_policer_bw && bbr->phase == 1)
			bbr->pacing_gain = probe_down_gain;
		bbr->window_gain = cwnd_gain;
		break;
	default:
		bbr->pacing_gain = GAIN_UNIT;
		bbr->window_gain = GAIN_UNIT;
		break;
	}
}

#endif /* FAIRLANE_BBR_V1_GAIN_CYCLE_H */
