/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The machinery of BBR version 1, for the algorithms that build on it: the model of the path (bandwidth,
 * RTT), the state machine with its gain cycle, the detection of policers, and the pacing rate and window
 * that follow. bbr.c says what all this is for, and where it comes from.
 *
 * A program defines the parameters that are used here (bbr.c lists them) before it includes this file,
 * makes `struct bbr` the first member of its own state, and calls update_bandwidth() and update_state()
 * for each sample; then it sets pacing rate and window, by set_pacing_rate() and set_cwnd() or by rules
 * of its own.
 */
#ifndef FAIRLANE_BBR_V1_H
#define FAIRLANE_BBR_V1_H

#include "bbr_units.h"
#include "windowed_max.h"

#define CYCLE_PHASES 8
#define POLICER_MIN_ROUNDS 4      /* an interval is this long at least, and four times at most */
#define POLICER_SAME_RATIO 8      /* two intervals agree within 1/8 ... */
#define POLICER_SAME_BYTES 500    /* ... or within 4 kbit/s, in bytes per second */

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
	__u32 full_bw;                 /* bandwidth that was last 25 % above the one before */
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
	__u8 has_rtt : 1;              /* an RTT went into the pacing rate */
	__u8 in_interval : 1;
	__u8 use_policer_bw : 1;
};

static __always_inline __u32 max_bw(const struct bbr *bbr)
{
	return bbr->bw.best.value;
}

static __always_inline __u32 bandwidth(const struct bbr *bbr)
{
	return bbr->use_policer_bw ? bbr->policer_bw : max_bw(bbr);
}

/* ---- pacing ---- */

/* Before anything is known: one window per round trip, times the startup gain. */
static __always_inline void start_pacing(struct sock *sk, struct bbr *bbr)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 rtt_us = USEC_PER_MSEC;

	if (tp->srtt_us) {
		rtt_us = max(tp->srtt_us >> 3, 1U);
		bbr->has_rtt = 1;
	}
	sk->sk_pacing_rate = pacing_rate(sk, tp->snd_cwnd * BW_UNIT / rtt_us, high_gain);
}

static __always_inline void set_pacing_rate(struct sock *sk, struct bbr *bbr, __u32 bw, __u32 gain)
{
	__u64 rate = pacing_rate(sk, bw, gain);

	if (!bbr->has_rtt && tcp_sk(sk)->srtt_us)
		start_pacing(sk, bbr);
	/* Startup only ever speeds up. */
	if (bbr->full_bw_reached || rate > sk->sk_pacing_rate)
		sk->sk_pacing_rate = rate;
}

/* ---- the target window ---- */

static __always_inline __u32 bdp(const struct bbr *bbr, __u32 bw, __u32 gain)
{
	__u64 packets;

	/* Without an RTT sample there is no product. */
	if (bbr->min_rtt_us == ~0U)
		return TCP_INIT_CWND;
	packets = (__u64)bw * bbr->min_rtt_us;
	return (((packets * gain) >> GAIN_SHIFT) + BW_UNIT - 1) >> BW_SHIFT;
}

/* Room for one burst in the host, one being sent, one at the receiver; even, so that delayed ACKs
 * come at once; and enough for gain 1.25 to matter at small windows. */
static __always_inline __u32 with_headroom(const struct sock *sk, const struct bbr *bbr, __u32 packets)
{
	packets += 3 * burst(sk);
	packets = (packets + 1) & ~1U;
	if (bbr->mode == PROBE_BW && bbr->phase == 0)
		packets += 2;
	return packets;
}

static __always_inline __u32 target_inflight(const struct sock *sk, const struct bbr *bbr, __u32 bw, __u32 gain)
{
	return with_headroom(sk, bbr, bdp(bbr, bw, gain));
}

/* What will be in the network when the next packet may leave. */
static __always_inline __u32 inflight_at_departure(const struct sock *sk, const struct bbr *bbr, __u32 inflight)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u64 now_ns = tp->tcp_clock_cache;
	__u64 departure_ns = max(tp->tcp_wstamp_ns, now_ns);
	__u32 wait_us = (departure_ns - now_ns) / NSEC_PER_USEC;
	__u32 delivered = (__u64)bandwidth(bbr) * wait_us >> BW_SHIFT;

	if (bbr->pacing_gain > GAIN_UNIT)
		inflight += burst(sk);
	return delivered >= inflight ? 0 : inflight - delivered;
}

/* ---- the window ---- */

static __always_inline void save_cwnd(const struct sock *sk, struct bbr *bbr)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	if (bbr->prior_ca_state < TCP_CA_Recovery && bbr->mode != PROBE_RTT)
		bbr->prior_cwnd = cwnd;
	else
		bbr->prior_cwnd = max(bbr->prior_cwnd, cwnd);
}

