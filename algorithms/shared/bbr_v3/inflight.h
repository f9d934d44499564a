/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The target inflight by bandwidth and round-trip time (section 5.6.4.2).
 */
#ifndef FAIRLANE_BBR_V3_INFLIGHT_H
#define FAIRLANE_BBR_V3_INFLIGHT_H

#include "bandwidth.h"

/* The bandwidth-delay product times `gain`, rounded up, in packets. */
static __always_inline __u32 bdp(const struct bbr *bbr, __u32 bw, __u32 gain)
{
	__u64 packets;

	/* Without an RTT sample there is no product. */
	if (bbr->min_rtt_us == ~0U)
		return TCP_INIT_CWND;
	packets = (__u64)bw * bbr->min_rtt_us;
	/* Drops four bits of the fraction, to make room for the gain. */
	return (((packets >> 4) * gain >> GAIN_SHIFT) + (BW_UNIT >> 4) - 1) >> (BW_SHIFT - 4);
}

/* Room for bursts of offloads (section 5.5.8.1), for delayed ACKs (section 5.6.4.3), and for gain 1.25 to have an effect
 * at small windows. */
static __always_inline __u32 with_headroom(const struct sock *sk, const struct bbr *bbr, __u32 packets)
{
	packets = max(packets, 3 * burst(sk));
	packets = max(packets, cwnd_min);
	return bbr->mode == PROBE_UP ? packets + 2 : packets;
}

static __always_inline __u32 target_inflight(const struct sock *sk, const struct bbr *bbr, __u32 gain)
{
	return with_headroom(sk, bbr, bdp(bbr, bandwidth(bbr), gain));
}

#endif /* FAIRLANE_BBR_V3_INFLIGHT_H */
