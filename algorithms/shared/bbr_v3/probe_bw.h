/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * ProbeBW, the steady state (section 5.3.3): down to drain the queue of the last probe, cruise, refill the pipe, and up
 * to probe.
 */
#ifndef FAIRLANE_BBR_V3_PROBE_BW_H
#define FAIRLANE_BBR_V3_PROBE_BW_H

#include "loss.h"

/* Section 5.3.3.9: updates the long-term model from the ACKs of a probe. True if the state was changed. */
static __always_inline bool adapt_long_term(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	if (bbr->ack_phase == ACKS_PROBE_STARTING && bbr->round_start)
		bbr->ack_phase = ACKS_PROBE_FEEDBACK;
	if (bbr->ack_phase == ACKS_PROBE_STOPPING && bbr->round_start) {
		/* The last packets of the probe are acknowledged. */
		bbr->probe_samples = 0;
		bbr->ack_phase = ACKS_INIT;
		if (in_probe_bw(bbr))
			advance_max_bw(bbr, rs);
		/* A cautious probe met no loss: probe again, without caution (section 5.3.3.6). */
		if (in_probe_bw(bbr) && bbr->probe_was_cautious && !bbr->previous_probe_too_high) {
			start_refill(sk, bbr);
			return true;
		}
	}

	if (is_too_high(bbr->sample_lost, bbr->sample_in_flight)) {
		/* v2alpha judges each sample; loss.h only those whose ACK has found a loss. */
		if (every_sample_ends_probe && bbr->probe_samples)
			too_much_in_flight(sk, bbr, rs, bbr->sample_in_flight);
		return false;
	}
	if (bbr->inflight_high == UNLIMITED)
		return false;
	if (rs->delivered >= 0 && bbr->sample_in_flight > bbr->inflight_high)
		bbr->inflight_high = bbr->sample_in_flight;
	if (bbr->mode == PROBE_UP)
		raise_inflight_high(sk, bbr, rs);
	return false;
}

/* Section 5.3.3.8: after some seconds, or after as many rounds as Reno takes from one loss to the next. */
static __always_inline bool is_time_to_probe(const struct sock *sk, const struct bbr *bbr)
{
	__u32 reno_rounds = min(bdp(bbr, bandwidth(bbr), GAIN_UNIT), tcp_sk(sk)->snd_cwnd);

	return has_passed(now_us(sk), bbr->cycle_start_us + bbr->probe_wait_us) ||
	       bbr->rounds_since_probe >= min(reno_rounds, reno_rounds_max);
}

/* Section 5.3.3.1: there is headroom for other flows, and the queue is drained. */
static __always_inline bool is_time_to_cruise(const struct sock *sk, const struct bbr *bbr)
{
	__u32 inflight = tcp_packets_in_flight(tcp_sk(sk));

	return inflight <= inflight_less_headroom(bbr) &&
	       inflight <= with_headroom(sk, bbr, bdp(bbr, max_bw(bbr), GAIN_UNIT));
}

/* Section 5.3.3.7. loss.h ends a probe that loses too much. */
static __always_inline bool is_time_to_go_down(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	/* The last probe lost too much with this much in flight: stop here (section 5.3.3.6). */
	if (bbr->previous_probe_too_high && rs->prior_in_flight >= bbr->inflight_high) {
		bbr->probe_was_cautious = 1;
		return true;
	}
	/* Version 2: the inflight has reached the gain's target, after at least a round trip. */
	if (!probe_until_plateau)
		return has_passed(now_us(sk), bbr->cycle_start_us + bbr->min_rtt_us) &&
		       rs->prior_in_flight > target_inflight(sk, bbr, probe_up_gain);
	if (uses_window(tcp_sk(sk), bbr)) {
		/* inflight_high limits the rate. */
		reset_full_bw(bbr, bbr->sample_bw);
		return false;
	}
	return bbr->full_bw_now;
}

static __always_inline void update_cycle(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	if (!bbr->full_bw_reached || adapt_long_term(sk, bbr, rs))
		return;
	switch (bbr->mode) {
	case PROBE_DOWN:
		if (is_time_to_probe(sk, bbr))
			start_refill(sk, bbr);
		else if (is_time_to_cruise(sk, bbr))
			bbr->mode = PROBE_CRUISE;
		break;
	case PROBE_CRUISE:
		if (is_time_to_probe(sk, bbr))
			start_refill(sk, bbr);
		break;
	case PROBE_REFILL:
		if (bbr->round_start)
			start_up(sk, bbr);
		break;
	case PROBE_UP:
		if (is_time_to_go_down(sk, bbr, rs)) {
			bbr->previous_probe_too_high = 0; /* not yet */
			start_down(sk, bbr);
		}
		break;
	}
}

#endif /* FAIRLANE_BBR_V3_PROBE_BW_H */