/* In the first round of recovery a packet leaves for each that arrives; after it the old window returns.
 * True when `*cwnd` is final. */
static __always_inline bool recover_or_restore(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs,
					       __u32 acked, __u32 *new_cwnd)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u8 state = ca_state(sk), prior_state = bbr->prior_ca_state;
	__u32 cwnd = tp->snd_cwnd;

	if (rs->losses > 0)
		cwnd = (__s32)(cwnd - rs->losses) > 1 ? cwnd - rs->losses : 1;

	if (state == TCP_CA_Recovery && prior_state != TCP_CA_Recovery) {
		bbr->packet_conservation = 1;
		bbr->round_end = tp->delivered;
		cwnd = tcp_packets_in_flight(tp) + acked;
	} else if (prior_state >= TCP_CA_Recovery && state < TCP_CA_Recovery) {
		cwnd = max(cwnd, bbr->prior_cwnd);
		bbr->packet_conservation = 0;
	}
	bbr->prior_ca_state = state;

	if (bbr->packet_conservation) {
		__u32 conserved = tcp_packets_in_flight(tp) + acked;

		cwnd = max(cwnd, conserved);
	}
	*new_cwnd = cwnd;
	return bbr->packet_conservation;
}

/* `extra` packets are added to what the model says. */
static __always_inline void set_cwnd(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs, __u32 extra)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 acked = rs->acked_sacked, cwnd = tp->snd_cwnd;

	if (acked && !recover_or_restore(sk, bbr, rs, acked, &cwnd)) {
		__u32 target = bdp(bbr, bandwidth(bbr), bbr->window_gain) + extra;

		target = with_headroom(sk, bbr, target);
		if (bbr->full_bw_reached)
			cwnd = min(cwnd + acked, target);
		else if (cwnd < target || tp->delivered < TCP_INIT_CWND)
			cwnd += acked;
		cwnd = max(cwnd, cwnd_min);
	}
	cwnd = min(cwnd, tp->snd_cwnd_clamp);
	if (bbr->mode == PROBE_RTT)
		cwnd = min(cwnd, cwnd_min);
	tp->snd_cwnd = cwnd;
}

/* ---- the gain cycle ---- */

static __always_inline void next_phase(const struct sock *sk, struct bbr *bbr)
{
	bbr->phase = (bbr->phase + 1) % CYCLE_PHASES;
	bbr->cycle_start_us = tcp_sk(sk)->delivered_mstamp;
}

static __always_inline bool phase_is_over(const struct sock *sk, const struct bbr *bbr, const struct rate_sample *rs)
{
	bool full_length = elapsed_us(tcp_sk(sk)->delivered_mstamp, bbr->cycle_start_us) > bbr->min_rtt_us;
	__u32 inflight;

	if (bbr->pacing_gain == GAIN_UNIT)
		return full_length;

	inflight = inflight_at_departure(sk, bbr, rs->prior_in_flight);
	/* Probing goes on until the extra packets are in flight, or lost. */
	if (bbr->pacing_gain > GAIN_UNIT)
		return full_length &&
		       (rs->losses || inflight >= target_inflight(sk, bbr, max_bw(bbr), bbr->pacing_gain));
	/* Draining is over as soon as the queue is. */
	return full_length || inflight <= target_inflight(sk, bbr, max_bw(bbr), GAIN_UNIT);
}

static __always_inline void enter_probe_bw(const struct sock *sk, struct bbr *bbr)
{
	bbr->mode = PROBE_BW;
	/* One before any phase but the draining one, number 1. */
	bbr->phase = CYCLE_PHASES - 1 - bpf_get_prandom_u32() % (CYCLE_PHASES - 1);
	next_phase(sk, bbr);
}

static __always_inline void leave_probe_rtt(const struct sock *sk, struct bbr *bbr)
{
	if (bbr->full_bw_reached)
		enter_probe_bw(sk, bbr);
	else
		bbr->mode = STARTUP;
}

/* ---- policers: two lossy intervals of the same rate ---- */

static __always_inline void start_interval(const struct tcp_sock *tp, struct bbr *bbr)
{
	bbr->interval_start_ms = tp->delivered_mstamp / USEC_PER_MSEC;
	bbr->interval_delivered = tp->delivered;
	bbr->interval_lost = tp->lost;
	bbr->interval_rounds = 0;
}

static __always_inline void forget_policer(const struct tcp_sock *tp, struct bbr *bbr)
{
	bbr->policer_bw = 0;
	bbr->use_policer_bw = 0;
	bbr->in_interval = 0;
	start_interval(tp, bbr);
}

