// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * bbr2: BBR that keeps to what losses and its last probe say is safe (version 2, Google's alpha release)
 *
 *	bw            = min(max_bw, bw_low)              max_bw: largest delivery rate of the last two probing cycles
 *	window        = 2 * bw * min_rtt, at most inflight_high and inflight_low
 *	inflight_high = what was in flight when a probe lost more than 2 % in a round trip; grows in the next probe
 *	bw_low, inflight_low: in each other round with losses max(what was delivered, 0.7 of before), until the next probe
 *	between two probes 2 to 3 s, or as many round trips as the BDP has packets, at most 63, for Reno's sake
 *
 *	STARTUP --no growth in 3 rounds, or 2 % lost--> DRAIN --in flight <= BDP--> PROBE_DOWN <------------------.
 *	(gain 2.89)                                     (0.35)                       (0.75)    |                  |
 *	      .--------------------------------------------------------------------------------'                  |
 *	      '--drained--> CRUISE --time to probe--> REFILL --1 round--> UP --1.25 BDP in flight, or 2 % lost----'
 *	                      (1)                      (1)              (1.25)
 *	every 5 s without a new minimum: PROBE_RTT, half the BDP in flight for 200 ms
 *
 * Source: Cardwell, Cheng, Hassas Yeganeh, Swett, Jacobson, "BBR Congestion Control",
 * draft-cardwell-iccrg-bbr-congestion-control-02 (2022), with the constants of Google's v2alpha release
 * (2019; github.com/google/bbr, net/ipv4/tcp_bbr2.c), which papers measured as BBRv2. The machinery is that
 * of version 3 (interface/bbr_v3.h).
 *
 * What distinguishes it from bbr3:
 * 1. A probe ends when 1.25 BDP are in flight, not when the rate stops growing; with gain 0.75 after it.
 *    The draft has 0.9, as version 3 has.
 * 2. Startup's gains are 2.89 and 1/2.89 (the draft: 2.77, 2 and 0.5), and 8 ACKs with losses may end it.
 * 3. The window is 2 BDP in probes as well.
 * 4. While a probe is judged, the sample of each ACK may end it, not only of those ACKs that find new losses.
 * 5. Startup compares the maximum of the rate in each round (full_bw_from_maximum), not the sample that begins it.
 * 6. An RTT equal to the smallest one postpones ProbeRTT (equal_rtt_renews); the draft asks for a lower one.
 * 7. The allowance for bursts of ACKs is at most what arrives in 100 ms (extra_acked_max_ms).
 * 8. Recovery does not reduce the window, and only after a timeout the window before it returns (recovery_restores).
 *
 * These were compared with v2alpha's source. Together 5 to 8 change a flow's share next to CUBIC by less than it varies
 * between starts (100 Mbit/s, 62 ms, 0.5 to 16 BDP of buffer).
 *
 * Deviations:
 * 1. What was in flight when a packet was sent is looked up in the program's own record, and for a lost
 *    packet the newest acknowledged one stands in: interface/transmit_record.h says how far off that may
 *    be, docs/concepts/transmit-record.md how far off it is.
 * 2. Losses are looked at when the next ACK arrives, those of one ACK together.
 * 3. The alpha release can answer to marks as DCTCP does (with ecn_alpha, ecn_factor 1/3 and ecn_thresh 1/2),
 *    on paths of less than 5 ms and if it is enabled. That needs an echo of each mark, which a
 *    standard kernel grants only to algorithms that always need ECN, and it is left out. Here packets whose
 *    ACKs echo a mark count as lost (marks_are_losses); the alpha release ignores those marks.
 * 4. A needless recovery also returns to the state that a loss ended (startup, probe), as in version 3; in the alpha
 *    release it restores window and bounds only. What undo restores is saved at a round's first loss, there at the
 *    beginning of recovery.
 * 5. What is in flight is compared as TCP counts it. The alpha release subtracts what its pacing has scheduled but
 *    not yet sent.
 * 6. The alpha release sends larger bursts below an RTT of about 3 ms: 64 KB more, halved for each 512 us of RTT.
 * 7. The aggregation filter is one window of 5 rounds; in the alpha release two halves, which see 5 to 10 rounds.
 * 8. In binary fractions of the alpha release 2 % are 1.95, beta 0.703 and the headroom 0.148; here they are decimal.
 * 9. Drain keeps the signals of startup's last round, which the alpha release forgets. A probe that stops using its
 *    window keeps what it has delivered towards inflight_high's growth, which the alpha release drops.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* startup_pacing_gain: 1/256, doubles the rate in each round, v2alpha (2.885) */
