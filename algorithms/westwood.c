// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * westwood: grows like Reno; after a loss the window becomes the BDP at the measured rate (Westwood+)
 *
 *	once per round trip (50 ms at least):  sample = bytes acknowledged / time
 *	bw      = the samples after two low-pass filters of weight 1/8
 *	after a loss:     ssthresh = cwnd = bw RTT_min        (the path full, its queue empty)
 *	after a timeout: ssthresh = bw RTT_min, cwnd = 1
 *
 *	   slow start --loss--> recovery --repaired: cwnd = bw RTT_min--> congestion avoidance
 *	        ^                   ^------------------loss--------------------'
 *	        '-----time-out------'
 *
 * Source: Mascolo, Casetti, Gerla, Sanadidi, Wang, "TCP Westwood: Bandwidth Estimation for Enhanced
 * Transport over Wireless Links", ACM MobiCom 2001; Grieco and Mascolo, "Performance Evaluation and
 * Comparison of Westwood+, New Reno and Vegas TCP Congestion Control", ACM CCR 34 (2004).
 *
 * Deviations from the papers, as in Linux:
 * 1. During recovery the window shrinks to half as Reno's does, and becomes bw RTT_min at its end.
 * 2. Two filters with constant weights 7/8 and 1/8 in a row, started with the first sample.
 * 3. Times are in jiffies, RTTs rounded up; the rate is in bytes per jiffy, in whole bytes.
 * 4. RTT_min is measured anew after a timeout.
 * 5. Of a duplicate ACK one segment is counted at once, and taken off the next cumulative ACK.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* min_interval_ms: ms, shortest interval of one rate sample, Westwood+ (50) */
const volatile __u32 min_interval_ms = 50;
/* filter_shift: bits, weight 1 / 2^shift of a new value in each filter, Westwood+ (1/8) */
const volatile __u32 filter_shift = 3;

#define FIRST_RTT_S 20            /* until an RTT is known */
#define CWND_MIN 2U

struct westwood {
	__u32 bw_once;                /* bytes per jiffy, filtered once */
	__u32 bw;                     /* bytes per jiffy, filtered twice */
	__u32 interval_start;         /* jiffies */
	__u32 interval_bytes;         /* acknowledged in this interval */
	__u32 snd_una;                /* up to where ACKs are counted */
	__u32 counted_early;          /* bytes counted for duplicate ACKs, due in the next cumulative one */
	__u32 rtt;                    /* jiffies, latest */
	__u32 rtt_min;                /* jiffies */
	bool any_ack;
	bool renew_rtt_min;           /* the next RTT replaces the minimum */
};
STATE_FITS(struct westwood);

SEC("struct_ops/init")
void BPF_PROG(westwood_init, struct sock *sk)
{
	struct westwood *ca = inet_csk_ca(sk);

	__builtin_memset(ca, 0, sizeof(*ca));
	ca->rtt = ca->rtt_min = FIRST_RTT_S * HZ;
	ca->interval_start = tcp_jiffies32;
	ca->snd_una = tcp_sk(sk)->snd_una;
	ca->renew_rtt_min = true;
}

/* ---- the rate ---- */

static __always_inline __u32 filtered(__u32 old, __u32 sample)
{
	return (((1U << filter_shift) - 1) * old + sample) >> filter_shift;
}

static __always_inline void end_interval(const struct tcp_sock *tp, struct westwood *ca)
{
	__u32 elapsed = tcp_jiffies32 - ca->interval_start;
	__u32 shortest = HZ * min_interval_ms / 1000, sample;

	/* The first ACK is the handshake's. */
	if (!ca->any_ack) {
		ca->snd_una = tp->snd_una;
		ca->any_ack = true;
	}

	shortest = max(shortest, ca->rtt);
	if (!ca->rtt || (__s32)elapsed <= (__s32)shortest)
		return;
	sample = ca->interval_bytes / elapsed;
	if (!ca->bw && !ca->bw_once) {
		ca->bw = ca->bw_once = sample;
	} else {
		ca->bw_once = filtered(ca->bw_once, sample);
		ca->bw = filtered(ca->bw, ca->bw_once);
	}
	ca->interval_bytes = 0;
	ca->interval_start += elapsed;
}

/* Bytes that an ACK reports as received, while losses make packets arrive out of order. */
static __always_inline __u32 bytes_delivered(const struct tcp_sock *tp, struct westwood *ca)
{
	__u32 bytes = tp->snd_una - ca->snd_una, mss = tp->mss_cache;

	if (!bytes) {
		ca->counted_early += mss;
		return mss;
	}
	if (bytes <= mss)
		return bytes;
	if (ca->counted_early >= bytes) {
		ca->counted_early -= bytes;
		return mss;
	}
	bytes -= ca->counted_early;
	ca->counted_early = 0;
	return bytes;
}

SEC("struct_ops/in_ack_event")
void BPF_PROG(westwood_in_ack_event, struct sock *sk, __u32 flags)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct westwood *ca = inet_csk_ca(sk);

	end_interval(tp, ca);
	if (flags & CA_ACK_SLOWPATH)
		ca->interval_bytes += bytes_delivered(tp, ca);
	else
		ca->interval_bytes += tp->snd_una - ca->snd_una;
	ca->snd_una = tp->snd_una;

	ca->rtt_min = ca->renew_rtt_min ? ca->rtt : min(ca->rtt_min, ca->rtt);
	ca->renew_rtt_min = false;
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(westwood_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct westwood *ca = inet_csk_ca(sk);

	if (sample->rtt_us > 0)
		ca->rtt = usecs_to_jiffies(sample->rtt_us);
}

/* ---- the window ---- */

/* Packets that fill the path and leave its queue empty. */
static __always_inline __u32 path_packets(const struct tcp_sock *tp, const struct westwood *ca)
{
	__u32 packets = ca->bw * ca->rtt_min / tp->mss_cache;

	return max(packets, CWND_MIN);
}

SEC("struct_ops/cwnd_event")
void BPF_PROG(westwood_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct westwood *ca = inet_csk_ca(sk);

	if (event == CA_EVENT_COMPLETE_CWR) {
		tp->snd_cwnd = tp->snd_ssthresh = path_packets(tp, ca);
	} else if (event == CA_EVENT_LOSS) {
		tp->snd_ssthresh = path_packets(tp, ca);
		ca->renew_rtt_min = true;
	}
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(westwood_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(westwood_ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(westwood_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops westwood = {
	.init         = (void *)westwood_init,
	.ssthresh     = (void *)westwood_ssthresh,
	.cong_avoid   = (void *)westwood_cong_avoid,
	.cwnd_event   = (void *)westwood_cwnd_event,
	.in_ack_event = (void *)westwood_in_ack_event,
	.pkts_acked   = (void *)westwood_pkts_acked,
	.undo_cwnd    = (void *)westwood_undo_cwnd,
	.name         = "fl_westwood",
};
