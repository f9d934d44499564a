/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Entry into the states of the machine (sections 5.3.1.1, 5.3.2 and 5.3.3.9). startup.h, probe_bw.h and loss.h decide
 * when a state ends; ProbeRTT is in probe_rtt.h.
 */
#ifndef FAIRLANE_BBR_V3_TRANSITIONS_H
#define FAIRLANE_BBR_V3_TRANSITIONS_H

#include "full_bandwidth.h"
#include "long_term.h"
#include "rounds.h"
#include "short_term.h"

static __always_inline void enter_startup(struct bbr *bbr)
{
	bbr->mode = STARTUP;
}

static __always_inline void enter_drain(struct bbr *bbr)
{
	bbr->mode = DRAIN;
	bbr->drain_start_round = bbr->round;
}

static __always_inline void start_down(const struct sock *sk, struct bbr *bbr)
{
	reset_signals(bbr);
	bbr->probe_up_per_packet = UNLIMITED;
	/* Section 5.3.3.8: at random, so that flows do not probe together. */
	bbr->rounds_since_probe = bpf_get_prandom_u32() & 1;
	bbr->probe_wait_us = probe_wait_ms * USEC_PER_MSEC;
	if (probe_wait_random_ms)
		bbr->probe_wait_us += bpf_get_prandom_u32() % (probe_wait_random_ms * USEC_PER_MSEC);
	bbr->cycle_start_us = now_us(sk);
	bbr->ack_phase = ACKS_PROBE_STOPPING;
	start_round(sk, bbr);
	bbr->mode = PROBE_DOWN;
}

static __always_inline void start_refill(const struct sock *sk, struct bbr *bbr)
{
	reset_short_term(bbr);
	bbr->probe_up_rounds = 0;
	bbr->probe_up_acked = 0;
	bbr->probe_was_cautious = 0;
	bbr->ack_phase = ACKS_REFILLING;
	start_round(sk, bbr);
	bbr->mode = PROBE_REFILL;
}

static __always_inline void start_up(const struct sock *sk, struct bbr *bbr)
{
	bbr->probe_samples = 1;
	bbr->ack_phase = ACKS_PROBE_STARTING;
	start_round(sk, bbr);
	reset_full_bw(bbr, bbr->sample_bw);
	bbr->cycle_start_us = now_us(sk);
	bbr->mode = PROBE_UP;
	raise_slope(sk, bbr);
}

#endif /* FAIRLANE_BBR_V3_TRANSITIONS_H */