const volatile __u32 startup_pacing_gain = 739;
/* startup_cwnd_gain: 1/256, window in bandwidth-delay products in startup and drain, v2alpha (2.885) */
const volatile __u32 startup_cwnd_gain = 739;
/* drain_gain: 1/256, pacing gain while startup's queue is drained, v2alpha (1/2.885) */
const volatile __u32 drain_gain = 88;
/* drain_rounds: rounds, after this many, drain ends in any case (0: never), version 3 */
const volatile __u32 drain_rounds = 0;
/* probe_down_gain: 1/256, pacing gain of ProbeBW_DOWN, v2alpha (0.75) */
const volatile __u32 probe_down_gain = 192;
/* probe_up_gain: 1/256, pacing gain of ProbeBW_UP, v2alpha (1.25) */
const volatile __u32 probe_up_gain = 320;
/* cwnd_gain: 1/256, window in bandwidth-delay products, v2alpha (2) */
const volatile __u32 cwnd_gain = 512;
/* probe_up_cwnd_gain: 1/256, the same in ProbeBW_UP, v2alpha (2) */
const volatile __u32 probe_up_cwnd_gain = 512;
/* probe_rtt_cwnd_gain: 1/256, the same in ProbeRTT, v2alpha (0.5) */
const volatile __u32 probe_rtt_cwnd_gain = 128;
/* cwnd_min: packets, smallest window, v2alpha (4) */
const volatile __u32 cwnd_min = 4;
/* loss_threshold: 1/1000, share of a flight that may be lost, v2alpha (2 %) */
const volatile __u32 loss_threshold = 20;
/* beta: 1/1000, least that a reduction leaves, v2alpha (0.7) */
const volatile __u32 beta = 700;
/* headroom: 1/1000, of inflight_high that is left to others while cruising, v2alpha (0.15) */
const volatile __u32 headroom = 150;
/* full_bw_growth: 1/256, growth of the rate in a round below which the pipe may be full, v2alpha (1.25) */
const volatile __u32 full_bw_growth = 320;
/* full_bw_rounds: rounds, how many such rounds fill it, v2alpha (3) */
const volatile __u32 full_bw_rounds = 3;
/* full_bw_from_maximum: 0 or 1, judges the maximum so far, not the sample of the ACK that begins a round, v2alpha */
const volatile bool full_bw_from_maximum = 1;
/* startup_loss_events: ACKs with losses in a round that may end startup (0: never), v2alpha (8) */
const volatile __u32 startup_loss_events = 8;
/* startup_keeps_latest: 0 or 1, inflight_high after that is what was delivered in the round, if larger than the BDP, version 3 */
const volatile bool startup_keeps_latest = 0;
/* probe_until_plateau: 0 or 1, a probe ends when the rate stops growing, not at 1.25 BDP, version 3 */
const volatile bool probe_until_plateau = 0;
/* conserve_packets: 0 or 1, packet conservation in the first round of recovery, draft 02 section 4.6.4.4; v2alpha has none */
const volatile bool conserve_packets = 0;
/* recovery_restores: 0 or 1, the window before it returns after each recovery, not after timeouts alone, version 3 */
const volatile bool recovery_restores = 0;
/* every_sample_ends_probe: 0 or 1, ACKs that find no new loss may end a probe as well, v2alpha */
const volatile bool every_sample_ends_probe = 1;
/* probe_wait_ms: ms, shortest time between two probes, v2alpha (2 s) */
const volatile __u32 probe_wait_ms = 2000;
/* probe_wait_random_ms: ms, random part added to it, v2alpha (1 s) */
const volatile __u32 probe_wait_random_ms = 1000;
/* reno_rounds_max: rounds, most between two probes, v2alpha (63) */
const volatile __u32 reno_rounds_max = 63;
/* min_rtt_window_ms: ms, length of the RTT filter, v2alpha (10 s) */
const volatile __u32 min_rtt_window_ms = 10000;
/* probe_rtt_interval_ms: ms, without a new minimum until ProbeRTT, v2alpha (5 s) */
const volatile __u32 probe_rtt_interval_ms = 5000;
/* equal_rtt_renews: 0 or 1, an RTT equal to the smallest counts as a new minimum, v2alpha */
const volatile bool equal_rtt_renews = 1;
/* probe_rtt_ms: ms, length of ProbeRTT (0: never), v2alpha (200 ms) */
const volatile __u32 probe_rtt_ms = 200;
/* extra_acked_rounds: rounds, length of the aggregation filter, v2alpha (two halves of 5; draft 02: 10) */
const volatile __u32 extra_acked_rounds = 5;
/* extra_acked_max_ms: ms, largest allowance for bursts of ACKs at the estimated rate (0: none), v2alpha (100 ms) */
const volatile __u32 extra_acked_max_ms = 100;
/* pacing_margin: percent, how far pacing stays below the estimate, v2alpha (1) */
const volatile __u32 pacing_margin = 1;
/* marks_are_losses: 0 or 1, packets whose ACKs echo congestion count as lost, own choice */
const volatile bool marks_are_losses = 1;

