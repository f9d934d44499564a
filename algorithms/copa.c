// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * copa: steers to the rate 1 / (delta d_q), so that each flow keeps 1 / delta packets in the queue
 *
 *	d_q    = RTT_standing - RTT_min     smallest RTT of the last half RTT, and of the last 10 s
 *	target = 1 / (delta d_q),   rate = cwnd / RTT_standing
 *	rate up to target:  cwnd += v / (delta cwnd) per packet delivered;   above: cwnd -= the same
 *	v      = 1, doubled in each round trip once the window has gone the same way for three
 *	pacing = 2 cwnd / RTT_standing
 *	delta  = 1/2;  where others fill the buffer: 1 / delta += 1 per round trip, halved by a loss
 *
 *	slow start --rate above target--> default (delta 1/2) --queue not nearly empty for 10 RTTs--> competitive
 *	     ^                               ^---------------------nearly empty------------------------'
 *	     '----time-out
 *	nearly empty: d_q <= 0.3 (RTT_max - RTT_min), with the largest RTT of the last 4 RTTs
 *
 * Copa flows alone empty the queue in each cycle of about five round trips; a queue that is never empty
 * belongs to another flow. In default mode losses are ignored.
 *
 * Source: Arun and Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet",
 * USENIX NSDI 2018, section 2.
 *
 * Deviations from the paper:
 * 1. The queue counts as nearly empty up to 30 % of RTT_max - RTT_min (paper: 10 %), and 10 RTTs without it show
 *    others (paper: 5). A cycle takes a little more than five RTTs, and with the paper's values three or more
 *    flows soon mistake each other for buffer-fillers and fill the buffer (empty_rounds, nearly_empty_percent).
 *    On a path that holds fewer packets than 1 / delta the queue never looks empty, and a flow competes with
 *    itself: there mode_switching = 0 is needed.
 * 2. The direction is that of the steps, not that of the window from one round trip to the next: where the
 *    rate crosses the target v is 1 at once. Else a v that was right on the way there makes the window swing.
 * 3. v does not double beyond delta cwnd. A step is at most one packet up and half a packet down for each
 *    packet delivered: at most a doubling or a halving in a round trip.
 * 4. The window does not grow while it is not the limit, and has two packets at least.
 * 5. A timeout leads to slow start; the paper does not specify it.
 * 6. A loss halves 1 / delta once in a round trip.
 * 7. Windowed minima and maxima are kept in three samples each, and may be a quarter of their window too old.
 *
 * Statements that RFC 9743 asks for:
 *
 * 5.3.1: RFC 2914 asks for a response to loss. In default mode losses have no effect, only the queueing
 * delay has; in competitive mode a loss halves 1 / delta. Where no queue grows, in very short buffers and
 * at policers, nothing but a timeout limits it. Packets are counted, so the loss of a small one weighs as
 * much as that of a full one; RFC 7141 section 2.3 recommends to weigh bytes.
 *
 * 5.3.2: It changes the sender alone, and works with any receiver, router and middlebox that carries TCP.
 * It needs RTTs that mostly show the queue: changes of the path's own delay count as a queue until the
 * minimum expires. It recognizes flows that fill the buffer and competes with them.
 *
 * 8: The paper has no such section. One ACK for data that has not arrived makes the smallest RTT too short
 * and the flow slow, for 10 s; a receiver that delays ACKs slows its own flow. An attacker who fills the
 * queue makes it compete, and so queue.
 */
#include "congestion_control.h"
#include "windowed_max.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* delta: 1/1000, a flow keeps 1 / delta packets in the queue, paper (0.5) */
const volatile __u32 delta = 500;
/* min_rtt_window_ms: ms, over which the smallest RTT is the path's own, paper (10 s) */
const volatile __u32 min_rtt_window_ms = 10000;
/* same_direction_rounds: rounds in the same direction after which v doubles, paper (3) */
const volatile __u32 same_direction_rounds = 3;
/* mode_switching: 0 or 1, compete with flows that fill the buffer, paper */
const volatile bool mode_switching = 1;
/* empty_rounds: RTTs without a nearly empty queue that show such flows, own choice (paper: 5) */
const volatile __u32 empty_rounds = 10;
/* max_rtt_rounds: RTTs over which the largest RTT is taken, paper (4) */
const volatile __u32 max_rtt_rounds = 4;
/* nearly_empty_percent: percent of RTT_max - RTT_min up to which the queue is nearly empty, own choice (paper: 10) */
const volatile __u32 nearly_empty_percent = 30;
/* pacing_gain: 1/256, of a window in RTT_standing, paper (2) */
const volatile __u32 pacing_gain = 512;

#define WINDOW_SHIFT 10           /* the window counts in 1/1024 packets */
#define ONE_PACKET (1U << WINDOW_SHIFT)
#define WINDOW_MAX (1U << 21)     /* packets */
#define INVERSE_SHIFT 8           /* 1 / delta counts in 1/256 */
#define INVERSE_MAX (1U << 20)
#define VELOCITY_MAX 32768U
#define CWND_MIN 2U

