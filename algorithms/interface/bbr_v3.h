/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The machinery of BBR versions 2 and 3. Section numbers are those of draft-ietf-ccwg-bbr-06; bbr3.c and
 * bbr2.c say what it is for, define the parameters that are used here before they include this file,
 * and name the callbacks.
 *
 * In short: the model has a long-term part (the largest bandwidth of the last two probes, the most that
 * may be in flight as the last probe found it) and a short-term part (what was delivered in the last
 * lossy round). ProbeBW_UP explores with the long-term part alone; the other states keep to both.
 *
 * The state is too large for icsk_ca_priv, so all of it is in the socket's storage. The private block holds
 * what was last looked up in the record of transmissions, for whoever wants to check it.
 */
#ifndef FAIRLANE_BBR_V3_H
#define FAIRLANE_BBR_V3_H

#include "bbr_units.h"
#include "transmit_record.h"
#include "windowed_max.h"

#define UNLIMITED (~0U)           /* a bound that is not set */
#define PER_MILLE 1000U
#define INCREMENT_ROUNDS_MAX 20   /* 2^20 packets in a round trip are enough */
#define AGGREGATION_LIMIT 0xfffffU

enum mode { STARTUP, DRAIN, PROBE_DOWN, PROBE_CRUISE, PROBE_REFILL, PROBE_UP, PROBE_RTT };

/* Which feedback the ACKs carry that arrive now (section 5.3.3.9). */
enum ack_phase { ACKS_INIT, ACKS_REFILLING, ACKS_PROBE_STARTING, ACKS_PROBE_FEEDBACK, ACKS_PROBE_STOPPING };

struct bbr {
	/* Rounds, and the sample of this ACK. */
	__u32 round_end;               /* packets delivered when the round ends */
	__u32 round;                   /* number of the round trip */
	__u32 sample_bw;               /* delivery rate; 0: no sample */
	__u32 sample_in_flight;        /* packets in flight when the acknowledged packet was sent */
	__u32 sample_lost;             /* packets lost since */
	__u32 lost_seen;               /* of the connection's losses, those that were looked at */

	/* Long-term model. */
	__u32 bw_previous;             /* largest of the probing cycle before this one */
	__u32 bw_current;              /* largest of this cycle; 0: no sample yet */
	__u32 inflight_high;           /* packets, most that is safe in flight */
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
	__u32 full_bw;                 /* rate that was last 25 % above the one before */
	__u32 drain_start_round;
	__u32 prior_cwnd;              /* packets, window before recovery or ProbeRTT */

	/* Aggregation of ACKs. */
	struct windowed_max extra_acked;/* packets beyond what the bandwidth explains, over rounds */
	__u32 aggregation_start_us;
	__u32 aggregation_acked;       /* packets */

