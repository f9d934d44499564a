/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * BBR version 1, for the algorithms that build on it. bbr.c describes the algorithm and names its sources; section
 * numbers, here and in bbr_v1/, are those of draft-cardwell-iccrg-bbr-congestion-control-00.
 *
 * A program defines the parameters that are used here (bbr.c lists them) before it includes this file,
 * makes `struct bbr` the first member of its own state, and calls update_bandwidth() and update_state()
 * for each sample; then it sets pacing rate and window, by set_pacing_rate() and set_cwnd() or by rules
 * of its own.
 *
 *   model                                     state machine                         output
 *   state.h      state of a connection        startup.h     startup and drain       pacing.h   pacing rate
 *   bandwidth.h  rounds, bandwidth            gain_cycle.h  ProbeBW, and all gains  window.h   window
 *   inflight.h   bandwidth-delay product      probe_rtt.h   ProbeRTT, smallest RTT
 *   policer.h    policers                     ack_aggregation.h  bursts of ACKs, in programs that include it
 */
#ifndef FAIRLANE_BBR_V1_H
#define FAIRLANE_BBR_V1_H

#include "bbr_v1/bandwidth.h"
#include "bbr_v1/gain_cycle.h"
#include "bbr_v1/pacing.h"
#include "bbr_v1/policer.h"
#include "bbr_v1/probe_rtt.h"
#include "bbr_v1/startup.h"
#include "bbr_v1/window.h"

/* Updates round and bandwidth from a sample. */
static __always_inline void update_bandwidth(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	bbr->round_start = 0;
	if (rs->delivered < 0 || rs->interval_us <= 0)
		return;
	update_rounds(sk, bbr, rs);
	look_for_policer(sk, bbr, rs->losses, rs->is_app_limited);
	update_max_bw(bbr, rs);
}

/* Updates state, phase and gains after update_bandwidth(). */
static __always_inline void update_state(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	if (bbr->mode == PROBE_BW && phase_is_over(sk, bbr, rs))
		next_phase(sk, bbr);
	check_full_bandwidth(bbr, rs);
	check_drain(sk, bbr);
	update_min_rtt(sk, bbr, rs);
	set_gains(bbr);
}

/* Section 4.3.1. */
static __always_inline void start(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);

	bbr->round_end = tp->delivered;
	bbr->min_rtt_us = tp->rtt_min.s[0].v;
	bbr->min_rtt_time = tcp_jiffies32;
	bbr->mode = STARTUP;
	start_interval(tp, bbr);
	start_pacing(sk, bbr);
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

/* Section 4.3.4.4: restart from idle at the estimated rate, without a burst and without a probe. */
static __always_inline void restart_after_idle(struct sock *sk, struct bbr *bbr)
{
	bbr->idle_restart = 1;
	if (bbr->mode == PROBE_BW)
		set_pacing_rate(sk, bbr, bandwidth(bbr), GAIN_UNIT);
	else if (bbr->mode == PROBE_RTT)
		check_probe_rtt_end(sk, bbr);
}

static __always_inline void time_out(struct sock *sk, struct bbr *bbr)
{
	bbr->prior_ca_state = TCP_CA_Loss;
	bbr->full_bw = 0;
	bbr->round_start = 1; /* a timeout ends a round */
	look_for_policer(sk, bbr, true, false);
}

/* A spurious loss says nothing about a full pipe. */
static __always_inline void undo(struct sock *sk, struct bbr *bbr)
{
	bbr->full_bw = 0;
	bbr->full_rounds = 0;
	forget_policer(tcp_sk(sk), bbr);
}

#endif /* FAIRLANE_BBR_V1_H */
