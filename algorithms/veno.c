// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * veno: Reno with Vegas's estimate of the queue; losses without a queue count as random
 *
 *	queued = cwnd - cwnd base / rtt        packets, base = smallest RTT, rtt = the latest
 *	queued < 3:   cwnd += 1 in a round trip;        loss: ssthresh = 4/5 cwnd   (random)
 *	otherwise:    cwnd += 1 in every second one;    loss: ssthresh = 1/2 cwnd   (congestion)
 *
 *	   slow start --loss--> available bandwidth <--queued < 3 | >= 3--> congested
 *	        ^                  '------------loss: by 1/5 ... or by 1/2------'
 *	        '----time-out
 *
 * Source: Fu and Liew, "TCP Veno: TCP Enhancement for Transmission over Wireless Access Networks",
 * IEEE JSAC 21 (2003).
 *
 * Deviations from the paper, as in Linux:
 * 1. rtt is the smallest RTT since the last ACK that could grow the window, not the round trip's mean.
 * 2. The queue is counted in half packets.
 * 3. base is measured anew after an idle period; before the third RTT sample, and while a loss is
 *    being repaired, the window behaves like Reno's.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* beta: packets, queue from which on the path counts as congested, paper (3) */
const volatile __u32 beta = 3;
/* random_loss_percent: percent, share of the window that stays after a loss without queue, paper (4/5) */
const volatile __u32 random_loss_percent = 80;
/* growth_per_ack: 0 or 1, an ACK counts once above ssthresh, however many packets it delivers, Linux before 5.7 */
const volatile bool growth_per_ack = 0;

#define QUEUE_SHIFT 1             /* the queue counts in half packets */
#define NO_RTT_US 0x7fffffffU
#define SAMPLES_MIN 3

struct veno {
	__u32 base_rtt_us;        /* smallest RTT since the connection began or was idle */
	__u32 rtt_us;             /* smallest since the last decision */
	__u32 queued;             /* 1/2 packets, at the last decision */
	__u16 samples;            /* RTTs measured; stops counting at SAMPLES_MIN */
	bool is_open;             /* TCP is in state Open */
	bool grow;                /* congested: this is the round trip that grows */
};
STATE_FITS(struct veno);

static __always_inline void start(struct veno *ca)
{
	ca->base_rtt_us = NO_RTT_US;
	ca->rtt_us = NO_RTT_US;
	ca->is_open = true;
	ca->grow = true;
}

SEC("struct_ops/init")
void BPF_PROG(veno_init, struct sock *sk)
{
	struct veno *ca = inet_csk_ca(sk);

	__builtin_memset(ca, 0, sizeof(*ca));
	start(ca);
}

SEC("struct_ops/set_state")
void BPF_PROG(veno_set_state, struct sock *sk, __u8 new_state)
{
	struct veno *ca = inet_csk_ca(sk);

	ca->is_open = new_state == TCP_CA_Open;
	if (ca->is_open)
		ca->rtt_us = NO_RTT_US;
}

SEC("struct_ops/cwnd_event")
void CWND_EVENT(veno_cwnd_event, sk, event)
{
	if (event == CA_EVENT_CWND_RESTART || event == CA_EVENT_TX_START)
		start(inet_csk_ca(sk));
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(veno_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct veno *ca = inet_csk_ca(sk);
	__u32 rtt_us;

	if (sample->rtt_us < 0)
		return;
	/* An RTT of 0 counts as 1, so that it can divide. */
	rtt_us = sample->rtt_us + 1;
	ca->base_rtt_us = min(ca->base_rtt_us, rtt_us);
	ca->rtt_us = min(ca->rtt_us, rtt_us);
	if (ca->samples < SAMPLES_MIN)
		ca->samples++;
}

static __always_inline bool is_congested(const struct veno *ca)
{
	return ca->queued >= beta << QUEUE_SHIFT;
}

/* One packet per window, but only in every second window. */
static __always_inline void grow_every_second_round(struct tcp_sock *tp, struct veno *ca, __u32 acked)
{
	if (tp->snd_cwnd_cnt < tp->snd_cwnd) {
		tp->snd_cwnd_cnt += acked;
		return;
	}
	tp->snd_cwnd_cnt = 0;
	if (ca->grow && tp->snd_cwnd < tp->snd_cwnd_clamp) {
		tp->snd_cwnd++;
		ca->grow = false;
	} else {
		ca->grow = true;
	}
}

static __always_inline void grow(struct tcp_sock *tp, struct veno *ca, __u32 acked)
{
	__u32 cwnd = tp->snd_cwnd << QUEUE_SHIFT;

	ca->queued = cwnd - (__u32)((__u64)cwnd * ca->base_rtt_us / ca->rtt_us);
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	if (growth_per_ack)
		acked = 1;
	if (is_congested(ca))
		grow_every_second_round(tp, ca, acked);
	else
		tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(veno_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct veno *ca = inet_csk_ca(sk);

	if (!ca->is_open) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}
	if (!tcp_is_cwnd_limited(sk))
		return;

	if (ca->samples < SAMPLES_MIN)
		tcp_reno_cong_avoid(sk, ack, acked);
	else
		grow(tp, ca, acked);
	ca->rtt_us = NO_RTT_US;
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(veno_ssthresh, struct sock *sk)
{
	const struct veno *ca = inet_csk_ca(sk);
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;
	__u32 kept = is_congested(ca) ? cwnd / 2 : cwnd * random_loss_percent / 100;

	return max(kept, 2U);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(veno_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops veno = {
	.init                = (void *)veno_init,
	.ssthresh            = (void *)veno_ssthresh,
	.cong_avoid          = (void *)veno_cong_avoid,
	.set_state           = (void *)veno_set_state,
	.cwnd_event          = (void *)veno_cwnd_event,
	.cwnd_event_tx_start = (void *)veno_cwnd_event_tx_start,
	.pkts_acked          = (void *)veno_pkts_acked,
	.undo_cwnd           = (void *)veno_undo_cwnd,
	.name                = "fl_veno",
};
