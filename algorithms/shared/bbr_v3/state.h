/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The state of a connection of BBR version 2 or 3.
 *
 * It is too large for icsk_ca_priv, so all of it is in the socket's storage. The private block has the last result of
 * the record of transmissions, for tests.
 */
#ifndef FAIRLANE_BBR_V3_STATE_H
#define FAIRLANE_BBR_V3_STATE_H

#include "../bbr_units.h"
#include "../transmit_record.h"
#include "../windowed_max.h"

#define UNLIMITED (~0U)           /* an unset bound */
#define PER_MILLE 1000U

/* Section 5.1.1. */
enum mode { STARTUP, DRAIN, PROBE_DOWN, PROBE_CRUISE, PROBE_REFILL, PROBE_UP, PROBE_RTT };

/* The packets to which arriving ACKs belong (section 5.3.3.9). */
enum ack_phase { ACKS_INIT, ACKS_REFILLING, ACKS_PROBE_STARTING, ACKS_PROBE_FEEDBACK, ACKS_PROBE_STOPPING };

struct bbr {
	/* Rounds, and the sample of this ACK. */
	__u32 round_end;               /* packets delivered when the round ends */
	__u32 round;                   /* number of the round trip */
	__u32 sample_bw;               /* delivery rate; 0: no sample */
	__u32 sample_in_flight;        /* packets in flight when the acknowledged packet was sent */
	__u32 sample_lost;             /* packets lost since */
	__u32 lost_seen;               /* losses of the connection that loss.h has processed */

	/* Long-term model. */
	__u32 bw_previous;             /* largest of the probing cycle before this one */
	__u32 bw_current;              /* largest of this cycle; 0: no sample yet */
	__u32 inflight_high;           /* packets, largest safe inflight */
	__u32 probe_up_per_packet;     /* packets to deliver for one more packet in inflight_high */
	__u32 probe_up_acked;          /* packets delivered towards that */

	/* Short-term model. */
	__u32 bw_low;
	__u32 inflight_low;            /* packets */
	__u32 bw_latest;               /* largest of this round */
	__u32 inflight_latest;         /* packets, most delivered in a round trip, seen in this round */
	__u32 loss_round_end;          /* packets delivered when the round of the latest signals ends */

	/* Round-trip time. */
	__u32 min_rtt_us;
	__u32 min_rtt_us_at;           /* us, when it was measured */
	__u32 probe_rtt_min_us;        /* since the last ProbeRTT */
	__u32 probe_rtt_min_us_at;     /* us */
	__u32 probe_rtt_end;           /* us, when ProbeRTT has lasted long enough, if `in_flight_is_low` */

	/* State machine. */
	__u32 cycle_start_us;          /* when ProbeBW_DOWN, or version 2's ProbeBW_UP, began */
	__u32 probe_wait_us;           /* from there to the next probe */
	__u32 rounds_since_probe;
	__u32 full_bw;                 /* rate when it last grew by 25 % */
	__u32 drain_start_round;
	__u32 prior_cwnd;              /* packets, window before recovery or ProbeRTT */

	/* Aggregation of ACKs. */
	struct windowed_max extra_acked;/* packets beyond what the bandwidth explains, over rounds */
	__u32 aggregation_start_us;
	__u32 aggregation_acked;       /* packets */

	/* Restored after a spurious recovery. */
	__u32 undo_bw_low;
	__u32 undo_inflight_low;
	__u32 undo_inflight_high;

	__u8 undo_mode;                /* STARTUP or PROBE_UP if a loss ended it, else DRAIN */
	__u8 mode;
	__u8 ack_phase;
	__u8 full_rounds;              /* rounds without growth */
	__u8 probe_up_rounds;
	__u8 loss_events;              /* ACKs with losses in this round, in startup */
	__u8 prior_ca_state;
	__u8 round_start;              /* this ACK begins a round */
	__u8 loss_round_start;
	__u8 loss_in_round;
	__u8 full_bw_now;              /* the current probe has filled the pipe */
	__u8 full_bw_reached;          /* some probe has filled the pipe */
	__u8 probe_samples;            /* ACKs are for packets of a probe that has not lost too much yet */
	__u8 previous_probe_too_high;
	__u8 probe_was_cautious;
	__u8 in_flight_is_low;         /* ProbeRTT's time is running */
	__u8 probe_rtt_round_done;
	__u8 idle_restart;
	__u8 packet_conservation;
	__u8 has_rtt;                  /* the pacing rate is based on an RTT sample */

	struct transmit_record record;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct bbr);
} states SEC(".maps");

/* For tests and tools: sample_in_flight and sample_lost of the last ACK. */
struct looked_up {
	__u32 in_flight;
	__u32 lost;
};

static __always_inline struct bbr *state_of(struct sock *sk, __u64 flags)
{
	return bpf_sk_storage_get(&states, sk, 0, flags);
}

static __always_inline __u32 now_us(const struct sock *sk)
{
	return tcp_sk(sk)->tcp_mstamp;
}

static __always_inline bool has_passed(__u32 now, __u32 then)
{
	return (__s32)(now - then) > 0;
}

static __always_inline bool in_probe_bw(const struct bbr *bbr)
{
	return bbr->mode >= PROBE_DOWN && bbr->mode <= PROBE_UP;
}

/* The accelerating tactic of section 5.1.3: losses show the limit of the path, not that the path has become worse. */
static __always_inline bool is_accelerating(const struct bbr *bbr)
{
	return bbr->mode == STARTUP || bbr->mode == PROBE_REFILL || bbr->mode == PROBE_UP;
}

#endif /* FAIRLANE_BBR_V3_STATE_H */
