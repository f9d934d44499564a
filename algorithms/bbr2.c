// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * bbr2: BBR with bounds on rate and inflight from losses and from its last probe (version 2, Google's alpha release)
 *
 *	bw            = min(max_bw, bw_low)              max_bw: largest delivery rate of the last two probing cycles
 *	window        = 2 * bw * min_rtt, at most inflight_high and inflight_low
 *	inflight_high = inflight when a probe lost more than 2 % in a round trip; grows in the next probe
 *	bw_low, inflight_low: in each other round with losses max(delivered, 0.7 * the value before), until the next probe
 *	between two probes 2 to 3 s, or, to be fair to Reno, as many round trips as the BDP has packets, at most 63
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
 * (2019; github.com/google/bbr, net/ipv4/tcp_bbr2.c), which papers measured as BBRv2. The code is that of
 * version 3 (shared/bbr_v3.h) with other parameters.
 *
 * Differences from bbr3:
 * 1. A probe ends when 1.25 BDP are in flight, not when the rate stops growing; with gain 0.75 after it.
 *    The draft has 0.9, as version 3 has.
 * 2. Startup's gains are 2.89 and 1/2.89 (the draft: 2.77, 2 and 0.5), and 8 ACKs with losses may end it.
 * 3. The window is 2 BDP in probes as well.
 * 4. The sample of each ACK may end a probe, not only the samples of ACKs that find new losses.
 * 5. Startup compares the maximum of the rate in each round (full_bw_from_maximum), not the sample that begins it.
 * 6. An RTT equal to the smallest one postpones ProbeRTT (equal_rtt_renews); the draft requires a lower one.
 * 7. The allowance for bursts of ACKs is at most what arrives in 100 ms (extra_acked_max_ms).
 * 8. Recovery does not reduce the window, and the window is restored only after a timeout (recovery_restores).
 *
 * These follow v2alpha's source. Together 5 to 8 change a flow's share next to CUBIC by less than it varies between
 * starts (100 Mbit/s, 62 ms, 0.5 to 16 BDP of buffer).
 *
 * Deviations:
 * 1. The inflight at a packet's transmission comes from the program's own record, and a lost packet is represented
 *    by the newest acknowledged one: shared/transmit_record.h bounds the error, and docs/concepts/transmit-record.md
 *    measures it.
 * 2. Losses are processed when the next ACK arrives, all losses of one ACK together.
 * 3. The alpha release can respond to marks as DCTCP does (with ecn_alpha, ecn_factor 1/3 and ecn_thresh 1/2),
 *    on paths of less than 5 ms and if it is enabled. That requires an echo of each mark, which a
 *    standard kernel offers only to algorithms that always need ECN, and is left out. Here packets whose
 *    ACKs echo a mark count as lost (marks_are_losses); the alpha release ignores those marks.
 * 4. The undo of a spurious recovery also returns to the state that a loss ended (startup, probe), as in version 3; in
 *    the alpha release it restores only window and bounds. They are saved at a round's first loss, there at the
 *    beginning of recovery.
 * 5. The inflight is TCP's. The alpha release subtracts packets that its pacing has scheduled but not yet sent.
 * 6. The alpha release sends larger bursts below an RTT of about 3 ms: 64 KB more, halved for each 512 us of RTT.
 * 7. The aggregation filter is one window of 5 rounds; in the alpha release two halves, which see 5 to 10 rounds.
 * 8. Constants are decimal. In the binary fractions of the alpha release 2 % is 1.95, beta 0.703 and headroom 0.148.
 * 9. Drain keeps the signals of startup's last round, which the alpha release resets. A probe that stops using its
 *    window keeps its progress towards the growth of inflight_high, which the alpha release resets.
 *
 * Statements that RFC 9743 asks for:
 *
 * 5.3.1: RFC 2914 asks for the response to loss that Reno has. Here losses up to 2 % of a round trip do not
 * end a probe, and between probes a round with losses lowers the bounds to 0.7 at most: with random losses
 * it is faster than Reno. Beside Reno and CUBIC it probes as rarely as Reno would, up to 63 round trips.
 * Packets are counted, so the loss of a small one weighs as much as that of a full one; RFC 7141 section
 * 2.3 recommends to weigh bytes.
 *
 * 5.3.2: It changes the sender alone, and works with any receiver, router and middlebox that carries TCP.
 * It needs pacing, by fq or by TCP itself.
 *
 * 8: Those of Reno (RFC 5681 section 5). ACKs that arrive early raise the estimate of the rate at most to
 * the rate of sending, because a sample takes the longer of both intervals. An attacker who drops 2 % of
 * the packets sets inflight_high.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