	/* What a needless recovery is to give back. */
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
	__u8 full_bw_now;              /* the present probe has filled the pipe */
	__u8 full_bw_reached;          /* some probe had */
	__u8 probe_samples;            /* ACKs are for packets of a probe that has not met too much loss yet */
	__u8 previous_probe_too_high;
	__u8 probe_was_cautious;
	__u8 in_flight_is_low;         /* ProbeRTT has begun to count its time */
	__u8 probe_rtt_round_done;
	__u8 idle_restart;
	__u8 packet_conservation;
	__u8 has_rtt;                  /* an RTT went into the pacing rate */

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

/* ---- the model ---- */

static __always_inline __u32 max_bw(const struct bbr *bbr)
{
	return max(bbr->bw_previous, bbr->bw_current);
}

static __always_inline __u32 bandwidth(const struct bbr *bbr)
{
	return min(max_bw(bbr), bbr->bw_low);
}

static __always_inline __u32 bdp(const struct bbr *bbr, __u32 bw, __u32 gain)
{
	__u64 packets;

	if (bbr->min_rtt_us == ~0U)
		return TCP_INIT_CWND;
	packets = (__u64)bw * bbr->min_rtt_us;
	return (((packets >> 4) * gain >> GAIN_SHIFT) + (BW_UNIT >> 4) - 1) >> (BW_SHIFT - 4);
}

/* Section 5.6.4.2: room for what offloads hold back, and for gain 1.25 to matter at small windows. */
static __always_inline __u32 with_headroom(const struct sock *sk, const struct bbr *bbr, __u32 packets)
{
	packets = max(packets, 3 * burst(sk));
	packets = max(packets, cwnd_min);
	return bbr->mode == PROBE_UP ? packets + 2 : packets;
}

static __always_inline __u32 target_inflight(const struct sock *sk, const struct bbr *bbr, __u32 gain)
{
	return with_headroom(sk, bbr, bdp(bbr, bandwidth(bbr), gain));
}

/* Some of what would be safe is left to others. */
static __always_inline __u32 inflight_less_headroom(const struct bbr *bbr)
{
	__u32 less;

	if (bbr->inflight_high == UNLIMITED)
		return UNLIMITED;
	less = max((__u64)bbr->inflight_high * headroom / PER_MILLE, 1ULL);
	return max(bbr->inflight_high > less ? bbr->inflight_high - less : 0, cwnd_min);
}

static __always_inline bool in_probe_bw(const struct bbr *bbr)
{
	return bbr->mode >= PROBE_DOWN && bbr->mode <= PROBE_UP;
}

static __always_inline bool is_accelerating(const struct bbr *bbr)
{
	return bbr->mode == STARTUP || bbr->mode == PROBE_REFILL || bbr->mode == PROBE_UP;
}

static __always_inline void start_round(const struct sock *sk, struct bbr *bbr)
{
	bbr->round_end = tcp_sk(sk)->delivered;
}

static __always_inline void reset_short_term(struct bbr *bbr)
{
	bbr->bw_low = UNLIMITED;
	bbr->inflight_low = UNLIMITED;
}

static __always_inline void reset_signals(struct bbr *bbr)
{
	bbr->loss_in_round = 0;
	bbr->bw_latest = 0;
	bbr->inflight_latest = 0;
}

static __always_inline void reset_full_bw(struct bbr *bbr, __u32 bw)
{
	bbr->full_bw = bw;
	bbr->full_rounds = 0;
	bbr->full_bw_now = 0;
}

static __always_inline void save_cwnd(const struct sock *sk, struct bbr *bbr)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	if (bbr->prior_ca_state < TCP_CA_Recovery && bbr->mode != PROBE_RTT)
		bbr->prior_cwnd = cwnd;
	else
		bbr->prior_cwnd = max(bbr->prior_cwnd, cwnd);
}

/* Section 5.5.11.1. */
static __always_inline void save_for_undo(const struct sock *sk, struct bbr *bbr)
{
	save_cwnd(sk, bbr);
	bbr->undo_mode = DRAIN;
	bbr->undo_bw_low = bbr->bw_low;
	bbr->undo_inflight_low = bbr->inflight_low;
	bbr->undo_inflight_high = bbr->inflight_high;
}

/* ---- changes of state ---- */

static __always_inline void enter_startup(struct bbr *bbr)
{
	bbr->mode = STARTUP;
}

static __always_inline void start_down(const struct sock *sk, struct bbr *bbr)
{
	reset_signals(bbr);
	bbr->probe_up_per_packet = UNLIMITED;
	/* Section 5.3.3.8: at random, so that flows do not probe together. */
	bbr->rounds_since_probe = bpf_get_prandom_u32() & 1;
	bbr->probe_wait_us = probe_wait_ms * USEC_PER_MSEC;
	if (probe_wait_random_ms)
		bbr->probe_wait_us += bpf_get_prandom_u32() % (probe_wait_random_ms * USEC_PER_MSEC);
	bbr->cycle_start_us = now_us(sk);
	bbr->ack_phase = ACKS_PROBE_STOPPING;
	start_round(sk, bbr);
	bbr->mode = PROBE_DOWN;
}

static __always_inline void start_refill(const struct sock *sk, struct bbr *bbr)
{
	reset_short_term(bbr);
	bbr->probe_up_rounds = 0;
	bbr->probe_up_acked = 0;
	bbr->probe_was_cautious = 0;
	bbr->ack_phase = ACKS_REFILLING;
	start_round(sk, bbr);
	bbr->mode = PROBE_REFILL;
}

/* Section 5.3.3.5: inflight_high grows by 1, 2, 4, 8 packets in the rounds of a probe. */
static __always_inline void raise_slope(const struct sock *sk, struct bbr *bbr)
{
	__u32 growth = 1U << min(bbr->probe_up_rounds, (__u8)INCREMENT_ROUNDS_MAX);

	bbr->probe_up_rounds = min(bbr->probe_up_rounds + 1, INCREMENT_ROUNDS_MAX);
	bbr->probe_up_per_packet = max(tcp_sk(sk)->snd_cwnd / growth, 1U);
}

