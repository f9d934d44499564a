/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The smallest round-trip time, and ProbeRTT: without a new minimum for some seconds, the flow briefly keeps few packets
 * in flight to measure the path without its own queue (sections 5.3.4 and 5.5.7).
 */
#ifndef FAIRLANE_BBR_V3_PROBE_RTT_H
#define FAIRLANE_BBR_V3_PROBE_RTT_H

#include "inflight.h"
#include "undo.h"

/* Section 5.3.4.4: with less than a BDP in flight there is no queue to drain, and the flow cruises at once. */
static __always_inline void leave_probe_rtt(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);

	bbr->probe_rtt_min_us_at = now_us(sk);
	tp->snd_cwnd = max(tp->snd_cwnd, bbr->prior_cwnd);
	reset_short_term(bbr);
	if (bbr->full_bw_reached) {
		start_down(sk, bbr);
		bbr->mode = PROBE_CRUISE;
	} else {
		enter_startup(bbr);
	}
}

static __always_inline void check_probe_rtt_end(struct sock *sk, struct bbr *bbr)
{
	if (bbr->in_flight_is_low && has_passed(now_us(sk), bbr->probe_rtt_end))
		leave_probe_rtt(sk, bbr);
}

/* Section 5.6.4.5. */
static __always_inline __u32 probe_rtt_cwnd(const struct bbr *bbr)
{
	__u32 packets = bdp(bbr, bandwidth(bbr), probe_rtt_cwnd_gain);

	return max(packets, cwnd_min);
}

static __always_inline void handle_probe_rtt(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 inflight = tcp_packets_in_flight(tp);
	__u32 mark = tp->delivered + inflight;

	/* With so few packets in flight, samples do not measure the bandwidth. */
	if (MAY_WRITE_APP_LIMITED)
		tp->app_limited = mark ? mark : 1;
	if (!bbr->in_flight_is_low) {
		if (inflight > probe_rtt_cwnd(bbr))
			return;
		bbr->in_flight_is_low = 1;
		bbr->probe_rtt_end = now_us(sk) + probe_rtt_ms * USEC_PER_MSEC;
		bbr->probe_rtt_round_done = 0;
		start_round(sk, bbr);
		return;
	}
	bbr->probe_rtt_round_done |= bbr->round_start;
	if (bbr->probe_rtt_round_done)
		check_probe_rtt_end(sk, bbr);
}

static __always_inline bool is_lower(__u32 rtt_us, __u32 min_us)
{
	return rtt_us < min_us || (equal_rtt_renews && rtt_us == min_us);
}

/* Section 5.3.4.3. True if the smallest RTT is so old that ProbeRTT is due. */
static __always_inline bool update_min_rtt(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	__u32 now = now_us(sk);
	bool expired = has_passed(now, bbr->probe_rtt_min_us_at + probe_rtt_interval_ms * USEC_PER_MSEC);

	/* A delayed ACK may lower the estimate, but does not renew it; in version 2 an equal RTT renews it. */
	if (rs->rtt_us >= 0 &&
	    (is_lower(rs->rtt_us, bbr->probe_rtt_min_us) || (expired && !rs->is_ack_delayed))) {
		bbr->probe_rtt_min_us = max((__u32)rs->rtt_us, 1U);
		bbr->probe_rtt_min_us_at = now;
	}
	if (is_lower(bbr->probe_rtt_min_us, bbr->min_rtt_us) ||
	    has_passed(now, bbr->min_rtt_us_at + min_rtt_window_ms * USEC_PER_MSEC)) {
		bbr->min_rtt_us = bbr->probe_rtt_min_us;
		bbr->min_rtt_us_at = bbr->probe_rtt_min_us_at;
	}
	return expired;
}

/* An idle period has drained the queue as ProbeRTT would (section 5.3.4.2). */
static __always_inline void check_probe_rtt(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs,
					    bool expired)
{
	if (bbr->mode != PROBE_RTT && probe_rtt_ms && expired && !bbr->idle_restart) {
		save_cwnd(sk, bbr);
		bbr->mode = PROBE_RTT;
		bbr->in_flight_is_low = 0;
		bbr->ack_phase = ACKS_PROBE_STOPPING;
		start_round(sk, bbr);
	}
	if (bbr->mode == PROBE_RTT)
		handle_probe_rtt(sk, bbr);
	if (rs->delivered > 0)
		bbr->idle_restart = 0;
}

#endif /* FAIRLANE_BBR_V3_PROBE_RTT_H */
