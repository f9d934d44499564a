// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * bbr: sends at the measured bottleneck rate and keeps about one bandwidth-delay product in flight (version 1)
 *
 *	bw      = max(delivered / interval) of the last 10 round trips
 *	min_rtt = min(rtt) of the last 10 s
 *	pacing  = gain * bw,   cwnd = gain * bw * min_rtt
 *	gain cycles through 1.25 (find more), 0.75 (drain what that queued), 1 1 1 1 1 1
 *	every 10 s without a new min_rtt: cwnd = 4 for 200 ms, to see the path's own delay
 *
 *	STARTUP --bw grew < 25 % in 3 rounds--> DRAIN --in flight <= BDP--> PROBE_BW <--> PROBE_RTT
 *	   (gain 2.89)                          (gain 1/2.89)              (cycle)     (cwnd 4)
 *
 * Source: Cardwell, Cheng, Gunn, Hassas Yeganeh, Jacobson, "BBR: Congestion-Based Congestion Control",
 * ACM Queue 14 (2016); draft-cardwell-iccrg-bbr-congestion-control-00 (2017).
 *
 * Deviations from the paper, as in Linux:
 * 1. Pacing stays 1 % below the estimate, so that a queue that formed by chance drains.
 * 2. After a loss the window follows packet conservation for one round, and returns after recovery.
 * 3. Rates that stay the same over lossy intervals are taken for a policer's, and are then used for 48 rounds.
 * 4. The window is widened by the largest recent aggregation of ACKs, up to 100 ms of data.
 * 5. The window has room for three bursts of segmentation offload and is even.
 * 6. The next departure time counts when the data in flight is estimated.
 * 7. The pacing rate of the first round is the initial window over the handshake's RTT (or 1 ms).
 * 8. The cycle starts in a random phase, but not with the draining one.
 */
#include "congestion_control.h"
#include "windowed_max.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* bw_window: rounds, length of the bandwidth filter, paper (6 to 10 RTTs) */
const volatile __u32 bw_window = 10;
/* min_rtt_window_ms: ms, length of the RTT filter, paper (10 s) */
const volatile __u32 min_rtt_window_ms = 10000;
/* probe_rtt_ms: ms, time with 4 packets in flight (0: never), paper (200 ms) */
const volatile __u32 probe_rtt_ms = 200;
/* high_gain: 1/256, startup gain that doubles the rate each round, paper (2/ln 2 = 2.885) */
const volatile __u32 high_gain = 739;
/* drain_gain: 1/256, inverse of the startup gain, paper */
const volatile __u32 drain_gain = 88;
/* cwnd_gain: 1/256, window in bandwidth-delay products, paper (2) */
const volatile __u32 cwnd_gain = 512;
/* probe_up_gain: 1/256, pacing gain of the first phase of the cycle, paper (5/4) */
const volatile __u32 probe_up_gain = 320;
/* probe_down_gain: 1/256, pacing gain of the second phase of the cycle, paper (3/4) */
const volatile __u32 probe_down_gain = 192;
/* cwnd_min: packets, smallest window, paper (4) */
const volatile __u32 cwnd_min = 4;
/* full_bw_growth: 1/256, growth of bandwidth in a round below which the pipe may be full, paper (1.25) */
const volatile __u32 full_bw_growth = 320;
/* full_bw_rounds: rounds, how many such rounds end startup, paper (3) */
const volatile __u32 full_bw_rounds = 3;
/* pacing_margin: percent, how far pacing stays below the estimate, Linux */
const volatile __u32 pacing_margin = 1;
/* extra_acked_gain: 1/256, part of the ACK aggregation by which the window is widened (0: none), Linux */
const volatile __u32 extra_acked_gain = 256;
/* extra_acked_window: rounds, half the length of the aggregation filter, Linux */
const volatile __u32 extra_acked_window = 5;
/* extra_acked_max_ms: ms, most data by which the window is widened, Linux */
const volatile __u32 extra_acked_max_ms = 100;
/* policer_detection: 0 or 1, look for policers, Linux */
const volatile bool policer_detection = 1;
/* policer_loss: 1/256, loss rate of an interval from which on it may be a policer's, Linux */
const volatile __u32 policer_loss = 50;
/* policer_rounds: rounds, how long a policer's rate is used, Linux */
const volatile __u32 policer_rounds = 48;

#define BW_SHIFT 24               /* bandwidth: packets per microsecond, times 2^24 */
#define BW_UNIT (1ULL << BW_SHIFT)
#define GAIN_SHIFT 8
#define GAIN_UNIT (1U << GAIN_SHIFT)
#define CYCLE_PHASES 8
#define POLICER_MIN_ROUNDS 4      /* an interval is this long at least, and four times at most */
#define POLICER_SAME_RATIO 8      /* two intervals agree within 1/8 ... */
#define POLICER_SAME_BYTES 500    /* ... or within 4 kbit/s, in bytes per second */
#define SLOW_BYTES_PER_S 150000   /* 1.2 Mbit/s: below, one segment per burst is enough */
#define BURST_MAX_BYTES 65215     /* what fits into a packet of 64 KiB beside 320 bytes of headers */
#define BURST_MAX_SEGMENTS 127
#define AGGREGATION_LIMIT 0xfffffU

