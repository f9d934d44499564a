// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * mine: additive increase, and a smaller decrease when a loss comes with a short queue
 *
 *	below ssthresh:   cwnd += 1 per packet delivered
 *	above ssthresh:   cwnd += `increase` per round trip
 *	after a loss:     ssthresh = `decrease` * cwnd, or `gentle_decrease` * cwnd when the RTT is near its
 *	                  minimum, because then the loss was probably not a full queue
 *
 *	   slow start --cwnd reaches ssthresh, or loss--> congestion avoidance
 *	        ^-------------retransmission time-out------------'
 *
 * Source: name the paper or RFC here, and cite the section at each line that implements it.
 *
 * Deviations:
 * 1. Number them, each with its reason.
 */
#include "congestion_control.h"

/* The kernel takes programs under a licence that is compatible with the GPL only. */
char _license[] SEC("license") = "Dual MIT/GPL";

/* Parameters: `const volatile` at file level, each with a comment `name: unit, meaning, source`. An experiment sets them
 * with mine:increase=2, the kernel with --set increase=2. The comment is what `fairlane algorithm explain` prints. */

/* increase: packets per round trip, growth above ssthresh, RFC 5681 section 3.1 */
const volatile __u32 increase = 1;
/* decrease: 1/1024, share of the window that stays after a loss, RFC 5681 section 3.1 */
const volatile __u32 decrease = 512;
/* gentle_decrease: 1/1024, the same when the queue is short, a guess */
const volatile __u32 gentle_decrease = 819;
/* short_queue: 1/1024 of the minimal RTT, queueing delay up to which a queue counts as short, a guess */
const volatile __u32 short_queue = 128;

/* There is no floating point in the kernel: a share is a number of 1/1024. */
#define ONE 1024U

/* What a connection remembers: at most 104 bytes, all zero before init(). Unit and meaning of each member. */
struct mine {
	__u32 rtt_min_us; /* smallest RTT seen; 0: none yet */
	__u32 rtt_us;     /* the latest RTT */
};
STATE_FITS(struct mine);

/* A connection begins, or changes to this algorithm. */
SEC("struct_ops/init")
void BPF_PROG(mine_init, struct sock *sk)
{
	struct mine *ca = inet_csk_ca(sk);

	ca->rtt_min_us = 0;
	ca->rtt_us = 0;
}

/* Packets were acknowledged: `sample` has their number and their RTT in microseconds (negative: none). */
SEC("struct_ops/pkts_acked")
void BPF_PROG(mine_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct mine *ca = inet_csk_ca(sk);

	if (sample->rtt_us <= 0)
		return;
	ca->rtt_us = sample->rtt_us;
	if (!ca->rtt_min_us || ca->rtt_us < ca->rtt_min_us)
		ca->rtt_min_us = ca->rtt_us;
}

/* An ACK came and nothing is lost: grow the window. `acked` packets were delivered. (An algorithm that sets window and
 * pacing rate all by itself has cong_control() instead of this; see bbr.) */
SEC("struct_ops/cong_avoid")
void BPF_PROG(mine_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	/* A window that is not used says nothing about the network. */
	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	/* One packet for each cwnd / increase packets delivered. Never divide by what may be 0. */
	tcp_cong_avoid_ai(tp, max(tp->snd_cwnd / max(increase, 1U), 1U), acked);
}

/* A loss, or a mark of ECN: the slow start threshold to go to. TCP brings the window there, packet by packet. */
SEC("struct_ops/ssthresh")
__u32 BPF_PROG(mine_ssthresh, struct sock *sk)
{
	const struct mine *ca = inet_csk_ca(sk);
	__u32 cwnd = tcp_sk(sk)->snd_cwnd, share = decrease;

	/* 64 bits where a product may not fit into 32. */
	if (ca->rtt_min_us && ca->rtt_us <= ca->rtt_min_us + (__u64)ca->rtt_min_us * short_queue / ONE)
		share = gentle_decrease;
	return max((__u32)((__u64)cwnd * share / ONE), 2U);
}

/* The loss was none, the packet was only late: the window to go back to. */
SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(mine_undo_cwnd, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

/* Further callbacks, all optional: set_state (recovery starts or ends), cwnd_event (idle restart, timeout, ...),
 * in_ack_event, min_tso_segs, sndbuf_expand, release. Their arguments are in interface/vmlinux.h. */

SEC(".struct_ops")
struct tcp_congestion_ops mine = {
	.init       = (void *)mine_init,
	.pkts_acked = (void *)mine_pkts_acked,
	.cong_avoid = (void *)mine_cong_avoid,
	.ssthresh   = (void *)mine_ssthresh,
	.undo_cwnd  = (void *)mine_undo_cwnd,
	.name       = "mine", /* in the kernel, at most 15 letters */
};
