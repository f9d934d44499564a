/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The units of rates and gains in all versions of BBR, the pacing rate, and the size of a burst.
 * A program defines the parameter `pacing_margin`, in percent, before it includes this file. Section numbers are those
 * of draft-cardwell-iccrg-bbr-congestion-control-00.
 */
#ifndef FAIRLANE_BBR_UNITS_H
#define FAIRLANE_BBR_UNITS_H

#include "congestion_control.h"

#define BW_SHIFT 24               /* bandwidth: packets per microsecond, times 2^24 */
#define BW_UNIT (1ULL << BW_SHIFT)
#define GAIN_SHIFT 8
#define GAIN_UNIT (1U << GAIN_SHIFT)
#define SLOW_BYTES_PER_S 150000   /* 1.2 Mbit/s: below it, one segment per burst is enough */
#define BURST_MAX_BYTES 65215     /* payload of a 64 KiB packet with 320 bytes of headers */
#define BURST_MAX_SEGMENTS 127

/* 32-bit times in microseconds wrap after 71 minutes. */
static __always_inline __u32 elapsed_us(__u32 now, __u32 then)
{
	return (__s32)(now - then) > 0 ? now - then : 0;
}

static __always_inline __u64 bytes_per_second(const struct sock *sk, __u64 bw, __u32 gain)
{
	bw *= tcp_sk(sk)->mss_cache;
	bw = (bw * gain) >> GAIN_SHIFT;
	bw *= USEC_PER_SEC / 100 * (100 - pacing_margin);
	return bw >> BW_SHIFT;
}

static __always_inline __u64 pacing_rate(const struct sock *sk, __u32 bw, __u32 gain)
{
	__u64 rate = bytes_per_second(sk, bw, gain);

	return min(rate, (__u64)sk->sk_max_pacing_rate);
}

/* Section 4.2.2. */
static __always_inline __u32 min_burst(const struct sock *sk)
{
	return sk->sk_pacing_rate < SLOW_BYTES_PER_S ? 1 : 2;
}

/* Segments that TSO sends at once at this rate: usually those of one millisecond (section 4.2.2). */
static __always_inline __u32 burst(const struct sock *sk)
{
	__u64 bytes = sk->sk_pacing_rate >> sk->sk_pacing_shift;
	__u32 segments;

	bytes = min(bytes, (__u64)BURST_MAX_BYTES);
	segments = (__u32)bytes / tcp_sk(sk)->mss_cache;
	segments = max(segments, min_burst(sk));
	return min(segments, (__u32)BURST_MAX_SEGMENTS);
}

#endif /* FAIRLANE_BBR_UNITS_H */
