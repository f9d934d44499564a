// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * highspeed: the larger the window, the faster it grows and the smaller its decrease
 *
 *	a(w) = packets of growth per round trip, b(w) = relative decrease after a loss:
 *	w <= 38:      a = 1, b = 0.5                     (Reno)
 *	w in between: p = 0.078 / w^1.2,  b falls from 0.5 to 0.1 with log(w),  a = 2 w^2 p b / (2 - b)
 *	w = 83000:    a = 72, b = 0.1                    (10 Gbit/s at 100 ms, with a loss per 10^7 packets)
 *
 *	   slow start --cwnd reaches ssthresh, or loss--> a(w) per round trip
 *	        ^-------------retransmission time-out------------'
 *
 * Source: RFC 3649, HighSpeed TCP for Large Congestion Windows; the table is its appendix B.
 *
 * Deviations from the RFC, as in Linux:
 * 1. Growth is a(w) / w per ACK, not per packet: delayed ACKs halve it.
 * 2. Between two rows of the table a and b are those of the larger window, so that the mean window at a
 *    loss rate of 1e-4 is a sixth larger than the RFC's 263, and of 1e-5 a twentieth larger than its 1795.
 *    b is in 1/256, rounded down, and taken for the window at which the last ACK came.
 * 3. Above 89053 packets a and b are constant.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

#define B_SHIFT 8

/* RFC 3649 appendix B: row n holds the largest window that grows by n + 1 packets, and its b(w) in 1/256. */
static const struct row {
	__u32 window;
	__u32 b;
} table[] = {
	{ 38, 128 }, { 118, 112 }, { 221, 104 }, { 347, 98 }, { 495, 93 }, { 663, 89 },
	{ 851, 86 }, { 1058, 83 }, { 1284, 81 }, { 1529, 78 }, { 1793, 76 }, { 2076, 74 },
	{ 2378, 72 }, { 2699, 71 }, { 3039, 69 }, { 3399, 68 }, { 3778, 66 }, { 4177, 65 },
	{ 4596, 64 }, { 5036, 62 }, { 5497, 61 }, { 5979, 60 }, { 6483, 59 }, { 7009, 58 },
	{ 7558, 57 }, { 8130, 56 }, { 8726, 55 }, { 9346, 54 }, { 9991, 53 }, { 10661, 52 },
	{ 11358, 52 }, { 12082, 51 }, { 12834, 50 }, { 13614, 49 }, { 14424, 48 }, { 15265, 48 },
	{ 16137, 47 }, { 17042, 46 }, { 17981, 45 }, { 18955, 45 }, { 19965, 44 }, { 21013, 43 },
	{ 22101, 43 }, { 23230, 42 }, { 24402, 41 }, { 25618, 41 }, { 26881, 40 }, { 28193, 39 },
	{ 29557, 39 }, { 30975, 38 }, { 32450, 38 }, { 33986, 37 }, { 35586, 36 }, { 37253, 36 },
	{ 38992, 35 }, { 40808, 35 }, { 42707, 34 }, { 44694, 33 }, { 46776, 33 }, { 48961, 32 },
	{ 51258, 32 }, { 53677, 31 }, { 56230, 30 }, { 58932, 30 }, { 61799, 29 }, { 64851, 28 },
	{ 68113, 28 }, { 71617, 27 }, { 75401, 26 }, { 79517, 26 }, { 84035, 25 }, { 89053, 24 },
};
#define LAST_ROW (sizeof(table) / sizeof(table[0]) - 1)

struct highspeed {
	__u32 row;                /* of the table, for the current window */
};
STATE_FITS(struct highspeed);

SEC("struct_ops/init")
void BPF_PROG(highspeed_init, struct sock *sk)
{
	struct highspeed *ca = inet_csk_ca(sk);

	ca->row = 0;
}

/* The first row whose window is not below cwnd. */
static __always_inline __u32 row_of(__u32 cwnd)
{
	__u32 row = 0, step;

	for (step = 64; step; step /= 2) {
		__u32 next = row + step;

		if (next <= LAST_ROW && cwnd > table[next - 1].window)
			row = next;
	}
	return row;
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(highspeed_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct highspeed *ca = inet_csk_ca(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp)) {
		tcp_slow_start(tp, acked);
		return;
	}
	ca->row = row_of(tp->snd_cwnd);
	if (tp->snd_cwnd >= tp->snd_cwnd_clamp)
		return;
	tp->snd_cwnd_cnt += ca->row + 1;
	if (tp->snd_cwnd_cnt >= tp->snd_cwnd) {
		tp->snd_cwnd_cnt -= tp->snd_cwnd;
		tp->snd_cwnd++;
	}
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(highspeed_ssthresh, struct sock *sk)
{
	const struct highspeed *ca = inet_csk_ca(sk);
	__u32 cwnd = tcp_sk(sk)->snd_cwnd, row = ca->row;

	row = min(row, (__u32)LAST_ROW);
	return max(cwnd - (cwnd * table[row].b >> B_SHIFT), 2U);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(highspeed_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops highspeed = {
	.init       = (void *)highspeed_init,
	.ssthresh   = (void *)highspeed_ssthresh,
	.cong_avoid = (void *)highspeed_cong_avoid,
	.undo_cwnd  = (void *)highspeed_undo_cwnd,
	.name       = "fl_highspeed",
};
