/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * BBR versions 2 and 3, which bbr2.c and bbr3.c describe. Section numbers, here and in bbr_v3/, are those of
 * draft-ietf-ccwg-bbr-06. A program defines all parameters of bbr_v3/parameters.h before it includes this file; its
 * callbacks are those of bbr_v3/callbacks.h, or its own.
 *
 * The model has a long-term part (the largest bandwidth of the last two probes, and the most that the last probe found
 * safe in flight) and a short-term part (what was delivered in the last lossy round). ProbeBW_UP is bounded by the
 * long-term part alone, the other states by both.
 *
 *   model                                   state machine                           output
 *   state.h    state of a connection        startup.h      startup and drain        pacing.h   pacing rate
 *   sample.h   this ACK, its losses, marks  probe_bw.h     down, cruise, refill, up window.h   window
 *   rounds.h   round trips                  probe_rtt.h    ProbeRTT, smallest RTT
 *   bandwidth.h, inflight.h   BDP           transitions.h  entry into a state
 *   long_term.h, short_term.h   bounds      full_bandwidth.h   the pipe is full
 *   ack_aggregation.h   bursts of ACKs      loss.h, undo.h   losses, spurious losses
 */
#ifndef FAIRLANE_BBR_V3_H
#define FAIRLANE_BBR_V3_H

#include "bbr_v3/ack_aggregation.h"
#include "bbr_v3/full_bandwidth.h"
#include "bbr_v3/loss.h"
#include "bbr_v3/pacing.h"
#include "bbr_v3/probe_bw.h"
#include "bbr_v3/probe_rtt.h"
#include "bbr_v3/rounds.h"
#include "bbr_v3/sample.h"
#include "bbr_v3/short_term.h"
#include "bbr_v3/startup.h"
#include "bbr_v3/undo.h"
#include "bbr_v3/window.h"

/* Section 5.2.3, after the steps of section 5.2.4 for the losses found since the last ACK. */
static __always_inline void on_ack(struct sock *sk, const struct rate_sample *rs)
{
	struct bbr *bbr = state_of(sk, 0);
	bool min_rtt_expired;

	if (!bbr)
		return;
	take_sample(sk, bbr, rs);
	look_at_losses(sk, bbr, rs);

	update_rounds(sk, bbr, rs);
	update_latest(sk, bbr, rs);
	update_max_bw(bbr, rs);
	lower_short_term(sk, bbr);
	update_aggregation(sk, bbr, rs);

	check_full_bw(bbr, rs);
	check_startup_and_drain(sk, bbr);
	update_cycle(sk, bbr, rs);
	min_rtt_expired = update_min_rtt(sk, bbr, rs);
	check_probe_rtt(sk, bbr, rs, min_rtt_expired);
	advance_latest(bbr, rs);

	set_pacing_rate(sk, bbr, pacing_gain(bbr));
	set_cwnd(sk, bbr, rs);
}

/* Section 5.2.1. */
static __always_inline void on_init(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = state_of(sk, BPF_SK_STORAGE_GET_F_CREATE);

	if (!bbr)
		return;
	__builtin_memset(bbr, 0, __builtin_offsetof(struct bbr, record));
	bbr->round_end = tp->delivered;
	bbr->loss_round_end = tp->delivered;
	bbr->lost_seen = total_lost(tp);
	bbr->inflight_high = UNLIMITED;
	bbr->probe_up_per_packet = UNLIMITED;
	bbr->min_rtt_us = tp->rtt_min.s[0].v;
	bbr->probe_rtt_min_us = bbr->min_rtt_us;
	bbr->min_rtt_us_at = now_us(sk);
	bbr->probe_rtt_min_us_at = now_us(sk);
	bbr->aggregation_start_us = now_us(sk);
	bbr->undo_mode = DRAIN;
	reset_short_term(bbr);
	enter_startup(bbr);
	start_pacing(sk, bbr);
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

/* Section 5.4.1. */
static __always_inline void on_restart(struct sock *sk)
{
	struct bbr *bbr = state_of(sk, 0);

	if (!bbr || !tcp_sk(sk)->app_limited)
		return;
	bbr->idle_restart = 1;
	bbr->aggregation_start_us = now_us(sk);
	bbr->aggregation_acked = 0;
	if (in_probe_bw(bbr))
		set_pacing_rate(sk, bbr, GAIN_UNIT);
	else if (bbr->mode == PROBE_RTT)
		check_probe_rtt_end(sk, bbr);
}

/* Section 5.6.4.4. */
static __always_inline void on_time_out(struct sock *sk)
{
	struct bbr *bbr = state_of(sk, 0);

	if (!bbr)
		return;
	save_for_undo(sk, bbr);
	bbr->prior_ca_state = TCP_CA_Loss;
	bbr->full_bw = 0;
	bbr->packet_conservation = 0;
}

/* Section 5.6.4.4: on entry into recovery, set_cwnd() sets the window. */
static __always_inline __u32 on_reduction(struct sock *sk)
{
	struct bbr *bbr = state_of(sk, 0);

	if (bbr)
		save_cwnd(sk, bbr);
	return tcp_sk(sk)->snd_ssthresh;
}

/* Section 5.2.5. */
static __always_inline __u32 on_undo(struct sock *sk)
{
	struct bbr *bbr = state_of(sk, 0);

	return bbr ? undo(sk, bbr) : tcp_sk(sk)->snd_cwnd;
}

#endif /* FAIRLANE_BBR_V3_H */
