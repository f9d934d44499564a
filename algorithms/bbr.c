// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * bbr: sends at the measured bottleneck rate and keeps about one bandwidth-delay product in flight (version 1)
 *
 *	bw      = max(delivered / interval) of the last 10 round trips
 *	min_rtt = min(rtt) of the last 10 s
 *	pacing  = gain * bw,   cwnd = gain * bw * min_rtt
 *	gain cycles through 1.25 (find more), 0.75 (drain what that queued), 1 1 1 1 1 1
 *	every 10 s without a new min_rtt: cwnd = 4 for 200 ms, to see the path's own delay
 *
 *	STARTUP --bw grew < 25 % in 3 rounds--> DRAIN --in flight <= BDP--> PROBE_BW <--> PROBE_RTT
 *	   (gain 2.89)                          (gain 1/2.89)              (cycle)     (cwnd 4)
 *
 * Source: Cardwell, Cheng, Gunn, Hassas Yeganeh, Jacobson, "BBR: Congestion-Based Congestion Control",
 * ACM Queue 14 (2016); draft-cardwell-iccrg-bbr-congestion-control-00 (2017).
 *
 * Deviations from the paper, as in Linux:
 * 1. Pacing stays 1 % below the estimate, so that a queue that formed at random drains.
 * 2. After a loss the window follows packet conservation for one round, and is restored after recovery.
 * 3. Equal rates in two lossy intervals count as a policer's rate, which is then used for 48 rounds.
 * 4. The largest recent aggregation of ACKs is added to the window, up to 100 ms of data.
 * 5. The window has room for three bursts of segmentation offload and is even.
 * 6. The estimate of the inflight takes the next departure time into account.
 * 7. The pacing rate of the first round is the initial window over the handshake's RTT (or 1 ms).
 * 8. The cycle starts in a random phase, but not with the draining one.
 *
 * Statements that RFC 9743 asks for:
 *
 * 5.3.1: RFC 2914 asks for the response to loss that Reno has. Here the rate follows from the delivery rate
 * and the RTT; a loss limits the window for one round trip. In buffers below 1.5 BDP several flows keep up
 * a high loss, and take more than Reno or CUBIC leave each other. Marks (ECN) have no effect. Packets are
 * counted, so the loss of a small one weighs as much as that of a full one; RFC 7141 section 2.3 recommends
 * to weigh bytes.
 *
 * 5.3.2: It changes the sender alone, and works with any receiver, router and middlebox that carries TCP.
 * It needs pacing, by fq or by TCP itself. Google deployed it in 2016.
 *
 * 8: Those of Reno (RFC 5681 section 5). ACKs that arrive early raise the estimate of the rate at most to
 * the rate of sending, because a sample takes the longer of both intervals. ACKs that are delayed or
 * aggregated raise the window.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* bw_window: rounds, length of the bandwidth filter, paper (6 to 10 RTTs) */
const volatile __u32 bw_window = 10;
/* min_rtt_window_ms: ms, length of the RTT filter, paper (10 s) */
const volatile __u32 min_rtt_window_ms = 10000;
/* probe_rtt_ms: ms, time with 4 packets in flight (0: never), paper (200 ms) */
const volatile __u32 probe_rtt_ms = 200;
/* high_gain: 1/256, startup gain that doubles the rate each round, paper (2/ln 2 = 2.885) */
const volatile __u32 high_gain = 739;
/* drain_gain: 1/256, inverse of the startup gain, paper */
const volatile __u32 drain_gain = 88;
/* cwnd_gain: 1/256, window in bandwidth-delay products, paper (2) */
const volatile __u32 cwnd_gain = 512;
/* probe_up_gain: 1/256, pacing gain of the first phase of the cycle, paper (5/4) */
const volatile __u32 probe_up_gain = 320;
/* probe_down_gain: 1/256, pacing gain of the second phase of the cycle, paper (3/4) */
const volatile __u32 probe_down_gain = 192;
/* cwnd_min: packets, smallest window, paper (4) */
const volatile __u32 cwnd_min = 4;
/* full_bw_growth: 1/256, growth of bandwidth in a round below which the pipe may be full, paper (1.25) */
const volatile __u32 full_bw_growth = 320;
/* full_bw_rounds: rounds, how many such rounds end startup, paper (3) */
const volatile __u32 full_bw_rounds = 3;
/* pacing_margin: percent, how far pacing stays below the estimate, Linux */
const volatile __u32 pacing_margin = 1;
/* extra_acked_gain: 1/256, part of the ACK aggregation by which the window is widened (0: none), Linux */
const volatile __u32 extra_acked_gain = 256;
/* extra_acked_window: rounds, half the length of the aggregation filter, Linux */
const volatile __u32 extra_acked_window = 5;
/* extra_acked_max_ms: ms, most data by which the window is widened, Linux */
const volatile __u32 extra_acked_max_ms = 100;
/* policer_detection: 0 or 1, look for policers, Linux */
const volatile bool policer_detection = 1;
/* policer_loss: 1/256, loss rate of an interval from which on it may be a policer's, Linux */
const volatile __u32 policer_loss = 50;
/* policer_rounds: rounds, how long a policer's rate is used, Linux */
const volatile __u32 policer_rounds = 48;

