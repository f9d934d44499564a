/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The congestion window (section 5.6.4): the target inflight of the state, within the bounds of the model.
 */
#ifndef FAIRLANE_BBR_V3_WINDOW_H
#define FAIRLANE_BBR_V3_WINDOW_H

#include "inflight.h"
#include "long_term.h"
#include "probe_rtt.h"
#include "rounds.h"

/* The table of section 5.6.1. */
static __always_inline __u32 window_gain(const struct bbr *bbr)
{
	switch (bbr->mode) {
	case STARTUP:
	case DRAIN:
		return startup_cwnd_gain;
	case PROBE_UP:
		return probe_up_cwnd_gain;
	case PROBE_RTT:
		return probe_rtt_cwnd_gain;
	default:
		return cwnd_gain;
	}
}

/* Section 5.6.4.7. */
static __always_inline __u32 bound_by_model(const struct bbr *bbr, __u32 cwnd)
{
	__u32 bound = UNLIMITED;

	if (bbr->mode == PROBE_CRUISE || bbr->mode == PROBE_RTT)
		bound = inflight_less_headroom(bbr);
	else if (in_probe_bw(bbr))
		bound = bbr->inflight_high;
	bound = min(bound, bbr->inflight_low);
	bound = max(bound, cwnd_min);
	return min(cwnd, bound);
}

/* Version 2 (draft-cardwell-iccrg-bbr-congestion-control-02, section 4.6.4.4): packet conservation in the first round
 * of recovery, which Google's release of version 2 lacks. The window before recovery is restored at its end (section
 * 5.6.4.4); in that release only after timeouts, as nothing else reduces it. */
static __always_inline __u32 window_in_recovery(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u8 state = ca_state(sk), prior_state = bbr->prior_ca_state;
	__u32 cwnd = tp->snd_cwnd;

	bbr->prior_ca_state = state;
	if (prior_state >= (recovery_restores ? TCP_CA_Recovery : TCP_CA_Loss) && state < TCP_CA_Recovery) {
		bbr->packet_conservation = 0;
		return max(cwnd, bbr->prior_cwnd);
	}
	if (!conserve_packets)
		return cwnd;
	if (rs->losses > 0)
		cwnd = (__s32)(cwnd - rs->losses) > 1 ? cwnd - rs->losses : 1;
	if (state == TCP_CA_Recovery && prior_state != TCP_CA_Recovery) {
		bbr->packet_conservation = 1;
		start_round(sk, bbr);
		cwnd = tcp_packets_in_flight(tp) + rs->acked_sacked;
	}
	if (bbr->packet_conservation) {
		__u32 conserved = tcp_packets_in_flight(tp) + rs->acked_sacked;

		cwnd = max(cwnd, conserved);
	}
	return cwnd;
}

/* The allowance for bursts of ACKs; in Google's release of version 2 at most what arrives in 100 ms. */
static __always_inline __u32 aggregation_allowance(const struct bbr *bbr)
{
	__u64 most = (__u64)bandwidth(bbr) * extra_acked_max_ms * USEC_PER_MSEC >> BW_SHIFT;

	return extra_acked_max_ms ? min((__u64)bbr->extra_acked.best.value, most) : bbr->extra_acked.best.value;
}

/* Section 5.6.4.6. */
static __always_inline void set_cwnd(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 cwnd = window_in_recovery(sk, bbr, rs);

	if (rs->acked_sacked && !bbr->packet_conservation) {
		__u32 target = bdp(bbr, bandwidth(bbr), window_gain(bbr)) + aggregation_allowance(bbr);

		target = with_headroom(sk, bbr, target);
		if (bbr->full_bw_reached)
			cwnd = min(cwnd + rs->acked_sacked, target);
		else if (cwnd < target || tp->delivered < TCP_INIT_CWND)
			cwnd += rs->acked_sacked;
	}
	cwnd = max(cwnd, bbr->packet_conservation ? 1U : cwnd_min);
	if (bbr->mode == PROBE_RTT) {
		__u32 most = probe_rtt_cwnd(bbr);

		cwnd = min(cwnd, most);
	}
	cwnd = bound_by_model(bbr, cwnd);
	tp->snd_cwnd = min(cwnd, tp->snd_cwnd_clamp);
}

#endif /* FAIRLANE_BBR_V3_WINDOW_H */
