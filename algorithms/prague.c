// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * prague: keeps a queue of L4S (DualPI2) below a millisecond, at a rate that does not depend on short RTTs
 *
 *	F       = marked packets / packets delivered, over a virtual round trip
 *	alpha   = alpha + g (F - alpha)                        g = 1/16
 *	mark:     cwnd = (1 - alpha/2) cwnd                    at once, and then not for a virtual round trip
 *	no mark:  cwnd = cwnd + M^2 / cwnd                     per packet delivered, also after a mark
 *	loss:     cwnd = cwnd / 2                              once per round trip
 *	virtual RTT = max(srtt, 25 ms), M = srtt / virtual RTT
 *	pacing  = cwnd / srtt, twice that in slow start
 *
 *	   slow start --mark: less by alpha/2, or loss: half--> congestion avoidance --mark, loss: less--.
 *	        ^                                                    ^------------------------------------'
 *	        '---time-out
 *
 * In steady state about two packets per virtual round trip are marked, whatever the rate: cwnd = 2 / F.
 *
 * Source: draft-briscoe-iccrg-prague-congestion-control-04 (section numbers below); RFC 9331, RFC 9332.
 *
 * Deviations from the draft:
 * 1. Packets are counted, not bytes.
 * 2. alpha starts at 1, so that the first mark halves the window (RFC 8257 section 4.2, as Linux's DCTCP).
 * 3. The virtual RTT is used from the start, without a transition from the real one.
 * 4. Bursts are those of TSO autosizing, up to 1 ms: a kernel offers BPF programs no way to make them shorter.
 * 5. No test for a bottleneck with a classic queue that marks ECT(1): this is left to the
 *    operator (RFC 9331 section 4.3 permits it).
 * 6. Without accurate ECN feedback (AccECN, RFC 9768) it is Reno: with classic ECN, or none. A kernel before 7.0 cannot
 *    be asked for it by an algorithm: set net.ipv4.tcp_ecn=3 there, and packets carry ECT(0).
 *
 * Statements that RFC 9743 asks for:
 *
 * 5.3.1: A loss halves the window, as RFC 2914 asks. Marks of ECT(1) reduce it by their share, often and
 * little, which RFC 8311 permits to experiments and RFC 9331 section 4 requires: such a mark is no
 * equivalent of a loss. Below an RTT of 25 ms the rate does not depend on the RTT, where Reno's does.
 * Packets are counted, so the loss of a small one weighs as much as that of a full one; RFC 7141 section
 * 2.3 recommends to weigh bytes.
 *
 * 5.3.2: The receiver has to give accurate ECN feedback, and the bottleneck to isolate ECT(1) (RFC 9332, or
 * FQ). Without the first it is Reno. Without the second, in one queue that marks all packets alike, it
 * leaves classic flows little; RFC 9331 section 4.3 asks to detect that or to leave it to the operator.
 *
 * 8: A receiver that conceals marks takes the capacity of others, and a router that removes them takes the
 * signal; a loss still counts (RFC 9331). Whoever sets ECT(1) without this response harms the queue's other
 * flows, against which an operator can police queues.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* gain_shift: power of two, weight of the newest round is 1/2^gain_shift, draft (g = 1/16) */
const volatile __u32 gain_shift = 4;
/* alpha_on_init: 1/1024, first estimate of the share of marks, RFC 8257 (1) */
const volatile __u32 alpha_on_init = 1024;
/* rtt_virtual_us: microseconds, shortest round trip of the control loop, draft section 2.4.4 (25 ms) */
const volatile __u32 rtt_virtual_us = 25000;
/* pacing_percent: percent of cwnd per RTT, pacing rate in congestion avoidance, draft */
const volatile __u32 pacing_percent = 100;
/* slow_start_pacing_percent: percent of cwnd per RTT, pacing rate in slow start, draft */
const volatile __u32 slow_start_pacing_percent = 200;

#define ALPHA_SHIFT 20
#define ALPHA_MAX (1U << ALPHA_SHIFT)
#define FRACTION_SHIFT 24
#define MIN_CWND 2U

struct prague {
	__u64 round_start_us;     /* when the virtual round trip of observation began */
	__u64 reduced_us;         /* when marks last reduced the window; 0: never */
	__u64 cwnd;               /* 1/2^24 packets, the window with its fraction */
	__u32 alpha;              /* 1/2^20, estimate of the share of packets marked */
	__u32 delivered;          /* packets delivered when the round began */
	__u32 delivered_ce;       /* of these, packets marked */
	__u32 seen_ce;            /* packets marked that the window knows of */
	__u32 cwnd_before_mark;   /* packets, window before marks last reduced it */
	__u32 loss_cwnd;          /* packets, window before the last loss */
};
STATE_FITS(struct prague);

static __always_inline __u32 srtt_us(const struct tcp_sock *tp)
{
	return max(tp->srtt_us >> 3, 1U);
}

static __always_inline __u32 virtual_rtt_us(const struct tcp_sock *tp)
{
	return max(srtt_us(tp), rtt_virtual_us);
}

static __always_inline bool has_accecn(const struct tcp_sock *tp)
{
	return tp->ecn_flags & TCP_ECN_MODE_ACCECN;
}

static __always_inline void start_round(const struct tcp_sock *tp, struct prague *prague)
{
	prague->round_start_us = tp->tcp_mstamp;
	prague->delivered = tp->delivered;
	prague->delivered_ce = tp->delivered_ce;
}

SEC("struct_ops/init")
void BPF_PROG(prague_init, struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct prague *prague = inet_csk_ca(sk);

	__builtin_memset(prague, 0, sizeof(*prague));
	prague->alpha = min(alpha_on_init, 1024U) << (ALPHA_SHIFT - 10);
	prague->seen_ce = tp->delivered_ce;
	start_round(tp, prague);
	if (MAY_WRITE_PACING && sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

/* The pacing rate. */
static __always_inline void pace(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 percent = tcp_in_slow_start(tp) ? slow_start_pacing_percent : pacing_percent;
	__u64 rate = (__u64)max(tp->snd_cwnd, tcp_packets_in_flight(tp)) * tp->mss_cache * percent / 100;

	if (MAY_WRITE_PACING && tp->srtt_us)
		sk->sk_pacing_rate = min(rate * USEC_PER_SEC / srtt_us(tp), (__u64)sk->sk_max_pacing_rate);
}

/* The estimate is renewed once per virtual round trip. */
static __always_inline void update_alpha(const struct tcp_sock *tp, struct prague *prague)
{
	__u32 delivered = tp->delivered - prague->delivered;
	__u32 marked = tp->delivered_ce - prague->delivered_ce;
	__u64 share;

	if (tp->tcp_mstamp - prague->round_start_us < virtual_rtt_us(tp) || !delivered)
		return;
	share = ((__u64)min(marked, delivered) << ALPHA_SHIFT) / delivered;
	prague->alpha += (share >> gain_shift) - (prague->alpha >> gain_shift);
	start_round(tp, prague);
}

/* Additive increase for what was not marked, less at short RTTs (section 2.4.4). */
static __always_inline void grow(struct sock *sk, struct prague *prague, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u64 srtt = srtt_us(tp), virtual = virtual_rtt_us(tp);
	__u64 step = 1ULL << FRACTION_SHIFT;

	if (!acked || !tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		prague->cwnd = (__u64)tp->snd_cwnd << FRACTION_SHIFT;
		if (!acked)
			return;
	}
	if (srtt < virtual)
		step = (srtt * srtt << FRACTION_SHIFT) / (virtual * virtual);
	prague->cwnd += acked * step / max(tp->snd_cwnd, 1U);
}

/* Section 2.4.2: the decrease, at most once per virtual round trip. */
static __always_inline void reduce(struct sock *sk, struct prague *prague)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (prague->reduced_us && tp->tcp_mstamp - prague->reduced_us < virtual_rtt_us(tp))
		return;
	prague->reduced_us = tp->tcp_mstamp;
	prague->cwnd_before_mark = tp->snd_cwnd;
	prague->cwnd -= (prague->cwnd >> (ALPHA_SHIFT + 1)) * prague->alpha;
	tp->snd_ssthresh = max((__u32)(prague->cwnd >> FRACTION_SHIFT), MIN_CWND);
}

SEC("struct_ops/cong_control")
void CONG_CONTROL(prague_cong_control, sk, rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct prague *prague = inet_csk_ca(sk);
	__u32 marked = tp->delivered_ce - prague->seen_ce;
	__u32 acked = rs->acked_sacked;
	__u32 least;

	/* TCP itself sets the window after a timeout and an idle period. */
	if (prague->cwnd >> FRACTION_SHIFT != tp->snd_cwnd)
		prague->cwnd = (__u64)tp->snd_cwnd << FRACTION_SHIFT;
	prague->seen_ce = tp->delivered_ce;
	if (!has_accecn(tp))
		marked = 0;
	if (ca_state(sk) != TCP_CA_Recovery)
		grow(sk, prague, acked - min(marked, acked));
	if (marked)
		reduce(sk, prague);
	update_alpha(tp, prague);
	/* After a timeout TCP grows the window from one packet, which marks must not reduce. */
	least = ca_state(sk) == TCP_CA_Loss ? 1 : MIN_CWND;
	if (prague->cwnd >> FRACTION_SHIFT < least)
		prague->cwnd = (__u64)least << FRACTION_SHIFT;
	tp->snd_cwnd = min((__u32)(prague->cwnd >> FRACTION_SHIFT), tp->snd_cwnd_clamp);
	pace(sk);
}

/* TCP asks once per round trip: after a loss, and after the mark of an ACK. Marks of accurate feedback are reduce()'s. */
SEC("struct_ops/ssthresh")
__u32 BPF_PROG(prague_ssthresh, struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return has_accecn(tp) ? tp->snd_ssthresh : max(tp->snd_cwnd / 2, MIN_CWND);
}

/* A loss halves the window from before the marks of the same round trip. */
static __always_inline void lose(struct sock *sk, struct prague *prague)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 cwnd = tp->snd_cwnd;

	if (prague->reduced_us && tp->tcp_mstamp - prague->reduced_us < virtual_rtt_us(tp))
		cwnd = max(cwnd, prague->cwnd_before_mark);
	prague->loss_cwnd = cwnd;
	tp->snd_ssthresh = max(cwnd / 2, MIN_CWND);
}

SEC("struct_ops/set_state")
void BPF_PROG(prague_set_state, struct sock *sk, __u8 new_state)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct prague *prague = inet_csk_ca(sk);

	if (new_state == ca_state(sk))
		return;
	if (new_state == TCP_CA_Recovery) {
		lose(sk, prague);
		tp->snd_cwnd = min(tp->snd_cwnd, tp->snd_ssthresh);
	} else if (new_state == TCP_CA_CWR && !has_accecn(tp)) {
		prague->loss_cwnd = tp->snd_cwnd;
		tp->snd_cwnd = min(tp->snd_cwnd, tp->snd_ssthresh);
	}
}

SEC("struct_ops/cwnd_event")
void BPF_PROG(prague_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_LOSS)
		lose(sk, inet_csk_ca(sk));
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(prague_undo_cwnd, struct sock *sk)
{
	struct prague *prague = inet_csk_ca(sk);

	return max(tcp_sk(sk)->snd_cwnd, prague->loss_cwnd);
}

/* Bursts as short as the rate allows. */
SEC("struct_ops/min_tso_segs")
__u32 BPF_PROG(prague_min_tso_segs, struct sock *sk)
{
	return 1;
}

SEC(".struct_ops")
struct tcp_congestion_ops prague = {
	.init         = (void *)prague_init,
	.cong_control = (void *)prague_cong_control,
	.ssthresh     = (void *)prague_ssthresh,
	.set_state    = (void *)prague_set_state,
	.cwnd_event   = (void *)prague_cwnd_event,
	.undo_cwnd    = (void *)prague_undo_cwnd,
	.min_tso_segs = (void *)prague_min_tso_segs,
	.flags        = TCP_CONG_NEEDS_ACCECN | TCP_CONG_ECT_1_NEGOTIATION,
	.name         = "fl_prague",
};