struct copa {
	struct windowed_max standing;  /* of the RTT, ~rtt_us: its maximum is the smallest RTT of half an RTT */
	struct windowed_max shortest;  /* the same over 10 s */
	struct windowed_max longest;   /* RTT in us, over 4 RTTs */
	__u32 window;                  /* 1/1024 packets */
	__u32 round_end;               /* packets delivered when the round ends */
	__u32 inverse_delta;           /* 1/256 */
	__u32 nearly_empty_us;         /* when the queue was last nearly empty */
	__u16 velocity;
	__u8 same_direction;           /* whole round trips that the window has gone this way */
	bool goes_up;
	bool turned;                   /* in this round trip, which therefore does not count */
	bool slow_start;
	bool is_competitive;
	bool lost_in_round;
};
STATE_FITS(struct copa);

static __always_inline __u32 now_us(const struct sock *sk)
{
	return tcp_sk(sk)->tcp_mstamp;
}

static __always_inline __u32 standing_us(const struct copa *copa)
{
	return ~copa->standing.best.value;
}

static __always_inline __u32 queueing_us(const struct copa *copa)
{
	__u32 standing = standing_us(copa), shortest = ~copa->shortest.best.value;

	return standing > shortest ? standing - shortest : 0;
}

static __always_inline __u32 smoothed_us(const struct sock *sk)
{
	return max(tcp_sk(sk)->srtt_us >> 3, 1U);
}

static __always_inline __u32 default_inverse(void)
{
	__u32 inverse = (1000U << INVERSE_SHIFT) / max(delta, 1U);

	return max(inverse, 1U);
}

/* ---- measurements ---- */

static __always_inline void measure(const struct sock *sk, struct copa *copa, __u32 rtt_us)
{
	struct windowed_sample sample = { now_us(sk), ~rtt_us };
	__u32 smoothed = smoothed_us(sk);

	windowed_max_add(&copa->standing, smoothed / 2, sample);
	windowed_max_add(&copa->shortest, min_rtt_window_ms * USEC_PER_MSEC, sample);
	sample.value = rtt_us;
	windowed_max_add(&copa->longest, max_rtt_rounds * smoothed, sample);
}

/* Section 2.2: who shares the bottleneck? */
static __always_inline void choose_mode(const struct sock *sk, struct copa *copa)
{
	__u32 longest = copa->longest.best.value, shortest = ~copa->shortest.best.value;
	__u32 swing = longest > shortest ? longest - shortest : 0;
	bool competitive;

	if ((__u64)queueing_us(copa) * 100 <= (__u64)swing * nearly_empty_percent)
		copa->nearly_empty_us = now_us(sk);
	competitive = mode_switching && now_us(sk) - copa->nearly_empty_us > empty_rounds * smoothed_us(sk);
	if (copa->is_competitive && !competitive)
		copa->inverse_delta = default_inverse();
	copa->is_competitive = competitive;
}

/* v / delta, by which the window changes in a round trip, in 1/1024 packets. */
static __always_inline __u64 steady_growth(const struct copa *copa)
{
	return (__u64)copa->velocity * copa->inverse_delta * ONE_PACKET >> INVERSE_SHIFT;
}

/* ---- once per round trip ---- */

static __always_inline void update_velocity(struct copa *copa)
{
	if (copa->turned)
		copa->turned = false;
	else if (copa->same_direction < same_direction_rounds)
		copa->same_direction++;
	else if (copa->velocity < VELOCITY_MAX && steady_growth(copa) < copa->window)
		copa->velocity *= 2;
}

/* Competitive mode: AIMD on 1 / delta, as Reno's on the window. */
static __always_inline void update_delta(struct copa *copa)
{
	__u32 inverse = copa->inverse_delta;

	if (copa->lost_in_round)
		inverse /= 2;
	else
		inverse = min(inverse + (1U << INVERSE_SHIFT), INVERSE_MAX);
	copa->inverse_delta = max(inverse, default_inverse());
}

static __always_inline void end_round(const struct tcp_sock *tp, struct copa *copa)
{
	if (!copa->slow_start)
		update_velocity(copa);
	if (copa->is_competitive)
		update_delta(copa);
	copa->lost_in_round = false;
	copa->round_end = tp->delivered;
}

/* ---- rate and window (section 2.1) ---- */

/* rate <= target: cwnd / RTT_standing <= 1 / (delta d_q) */
static __always_inline bool is_below_target(const struct copa *copa)
{
	__u64 rate = (__u64)(copa->window >> WINDOW_SHIFT) * queueing_us(copa);

	return rate << INVERSE_SHIFT <= (__u64)standing_us(copa) * copa->inverse_delta;
}

