/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The smallest round-trip time, and ProbeRTT: without a new minimum for ten seconds, the flow briefly keeps four packets
 * in flight to measure the path without its own queue (sections 4.1.2 and 4.3.5).
 */
#ifndef FAIRLANE_BBR_V1_PROBE_RTT_H
#define FAIRLANE_BBR_V1_PROBE_RTT_H

#include "gain_cycle.h"
#include "window.h"

static __always_inline void leave_probe_rtt(const struct sock *sk, struct bbr *bbr)
{
	if (bbr->full_bw_reached)
		enter_probe_bw(sk, bbr);
	else
		bbr->mode = STARTUP;
}

static __always_inline void check_probe_rtt_end(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!bbr->probe_rtt_end || !after(tcp_jiffies32, bbr->probe_rtt_end))
		return;
	bbr->min_rtt_time = tcp_jiffies32;
	tp->snd_cwnd = max(tp->snd_cwnd, bbr->prior_cwnd);
	leave_probe_rtt(sk, bbr);
}

static __always_inline void handle_probe_rtt(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 inflight = tcp_packets_in_flight(tp);
	__u32 mark = tp->delivered + inflight;

	/* With so few packets in flight, samples do not measure the bandwidth. */
	if (MAY_WRITE_APP_LIMITED)
		tp->app_limited = mark ? mark : 1;
	if (!bbr->probe_rtt_end && inflight <= cwnd_min) {
		bbr->probe_rtt_end = tcp_jiffies32 + msecs_to_jiffies(probe_rtt_ms);
		bbr->probe_rtt_round_done = 0;
		bbr->round_end = tp->delivered;
	} else if (bbr->probe_rtt_end) {
		if (bbr->round_start)
			bbr->probe_rtt_round_done = 1;
		if (bbr->probe_rtt_round_done)
			check_probe_rtt_end(sk, bbr);
	}
}

static __always_inline void update_min_rtt(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	__u32 now = tcp_jiffies32;
	bool expired = after(now, bbr->min_rtt_time + msecs_to_jiffies(min_rtt_window_ms));

	/* A delayed ACK may lower the estimate, but does not renew it. */
	if (rs->rtt_us >= 0 && (rs->rtt_us < bbr->min_rtt_us || (expired && !rs->is_ack_delayed))) {
		bbr->min_rtt_us = rs->rtt_us;
		bbr->min_rtt_time = now;
	}

	/* An idle period has drained the queue as ProbeRTT would. */
	if (probe_rtt_ms && expired && !bbr->idle_restart && bbr->mode != PROBE_RTT) {
		save_cwnd(sk, bbr);
		bbr->mode = PROBE_RTT;
		bbr->probe_rtt_end = 0;
	}
	if (bbr->mode == PROBE_RTT)
		handle_probe_rtt(sk, bbr);
	if (rs->delivered > 0)
		bbr->idle_restart = 0;
}

#endif /* FAIRLANE_BBR_V1_PROBE_RTT_H */
