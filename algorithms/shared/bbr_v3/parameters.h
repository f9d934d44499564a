/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The parameters of BBR versions 2 and 3. A program defines a macro DEFAULT_... for each, with the source of the value
 * in a comment behind it, before it includes this file.
 */
#ifndef FAIRLANE_BBR_V3_PARAMETERS_H
#define FAIRLANE_BBR_V3_PARAMETERS_H

#include "congestion_control.h"

/* startup_pacing_gain: 1/256, doubles the rate in each round */
const volatile __u32 startup_pacing_gain = DEFAULT_STARTUP_PACING_GAIN;
/* startup_cwnd_gain: 1/256, window in bandwidth-delay products in startup and drain */
const volatile __u32 startup_cwnd_gain = DEFAULT_STARTUP_CWND_GAIN;
/* drain_gain: 1/256, pacing gain while startup's queue is drained */
const volatile __u32 drain_gain = DEFAULT_DRAIN_GAIN;
/* drain_rounds: rounds, after this many, drain ends in any case (0: never) */
const volatile __u32 drain_rounds = DEFAULT_DRAIN_ROUNDS;
/* probe_down_gain: 1/256, pacing gain of ProbeBW_DOWN */
const volatile __u32 probe_down_gain = DEFAULT_PROBE_DOWN_GAIN;
/* probe_up_gain: 1/256, pacing gain of ProbeBW_UP */
const volatile __u32 probe_up_gain = DEFAULT_PROBE_UP_GAIN;
/* cwnd_gain: 1/256, window in bandwidth-delay products */
const volatile __u32 cwnd_gain = DEFAULT_CWND_GAIN;
/* probe_up_cwnd_gain: 1/256, the same in ProbeBW_UP */
const volatile __u32 probe_up_cwnd_gain = DEFAULT_PROBE_UP_CWND_GAIN;
/* probe_rtt_cwnd_gain: 1/256, the same in ProbeRTT */
const volatile __u32 probe_rtt_cwnd_gain = DEFAULT_PROBE_RTT_CWND_GAIN;
/* cwnd_min: packets, smallest window */
const volatile __u32 cwnd_min = DEFAULT_CWND_MIN;
/* loss_threshold: 1/1000, share of a flight that may be lost */
const volatile __u32 loss_threshold = DEFAULT_LOSS_THRESHOLD;
/* beta: 1/1000, least that a reduction leaves */
const volatile __u32 beta = DEFAULT_BETA;
/* headroom: 1/1000, of inflight_high that is left to others while cruising */
const volatile __u32 headroom = DEFAULT_HEADROOM;
/* full_bw_growth: 1/256, growth of the rate in a round below which the pipe may be full */
const volatile __u32 full_bw_growth = DEFAULT_FULL_BW_GROWTH;
/* full_bw_rounds: rounds, how many such rounds fill it */
const volatile __u32 full_bw_rounds = DEFAULT_FULL_BW_ROUNDS;
/* full_bw_from_maximum: 0 or 1, judges the maximum so far, not the sample of the ACK that begins a round */
const volatile bool full_bw_from_maximum = DEFAULT_FULL_BW_FROM_MAXIMUM;
/* startup_loss_events: ACKs with losses in a round that may end startup (0: never) */
const volatile __u32 startup_loss_events = DEFAULT_STARTUP_LOSS_EVENTS;
/* startup_keeps_latest: 0 or 1, inflight_high after that is what was delivered in the round, if larger than the BDP */
const volatile bool startup_keeps_latest = DEFAULT_STARTUP_KEEPS_LATEST;
/* probe_until_plateau: 0 or 1, a probe ends when the rate stops growing, not at 1.25 BDP */
const volatile bool probe_until_plateau = DEFAULT_PROBE_UNTIL_PLATEAU;
/* conserve_packets: 0 or 1, packet conservation in the first round of recovery */
const volatile bool conserve_packets = DEFAULT_CONSERVE_PACKETS;
/* recovery_restores: 0 or 1, the window before it returns after each recovery, not after timeouts alone */
const volatile bool recovery_restores = DEFAULT_RECOVERY_RESTORES;
/* every_sample_ends_probe: 0 or 1, ACKs that find no new loss may end a probe as well */
const volatile bool every_sample_ends_probe = DEFAULT_EVERY_SAMPLE_ENDS_PROBE;
/* probe_wait_ms: ms, shortest time between two probes */
const volatile __u32 probe_wait_ms = DEFAULT_PROBE_WAIT_MS;
/* probe_wait_random_ms: ms, random part added to it */
const volatile __u32 probe_wait_random_ms = DEFAULT_PROBE_WAIT_RANDOM_MS;
/* reno_rounds_max: rounds, most between two probes */
const volatile __u32 reno_rounds_max = DEFAULT_RENO_ROUNDS_MAX;
/* min_rtt_window_ms: ms, length of the RTT filter */
const volatile __u32 min_rtt_window_ms = DEFAULT_MIN_RTT_WINDOW_MS;
/* probe_rtt_interval_ms: ms, without a new minimum until ProbeRTT */
const volatile __u32 probe_rtt_interval_ms = DEFAULT_PROBE_RTT_INTERVAL_MS;
/* equal_rtt_renews: 0 or 1, an RTT equal to the smallest counts as a new minimum */
const volatile bool equal_rtt_renews = DEFAULT_EQUAL_RTT_RENEWS;
/* probe_rtt_ms: ms, length of ProbeRTT (0: never) */
const volatile __u32 probe_rtt_ms = DEFAULT_PROBE_RTT_MS;
/* extra_acked_rounds: rounds, length of the aggregation filter */
const volatile __u32 extra_acked_rounds = DEFAULT_EXTRA_ACKED_ROUNDS;
/* extra_acked_max_ms: ms, largest allowance for bursts of ACKs at the estimated rate (0: none) */
const volatile __u32 extra_acked_max_ms = DEFAULT_EXTRA_ACKED_MAX_MS;
/* pacing_margin: percent, how far pacing stays below the estimate */
const volatile __u32 pacing_margin = DEFAULT_PACING_MARGIN;
/* marks_are_losses: 0 or 1, packets whose ACKs echo congestion count as lost */
const volatile bool marks_are_losses = DEFAULT_MARKS_ARE_LOSSES;

#endif /* FAIRLANE_BBR_V3_PARAMETERS_H */
