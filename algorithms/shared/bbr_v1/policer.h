/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Detection of policers as in Linux (not in the draft): two intervals that begin and end with a loss, in which a fifth
 * of the packets was lost, and which had the same rate. That rate then replaces the bandwidth for some rounds. On how
 * common policers are: Flach et al., "An Internet-Wide Analysis of Traffic Policing", ACM SIGCOMM 2016.
 */
#ifndef FAIRLANE_BBR_V1_POLICER_H
#define FAIRLANE_BBR_V1_POLICER_H

#include "gain_cycle.h"

#define POLICER_MIN_ROUNDS 4      /* shortest interval; the longest is four times as long */
#define POLICER_SAME_RATIO 8      /* two intervals agree within 1/8 ... */
#define POLICER_SAME_BYTES 500    /* ... or within 4 kbit/s, in bytes per second */

static __always_inline void start_interval(const struct tcp_sock *tp, struct bbr *bbr)
{
	bbr->interval_start_ms = tp->delivered_mstamp / USEC_PER_MSEC;
	bbr->interval_delivered = tp->delivered;
	bbr->interval_lost = tp->lost;
	bbr->interval_rounds = 0;
}

static __always_inline void forget_policer(const struct tcp_sock *tp, struct bbr *bbr)
{
	bbr->policer_bw = 0;
	bbr->use_policer_bw = 0;
	bbr->in_interval = 0;
	start_interval(tp, bbr);
}

static __always_inline void end_interval(struct sock *sk, struct bbr *bbr, __u32 bw)
{
	if (bbr->policer_bw) {
		__u32 difference = bw > bbr->policer_bw ? bw - bbr->policer_bw : bbr->policer_bw - bw;

		if ((__u64)difference * POLICER_SAME_RATIO <= bbr->policer_bw ||
		    bytes_per_second(sk, difference, GAIN_UNIT) <= POLICER_SAME_BYTES) {
			bbr->policer_bw = ((__u64)bw + bbr->policer_bw) >> 1;
			bbr->use_policer_bw = 1;
			bbr->pacing_gain = GAIN_UNIT;
			bbr->interval_rounds = 0;
			return;
		}
	}
	bbr->policer_bw = bw;
	start_interval(tcp_sk(sk), bbr);
}

static __always_inline void look_for_policer(struct sock *sk, struct bbr *bbr, bool losses, bool app_limited)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 lost, delivered, ms;

	if (!policer_detection)
		return;
	if (bbr->use_policer_bw) {
		/* The policer may be gone: measure the bandwidth again. */
		if (bbr->mode == PROBE_BW && bbr->round_start && ++bbr->interval_rounds >= policer_rounds) {
			forget_policer(tp, bbr);
			enter_probe_bw(sk, bbr);
		}
		return;
	}

	/* Intervals begin and end with a loss: there the policer's bucket is empty. */
	if (!bbr->in_interval) {
		if (!losses)
			return;
		start_interval(tp, bbr);
		bbr->in_interval = 1;
	}
	if (app_limited) {
		forget_policer(tp, bbr);
		return;
	}
	if (bbr->round_start)
		bbr->interval_rounds++;
	if (bbr->interval_rounds < POLICER_MIN_ROUNDS)
		return;
	if (bbr->interval_rounds > 4 * POLICER_MIN_ROUNDS) {
		forget_policer(tp, bbr);
		return;
	}
	if (!losses)
		return;

	lost = tp->lost - bbr->interval_lost;
	delivered = tp->delivered - bbr->interval_delivered;
	if (!delivered || (lost << GAIN_SHIFT) < policer_loss * delivered)
		return;
	ms = tp->delivered_mstamp / USEC_PER_MSEC - bbr->interval_start_ms;
	if ((__s32)ms < 1)
		return;
	if (ms >= ~0U / USEC_PER_MSEC) {
		forget_policer(tp, bbr);
		return;
	}
	end_interval(sk, bbr, delivered * BW_UNIT / (ms * USEC_PER_MSEC));
}

#endif /* FAIRLANE_BBR_V1_POLICER_H */