static __always_inline void end_interval(struct sock *sk, struct bbr *bbr, __u32 bw)
{
	if (bbr->policer_bw) {
		__u32 difference = bw > bbr->policer_bw ? bw - bbr->policer_bw : bbr->policer_bw - bw;

		if ((__u64)difference * POLICER_SAME_RATIO <= bbr->policer_bw ||
		    bytes_per_second(sk, difference, GAIN_UNIT) <= POLICER_SAME_BYTES) {
			bbr->policer_bw = ((__u64)bw + bbr->policer_bw) >> 1;
			bbr->use_policer_bw = 1;
			bbr->pacing_gain = GAIN_UNIT;
			bbr->interval_rounds = 0;
			return;
		}
	}
	bbr->policer_bw = bw;
	start_interval(tcp_sk(sk), bbr);
}

static __always_inline void look_for_policer(struct sock *sk, struct bbr *bbr, bool losses, bool app_limited)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 lost, delivered, ms;

	if (!policer_detection)
		return;
	if (bbr->use_policer_bw) {
		/* Look again now and then. */
		if (bbr->mode == PROBE_BW && bbr->round_start && ++bbr->interval_rounds >= policer_rounds) {
			forget_policer(tp, bbr);
			enter_probe_bw(sk, bbr);
		}
		return;
	}

	/* Intervals begin and end with a loss: there the policer's bucket is empty. */
	if (!bbr->in_interval) {
		if (!losses)
			return;
		start_interval(tp, bbr);
		bbr->in_interval = 1;
	}
	if (app_limited) {
		forget_policer(tp, bbr);
		return;
	}
	if (bbr->round_start)
		bbr->interval_rounds++;
	if (bbr->interval_rounds < POLICER_MIN_ROUNDS)
		return;
	if (bbr->interval_rounds > 4 * POLICER_MIN_ROUNDS) {
		forget_policer(tp, bbr);
		return;
	}
	if (!losses)
		return;

	lost = tp->lost - bbr->interval_lost;
	delivered = tp->delivered - bbr->interval_delivered;
	if (!delivered || (lost << GAIN_SHIFT) < policer_loss * delivered)
		return;
	ms = tp->delivered_mstamp / USEC_PER_MSEC - bbr->interval_start_ms;
	if ((__s32)ms < 1)
		return;
	if (ms >= ~0U / USEC_PER_MSEC) {
		forget_policer(tp, bbr);
		return;
	}
	end_interval(sk, bbr, delivered * BW_UNIT / (ms * USEC_PER_MSEC));
}

/* ---- the model ---- */

static __always_inline void update_bandwidth(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 bw;

	bbr->round_start = 0;
	if (rs->delivered < 0 || rs->interval_us <= 0)
		return;

	/* A round ends when a packet is delivered that was sent after it began. */
	if (!before(rs->prior_delivered, bbr->round_end)) {
		bbr->round_end = tp->delivered;
		bbr->round++;
		bbr->round_start = 1;
		bbr->packet_conservation = 0;
	}
	look_for_policer(sk, bbr, rs->losses, rs->is_app_limited);

	/* A sample of a flow that had too little to send is a lower bound only. */
	bw = (__u32)rs->delivered * BW_UNIT / (__u64)rs->interval_us;
	if (!rs->is_app_limited || bw >= max_bw(bbr)) {
		struct windowed_sample sample = { bbr->round, bw };

		windowed_max_add(&bbr->bw, bw_window, sample);
	}
}

static __always_inline void check_full_bandwidth(struct bbr *bbr, const struct rate_sample *rs)
{
	if (bbr->full_bw_reached || !bbr->round_start || rs->is_app_limited)
		return;
	if (max_bw(bbr) >= (__u64)bbr->full_bw * full_bw_growth >> GAIN_SHIFT) {
		bbr->full_bw = max_bw(bbr);
		bbr->full_rounds = 0;
		return;
	}
	bbr->full_rounds++;
	bbr->full_bw_reached = bbr->full_rounds >= full_bw_rounds;
}

static __always_inline void check_drain(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (bbr->mode == STARTUP && bbr->full_bw_reached) {
		bbr->mode = DRAIN;
		tp->snd_ssthresh = target_inflight(sk, bbr, max_bw(bbr), GAIN_UNIT);
	}
	if (bbr->mode == DRAIN && inflight_at_departure(sk, bbr, tcp_packets_in_flight(tp)) <=
					  target_inflight(sk, bbr, max_bw(bbr), GAIN_UNIT))
		enter_probe_bw(sk, bbr);
}

