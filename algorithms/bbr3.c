// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * bbr3: BBR with bounds on rate and inflight from losses and from its last probe (version 3)
 *
 *	bw            = min(max_bw, bw_low)              max_bw: largest delivery rate of the last two probing cycles
 *	window        = cwnd_gain * bw * min_rtt, at most inflight_high and inflight_low
 *	inflight_high = inflight when a probe lost more than 2 % in a round trip; grows in the next probe
 *	bw_low, inflight_low: in each other round with losses max(delivered, 0.7 * the value before), until the next probe
 *	between two probes 2 to 3 s, or, to be fair to Reno, as many round trips as the BDP has packets, at most 63
 *
 *	STARTUP --no growth in 3 rounds, or 2 % lost--> DRAIN --in flight <= BDP--> PROBE_DOWN <-------------.
 *	(gain 2.77)                                     (0.5)                         (0.9)   |              |
 *	      .-------------------------------------------------------------------------------'              |
 *	      '--drained--> CRUISE --time to probe--> REFILL --1 round--> UP --no growth, or 2 % lost--------'
 *	                      (1)                      (1)              (1.25)
 *	every 5 s without a new minimum: PROBE_RTT, half the BDP in flight for 200 ms
 *
 * Source: Cardwell, Swett, Beshay, "BBR Congestion Control", draft-ietf-ccwg-bbr-06. The code is in
 * shared/bbr_v3.h, with section numbers.
 *
 * Deviations:
 * 1. The inflight at a packet's transmission comes from the program's own record, and a lost packet is represented
 *    by the newest acknowledged one: shared/transmit_record.h bounds the error, and docs/concepts/transmit-record.md
 *    measures it.
 * 2. Losses are processed when the next ACK arrives, all losses of one ACK together.
 * 3. In startup an ACK with losses counts as a lost range.
 * 4. The draft leaves the response to ECN open, but marks must count as congestion (section 3.7): packets whose
 *    ACKs echo a mark count as lost (marks_are_losses).
 * 5. A delayed ACK may lower the estimate of the RTT, but not renew it (as version 1 in Linux).
 * 6. After a timeout inflight_low starts from the window before the timeout.
 * 7. Without selective acknowledgements any loss is too much in the draft (section 5.5.10.2); here the share of losses
 *    decides, as with selective acknowledgements.
 * 8. Below 1.2 Mbit/s a burst is one segment, as in versions 1 and 2, instead of two (section 5.6.3).
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
 * 8: Those of Reno (RFC 5681 section 5), as the draft says. ACKs that arrive early raise the estimate of
 * the rate at most to the rate of sending, because a sample takes the longer of both intervals. An attacker
 * who drops 2 % of the packets sets inflight_high.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

#define DEFAULT_STARTUP_PACING_GAIN     709   /* draft-ietf-ccwg-bbr-06 section 5.3.1.1 (2.77) */
#define DEFAULT_STARTUP_CWND_GAIN       512   /* section 5.3.1.1 (2) */
#define DEFAULT_DRAIN_GAIN              128   /* section 5.3.2 (0.5) */
#define DEFAULT_DRAIN_ROUNDS            3     /* section 5.3.2 (3) */
#define DEFAULT_PROBE_DOWN_GAIN         230   /* section 5.3.3.1 (0.9) */
#define DEFAULT_PROBE_UP_GAIN           320   /* section 5.3.3.5 (1.25) */
#define DEFAULT_CWND_GAIN               512   /* section 5.6.1 (2) */
#define DEFAULT_PROBE_UP_CWND_GAIN      576   /* section 5.3.3.5 (2.25) */
#define DEFAULT_PROBE_RTT_CWND_GAIN     128   /* section 5.3.4.1 (0.5) */
#define DEFAULT_CWND_MIN                4     /* section 5.6.4.3 (4) */
#define DEFAULT_LOSS_THRESHOLD          20    /* section 5.3.1.3 (2 %) */
#define DEFAULT_BETA                    700   /* section 5.5.10.2 (0.7) */
#define DEFAULT_HEADROOM                150   /* section 5.3.3.1 (0.15) */
#define DEFAULT_FULL_BW_GROWTH          320   /* section 5.3.1.2 (1.25) */
#define DEFAULT_FULL_BW_ROUNDS          3     /* section 5.3.1.2 (3) */
#define DEFAULT_FULL_BW_FROM_MAXIMUM    0     /* version 2 */
#define DEFAULT_STARTUP_LOSS_EVENTS     6     /* section 5.3.1.3 (6) */
#define DEFAULT_STARTUP_KEEPS_LATEST    1     /* section 5.3.1.3 */
#define DEFAULT_PROBE_UNTIL_PLATEAU     1     /* section 5.3.3.7 */
#define DEFAULT_CONSERVE_PACKETS        0     /* version 2 */
#define DEFAULT_RECOVERY_RESTORES       1     /* section 5.6.4.4 */
#define DEFAULT_EVERY_SAMPLE_ENDS_PROBE 0     /* version 2 */
#define DEFAULT_PROBE_WAIT_MS           2000  /* section 5.3.3.8 (2 s) */
#define DEFAULT_PROBE_WAIT_RANDOM_MS    1000  /* section 5.3.3.8 (1 s) */
#define DEFAULT_RENO_ROUNDS_MAX         63    /* section 5.3.3.8 (63) */
#define DEFAULT_MIN_RTT_WINDOW_MS       10000 /* section 5.5.7.2 (10 s) */
#define DEFAULT_PROBE_RTT_INTERVAL_MS   5000  /* section 5.3.4.1 (5 s) */
#define DEFAULT_EQUAL_RTT_RENEWS        0     /* version 2 */
#define DEFAULT_PROBE_RTT_MS            200   /* section 5.3.4.1 (200 ms) */
#define DEFAULT_EXTRA_ACKED_ROUNDS      10    /* section 5.5.9 (10) */
#define DEFAULT_EXTRA_ACKED_MAX_MS      0     /* version 2 */
#define DEFAULT_PACING_MARGIN           1     /* section 5.6.2 (1) */
#define DEFAULT_MARKS_ARE_LOSSES        1     /* section 3.7 */

#include "bbr_v3/parameters.h"
#include "bbr_v3/callbacks.h"

BBR_V3_TABLE(bbr3);