static __always_inline void start_up(const struct sock *sk, struct bbr *bbr)
{
	bbr->probe_samples = 1;
	bbr->ack_phase = ACKS_PROBE_STARTING;
	start_round(sk, bbr);
	reset_full_bw(bbr, bbr->sample_bw);
	bbr->cycle_start_us = now_us(sk);
	bbr->mode = PROBE_UP;
	raise_slope(sk, bbr);
}

/* ---- loss (section 5.5.10) ---- */

static __always_inline bool is_too_high(__u32 lost, __u32 in_flight)
{
	return (__u64)lost * PER_MILLE > (__u64)in_flight * loss_threshold;
}

static __always_inline void too_much_in_flight(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs,
					       __u32 in_flight)
{
	__u32 wanted = min(bdp(bbr, bandwidth(bbr), GAIN_UNIT), tcp_sk(sk)->snd_cwnd);

	bbr->previous_probe_too_high = 1;
	bbr->probe_samples = 0; /* react once to a probe */
	if (!rs->is_app_limited) {
		__u32 least = (__u64)wanted * beta / PER_MILLE;

		bbr->inflight_high = max(in_flight, least);
	}
	if (bbr->mode == PROBE_UP) {
		bbr->undo_mode = PROBE_UP;
		start_down(sk, bbr);
	}
}

/* How much was in flight when the share of losses passed the threshold, somewhere among the `lost_now`
 * packets that were found lost together. */
static __always_inline __u32 inflight_at_loss(__u32 in_flight, __u32 lost, __u32 lost_now)
{
	__u32 before = in_flight > lost_now ? in_flight - lost_now : 0;
	__u32 lost_before = lost > lost_now ? lost - lost_now : 0;
	__u64 allowed = (__u64)before * loss_threshold, had = (__u64)lost_before * PER_MILLE;

	return before + (allowed > had ? (__u32)(allowed - had) / (PER_MILLE - loss_threshold) : 0);
}

/* What the connection has lost so far, packets that were marked included. */
static __always_inline __u32 total_lost(const struct tcp_sock *tp)
{
	return tp->lost + (marks_are_losses ? tp->delivered_ce : 0);
}

static __always_inline void look_at_losses(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 lost_now = total_lost(tp) - bbr->lost_seen;

	bbr->lost_seen = total_lost(tp);
	if (!lost_now)
		return;
	if (!bbr->loss_in_round) {
		bbr->loss_round_end = tp->delivered;
		save_for_undo(sk, bbr);
	}
	bbr->loss_in_round = 1;
	if (bbr->loss_events < 255)
		bbr->loss_events++;
	if (bbr->probe_samples && is_too_high(bbr->sample_lost, bbr->sample_in_flight))
		too_much_in_flight(sk, bbr, rs, inflight_at_loss(bbr->sample_in_flight, bbr->sample_lost, lost_now));
}

/* Once per round with losses the short-term model goes to what is delivered, but not below `beta`. */
static __always_inline void lower_short_term(const struct sock *sk, struct bbr *bbr)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;
	__u32 least_bw, least_inflight;

	if (bbr->bw_low == UNLIMITED)
		bbr->bw_low = max_bw(bbr);
	/* After a time-out the window says nothing. */
	if (bbr->inflight_low == UNLIMITED)
		bbr->inflight_low = ca_state(sk) == TCP_CA_Loss ? max(cwnd, bbr->prior_cwnd) : cwnd;

	least_bw = (__u64)bbr->bw_low * beta / PER_MILLE;
	least_inflight = (__u64)bbr->inflight_low * beta / PER_MILLE;
	bbr->bw_low = max(bbr->bw_latest, least_bw);
	bbr->inflight_low = max(bbr->inflight_latest, least_inflight);
}

/* ---- samples ---- */

