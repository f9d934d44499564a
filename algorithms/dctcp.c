// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * dctcp: reduces the window in proportion to the share of packets that were marked
 *
 *	F      = marked packets / packets delivered, over a window of data
 *	alpha  = (1 - g) alpha + g F                     g = 1/16
 *	marks:   cwnd = (1 - alpha/2) cwnd               once per window
 *	loss:    cwnd = cwnd / 2                         growth is Reno's
 *	receiver: every ACK says whether the packets it covers were marked
 *
 *	   slow start --marks or loss--> congestion avoidance --marks: once per window--> less by alpha/2
 *	        ^                            ^---------------------------------------------'
 *	        '---time-out
 *
 * With a switch that marks what finds more than K packets queued, N flows of window W = (C RTT + K) / N keep
 * the queue between K + N and sqrt(2 N (C RTT + K)) / 2 packets below that, with alpha = sqrt(2 / W).
 *
 * Source: RFC 8257 (section numbers below); Alizadeh et al., "Data Center TCP (DCTCP)", ACM SIGCOMM 2010.
 *
 * Deviations from the RFC, as in Linux:
 * 1. Packets are counted, not bytes.
 * 2. alpha starts at 1: the first marks halve the window.
 * 3. alpha falls by at least 1/1024 in a window without marks, so that it reaches 0.
 * 4. ECN is negotiated for this algorithm regardless of the settings, and all packets are ECN-capable, including ACKs
 *    and retransmissions. The receiver echoes marks: both ends run it. Without ECN on the path it is Reno.
 *
 * Statements that RFC 9743 asks for:
 *
 * 5.3.1: A loss halves the window, as RFC 2914 asks. Marks reduce it by their share, not to half once per
 * window: RFC 3168 takes a mark for a loss. In one queue with standard flows it takes nearly all. Packets
 * are counted, so the loss of a small one weighs as much as that of a full one; RFC 7141 section 2.3
 * recommends to weigh bytes.
 *
 * 5.3.2: Only for controlled environments such as data centres (RFC 8257 section 1): both ends run it, and
 * the switches mark from a threshold on. It negotiates nothing of that, so the operator's configuration is
 * what keeps it there, and standard traffic needs a queue of its own.
 *
 * 8: Those of ECN (RFC 3168): a receiver that conceals marks gains, and a router that removes them takes
 * the signal; a loss still counts. Within one administration this is accepted (RFC 8257).
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* shift_g: power of two, weight of the newest window is 1/2^shift_g, RFC 8257 section 4.2 (1/16) */
const volatile __u32 shift_g = 4;
/* alpha_on_init: 1/1024, first estimate of the share of marks, Linux (1) */
const volatile __u32 alpha_on_init = 1024;

#define ALPHA_SHIFT 10
#define ALPHA_MAX (1U << ALPHA_SHIFT)

struct dctcp {
	__u32 alpha;                   /* 1/1024, estimate of the share of packets marked */
	__u32 window_end;              /* sequence number whose ACK ends the window of observation */
	__u32 delivered;               /* packets delivered when it began */
	__u32 delivered_ce;            /* of these, packets whose ACKs echoed a mark */
	__u32 loss_cwnd;               /* packets, window before the last reduction */
	__u32 prior_rcv_nxt;           /* receiver: next byte expected before this packet */
	__u8 congestion_experienced;   /* receiver: the last packet was marked (DCTCP.CE) */
};
STATE_FITS(struct dctcp);

static __always_inline void start_window(const struct tcp_sock *tp, struct dctcp *dctcp)
{
	dctcp->window_end = tp->snd_nxt;
	dctcp->delivered = tp->delivered;
	dctcp->delivered_ce = tp->delivered_ce;
}

SEC("struct_ops/init")
void BPF_PROG(dctcp_init, struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct dctcp *dctcp = inet_csk_ca(sk);

	__builtin_memset(dctcp, 0, sizeof(*dctcp));
	dctcp->alpha = min(alpha_on_init, ALPHA_MAX);
	dctcp->prior_rcv_nxt = tp->rcv_nxt;
	start_window(tp, dctcp);
}