#define DEFAULT_STARTUP_PACING_GAIN     739   /* v2alpha (2.885) */
#define DEFAULT_STARTUP_CWND_GAIN       739   /* v2alpha (2.885) */
#define DEFAULT_DRAIN_GAIN              88    /* v2alpha (1/2.885) */
#define DEFAULT_DRAIN_ROUNDS            0     /* version 3 */
#define DEFAULT_PROBE_DOWN_GAIN         192   /* v2alpha (0.75) */
#define DEFAULT_PROBE_UP_GAIN           320   /* v2alpha (1.25) */
#define DEFAULT_CWND_GAIN               512   /* v2alpha (2) */
#define DEFAULT_PROBE_UP_CWND_GAIN      512   /* v2alpha (2) */
#define DEFAULT_PROBE_RTT_CWND_GAIN     128   /* v2alpha (0.5) */
#define DEFAULT_CWND_MIN                4     /* v2alpha (4) */
#define DEFAULT_LOSS_THRESHOLD          20    /* v2alpha (2 %) */
#define DEFAULT_BETA                    700   /* v2alpha (0.7) */
#define DEFAULT_HEADROOM                150   /* v2alpha (0.15) */
#define DEFAULT_FULL_BW_GROWTH          320   /* v2alpha (1.25) */
#define DEFAULT_FULL_BW_ROUNDS          3     /* v2alpha (3) */
#define DEFAULT_FULL_BW_FROM_MAXIMUM    1     /* v2alpha */
#define DEFAULT_STARTUP_LOSS_EVENTS     8     /* v2alpha (8) */
#define DEFAULT_STARTUP_KEEPS_LATEST    0     /* version 3 */
#define DEFAULT_PROBE_UNTIL_PLATEAU     0     /* version 3 */
#define DEFAULT_CONSERVE_PACKETS        0     /* draft 02 section 4.6.4.4; v2alpha has none */
#define DEFAULT_RECOVERY_RESTORES       0     /* version 3 */
#define DEFAULT_EVERY_SAMPLE_ENDS_PROBE 1     /* v2alpha */
#define DEFAULT_PROBE_WAIT_MS           2000  /* v2alpha (2 s) */
#define DEFAULT_PROBE_WAIT_RANDOM_MS    1000  /* v2alpha (1 s) */
#define DEFAULT_RENO_ROUNDS_MAX         63    /* v2alpha (63) */
#define DEFAULT_MIN_RTT_WINDOW_MS       10000 /* v2alpha (10 s) */
#define DEFAULT_PROBE_RTT_INTERVAL_MS   5000  /* v2alpha (5 s) */
#define DEFAULT_EQUAL_RTT_RENEWS        1     /* v2alpha */
#define DEFAULT_PROBE_RTT_MS            200   /* v2alpha (200 ms) */
#define DEFAULT_EXTRA_ACKED_ROUNDS      5     /* v2alpha (two halves of 5; draft 02: 10) */
#define DEFAULT_EXTRA_ACKED_MAX_MS      100   /* v2alpha (100 ms) */
#define DEFAULT_PACING_MARGIN           1     /* v2alpha (1) */
#define DEFAULT_MARKS_ARE_LOSSES        1     /* own choice */

#include "bbr_v3/parameters.h"
#include "bbr_v3/callbacks.h"

BBR_V3_TABLE(bbr2);
