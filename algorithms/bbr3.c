// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * bbr3: BBR that keeps to what losses and its last probe say is safe (version 3)
 *
 *	bw            = min(max_bw, bw_low)              max_bw: largest delivery rate of the last two probing cycles
 *	window        = cwnd_gain * bw * min_rtt, at most inflight_high and inflight_low
 *	inflight_high = what was in flight when a probe lost more than 2 % in a round trip; grows in the next probe
 *	bw_low, inflight_low: in each other round with losses max(what was delivered, 0.7 of before), until the next probe
 *	between two probes 2 to 3 s, or as many round trips as the BDP has packets, at most 63, for Reno's sake
 *
 *	STARTUP --no growth in 3 rounds, or 2 % lost--> DRAIN --in flight <= BDP--> PROBE_DOWN <-------------.
 *	(gain 2.77)                                     (0.5)                         (0.9)   |              |
 *	      .-------------------------------------------------------------------------------'              |
 *	      '--drained--> CRUISE --time to probe--> REFILL --1 round--> UP --no growth, or 2 % lost--------'
 *	                      (1)                      (1)              (1.25)
 *	every 5 s without a new minimum: PROBE_RTT, half the BDP in flight for 200 ms
 *
 * Source: Cardwell, Swett, Beshay, "BBR Congestion Control", draft-ietf-ccwg-bbr-06 (section numbers in
 * interface/bbr_v3.h, where the machinery is).
 *
 * Deviations:
 * 1. What was in flight when a packet was sent is looked up in the program's own record, and for a lost
 *    packet the newest acknowledged one stands in: interface/transmit_record.h says how far off that may
 *    be, docs/concepts/transmit-record.md how far off it is.
 * 2. Losses are looked at when the next ACK arrives, those of one ACK together.
 * 3. In startup an ACK with losses counts as a lost range.
 * 4. The draft leaves the response to ECN open, but marks must count as congestion (section 3.7): packets whose
 *    ACKs echo a mark count as lost (marks_are_losses).
 * 5. A delayed ACK may lower the estimate of the RTT, but not renew it (as version 1 in Linux).
 * 6. A timeout takes the window before it for the start of inflight_low.
 * 7. Without selective acknowledgements the draft takes any loss for too much (section 5.5.10.2); here the share
 *    decides, as with them.
 * 8. Below 1.2 Mbit/s a burst is one segment, as in versions 1 and 2, and not two (section 5.6.3).
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* startup_pacing_gain: 1/256, doubles the rate in each round, draft-ietf-ccwg-bbr-06 section 5.3.1.1 (2.77) */
const volatile __u32 startup_pacing_gain = 709;
/* startup_cwnd_gain: 1/256, window in bandwidth-delay products in startup and drain, section 5.3.1.1 (2) */
const volatile __u32 startup_cwnd_gain = 512;
/* drain_gain: 1/256, pacing gain while startup's queue is drained, section 5.3.2 (0.5) */
const volatile __u32 drain_gain = 128;
/* drain_rounds: rounds, after this many, drain ends in any case (0: never), section 5.3.2 (3) */
const volatile __u32 drain_rounds = 3;
/* probe_down_gain: 1/256, pacing gain of ProbeBW_DOWN, section 5.3.3.1 (0.9) */
const volatile __u32 probe_down_gain = 230;
/* probe_up_gain: 1/256, pacing gain of ProbeBW_UP, section 5.3.3.5 (1.25) */
const volatile __u32 probe_up_gain = 320;
/* cwnd_gain: 1/256, window in bandwidth-delay products, section 5.6.1 (2) */
const volatile __u32 cwnd_gain = 512;
/* probe_up_cwnd_gain: 1/256, the same in ProbeBW_UP, section 5.3.3.5 (2.25) */
const volatile __u32 probe_up_cwnd_gain = 576;
/* probe_rtt_cwnd_gain: 1/256, the same in ProbeRTT, section 5.3.4.1 (0.5) */
const volatile __u32 probe_rtt_cwnd_gain = 128;
/* cwnd_min: packets, smallest window, section 5.6.4.3 (4) */
const volatile __u32 cwnd_min = 4;
/* loss_threshold: 1/1000, share of a flight that may be lost, section 5.3.1.3 (2 %) */
const volatile __u32 loss_threshold = 20;
/* beta: 1/1000, least that a reduction leaves, section 5.5.10.2 (0.7) */
const volatile __u32 beta = 700;
/* headroom: 1/1000, of inflight_high that is left to others while cruising, section 5.3.3.1 (0.15) */
const volatile __u32 headroom = 150;
/* full_bw_growth: 1/256, growth of the rate in a round below which the pipe may be full, section 5.3.1.2 (1.25) */
const volatile __u32 full_bw_growth = 320;
/* full_bw_rounds: rounds, how many such rounds fill it, section 5.3.1.2 (3) */
const volatile __u32 full_bw_rounds = 3;
/* full_bw_from_maximum: 0 or 1, judges the maximum so far, not the sample of the ACK that begins a round, version 2 */
const volatile bool full_bw_from_maximum = 0;
/* startup_loss_events: ACKs with losses in a round that may end startup (0: never), section 5.3.1.3 (6) */
const volatile __u32 startup_loss_events = 6;
/* startup_keeps_latest: 0 or 1, inflight_high after that is what was delivered in the round, if larger than the BDP, section 5.3.1.3 */
const volatile bool startup_keeps_latest = 1;
/* probe_until_plateau: 0 or 1, a probe ends when the rate stops growing, not at 1.25 BDP, section 5.3.3.7 */
const volatile bool probe_until_plateau = 1;
/* conserve_packets: 0 or 1, packet conservation in the first round of recovery, version 2 */
const volatile bool conserve_packets = 0;
/* recovery_restores: 0 or 1, the window before it returns after each recovery, not after timeouts alone, section 5.6.4.4 */
const volatile bool recovery_restores = 1;
/* every_sample_ends_probe: 0 or 1, ACKs that find no new loss may end a probe as well, version 2 */
const volatile bool every_sample_ends_probe = 0;
/* probe_wait_ms: ms, shortest time between two probes, section 5.3.3.8 (2 s) */
const volatile __u32 probe_wait_ms = 2000;
/* probe_wait_random_ms: ms, random part added to it, section 5.3.3.8 (1 s) */
const volatile __u32 probe_wait_random_ms = 1000;
/* reno_rounds_max: rounds, most between two probes, section 5.3.3.8 (63) */
const volatile __u32 reno_rounds_max = 63;
/* min_rtt_window_ms: ms, length of the RTT filter, section 5.5.7.2 (10 s) */
const volatile __u32 min_rtt_window_ms = 10000;
/* probe_rtt_interval_ms: ms, without a new minimum until ProbeRTT, section 5.3.4.1 (5 s) */
const volatile __u32 probe_rtt_interval_ms = 5000;
/* equal_rtt_renews: 0 or 1, an RTT equal to the smallest counts as a new minimum, version 2 */
const volatile bool equal_rtt_renews = 0;
/* probe_rtt_ms: ms, length of ProbeRTT (0: never), section 5.3.4.1 (200 ms) */
const volatile __u32 probe_rtt_ms = 200;
/* extra_acked_rounds: rounds, length of the aggregation filter, section 5.5.9 (10) */
const volatile __u32 extra_acked_rounds = 10;
/* extra_acked_max_ms: ms, largest allowance for bursts of ACKs at the estimated rate (0: none), version 2 */
const volatile __u32 extra_acked_max_ms = 0;
/* pacing_margin: percent, how far pacing stays below the estimate, section 5.6.2 (1) */
const volatile __u32 pacing_margin = 1;
/* marks_are_losses: 0 or 1, packets whose ACKs echo congestion count as lost, section 3.7 */
const volatile bool marks_are_losses = 1;

