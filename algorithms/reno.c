// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * reno: grows by one packet per round trip and halves the window after a loss
 *
 *	below ssthresh:   cwnd += 1 per packet delivered          (doubles in a round trip)
 *	above ssthresh:   cwnd += 1 per cwnd packets delivered    (one packet in a round trip)
 *	after a loss:     ssthresh = cwnd / 2
 *
 *	   slow start --cwnd reaches ssthresh, or loss--> congestion avoidance
 *	        ^-------------retransmission time-out------------'
 *
 * Source: RFC 5681 section 3.1. Fast recovery is TCP's, with selective acknowledgements and
 * proportional rate reduction (RFC 6937); papers call that NewReno.
 *
 * Deviations from the RFC, as in Linux:
 * 1. The window counts packets, and grows by packets acknowledged, not by ACKs (RFC 3465 without its limit).
 * 2. ssthresh is half the window, not half the data in flight; TCP lets the window grow only
 *    while it is the limit, so that the two are close.
 * 3. A spurious reduction is undone.
 *
 * Statements that RFC 9743 asks for:
 *
 * 5.3.1: No deviation from RFC 2914, for which it is the measure of fairness. Packets are counted, so the
 * loss of a small one weighs as much as that of a full one; RFC 7141 section 2.3 recommends to weigh bytes.
 *
 * 5.3.2: It changes the sender alone, and works with any receiver, router and middlebox that carries TCP.
 * It is deployed everywhere.
 *
 * 8: As RFC 5681 section 5 says, an attacker who drops packets or forges duplicate ACKs slows a flow down,
 * and a receiver that acknowledges data before its arrival makes the sender too fast. Dividing ACKs gains
 * nothing, because packets are counted and not ACKs.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(reno_ssthresh, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd / 2, 2U);
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(reno_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(reno_undo_cwnd, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

SEC(".struct_ops")
struct tcp_congestion_ops reno = {
	.ssthresh   = (void *)reno_ssthresh,
	.cong_avoid = (void *)reno_cong_avoid,
	.undo_cwnd  = (void *)reno_undo_cwnd,
	.name       = "fl_reno",
};