static __always_inline void take_sample(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct looked_up *looked_up = inet_csk_ca(sk);
	__u32 shift = record_shift(tp->snd_cwnd);
	__u32 delivered_before = tp->delivered - rs->acked_sacked;
	__u32 lost_before = total_lost(tp) - (rs->losses > 0 ? rs->losses : 0);
	struct transmit_entry entry;

	record_put(&bbr->record, shift, delivered_before, rs->prior_in_flight, lost_before);

	bbr->sample_bw = 0;
	bbr->sample_lost = rs->losses > 0 ? rs->losses : 0;
	bbr->sample_in_flight = rs->prior_in_flight;
	if (rs->delivered < 0)
		return;
	bbr->sample_in_flight = rs->delivered;
	if (record_get(&bbr->record, shift, rs->prior_delivered, &entry)) {
		bbr->sample_lost = total_lost(tp) - entry.lost;
		/* Without holes, what was in flight is exactly what was delivered since. */
		if (tp->sacked_out || rs->is_retrans)
			bbr->sample_in_flight = entry.in_flight;
	}
	looked_up->in_flight = bbr->sample_in_flight;
	looked_up->lost = bbr->sample_lost;
	if (rs->interval_us > 0)
		bbr->sample_bw = (__u32)rs->delivered * BW_UNIT / (__u64)rs->interval_us;
}

static __always_inline void update_rounds(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	bbr->round_start = 0;
	bbr->loss_round_start = 0;
	if (rs->delivered < 0)
		return;
	if (!before(rs->prior_delivered, bbr->round_end)) {
		start_round(sk, bbr);
		bbr->round++;
		bbr->rounds_since_probe++;
		bbr->round_start = 1;
		bbr->packet_conservation = 0;
	}

	bbr->bw_latest = max(bbr->bw_latest, bbr->sample_bw);
	bbr->inflight_latest = max(bbr->inflight_latest, (__u32)rs->delivered);
	if (!before(rs->prior_delivered, bbr->loss_round_end)) {
		bbr->loss_round_end = tcp_sk(sk)->delivered;
		bbr->loss_round_start = 1;
	}
}

static __always_inline void update_model(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	/* A sample of a flow that had too little to send is a lower bound only. */
	if (bbr->sample_bw && (!rs->is_app_limited || bbr->sample_bw >= max_bw(bbr)))
		bbr->bw_current = max(bbr->bw_current, bbr->sample_bw);
	if (!bbr->loss_round_start)
		return;
	if (bbr->loss_in_round && !is_accelerating(bbr))
		lower_short_term(sk, bbr);
}

/* Section 5.5.9: how many packets more than the bandwidth explains were acknowledged since counting began. */
static __always_inline void update_aggregation(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct windowed_sample extra;
	__u32 expected;

	if (!rs->acked_sacked)
		return;
	expected = (__u64)bandwidth(bbr) * elapsed_us(now_us(sk), bbr->aggregation_start_us) >> BW_SHIFT;
	if (bbr->aggregation_acked <= expected || bbr->aggregation_acked > AGGREGATION_LIMIT) {
		bbr->aggregation_acked = 0;
		bbr->aggregation_start_us = now_us(sk);
		expected = 0;
	}
	bbr->aggregation_acked += rs->acked_sacked;
	extra.time = bbr->round;
	extra.value = min(bbr->aggregation_acked - expected, tp->snd_cwnd);
	windowed_max_add(&bbr->extra_acked, bbr->full_bw_reached ? extra_acked_rounds : 1, extra);
}

/* ---- the state machine ---- */

/* Section 5.3.1.2. */
static __always_inline void check_full_bw(struct bbr *bbr, const struct rate_sample *rs)
{
	if (bbr->full_bw_now || !bbr->round_start || rs->is_app_limited || !bbr->sample_bw)
		return;
	if (bbr->sample_bw >= (__u64)bbr->full_bw * full_bw_growth >> GAIN_SHIFT) {
		reset_full_bw(bbr, bbr->sample_bw);
		return;
	}
	bbr->full_rounds++;
	bbr->full_bw_now = bbr->full_rounds >= full_bw_rounds;
	bbr->full_bw_reached |= bbr->full_bw_now;
}

