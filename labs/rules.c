// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * rules: additive increase, multiplicative decrease, a delay target and a cycle of pacing gains, each a number
 *
 *	per packet acknowledged:  cwnd += increase / cwnd                 (doubles per round trip in slow start)
 *	once per round trip:      loss:                  cwnd *= keep
 *	                          rtt - min_rtt > target: cwnd *= delay_keep
 *	pacing:                   gain * cwnd / srtt, with the next gain of the cycle every round trip
 *
 *	slow start --loss, or delay above target--> avoidance --time-out--> slow start up to half the window
 *
 * Source: RFC 5681 section 3.1 for the default numbers; the delay target follows Jain, "A Delay-Based Approach for
 * Congestion Avoidance in Interconnected Heterogeneous Computer Networks", CCR 19 (1989); the cycle follows BBR
 * (Cardwell et al., ACM Queue 14, 2016). Written by the rules editor of Fairlane Live.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* increase: 1/100 packets, growth per round trip, RFC 5681 (1 packet) */
const volatile __u32 increase = 100;
/* keep: 1/1024, share of the window that stays after a loss, RFC 5681 (1/2) */
const volatile __u32 keep = 512;
/* delay_target_us: us, queueing delay above which the window shrinks (0: none), own choice */
const volatile __u32 delay_target_us = 0;
/* delay_keep: 1/1024, share of the window that stays per round trip above the target, own choice (7/8) */
const volatile __u32 delay_keep = 896;
/* slow_start: 0 or 1, double the window in each round trip at the start, RFC 5681 */
const volatile __u32 slow_start = 1;
/* gains: 0 to 8, length of the cycle of pacing gains (0: no pacing), own choice */
const volatile __u32 gains = 0;
/* gain_1: 1/256, pacing gain of the first round trip of the cycle, BBR (5/4) */
const volatile __u32 gain_1 = 320;
/* gain_2: 1/256, of the second, BBR (3/4) */
const volatile __u32 gain_2 = 192;
/* gain_3: 1/256, of the third, BBR (1) */
const volatile __u32 gain_3 = 256;
/* gain_4: 1/256, of the fourth, BBR (1) */
const volatile __u32 gain_4 = 256;
/* gain_5: 1/256, of the fifth, BBR (1) */
const volatile __u32 gain_5 = 256;
/* gain_6: 1/256, of the sixth, BBR (1) */
const volatile __u32 gain_6 = 256;
/* gain_7: 1/256, of the seventh, BBR (1) */
const volatile __u32 gain_7 = 256;
/* gain_8: 1/256, of the eighth, BBR (1) */
const volatile __u32 gain_8 = 256;

#define CWND_MIN 2U
#define PART_MAX (1U << 21) /* packets; products with 1/1024 fit 32 bits */

struct rules {
	__u32 min_rtt_us;     /* shortest RTT seen; 0: none yet */
	__u32 round_end;      /* packets delivered when the round trip ends */
	__u32 parts;          /* 1/100 packets of growth, from acknowledged packets that have not yet made a whole one */
	__u32 threshold;      /* packets, window at which slow start ends */
	__u32 cwnd;           /* packets, as last set; TCP sets another after a time-out */
	__u8 phase;           /* of the cycle of gains */
	__u8 reduced;         /* in this round trip */
	__u8 in_slow_start;
};
STATE_FITS(struct rules);

static __always_inline __u32 gain_of(__u32 phase)
{
	switch (phase) {
	case 0: return gain_1;
	case 1: return gain_2;
	case 2: return gain_3;
	case 3: return gain_4;
	case 4: return gain_5;
	case 5: return gain_6;
	case 6: return gain_7;
	default: return gain_8;
	}
}

static __always_inline void set_window(struct tcp_sock *tp, struct rules *rules, __u32 cwnd)
{
	cwnd = max(cwnd, CWND_MIN);
	rules->cwnd = tp->snd_cwnd = min(cwnd, tp->snd_cwnd_clamp);
}