static __always_inline void check_probe_rtt_end(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!bbr->probe_rtt_end || !after(tcp_jiffies32, bbr->probe_rtt_end))
		return;
	bbr->min_rtt_time = tcp_jiffies32;
	tp->snd_cwnd = max(tp->snd_cwnd, bbr->prior_cwnd);
	leave_probe_rtt(sk, bbr);
}

static __always_inline void update_min_rtt(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 now = tcp_jiffies32;
	bool expired = after(now, bbr->min_rtt_time + msecs_to_jiffies(min_rtt_window_ms));

	/* A delayed ACK may lower the estimate, but not renew it. */
	if (rs->rtt_us >= 0 && (rs->rtt_us < bbr->min_rtt_us || (expired && !rs->is_ack_delayed))) {
		bbr->min_rtt_us = rs->rtt_us;
		bbr->min_rtt_time = now;
	}

	if (probe_rtt_ms && expired && !bbr->idle_restart && bbr->mode != PROBE_RTT) {
		save_cwnd(sk, bbr);
		bbr->mode = PROBE_RTT;
		bbr->probe_rtt_end = 0;
	}

	if (bbr->mode == PROBE_RTT) {
		__u32 inflight = tcp_packets_in_flight(tp);
		__u32 mark = tp->delivered + inflight;

		/* Samples of this little traffic say nothing about the bandwidth. */
		if (MAY_WRITE_APP_LIMITED)
			tp->app_limited = mark ? mark : 1;
		if (!bbr->probe_rtt_end && inflight <= cwnd_min) {
			bbr->probe_rtt_end = now + msecs_to_jiffies(probe_rtt_ms);
			bbr->probe_rtt_round_done = 0;
			bbr->round_end = tp->delivered;
		} else if (bbr->probe_rtt_end) {
			if (bbr->round_start)
				bbr->probe_rtt_round_done = 1;
			if (bbr->probe_rtt_round_done)
				check_probe_rtt_end(sk, bbr);
		}
	}
	if (rs->delivered > 0)
		bbr->idle_restart = 0;
}

static __always_inline void set_gains(struct bbr *bbr)
{
	switch (bbr->mode) {
	case STARTUP:
		bbr->pacing_gain = high_gain;
		bbr->window_gain = high_gain;
		break;
	case DRAIN:
		bbr->pacing_gain = drain_gain;
		bbr->window_gain = high_gain;
		break;
	case PROBE_BW:
		bbr->pacing_gain = GAIN_UNIT;
		if (!bbr->use_policer_bw && bbr->phase == 0)
			bbr->pacing_gain = probe_up_gain;
		if (!bbr->use_policer_bw && bbr->phase == 1)
			bbr->pacing_gain = probe_down_gain;
		bbr->window_gain = cwnd_gain;
		break;
	default:
		bbr->pacing_gain = GAIN_UNIT;
		bbr->window_gain = GAIN_UNIT;
		break;
	}
}

/* ---- what the callbacks do ---- */

/* State, phase and gains after a sample went into the bandwidth. */
static __always_inline void update_state(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	if (bbr->mode == PROBE_BW && phase_is_over(sk, bbr, rs))
		next_phase(sk, bbr);
	check_full_bandwidth(bbr, rs);
	check_drain(sk, bbr);
	update_min_rtt(sk, bbr, rs);
	set_gains(bbr);
}

static __always_inline void start(struct sock *sk, struct bbr *bbr)
{
	struct tcp_sock *tp = tcp_sk(sk);

	bbr->round_end = tp->delivered;
	bbr->min_rtt_us = tp->rtt_min.s[0].v;
	bbr->min_rtt_time = tcp_jiffies32;
	bbr->mode = STARTUP;
	start_interval(tp, bbr);
	start_pacing(sk, bbr);
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

/* After idling there is nothing to probe for: start again at the estimated rate, without a burst. */
static __always_inline void restart_after_idle(struct sock *sk, struct bbr *bbr)
{
	bbr->idle_restart = 1;
	if (bbr->mode == PROBE_BW)
		set_pacing_rate(sk, bbr, bandwidth(bbr), GAIN_UNIT);
	else if (bbr->mode == PROBE_RTT)
		check_probe_rtt_end(sk, bbr);
}

static __always_inline void time_out(struct sock *sk, struct bbr *bbr)
{
	bbr->prior_ca_state = TCP_CA_Loss;
	bbr->full_bw = 0;
	bbr->round_start = 1; /* a time-out ends a round */
	look_for_policer(sk, bbr, true, false);
}

/* A loss that was none: what it said about a full pipe is void. */
static __always_inline void undo(struct sock *sk, struct bbr *bbr)
{
	bbr->full_bw = 0;
	bbr->full_rounds = 0;
	forget_policer(tcp_sk(sk), bbr);
}

#endif /* FAIRLANE_BBR_V1_H */
