/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The congestion window (section 4.2.3): the target inflight of the state, and less during loss recovery.
 */
#ifndef FAIRLANE_BBR_V1_WINDOW_H
#define FAIRLANE_BBR_V1_WINDOW_H

#include "inflight.h"

/* Section 4.2.3.4: the last window that neither recovery nor ProbeRTT had reduced. */
static __always_inline void save_cwnd(const struct sock *sk, struct bbr *bbr)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	if (bbr->prior_ca_state < TCP_CA_Recovery && bbr->mode != PROBE_RTT)
		bbr->prior_cwnd = cwnd;
	else
		bbr->prior_cwnd = max(bbr->prior_cwnd, cwnd);
}

/* Section 4.2.3.4: packet conservation in the first round of recovery; at its end the old window is restored. True when
 * `*new_cwnd` is final. */
static __always_inline bool recover_or_restore(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs,
					       __u32 acked, __u32 *new_cwnd)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u8 state = ca_state(sk), prior_state = bbr->prior_ca_state;
	__u32 cwnd = tp->snd_cwnd;

	if (rs->losses > 0)
		cwnd = (__s32)(cwnd - rs->losses) > 1 ? cwnd - rs->losses : 1;

	if (state == TCP_CA_Recovery && prior_state != TCP_CA_Recovery) {
		bbr->packet_conservation = 1;
		bbr->round_end = tp->delivered;
		cwnd = tcp_packets_in_flight(tp) + acked;
	} else if (prior_state >= TCP_CA_Recovery && state < TCP_CA_Recovery) {
		cwnd = max(cwnd, bbr->prior_cwnd);
		bbr->packet_conservation = 0;
	}
	bbr->prior_ca_state = state;

	if (bbr->packet_conservation) {
		__u32 conserved = tcp_packets_in_flight(tp) + acked;

		cwnd = max(cwnd, conserved);
	}
	*new_cwnd = cwnd;
	return bbr->packet_conservation;
}

/* Section 4.2.3.6. `extra` packets are added to the target of the model. */
static __always_inline void set_cwnd(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs, __u32 extra)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 acked = rs->acked_sacked, cwnd = tp->snd_cwnd;

	if (acked && !recover_or_restore(sk, bbr, rs, acked, &cwnd)) {
		__u32 target = bdp(bbr, bandwidth(bbr), bbr->window_gain) + extra;

		target = with_headroom(sk, bbr, target);
		if (bbr->full_bw_reached)
			cwnd = min(cwnd + acked, target);
		else if (cwnd < target || tp->delivered < TCP_INIT_CWND)
			cwnd += acked;
		cwnd = max(cwnd, cwnd_min);
	}
	cwnd = min(cwnd, tp->snd_cwnd_clamp);
	if (bbr->mode == PROBE_RTT)
		cwnd = min(cwnd, cwnd_min);
	tp->snd_cwnd = cwnd;
}

#endif /* FAIRLANE_BBR_V1_WINDOW_H */