/* Section 5.3.1.3. */
static __always_inline void check_startup_loss(const struct sock *sk, struct bbr *bbr)
{
	if (bbr->loss_round_start && bbr->loss_in_round && ca_state(sk) == TCP_CA_Recovery &&
	    startup_loss_events && bbr->loss_events >= startup_loss_events &&
	    is_too_high(bbr->sample_lost, bbr->sample_in_flight)) {
		__u32 safe = bdp(bbr, max_bw(bbr), GAIN_UNIT);

		bbr->undo_mode = STARTUP;
		bbr->full_bw_reached = 1;
		bbr->inflight_high = startup_keeps_latest ? max(safe, bbr->inflight_latest) : safe;
	}
	if (bbr->loss_round_start)
		bbr->loss_events = 0;
}

static __always_inline void check_startup_and_drain(const struct sock *sk, struct bbr *bbr)
{
	if (bbr->mode == STARTUP) {
		check_startup_loss(sk, bbr);
		if (bbr->full_bw_reached) {
			bbr->mode = DRAIN;
			bbr->drain_start_round = bbr->round;
		}
	}
	if (bbr->mode == DRAIN && (tcp_packets_in_flight(tcp_sk(sk)) <= target_inflight(sk, bbr, GAIN_UNIT) ||
				   (drain_rounds && bbr->round - bbr->drain_start_round > drain_rounds)))
		start_down(sk, bbr);
}

static __always_inline bool uses_window(const struct tcp_sock *tp, const struct bbr *bbr)
{
	return BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited) && tp->snd_cwnd >= bbr->inflight_high;
}

static __always_inline void raise_inflight_high(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	if (!uses_window(tcp_sk(sk), bbr))
		return;
	bbr->probe_up_acked += rs->acked_sacked;
	if (bbr->probe_up_acked >= bbr->probe_up_per_packet) {
		__u32 more = bbr->probe_up_acked / bbr->probe_up_per_packet;

		bbr->probe_up_acked -= more * bbr->probe_up_per_packet;
		bbr->inflight_high += more;
	}
	if (bbr->round_start)
		raise_slope(sk, bbr);
}

/* Section 5.3.3.9. True if the state was changed. */
static __always_inline bool adapt_long_term(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	if (bbr->ack_phase == ACKS_PROBE_STARTING && bbr->round_start)
		bbr->ack_phase = ACKS_PROBE_FEEDBACK;
	if (bbr->ack_phase == ACKS_PROBE_STOPPING && bbr->round_start) {
		/* The last packets of the probe are acknowledged. */
		bbr->probe_samples = 0;
		bbr->ack_phase = ACKS_INIT;
		if (in_probe_bw(bbr) && !rs->is_app_limited && bbr->bw_current) {
			bbr->bw_previous = bbr->bw_current;
			bbr->bw_current = 0;
		}
		/* A cautious probe met no loss: probe again, without caution. */
		if (in_probe_bw(bbr) && bbr->probe_was_cautious && !bbr->previous_probe_too_high) {
			start_refill(sk, bbr);
			return true;
		}
	}

	if (is_too_high(bbr->sample_lost, bbr->sample_in_flight) || bbr->inflight_high == UNLIMITED)
		return false;
	if (rs->delivered >= 0 && bbr->sample_in_flight > bbr->inflight_high)
		bbr->inflight_high = bbr->sample_in_flight;
	if (bbr->mode == PROBE_UP)
		raise_inflight_high(sk, bbr, rs);
	return false;
}

static __always_inline bool is_time_to_probe(const struct sock *sk, const struct bbr *bbr)
{
	__u32 reno_rounds = min(bdp(bbr, bandwidth(bbr), GAIN_UNIT), tcp_sk(sk)->snd_cwnd);

	return has_passed(now_us(sk), bbr->cycle_start_us + bbr->probe_wait_us) ||
	       bbr->rounds_since_probe >= min(reno_rounds, reno_rounds_max);
}

static __always_inline bool is_time_to_go_down(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (bbr->previous_probe_too_high && rs->prior_in_flight >= bbr->inflight_high) {
		bbr->probe_was_cautious = 1;
		return true;
	}
	if (!probe_until_plateau)
		return has_passed(now_us(sk), bbr->cycle_start_us + bbr->min_rtt_us) &&
		       rs->prior_in_flight > target_inflight(sk, bbr, probe_up_gain);
	if (uses_window(tp, bbr)) {
		/* It is inflight_high that limits the rate. */
		reset_full_bw(bbr, bbr->sample_bw);
		return false;
	}
	return bbr->full_bw_now;
}