/* Section 3.3, steps 1 to 6. */
SEC("struct_ops/in_ack_event")
void BPF_PROG(dctcp_in_ack_event, struct sock *sk, __u32 flags)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct dctcp *dctcp = inet_csk_ca(sk);
	__u32 delivered, marked, old;

	if (before(tp->snd_una, dctcp->window_end))
		return;
	delivered = tp->delivered - dctcp->delivered;
	marked = tp->delivered_ce - dctcp->delivered_ce;

	old = dctcp->alpha;
	old -= min_not_zero(old, old >> shift_g);
	if (marked) {
		__u64 share = ((__u64)marked << (ALPHA_SHIFT - min(shift_g, ALPHA_SHIFT))) / max(delivered, 1U);

		old = min(old + share, (__u64)ALPHA_MAX);
	}
	dctcp->alpha = old;
	start_window(tp, dctcp);
}

/* Section 3.3, step 9. TCP calls it once per window. */
SEC("struct_ops/ssthresh")
__u32 BPF_PROG(dctcp_ssthresh, struct sock *sk)
{
	struct dctcp *dctcp = inet_csk_ca(sk);
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	dctcp->loss_cwnd = cwnd;
	return max(cwnd - ((__u64)cwnd * dctcp->alpha >> (ALPHA_SHIFT + 1)), 2ULL);
}

/* Section 3.5: a loss has the usual response. */
SEC("struct_ops/set_state")
void BPF_PROG(dctcp_set_state, struct sock *sk, __u8 new_state)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct dctcp *dctcp = inet_csk_ca(sk);

	if (new_state == TCP_CA_Recovery && new_state != ca_state(sk)) {
		dctcp->loss_cwnd = tp->snd_cwnd;
		tp->snd_ssthresh = max(tp->snd_cwnd / 2, 2U);
	}
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(dctcp_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(dctcp_undo_cwnd, struct sock *sk)
{
	struct dctcp *dctcp = inet_csk_ca(sk);

	return max(tcp_sk(sk)->snd_cwnd, dctcp->loss_cwnd);
}

static __always_inline void echo(struct tcp_sock *tp, bool marked)
{
	if (marked)
		tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
	else
		tp->ecn_flags &= ~TCP_ECN_DEMAND_CWR;
}

static __always_inline void receive(struct sock *sk, bool marked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct dctcp *dctcp = inet_csk_ca(sk);

	if (dctcp->congestion_experienced != marked) {
		/* Packets whose ACK is delayed arrived with the other state, which their ACK must echo. */
		if (inet_csk(sk)->icsk_ack.pending & ICSK_ACK_TIMER) {
			echo(tp, dctcp->congestion_experienced);
			bpf_tcp_send_ack(tp, dctcp->prior_rcv_nxt);
		}
		inet_csk(sk)->icsk_ack.pending |= ICSK_ACK_NOW;
	}
	dctcp->congestion_experienced = marked;
	dctcp->prior_rcv_nxt = tp->rcv_nxt;
	echo(tp, marked);
}

/* Section 3.2, and timeouts. */
SEC("struct_ops/cwnd_event")
void BPF_PROG(dctcp_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct dctcp *dctcp = inet_csk_ca(sk);

	switch (event) {
	case CA_EVENT_ECN_IS_CE:
		receive(sk, true);
		break;
	case CA_EVENT_ECN_NO_CE:
		receive(sk, false);
		break;
	case CA_EVENT_LOSS:
		dctcp->loss_cwnd = tp->snd_cwnd;
		tp->snd_ssthresh = max(tp->snd_cwnd / 2, 2U);
		break;
	default:
		break;
	}
}

SEC(".struct_ops")
struct tcp_congestion_ops dctcp = {
	.init         = (void *)dctcp_init,
	.in_ack_event = (void *)dctcp_in_ack_event,
	.ssthresh     = (void *)dctcp_ssthresh,
	.cong_avoid   = (void *)dctcp_cong_avoid,
	.set_state    = (void *)dctcp_set_state,
	.cwnd_event   = (void *)dctcp_cwnd_event,
	.undo_cwnd    = (void *)dctcp_undo_cwnd,
	.flags        = TCP_CONG_NEEDS_ECN,
	.name         = "fl_dctcp",
};