#include "bbr_v3.h"

SEC("struct_ops/cong_control")
void CONG_CONTROL(bbr3_cong_control, sk, rs)
{
	on_ack(sk, rs);
}

SEC("struct_ops/init")
void BPF_PROG(bbr3_init, struct sock *sk)
{
	on_init(sk);
}

SEC("struct_ops/cwnd_event")
void CWND_EVENT(bbr3_cwnd_event, sk, event)
{
	if (event == CA_EVENT_TX_START)
		on_restart(sk);
}

SEC("struct_ops/set_state")
void BPF_PROG(bbr3_set_state, struct sock *sk, __u8 new_state)
{
	if (new_state == TCP_CA_Loss)
		on_time_out(sk);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(bbr3_ssthresh, struct sock *sk)
{
	return on_reduction(sk);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(bbr3_undo_cwnd, struct sock *sk)
{
	return on_undo(sk);
}

SEC("struct_ops/min_tso_segs")
__u32 BPF_PROG(bbr3_min_tso_segs, struct sock *sk)
{
	return min_burst(sk);
}

/* Even if recovery lasts a round, the application can fill the pipe. */
SEC("struct_ops/sndbuf_expand")
__u32 BPF_PROG(bbr3_sndbuf_expand, struct sock *sk)
{
	return 3;
}

SEC(".struct_ops")
struct tcp_congestion_ops bbr3 = {
	.init                = (void *)bbr3_init,
	.cong_control        = (void *)bbr3_cong_control,
	.cwnd_event          = (void *)bbr3_cwnd_event,
	.cwnd_event_tx_start = (void *)bbr3_cwnd_event_tx_start,
	.set_state           = (void *)bbr3_set_state,
	.ssthresh            = (void *)bbr3_ssthresh,
	.undo_cwnd           = (void *)bbr3_undo_cwnd,
	.min_tso_segs        = (void *)bbr3_min_tso_segs,
	.sndbuf_expand       = (void *)bbr3_sndbuf_expand,
	.name                = "fl_bbr3",
};