#include "bbr_v1.h"
#include "bbr_v1/ack_aggregation.h"

struct state {
	struct bbr bbr;
	struct ack_aggregation aggregation; /* deviation 4 */
};
STATE_FITS(struct state);

SEC("struct_ops/cong_control")
void CONG_CONTROL(bbr_cong_control, sk, rs)
{
	struct state *state = inet_csk_ca(sk);
	struct bbr *bbr = &state->bbr;

	update_bandwidth(sk, bbr, rs);
	update_aggregation(sk, bbr, &state->aggregation, rs);
	update_state(sk, bbr, rs);
	set_pacing_rate(sk, bbr, bandwidth(bbr), bbr->pacing_gain);
	set_cwnd(sk, bbr, rs, aggregation_allowance(bbr, &state->aggregation));
}

SEC("struct_ops/init")
void BPF_PROG(bbr_init, struct sock *sk)
{
	struct state *state = inet_csk_ca(sk);

	__builtin_memset(state, 0, sizeof(*state));
	restart_aggregation(sk, &state->aggregation);
	start(sk, &state->bbr);
}

SEC("struct_ops/cwnd_event")
void CWND_EVENT(bbr_cwnd_event, sk, event)
{
	struct state *state = inet_csk_ca(sk);

	if (event != CA_EVENT_TX_START || !tcp_sk(sk)->app_limited)
		return;
	restart_aggregation(sk, &state->aggregation);
	restart_after_idle(sk, &state->bbr);
}

SEC("struct_ops/set_state")
void BPF_PROG(bbr_set_state, struct sock *sk, __u8 new_state)
{
	if (new_state == TCP_CA_Loss)
		time_out(sk, inet_csk_ca(sk));
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(bbr_ssthresh, struct sock *sk)
{
	save_cwnd(sk, inet_csk_ca(sk));
	return tcp_sk(sk)->snd_ssthresh;
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(bbr_undo_cwnd, struct sock *sk)
{
	undo(sk, inet_csk_ca(sk));
	return tcp_sk(sk)->snd_cwnd;
}

SEC("struct_ops/min_tso_segs")
__u32 BPF_PROG(bbr_min_tso_segs, struct sock *sk)
{
	return min_burst(sk);
}

/* With three times the window buffered, the application can keep the pipe full while recovery takes a round trip. */
SEC("struct_ops/sndbuf_expand")
__u32 BPF_PROG(bbr_sndbuf_expand, struct sock *sk)
{
	return 3;
}

SEC(".struct_ops")
struct tcp_congestion_ops bbr = {
	.init                = (void *)bbr_init,
	.cong_control        = (void *)bbr_cong_control,
	.cwnd_event          = (void *)bbr_cwnd_event,
	.cwnd_event_tx_start = (void *)bbr_cwnd_event_tx_start,
	.set_state           = (void *)bbr_set_state,
	.ssthresh            = (void *)bbr_ssthresh,
	.undo_cwnd           = (void *)bbr_undo_cwnd,
	.min_tso_segs        = (void *)bbr_min_tso_segs,
	.sndbuf_expand       = (void *)bbr_sndbuf_expand,
	.name                = "fl_bbr",
};