static __always_inline void update_cycle(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 inflight = tcp_packets_in_flight(tp);

	if (!bbr->full_bw_reached || adapt_long_term(sk, bbr, rs))
		return;
	switch (bbr->mode) {
	case PROBE_DOWN:
		if (is_time_to_probe(sk, bbr))
			start_refill(sk, bbr);
		else if (inflight <= inflight_less_headroom(bbr) &&
			 inflight <= with_headroom(sk, bbr, bdp(bbr, max_bw(bbr), GAIN_UNIT)))
			bbr->mode = PROBE_CRUISE;
		break;
	case PROBE_CRUISE:
		if (is_time_to_probe(sk, bbr))
			start_refill(sk, bbr);
		break;
	case PROBE_REFILL:
		if (bbr->round_start)
			start_up(sk, bbr);
		break;
	case PROBE_UP:
		if (is_time_to_go_down(sk, bbr, rs)) {
			bbr->previous_probe_too_high = 0; /* not yet */
			start_down(sk, bbr);
		}
		break;
	}
}

/* ---- round-trip time (section 5.3.4) ---- */

static __always_inline void leave_probe_rtt(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);

	bbr->probe_rtt_min_us_at = now_us(sk);
	tp->snd_cwnd = max(tp->snd_cwnd, bbr->prior_cwnd);
	reset_short_term(bbr);
	if (bbr->full_bw_reached) {
		start_down(sk, bbr);
		bbr->mode = PROBE_CRUISE;
	} else {
		enter_startup(bbr);
	}
}

static __always_inline void check_probe_rtt_end(struct sock *sk, struct bbr *bbr)
{
	if (bbr->in_flight_is_low && has_passed(now_us(sk), bbr->probe_rtt_end))
		leave_probe_rtt(sk, bbr);
}

static __always_inline __u32 probe_rtt_cwnd(const struct bbr *bbr)
{
	__u32 packets = bdp(bbr, bandwidth(bbr), probe_rtt_cwnd_gain);

	return max(packets, cwnd_min);
}

static __always_inline void handle_probe_rtt(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 inflight = tcp_packets_in_flight(tp);
	__u32 mark = tp->delivered + inflight;

	/* Samples of this little traffic say nothing about the bandwidth. */
	if (MAY_WRITE_APP_LIMITED)
		tp->app_limited = mark ? mark : 1;
	if (!bbr->in_flight_is_low) {
		if (inflight > probe_rtt_cwnd(bbr))
			return;
		bbr->in_flight_is_low = 1;
		bbr->probe_rtt_end = now_us(sk) + probe_rtt_ms * USEC_PER_MSEC;
		bbr->probe_rtt_round_done = 0;
		start_round(sk, bbr);
		return;
	}
	bbr->probe_rtt_round_done |= bbr->round_start;
	if (bbr->probe_rtt_round_done)
		check_probe_rtt_end(sk, bbr);
}

static __always_inline void update_min_rtt(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	__u32 now = now_us(sk);
	bool expired = has_passed(now, bbr->probe_rtt_min_us_at + probe_rtt_interval_ms * USEC_PER_MSEC);

	if (rs->rtt_us >= 0 &&
	    (rs->rtt_us < bbr->probe_rtt_min_us || (expired && !rs->is_ack_delayed))) {
		bbr->probe_rtt_min_us = max((__u32)rs->rtt_us, 1U);
		bbr->probe_rtt_min_us_at = now;
	}
	if (bbr->probe_rtt_min_us < bbr->min_rtt_us ||
	    has_passed(now, bbr->min_rtt_us_at + min_rtt_window_ms * USEC_PER_MSEC)) {
		bbr->min_rtt_us = bbr->probe_rtt_min_us;
		bbr->min_rtt_us_at = bbr->probe_rtt_min_us_at;
	}

	if (bbr->mode != PROBE_RTT && probe_rtt_ms && expired && !bbr->idle_restart) {
		save_cwnd(sk, bbr);
		bbr->mode = PROBE_RTT;
		bbr->in_flight_is_low = 0;
		bbr->ack_phase = ACKS_PROBE_STOPPING;
		start_round(sk, bbr);
	}
	if (bbr->mode == PROBE_RTT)
		handle_probe_rtt(sk, bbr);
	if (rs->delivered > 0)
		bbr->idle_restart = 0;
}

/* ---- rate and window (section 5.6) ---- */