#include "bbr_v3.h"

SEC("struct_ops/cong_control")
void CONG_CONTROL(bbr2_cong_control, sk, rs)
{
	on_ack(sk, rs);
}

SEC("struct_ops/init")
void BPF_PROG(bbr2_init, struct sock *sk)
{
	on_init(sk);
}

SEC("struct_ops/cwnd_event")
void CWND_EVENT(bbr2_cwnd_event, sk, event)
{
	if (event == CA_EVENT_TX_START)
		on_restart(sk);
}

SEC("struct_ops/set_state")
void BPF_PROG(bbr2_set_state, struct sock *sk, __u8 new_state)
{
	if (new_state == TCP_CA_Loss)
		on_time_out(sk);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(bbr2_ssthresh, struct sock *sk)
{
	return on_reduction(sk);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(bbr2_undo_cwnd, struct sock *sk)
{
	return on_undo(sk);
}

SEC("struct_ops/min_tso_segs")
__u32 BPF_PROG(bbr2_min_tso_segs, struct sock *sk)
{
	return min_burst(sk);
}

/* Even if recovery lasts a round, the application can fill the pipe. */
SEC("struct_ops/sndbuf_expand")
__u32 BPF_PROG(bbr2_sndbuf_expand, struct sock *sk)
{
	return 3;
}

SEC(".struct_ops")
struct tcp_congestion_ops bbr2 = {
	.init                = (void *)bbr2_init,
	.cong_control        = (void *)bbr2_cong_control,
	.cwnd_event          = (void *)bbr2_cwnd_event,
	.cwnd_event_tx_start = (void *)bbr2_cwnd_event_tx_start,
	.set_state           = (void *)bbr2_set_state,
	.ssthresh            = (void *)bbr2_ssthresh,
	.undo_cwnd           = (void *)bbr2_undo_cwnd,
	.min_tso_segs        = (void *)bbr2_min_tso_segs,
	.sndbuf_expand       = (void *)bbr2_sndbuf_expand,
	.name                = "fl_bbr2",
};