static __always_inline void reduce(struct tcp_sock *tp, struct rules *rules, __u32 share)
{
	if (rules->reduced)
		return;
	/* Until packets that leave from now on are acknowledged. */
	rules->reduced = 1;
	rules->round_end = tp->delivered;
	rules->in_slow_start = 0;
	rules->parts = 0;
	set_window(tp, rules, (__u64)tp->snd_cwnd * min(share, 1024U) >> 10);
}

static __always_inline void grow(struct sock *sk, struct rules *rules, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 cwnd = max(tp->snd_cwnd, 1U), whole;

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (rules->in_slow_start) {
		set_window(tp, rules, cwnd + min(acked, PART_MAX));
		if (tp->snd_cwnd >= rules->threshold)
			rules->in_slow_start = 0;
		return;
	}
	/* A window of packets acknowledged is one round trip. */
	rules->parts += min(acked, 1024U) * min(increase, 100000U);
	whole = rules->parts / cwnd / 100;
	rules->parts -= whole * cwnd * 100;
	set_window(tp, rules, cwnd + whole);
}

static __always_inline void pace(struct sock *sk, const struct rules *rules)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 srtt_us = max(tp->srtt_us >> 3, 1U);
	__u64 rate;

	if (!gains || !MAY_WRITE_PACING)
		return;
	rate = (__u64)tp->snd_cwnd * tp->mss_cache * USEC_PER_SEC / srtt_us;
	/* Slow start needs twice the rate of the last round trip. */
	rate = rules->in_slow_start ? 2 * rate : rate * gain_of(rules->phase) >> 8;
	sk->sk_pacing_rate = min(rate, (__u64)sk->sk_max_pacing_rate);
}

SEC("struct_ops/cong_control")
void CONG_CONTROL(rules_cong_control, sk, rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct rules *rules = inet_csk_ca(sk);
	bool too_long = false;

	if (rs->delivered > 0 && !before(rs->prior_delivered, rules->round_end)) {
		rules->round_end = tp->delivered;
		rules->reduced = 0;
		rules->phase = gains && rules->phase + 1U < min(gains, 8U) ? rules->phase + 1 : 0;
	}
	if (rs->rtt_us > 0) {
		if (!rules->min_rtt_us || rs->rtt_us < rules->min_rtt_us)
			rules->min_rtt_us = rs->rtt_us;
		too_long = delay_target_us && rs->rtt_us - rules->min_rtt_us > delay_target_us;
	}
	if (rs->losses > 0)
		reduce(tp, rules, keep);
	else if (too_long)
		reduce(tp, rules, delay_keep);
	else
		grow(sk, rules, rs->acked_sacked);
	pace(sk, rules);
}

SEC("struct_ops/init")
void BPF_PROG(rules_init, struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct rules *rules = inet_csk_ca(sk);

	__builtin_memset(rules, 0, sizeof(*rules));
	rules->cwnd = tp->snd_cwnd;
	rules->threshold = ~0U;
	rules->round_end = tp->delivered;
	rules->in_slow_start = slow_start != 0;
	if (gains && MAY_WRITE_PACING && sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

SEC("struct_ops/set_state")
void BPF_PROG(rules_set_state, struct sock *sk, __u8 new_state)
{
	struct rules *rules = inet_csk_ca(sk);

	if (new_state != TCP_CA_Loss || ca_state(sk) == TCP_CA_Loss)
		return;
	rules->threshold = max(rules->cwnd / 2, CWND_MIN);
	rules->in_slow_start = slow_start != 0;
	rules->reduced = 1;
}

/* Only cong_control() changes the window. */
SEC("struct_ops/ssthresh")
__u32 BPF_PROG(rules_ssthresh, struct sock *sk)
{
	return tcp_sk(sk)->snd_ssthresh;
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(rules_undo_cwnd, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

SEC(".struct_ops")
struct tcp_congestion_ops rules = {
	.init         = (void *)rules_init,
	.cong_control = (void *)rules_cong_control,
	.set_state    = (void *)rules_set_state,
	.ssthresh     = (void *)rules_ssthresh,
	.undo_cwnd    = (void *)rules_undo_cwnd,
	.name         = "rules",
};
