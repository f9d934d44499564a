/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The state of a connection of BBR version 1. A program makes `struct bbr` the first member of its own state, in
 * icsk_ca_priv.
 */
#ifndef FAIRLANE_BBR_V1_STATE_H
#define FAIRLANE_BBR_V1_STATE_H

#include "../bbr_units.h"
#include "../windowed_max.h"

/* Section 4.3. */
enum mode { STARTUP, DRAIN, PROBE_BW, PROBE_RTT };

struct bbr {
	struct windowed_max bw;        /* bandwidth over rounds */
	__u32 cycle_start_us;          /* when the phase of the cycle began; wraps after 71 minutes */
	__u32 min_rtt_us;
	__u32 min_rtt_time;            /* jiffies, when min_rtt_us was measured */
	__u32 probe_rtt_end;           /* jiffies; 0: still too much in flight */
	__u32 round;                   /* number of the round trip */
	__u32 round_end;               /* packets delivered when it ends */
	__u32 prior_cwnd;              /* packets, window before recovery or PROBE_RTT */
	__u32 full_bw;                 /* bandwidth when it last grew by 25 % */
	__u32 policer_bw;              /* bandwidth of the last lossy interval */
	__u32 interval_start_ms;       /* lossy interval: when it began, */
	__u32 interval_delivered;      /* what had been delivered */
	__u32 interval_lost;           /* and lost by then, in packets */
	__u16 pacing_gain;             /* 1/256 */
	__u16 window_gain;             /* 1/256 */
	__u8 mode;
	__u8 phase;                    /* of the cycle */
	__u8 prior_ca_state;
	__u8 full_rounds;              /* rounds without growth */
	__u8 interval_rounds;          /* rounds of the lossy interval, or with the policer's rate */
	__u8 full_bw_reached : 1;
	__u8 round_start : 1;          /* this ACK begins a round */
	__u8 packet_conservation : 1;
	__u8 idle_restart : 1;
	__u8 probe_rtt_round_done : 1;
	__u8 has_rtt : 1;              /* the pacing rate is based on an RTT sample */
	__u8 in_interval : 1;
	__u8 use_policer_bw : 1;
};

#endif /* FAIRLANE_BBR_V1_STATE_H */