static __always_inline __u32 pacing_gain(const struct bbr *bbr)
{
	switch (bbr->mode) {
	case STARTUP:
		return startup_pacing_gain;
	case DRAIN:
		return drain_gain;
	case PROBE_DOWN:
		return probe_down_gain;
	case PROBE_UP:
		return probe_up_gain;
	default:
		return GAIN_UNIT;
	}
}

static __always_inline __u32 window_gain(const struct bbr *bbr)
{
	switch (bbr->mode) {
	case STARTUP:
	case DRAIN:
		return startup_cwnd_gain;
	case PROBE_UP:
		return probe_up_cwnd_gain;
	case PROBE_RTT:
		return probe_rtt_cwnd_gain;
	default:
		return cwnd_gain;
	}
}

/* Before anything is known: one window per round trip, times the startup gain. */
static __always_inline void start_pacing(struct sock *sk, struct bbr *bbr)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 rtt_us = USEC_PER_MSEC;

	if (tp->srtt_us) {
		rtt_us = max(tp->srtt_us >> 3, 1U);
		bbr->has_rtt = 1;
	}
	sk->sk_pacing_rate = pacing_rate(sk, tp->snd_cwnd * BW_UNIT / rtt_us, startup_pacing_gain);
}

static __always_inline void set_pacing_rate(struct sock *sk, struct bbr *bbr, __u32 gain)
{
	__u64 rate = pacing_rate(sk, bandwidth(bbr), gain);

	if (!bbr->has_rtt && tcp_sk(sk)->srtt_us)
		start_pacing(sk, bbr);
	if (bbr->full_bw_reached || rate > sk->sk_pacing_rate)
		sk->sk_pacing_rate = rate;
}

static __always_inline __u32 bound_by_model(const struct bbr *bbr, __u32 cwnd)
{
	__u32 bound = UNLIMITED;

	if (bbr->mode == PROBE_CRUISE || bbr->mode == PROBE_RTT)
		bound = inflight_less_headroom(bbr);
	else if (in_probe_bw(bbr))
		bound = bbr->inflight_high;
	bound = min(bound, bbr->inflight_low);
	bound = max(bound, cwnd_min);
	return min(cwnd, bound);
}

/* Version 2: in the first round of recovery a packet leaves for each that arrives. After recovery the old
 * window returns, in both versions. */
static __always_inline __u32 window_in_recovery(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u8 state = ca_state(sk), prior_state = bbr->prior_ca_state;
	__u32 cwnd = tp->snd_cwnd;

	bbr->prior_ca_state = state;
	if (prior_state >= TCP_CA_Recovery && state < TCP_CA_Recovery) {
		bbr->packet_conservation = 0;
		return max(cwnd, bbr->prior_cwnd);
	}
	if (!conserve_packets)
		return cwnd;
	if (rs->losses > 0)
		cwnd = (__s32)(cwnd - rs->losses) > 1 ? cwnd - rs->losses : 1;
	if (state == TCP_CA_Recovery && prior_state != TCP_CA_Recovery) {
		bbr->packet_conservation = 1;
		start_round(sk, bbr);
		cwnd = tcp_packets_in_flight(tp) + rs->acked_sacked;
	}
	if (bbr->packet_conservation) {
		__u32 conserved = tcp_packets_in_flight(tp) + rs->acked_sacked;

		cwnd = max(cwnd, conserved);
	}
	return cwnd;
}

static __always_inline void set_cwnd(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 cwnd = window_in_recovery(sk, bbr, rs);

	if (rs->acked_sacked && !bbr->packet_conservation) {
		__u32 target = bdp(bbr, bandwidth(bbr), window_gain(bbr)) + bbr->extra_acked.best.value;

		target = with_headroom(sk, bbr, target);
		if (bbr->full_bw_reached)
			cwnd = min(cwnd + rs->acked_sacked, target);
		else if (cwnd < target || tp->delivered < TCP_INIT_CWND)
			cwnd += rs->acked_sacked;
	}
	cwnd = max(cwnd, bbr->packet_conservation ? 1U : cwnd_min);
	if (bbr->mode == PROBE_RTT) {
		__u32 most = probe_rtt_cwnd(bbr);

		cwnd = min(cwnd, most);
	}
	cwnd = bound_by_model(bbr, cwnd);
	tp->snd_cwnd = min(cwnd, tp->snd_cwnd_clamp);
}

