/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The smallest RTT of a round trip, and the smallest since the connection began, which estimates the path without a
 * queue. For algorithms that respond once per round trip to the increase of the RTT (Vegas and its descendants).
 */
#ifndef FAIRLANE_ROUND_TRIP_H
#define FAIRLANE_ROUND_TRIP_H

#include "vmlinux.h"
#include "bpf_tracing_net.h"

#define NO_RTT_US 0x7fffffffU
/* Of two samples, one may be of a delayed ACK: a round needs more. */
#define ROUND_TRIP_MIN_SAMPLES 3

struct round_trip {
	__u32 end_seq;          /* the round ends when this is acknowledged */
	__u32 base_rtt_us;      /* smallest RTT since the connection began or was idle */
	__u32 min_rtt_us;       /* smallest RTT of this round */
	__u16 samples;          /* RTTs measured in this round */
	bool is_open;           /* TCP is in state Open: no losses disturb the samples */
};

static __always_inline void round_trip_begin(const struct tcp_sock *tp, struct round_trip *round)
{
	round->end_seq = tp->snd_nxt;
	round->min_rtt_us = NO_RTT_US;
	round->samples = 0;
}

/* For a new connection, and after an idle period, during which the path may have changed. */
static __always_inline void round_trip_forget(const struct tcp_sock *tp, struct round_trip *round)
{
	round->base_rtt_us = NO_RTT_US;
	round->is_open = true;
	round_trip_begin(tp, round);
}

/* For set_state(): pauses from the first sign of loss until the end of recovery. */
static __always_inline void round_trip_state(const struct tcp_sock *tp, struct round_trip *round, __u8 state)
{
	round->is_open = state == TCP_CA_Open;
	if (round->is_open)
		round_trip_begin(tp, round);
}

/* For cwnd_event(). */
static __always_inline void round_trip_event(const struct tcp_sock *tp, struct round_trip *round, enum tcp_ca_event event)
{
	if (event == CA_EVENT_CWND_RESTART || event == CA_EVENT_TX_START)
		round_trip_forget(tp, round);
}

/* For pkts_acked(). An RTT of 0 counts as 1, so that divisions by it are safe. */
static __always_inline void round_trip_sample(struct round_trip *round, const struct ack_sample *sample)
{
	__u32 rtt_us;

	if (sample->rtt_us < 0)
		return;
	rtt_us = sample->rtt_us + 1;
	round->base_rtt_us = min(round->base_rtt_us, rtt_us);
	round->min_rtt_us = min(round->min_rtt_us, rtt_us);
	round->samples++;
}

static __always_inline bool round_trip_is_over(const struct round_trip *round, __u32 ack)
{
	return after(ack, round->end_seq);
}

#endif /* FAIRLANE_ROUND_TRIP_H */