enum mode { STARTUP, DRAIN, PROBE_BW, PROBE_RTT };

struct bbr {
	__u64 cycle_start_us;          /* when the phase of the cycle began */
	__u64 aggregation_start_us;    /* when counting of aggregation began */
	struct windowed_max bw;        /* bandwidth over rounds */
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
	__u32 aggregation_acked;       /* packets acknowledged since counting began */
	__u16 extra_acked;             /* packets, largest aggregation in this window */
	__u16 extra_acked_before;      /* and in the one before */
	__u16 pacing_gain;             /* 1/256 */
	__u16 window_gain;             /* 1/256 */
	__u8 mode;
	__u8 phase;                    /* of the cycle */
	__u8 prior_ca_state;
	__u8 full_rounds;              /* rounds without growth */
	__u8 interval_rounds;          /* rounds of the lossy interval, or with the policer's rate */
	__u8 extra_acked_rounds;
	__u8 full_bw_reached : 1;
	__u8 round_start : 1;          /* this ACK begins a round */
	__u8 packet_conservation : 1;
	__u8 idle_restart : 1;
	__u8 probe_rtt_round_done : 1;
	__u8 has_rtt : 1;              /* an RTT went into the pacing rate */
	__u8 in_interval : 1;
	__u8 use_policer_bw : 1;
};
STATE_FITS(struct bbr);

static __always_inline __u32 elapsed_us(__u64 now, __u64 then)
{
	return (__s64)(now - then) > 0 ? now - then : 0;
}

static __always_inline __u32 max_bw(const struct bbr *bbr)
{
	return bbr->bw.best.value;
}

static __always_inline __u32 bandwidth(const struct bbr *bbr)
{
	return bbr->use_policer_bw ? bbr->policer_bw : max_bw(bbr);
}

/* ---- pacing ---- */

static __always_inline __u64 bytes_per_second(const struct sock *sk, __u64 bw, __u32 gain)
{
	bw *= tcp_sk(sk)->mss_cache;
	bw = (bw * gain) >> GAIN_SHIFT;
	bw *= USEC_PER_SEC / 100 * (100 - pacing_margin);
	return bw >> BW_SHIFT;
}