/* v / (delta cwnd) for each packet, in 1/1024 packets, at most `most`. */
static __always_inline __u32 step(const struct copa *copa, __u32 acked, __u32 most)
{
	__u64 each = (steady_growth(copa) << WINDOW_SHIFT) / max(copa->window, 1U);

	return acked * (__u32)min(each, (__u64)most);
}

static __always_inline void turn(struct copa *copa, bool up)
{
	if (copa->goes_up == up)
		return;
	copa->goes_up = up;
	copa->velocity = 1;
	copa->same_direction = 0;
	copa->turned = true;
}

static __always_inline void set_window(struct sock *sk, struct copa *copa, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	bool below = is_below_target(copa);
	__u32 window = copa->window, change;

	acked = min(acked, WINDOW_MAX / 2);
	if (copa->slow_start && !below)
		copa->slow_start = false;
	turn(copa, below);
	if (!below) {
		change = step(copa, acked, ONE_PACKET / 2);
		window = window > change ? window - change : 0;
	} else if (tcp_is_cwnd_limited(sk)) {
		change = copa->slow_start ? acked * ONE_PACKET : step(copa, acked, ONE_PACKET);
		window = min(window + change, WINDOW_MAX * ONE_PACKET - 1);
	}
	copa->window = max(window, CWND_MIN * ONE_PACKET);
	tp->snd_cwnd = min(copa->window >> WINDOW_SHIFT, tp->snd_cwnd_clamp);
}

static __always_inline void set_pacing_rate(struct sock *sk, __u32 rtt_us)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u64 rate = (__u64)tp->snd_cwnd * tp->mss_cache * USEC_PER_SEC / max(rtt_us, 1U);

	rate = rate * pacing_gain >> 8;
	sk->sk_pacing_rate = min(rate, (__u64)sk->sk_max_pacing_rate);
}

SEC("struct_ops/cong_control")
void CONG_CONTROL(copa_cong_control, sk, rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct copa *copa = inet_csk_ca(sk);

	/* TCP has set the window: after a timeout, or after the undo of one. */
	if (tp->snd_cwnd != min(copa->window >> WINDOW_SHIFT, tp->snd_cwnd_clamp))
		copa->window = min(tp->snd_cwnd, WINDOW_MAX - 1) << WINDOW_SHIFT;
	if (rs->losses > 0)
		copa->lost_in_round = true;
	if (rs->rtt_us > 0)
		measure(sk, copa, rs->rtt_us);
	/* Before the first RTT sample there is nothing to compute. */
	if (!copa->shortest.best.value)
		return;
	choose_mode(sk, copa);
	set_window(sk, copa, rs->acked_sacked);
	if (rs->delivered > 0 && !before(rs->prior_delivered, copa->round_end))
		end_round(tp, copa);
	set_pacing_rate(sk, standing_us(copa));
}

/* ---- the other callbacks ---- */

SEC("struct_ops/init")
void BPF_PROG(copa_init, struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct copa *copa = inet_csk_ca(sk);

	__builtin_memset(copa, 0, sizeof(*copa));
	copa->window = tp->snd_cwnd << WINDOW_SHIFT;
	copa->round_end = tp->delivered;
	copa->inverse_delta = default_inverse();
	copa->nearly_empty_us = now_us(sk);
	copa->velocity = 1;
	copa->slow_start = true;
	set_pacing_rate(sk, tp->srtt_us ? smoothed_us(sk) : USEC_PER_MSEC);
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

SEC("struct_ops/set_state")
void BPF_PROG(copa_set_state, struct sock *sk, __u8 new_state)
{
	struct copa *copa = inet_csk_ca(sk);

	if (new_state != TCP_CA_Loss || ca_state(sk) == TCP_CA_Loss)
		return;
	copa->slow_start = true;
	copa->velocity = 1;
	copa->same_direction = 0;
}

/* Only cong_control() changes the window. */
SEC("struct_ops/ssthresh")
__u32 BPF_PROG(copa_ssthresh, struct sock *sk)
{
	return tcp_sk(sk)->snd_ssthresh;
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(copa_undo_cwnd, struct sock *sk)
{
	struct copa *copa = inet_csk_ca(sk);

	copa->slow_start = false;
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

/* After an idle period the queue may have been empty. */
SEC("struct_ops/cwnd_event")
void CWND_EVENT(copa_cwnd_event, sk, event)
{
	struct copa *copa = inet_csk_ca(sk);

	if (event == CA_EVENT_TX_START)
		copa->nearly_empty_us = now_us(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops copa = {
	.init                = (void *)copa_init,
	.cong_control        = (void *)copa_cong_control,
	.cwnd_event          = (void *)copa_cwnd_event,
	.cwnd_event_tx_start = (void *)copa_cwnd_event_tx_start,
	.set_state           = (void *)copa_set_state,
	.ssthresh            = (void *)copa_ssthresh,
	.undo_cwnd           = (void *)copa_undo_cwnd,
	.name                = "fl_copa",
};
