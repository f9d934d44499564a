// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * modest_bbr: BBR that sends a little less than it measured when packets are lost, to be fair to CUBIC
 *
 *	rate = share * BBR's rate,   window = share * BBR's window       W_min = 0.75 <= share <= W_max = 1
 *	loss:                share = high = (share + W_min) / 2,  low = W_min;  search
 *	search, each round:  middle = (low + high) / 2;  high = middle if packets were lost, else low = middle;
 *	                     share = middle;  until high - low is S_min = 1 packet
 *	then, each round:    share += S_min, until W_max, or loss
 *
 *	             .---------loss----------.
 *	             v                       |
 *	PROBE_BW: search --found--> linear increase        other states of BBR: share = 1
 *
 * Source: Zhang, Cui, Tso, "Modest BBR: Enabling Better Fairness for BBR Congestion Control", IEEE ISCC
 * 2018, built on the BBR of Linux 4.14 (see bbr.c). The paper's Algorithm 1, its equation 1 and its text
 * contradict each other. The readings used here, the reasons, and the parameters that select the others:
 *
 * 1. Line 7 repeats the condition of line 1 (bin_p = 0). Taken literally no search ever begins after a
 *    loss, and without one the first ACK takes the window to (0 + 0) / 2. It must be bin_p = 1.
 *    literal_line_7 = 1 does as printed.
 * 2. Equation 1 calls BtlBw * RTprop * Proportion a pacing rate; it is an amount of data. Algorithm 1 acts
 *    on cwnd, the text on "pacing rate (or window)". BBR is held by its pacing rate in small buffers and
 *    by its window in large ones, so both are scaled. moderate = 1 scales the rate only, 2 the window only.
 * 3. The window of Algorithm 1 is BBR's, two bandwidth-delay products; equation 1 has one. A window of
 *    less than one would starve the flow by itself. moderate_gain = 256 takes one.
 * 4. Algorithm 1 counts in packets from the window at the last loss, and line 20 lets it return to that
 *    and no further: each loss lowers the ceiling, and the window can only shrink. The text says that W_min
 *    and W_max bound the proportion of what BBR estimated, and that line 20 keeps to BBR's estimate. The text
 *    is followed; anchor = 1 follows Algorithm 1.
 * 5. A step takes effect one round trip later, so a search makes one step per round trip. Algorithm 1
 *    does not specify this; search_per_ack = 1 makes one step per ACK.
 * 6. Line 21 adds S_min "for each ACK", which doubles the window in a round trip; the text calls the
 *    increase linear. It is one packet for each round trip; increase_per_ack = 1 is line 21.
 * 7. Lines 8 to 14 take the next middle as a bound, which no packet has tried yet. Section III-B sets the middle,
 *    "checks for feedback", and takes the middle that was set as a bound; search_tests_middle = 1 does so. Its
 *    search starts with high = share, so that the first middle is the same.
 * 8. Line 20 keeps the window to that of the last loss, so Algorithm 1 cannot exceed BBR. Section III-C says of
 *    a W_max above 1 that "the outcome congestion window would be larger than the BBR's": rate and window
 *    then exceed BBR's. With anchor = 1 a W_max above 1 has no effect.
 *
 * How far each reading is from the paper's measurements: studies/modestbbr/README.md. Beyond that:
 * 9. "Retransmission occurs" when TCP finds a packet lost.
 * 10. Leaving PROBE_BW ends the search and returns the window from before it (Section III-B).
 * 11. BBR is that of bbr.c without its later additions: no pacing margin, no allowance for aggregated ACKs.
 *
 * Statements that RFC 9743 asks for:
 *
 * 5.3.1: As BBR, on which it is built: the rate follows from the delivery rate and the RTT. A loss reduces
 * rate and window toward 3/4 of BBR's and not further, so high loss in short buffers stays, where RFC 2914
 * asks for the response of Reno. Marks (ECN) have no effect. Packets are counted, so the loss of a small
 * one weighs as much as that of a full one; RFC 7141 section 2.3 recommends to weigh bytes.
 *
 * 5.3.2: It changes the sender alone, and works with any receiver, router and middlebox that carries TCP.
 * It needs pacing, by fq or by TCP itself. The paper's was a module of Linux 4.14.
 *
 * 8: Those of BBR and Reno (RFC 5681 section 5); the paper has no such section. By rare losses an attacker
 * keeps it at 3/4 of BBR's rate.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* w_min: 1/1024, least share of BBR's own value that a search may choose, paper (0.75) */