static __always_inline __u64 pacing_rate(const struct sock *sk, __u32 bw, __u32 gain)
{
	__u64 rate = bytes_per_second(sk, bw, gain);

	return min(rate, (__u64)sk->sk_max_pacing_rate);
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

static __always_inline __u32 min_burst(const struct sock *sk)
{
	return sk->sk_pacing_rate < SLOW_BYTES_PER_S ? 1 : 2;
}

/* Segments that TSO will send at once at this rate. */
static __always_inline __u32 burst(const struct sock *sk)
{
	__u64 bytes = sk->sk_pacing_rate >> sk->sk_pacing_shift;
	__u32 segments;

	bytes = min(bytes, (__u64)BURST_MAX_BYTES);
	segments = (__u32)bytes / tcp_sk(sk)->mss_cache;
	segments = max(segments, min_burst(sk));
	return min(segments, (__u32)BURST_MAX_SEGMENTS);
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

static __always_inline __u32 aggregation_allowance(const struct bbr *bbr)
{
	__u64 most;
	__u32 packets;

	if (!extra_acked_gain || !bbr->full_bw_reached)
		return 0;
	most = (__u64)bandwidth(bbr) * (extra_acked_max_ms * USEC_PER_MSEC) >> BW_SHIFT;
	packets = max(bbr->extra_acked, bbr->extra_acked_before);
	packets = (extra_acked_gain * packets) >> GAIN_SHIFT;
	return min((__u64)packets, most);
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

static __always_inline void set_cwnd(struct sock *sk, struct bbr *bbr, const struct rate_sample *rs, __u32 bw, __u32 gain)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 acked = rs->acked_sacked, cwnd = tp->snd_cwnd;

	if (acked && !recover_or_restore(sk, bbr, rs, acked, &cwnd)) {
		__u32 target = bdp(bbr, bw, gain) + aggregation_allowance(bbr);

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

/* How many packets more than the bandwidth explains were acknowledged since counting began. */
static __always_inline void update_aggregation(const struct sock *sk, struct bbr *bbr, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 expected, extra;

	if (!extra_acked_gain || !rs->acked_sacked || rs->delivered < 0 || rs->interval_us <= 0)
		return;

	if (bbr->round_start) {
		bbr->extra_acked_rounds++;
		if (bbr->extra_acked_rounds >= min(extra_acked_window, 31U)) {
			bbr->extra_acked_rounds = 0;
			bbr->extra_acked_before = bbr->extra_acked;
			bbr->extra_acked = 0;
		}
	}

	expected = (__u64)bandwidth(bbr) * elapsed_us(tp->delivered_mstamp, bbr->aggregation_start_us) >> BW_SHIFT;
	if (bbr->aggregation_acked <= expected ||
	    bbr->aggregation_acked + rs->acked_sacked > AGGREGATION_LIMIT) {
		bbr->aggregation_acked = 0;
		bbr->aggregation_start_us = tp->delivered_mstamp;
		expected = 0;
	}
	bbr->aggregation_acked = min(bbr->aggregation_acked + rs->acked_sacked, AGGREGATION_LIMIT);

	extra = bbr->aggregation_acked - expected;
	extra = min(extra, tp->snd_cwnd);
	bbr->extra_acked = max((__u32)bbr->extra_acked, extra);
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

/* ---- callbacks ---- */

SEC("struct_ops/cong_control")
void CONG_CONTROL(bbr_cong_control, sk, rs)
{
	struct bbr *bbr = inet_csk_ca(sk);
	__u32 bw;

	update_bandwidth(sk, bbr, rs);
	update_aggregation(sk, bbr, rs);
	if (bbr->mode == PROBE_BW && phase_is_over(sk, bbr, rs))
		next_phase(sk, bbr);
	check_full_bandwidth(bbr, rs);
	check_drain(sk, bbr);
	update_min_rtt(sk, bbr, rs);
	set_gains(bbr);

	bw = bandwidth(bbr);
	set_pacing_rate(sk, bbr, bw, bbr->pacing_gain);
	set_cwnd(sk, bbr, rs, bw, bbr->window_gain);
}

SEC("struct_ops/init")
void BPF_PROG(bbr_init, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = inet_csk_ca(sk);

	__builtin_memset(bbr, 0, sizeof(*bbr));
	bbr->round_end = tp->delivered;
	bbr->min_rtt_us = tp->rtt_min.s[0].v;
	bbr->min_rtt_time = tcp_jiffies32;
	bbr->aggregation_start_us = tp->tcp_mstamp;
	bbr->mode = STARTUP;
	start_interval(tp, bbr);
	start_pacing(sk, bbr);
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

SEC("struct_ops/cwnd_event")
void BPF_PROG(bbr_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = inet_csk_ca(sk);

	if (event != CA_EVENT_TX_START || !tp->app_limited)
		return;

	/* After idling there is nothing to probe for: start again at the estimated rate, without a burst. */
	bbr->idle_restart = 1;
	bbr->aggregation_start_us = tp->tcp_mstamp;
	bbr->aggregation_acked = 0;
	if (bbr->mode == PROBE_BW)
		set_pacing_rate(sk, bbr, bandwidth(bbr), GAIN_UNIT);
	else if (bbr->mode == PROBE_RTT)
		check_probe_rtt_end(sk, bbr);
}

SEC("struct_ops/set_state")
void BPF_PROG(bbr_set_state, struct sock *sk, __u8 new_state)
{
	struct bbr *bbr = inet_csk_ca(sk);

	if (new_state != TCP_CA_Loss)
		return;
	bbr->prior_ca_state = TCP_CA_Loss;
	bbr->full_bw = 0;
	bbr->round_start = 1; /* a time-out ends a round */
	look_for_policer(sk, bbr, true, false);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(bbr_ssthresh, struct sock *sk)
{
	struct bbr *bbr = inet_csk_ca(sk);

	save_cwnd(sk, bbr);
	return tcp_sk(sk)->snd_ssthresh;
}

/* A loss that was none: what it said about a full pipe is void. */
SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(bbr_undo_cwnd, struct sock *sk)
{
	struct bbr *bbr = inet_csk_ca(sk);

	bbr->full_bw = 0;
	bbr->full_rounds = 0;
	forget_policer(tcp_sk(sk), bbr);
	return tcp_sk(sk)->snd_cwnd;
}

SEC("struct_ops/min_tso_segs")
__u32 BPF_PROG(bbr_min_tso_segs, struct sock *sk)
{
	return min_burst(sk);
}

/* Even if recovery lasts a round, the application can fill the pipe. */
SEC("struct_ops/sndbuf_expand")
__u32 BPF_PROG(bbr_sndbuf_expand, struct sock *sk)
{
	return 3;
}

SEC(".struct_ops")
struct tcp_congestion_ops bbr = {
	.init          = (void *)bbr_init,
	.cong_control  = (void *)bbr_cong_control,
	.cwnd_event    = (void *)bbr_cwnd_event,
	.set_state     = (void *)bbr_set_state,
	.ssthresh      = (void *)bbr_ssthresh,
	.undo_cwnd     = (void *)bbr_undo_cwnd,
	.min_tso_segs  = (void *)bbr_min_tso_segs,
	.sndbuf_expand = (void *)bbr_sndbuf_expand,
	.name          = "fl_bbr",
};
