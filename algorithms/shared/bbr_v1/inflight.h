/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The target inflight by bandwidth and round-trip time (section 4.2.3.2), and the expected inflight.
 */
#ifndef FAIRLANE_BBR_V1_INFLIGHT_H
#define FAIRLANE_BBR_V1_INFLIGHT_H

#include "bandwidth.h"

/* The bandwidth-delay product times `gain`, rounded up, in packets. */
static __always_inline __u32 bdp(const struct bbr *bbr, __u32 bw, __u32 gain)
{
	__u64 packets;

	/* Without an RTT sample there is no product. */
	if (bbr->min_rtt_us == ~0U)
		return TCP_INIT_CWND;
	packets = (__u64)bw * bbr->min_rtt_us;
	return (((packets * gain) >> GAIN_SHIFT) + BW_UNIT - 1) >> BW_SHIFT;
}

/* Room for one burst in the host, one on the wire and one at the receiver; an even number, for which delayed ACKs need
 * no timer; and enough for gain 1.25 to have an effect at small windows. */
static __always_inline __u32 with_headroom(const struct sock *sk, const struct bbr *bbr, __u32 packets)
{
	packets += 3 * burst(sk);
	packets = (packets + 1) & ~1U;
	if (bbr->mode == PROBE_BW && bbr->phase == 0)
		packets += 2;
	return packets;
}

static __always_inline __u32 target_inflight(const struct sock *sk, const struct bbr *bbr, __u32 bw, __u32 gain)
{
	return with_headroom(sk, bbr, bdp(bbr, bw, gain));
}

/* The inflight when pacing will allow the next packet (as in Linux; the draft uses the current inflight). */
static __always_inline __u32 inflight_at_departure(const struct sock *sk, const struct bbr *bbr, __u32 inflight)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u64 now_ns = tp->tcp_clock_cache;
	__u64 departure_ns = max(tp->tcp_wstamp_ns, now_ns);
	__u32 wait_us = (departure_ns - now_ns) / NSEC_PER_USEC;
	__u32 delivered = (__u64)bandwidth(bbr) * wait_us >> BW_SHIFT;

	if (bbr->pacing_gain > GAIN_UNIT)
		inflight += burst(sk);
	return delivered >= inflight ? 0 : inflight - delivered;
}

#endif /* FAIRLANE_BBR_V1_INFLIGHT_H */