const volatile __u32 w_min = 768;
/* w_max: 1/1024, largest share, to which the linear increase returns (with anchor = 1 at most 1), paper (1) */
const volatile __u32 w_max = 1024;
/* s_min: 1/16 packet, step of the linear increase, and width at which a search ends, paper (1 packet) */
const volatile __u32 s_min = 16;
/* moderate: bits, 1 the pacing rate and 2 the window, paper (unclear) */
const volatile __u32 moderate = 3;
/* moderate_gain: 1/256, bandwidth-delay products to which the share of the window applies, paper (unclear) */
const volatile __u32 moderate_gain = 512;
/* anchor: 0 or 1, shares are of what BBR wants now (0) or of the window at the last loss (1), paper (unclear) */
const volatile bool anchor = 0;
/* search_per_ack: 0 or 1, a search makes a step with each round trip (0) or each ACK (1), paper (unclear) */
const volatile bool search_per_ack = 0;
/* increase_per_ack: 0 or 1, the linear increase steps with each round trip (0) or each ACK (1), paper (1) */
const volatile bool increase_per_ack = 0;
/* search_tests_middle: 0 or 1, losses judge the next middle (0) or the middle that was set (1), paper (unclear) */
const volatile bool search_tests_middle = 0;
/* literal_line_7: 0 or 1, the condition of line 7 as printed, paper (misprint) */
const volatile bool literal_line_7 = 0;

/* BBR's own parameters; bbr.c says more about them. */

/* bw_window: rounds, length of the bandwidth filter, Cardwell et al. 2016 (6 to 10 RTTs) */
const volatile __u32 bw_window = 10;
/* min_rtt_window_ms: ms, length of the RTT filter, Cardwell et al. 2016 (10 s) */
const volatile __u32 min_rtt_window_ms = 10000;
/* probe_rtt_ms: ms, time with 4 packets in flight (0: never), Cardwell et al. 2016 (200 ms) */
const volatile __u32 probe_rtt_ms = 200;
/* high_gain: 1/256, startup gain that doubles the rate each round, Cardwell et al. 2016 (2/ln 2 = 2.885) */
const volatile __u32 high_gain = 739;
/* drain_gain: 1/256, inverse of the startup gain, Cardwell et al. 2016 */
const volatile __u32 drain_gain = 88;
/* cwnd_gain: 1/256, window in bandwidth-delay products, Cardwell et al. 2016 (2) */
const volatile __u32 cwnd_gain = 512;
/* probe_up_gain: 1/256, pacing gain of the first phase of the cycle, Cardwell et al. 2016 (5/4) */
const volatile __u32 probe_up_gain = 320;
/* probe_down_gain: 1/256, pacing gain of the second phase of the cycle, Cardwell et al. 2016 (3/4) */
const volatile __u32 probe_down_gain = 192;
/* cwnd_min: packets, smallest window, Cardwell et al. 2016 (4) */
const volatile __u32 cwnd_min = 4;
/* full_bw_growth: 1/256, growth of bandwidth in a round below which the pipe may be full, Cardwell et al. 2016 (1.25) */
const volatile __u32 full_bw_growth = 320;
/* full_bw_rounds: rounds, how many such rounds end startup, Cardwell et al. 2016 (3) */
const volatile __u32 full_bw_rounds = 3;
/* pacing_margin: percent, how far pacing stays below the estimate, Linux (none before 4.20) */
const volatile __u32 pacing_margin = 0;
/* policer_detection: 0 or 1, look for policers, Linux */
const volatile bool policer_detection = 1;
/* policer_loss: 1/256, loss rate of an interval from which on it may be a policer's, Linux */
const volatile __u32 policer_loss = 50;
/* policer_rounds: rounds, how long a policer's rate is used, Linux */
const volatile __u32 policer_rounds = 48;