/* ---- what the callbacks do ---- */

/* Section 5.2.3. */
static __always_inline void on_ack(struct sock *sk, const struct rate_sample *rs)
{
	struct bbr *bbr = state_of(sk, 0);

	if (!bbr)
		return;
	take_sample(sk, bbr, rs);
	look_at_losses(sk, bbr, rs);
	update_rounds(sk, bbr, rs);
	update_model(sk, bbr, rs);
	update_aggregation(sk, bbr, rs);
	check_full_bw(bbr, rs);
	check_startup_and_drain(sk, bbr);
	update_cycle(sk, bbr, rs);
	update_min_rtt(sk, bbr, rs);
	if (bbr->loss_round_start) {
		bbr->loss_in_round = 0;
		bbr->bw_latest = bbr->sample_bw;
		bbr->inflight_latest = max(rs->delivered, 0);
	}
	set_pacing_rate(sk, bbr, pacing_gain(bbr));
	set_cwnd(sk, bbr, rs);
}

/* Section 5.2.1. */
static __always_inline void on_init(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = state_of(sk, BPF_SK_STORAGE_GET_F_CREATE);

	if (!bbr)
		return;
	__builtin_memset(bbr, 0, __builtin_offsetof(struct bbr, record));
	bbr->round_end = tp->delivered;
	bbr->loss_round_end = tp->delivered;
	bbr->lost_seen = total_lost(tp);
	bbr->inflight_high = UNLIMITED;
	bbr->probe_up_per_packet = UNLIMITED;
	bbr->min_rtt_us = tp->rtt_min.s[0].v;
	bbr->probe_rtt_min_us = bbr->min_rtt_us;
	bbr->min_rtt_us_at = now_us(sk);
	bbr->probe_rtt_min_us_at = now_us(sk);
	bbr->aggregation_start_us = now_us(sk);
	bbr->undo_mode = DRAIN;
	reset_short_term(bbr);
	enter_startup(bbr);
	start_pacing(sk, bbr);
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

/* Section 5.4.1. */
static __always_inline void on_restart(struct sock *sk)
{
	struct bbr *bbr = state_of(sk, 0);

	if (!bbr || !tcp_sk(sk)->app_limited)
		return;
	bbr->idle_restart = 1;
	bbr->aggregation_start_us = now_us(sk);
	bbr->aggregation_acked = 0;
	if (in_probe_bw(bbr))
		set_pacing_rate(sk, bbr, GAIN_UNIT);
	else if (bbr->mode == PROBE_RTT)
		check_probe_rtt_end(sk, bbr);
}

static __always_inline void on_time_out(struct sock *sk)
{
	struct bbr *bbr = state_of(sk, 0);

	if (!bbr)
		return;
	save_for_undo(sk, bbr);
	bbr->prior_ca_state = TCP_CA_Loss;
	bbr->full_bw = 0;
	bbr->packet_conservation = 0;
}

static __always_inline __u32 on_reduction(struct sock *sk)
{
	struct bbr *bbr = state_of(sk, 0);

	if (bbr)
		save_cwnd(sk, bbr);
	return tcp_sk(sk)->snd_ssthresh;
}

/* Section 5.5.11.2. */
static __always_inline __u32 on_undo(struct sock *sk)
{
	struct bbr *bbr = state_of(sk, 0);
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	if (!bbr)
		return cwnd;
	bbr->loss_in_round = 0;
	reset_full_bw(bbr, 0);
	bbr->bw_low = max(bbr->bw_low, bbr->undo_bw_low);
	bbr->inflight_low = max(bbr->inflight_low, bbr->undo_inflight_low);
	bbr->inflight_high = max(bbr->inflight_high, bbr->undo_inflight_high);
	if (bbr->undo_mode == STARTUP && bbr->mode != STARTUP) {
		bbr->full_bw_reached = 0;
		if (bbr->mode != PROBE_RTT)
			enter_startup(bbr);
	} else if (bbr->undo_mode == PROBE_UP && bbr->mode != PROBE_UP && bbr->mode != PROBE_RTT) {
		start_refill(sk, bbr);
	}
	bbr->undo_mode = DRAIN;
	return max(cwnd, bbr->prior_cwnd);
}

#endif /* FAIRLANE_BBR_V3_H */