#include "bbr_v1.h"

#define ONE 65536U                     /* unit of shares: all of what BBR wants */
#define W_MAX_LIMIT (16 * 1024U)       /* 1/1024; shares have to fit 32 bits */
#define MODERATE_RATE 1
#define MODERATE_WINDOW 2

struct modest {
	struct bbr bbr;
	__u32 last_cwnd;               /* packets, window when moderation began */
	__u32 share;                   /* 1/65536, of what BBR wants */
	__u32 low;                     /* 1/65536, bound of the search without losses */
	__u32 high;                    /* 1/65536, bound of the search with losses */
	__u8 searching : 1;            /* the paper's bin_p */
	__u8 increasing : 1;           /* the paper's add_p */
	__u8 lost : 1;                 /* packets were lost since the last step */
};
STATE_FITS(struct modest);

/* The window of which `share` is a share, in packets and without headroom. */
static __always_inline __u32 whole(const struct modest *modest)
{
	const struct bbr *bbr = &modest->bbr;

	if (anchor && modest->last_cwnd)
		return modest->last_cwnd;
	return max(bdp(bbr, bandwidth(bbr), moderate_gain), 1U);
}

/* S_min as a share. */
static __always_inline __u32 smallest_step(const struct modest *modest)
{
	return max(s_min * (ONE / 16) / whole(modest), 1U);
}

/* W_max as a share. Line 20 does not let the window exceed that of the last loss. */
static __always_inline __u32 ceiling(void)
{
	return min(w_max, anchor ? 1024U : W_MAX_LIMIT) * (ONE / 1024);
}

/* Lines 1 to 6. In recovery the window follows deliveries and is no estimate of the path. */
static __always_inline void start_search(const struct sock *sk, struct modest *modest)
{
	if (anchor || modest->share >= ceiling()) {
		modest->last_cwnd = ca_state(sk) >= TCP_CA_Recovery ? modest->bbr.prior_cwnd : tcp_sk(sk)->snd_cwnd;
		modest->share = anchor ? ONE : ceiling();
	}
	modest->low = min(w_min * (ONE / 1024), modest->share);
	modest->high = search_tests_middle ? modest->share : (modest->share + modest->low) / 2;
	modest->share = (modest->share + modest->low) / 2;
	modest->searching = 1;
	modest->increasing = 0;
}

/* Lines 8 to 18. The middle that was set is the share. */
static __always_inline void search(struct modest *modest)
{
	__u32 middle = search_tests_middle ? modest->share : (modest->high + modest->low) / 2;

	if (modest->lost)
		modest->high = middle;
	else
		modest->low = middle;
	modest->share = search_tests_middle ? (modest->high + modest->low) / 2 : middle;
	if (modest->high - modest->low <= smallest_step(modest)) {
		modest->searching = 0;
		modest->increasing = 1;
	}
}

static __always_inline void update_share(const struct sock *sk, struct modest *modest, const struct rate_sample *rs)
{
	bool round = modest->bbr.round_start;

	if (rs->losses > 0)
		modest->lost = 1;
	if (modest->lost && !modest->searching) {
		start_search(sk, modest);
		modest->lost = 0;
		return;
	}
	if (modest->searching != literal_line_7 && (round || search_per_ack)) {
		search(modest);
		modest->lost = 0;
	}
	/* Lines 20 to 24. */
	if (modest->increasing && (round || increase_per_ack))
		modest->share = min(modest->share + smallest_step(modest), ceiling());
}

static __always_inline void apply_share(struct sock *sk, const struct modest *modest)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct bbr *bbr = &modest->bbr;
	__u32 window = (__u64)whole(modest) * modest->share / ONE;
	__u64 rate = sk->sk_pacing_rate;

	/* No packet was lost yet, or the share is 1 again. */
	if (modest->share == ONE && !(anchor && modest->last_cwnd))
		return;
	if (anchor) {
		/* The window at a loss had headroom in it. */
		__u32 full = with_headroom(sk, bbr, bdp(bbr, bandwidth(bbr), moderate_gain));

		rate = window < full ? rate * window / full : rate;
	} else {
		window = with_headroom(sk, bbr, window);
		rate = rate * modest->share / ONE;
	}
	if (moderate & MODERATE_RATE)
		sk->sk_pacing_rate = rate;
	if (moderate & MODERATE_WINDOW) {
		window = max(window, cwnd_min);
		if (modest->share > ONE && ca_state(sk) < TCP_CA_Recovery)
			tp->snd_cwnd = min(window, tp->snd_cwnd_clamp);
		else
			tp->snd_cwnd = min(tp->snd_cwnd, window);
	}
}

/* Section III-B: outside of the steady phase BBR is left alone, or it would measure the moderation. */
static __always_inline void stop_moderation(struct modest *modest)
{
	if (modest->last_cwnd)
		modest->bbr.prior_cwnd = max(modest->bbr.prior_cwnd, modest->last_cwnd);
	modest->last_cwnd = 0;
	modest->share = ONE;
	modest->low = 0;
	modest->high = 0;
	modest->searching = 0;
	modest->increasing = 0;
	modest->lost = 0;
}

/* ---- callbacks ---- */

SEC("struct_ops/cong_control")
void CONG_CONTROL(modest_bbr_cong_control, sk, rs)
{
	struct modest *modest = inet_csk_ca(sk);
	struct bbr *bbr = &modest->bbr;

	update_bandwidth(sk, bbr, rs);
	update_state(sk, bbr, rs);
	set_pacing_rate(sk, bbr, bandwidth(bbr), bbr->pacing_gain);
	set_cwnd(sk, bbr, rs, 0);
	if (bbr->mode == PROBE_BW) {
		update_share(sk, modest, rs);
		apply_share(sk, modest);
	} else {
		stop_moderation(modest);
	}
}

SEC("struct_ops/init")
void BPF_PROG(modest_bbr_init, struct sock *sk)
{
	struct modest *modest = inet_csk_ca(sk);

	__builtin_memset(modest, 0, sizeof(*modest));
	modest->share = ONE;
	start(sk, &modest->bbr);
}

SEC("struct_ops/cwnd_event")
void CWND_EVENT(modest_bbr_cwnd_event, sk, event)
{
	if (event == CA_EVENT_TX_START && tcp_sk(sk)->app_limited)
		restart_after_idle(sk, inet_csk_ca(sk));
}

SEC("struct_ops/set_state")
void BPF_PROG(modest_bbr_set_state, struct sock *sk, __u8 new_state)
{
	if (new_state == TCP_CA_Loss)
		time_out(sk, inet_csk_ca(sk));
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(modest_bbr_ssthresh, struct sock *sk)
{
	save_cwnd(sk, inet_csk_ca(sk));
	return tcp_sk(sk)->snd_ssthresh;
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(modest_bbr_undo_cwnd, struct sock *sk)
{
	undo(sk, inet_csk_ca(sk));
	return tcp_sk(sk)->snd_cwnd;
}

SEC("struct_ops/min_tso_segs")
__u32 BPF_PROG(modest_bbr_min_tso_segs, struct sock *sk)
{
	return min_burst(sk);
}

/* With three times the window buffered, the application can keep the pipe full while recovery takes a round trip. */
SEC("struct_ops/sndbuf_expand")
__u32 BPF_PROG(modest_bbr_sndbuf_expand, struct sock *sk)
{
	return 3;
}

SEC(".struct_ops")
struct tcp_congestion_ops modest_bbr = {
	.init                = (void *)modest_bbr_init,
	.cong_control        = (void *)modest_bbr_cong_control,
	.cwnd_event          = (void *)modest_bbr_cwnd_event,
	.cwnd_event_tx_start = (void *)modest_bbr_cwnd_event_tx_start,
	.set_state           = (void *)modest_bbr_set_state,
	.ssthresh            = (void *)modest_bbr_ssthresh,
	.undo_cwnd           = (void *)modest_bbr_undo_cwnd,
	.min_tso_segs        = (void *)modest_bbr_min_tso_segs,
	.sndbuf_expand       = (void *)modest_bbr_sndbuf_expand,
	.name                = "fl_modest_bbr",
};
