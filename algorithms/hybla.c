// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * hybla: makes a long path grow as fast in time as a 25 ms path would with Reno
 *
 *	rho = RTT / 25 ms, at least 1
 *	slow start:   cwnd += 2^rho - 1     per ACK
 *	above:        cwnd += rho^2 / cwnd  per ACK       (rho^2 packets in a round trip)
 *	after a loss: ssthresh = cwnd / 2
 *
 *	   slow start --cwnd reaches ssthresh, or loss--> congestion avoidance
 *	        ^-------------retransmission time-out------------'
 *
 * Source: Caini and Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks",
 * International Journal of Satellite Communications and Networking 22 (2004).
 *
 * Deviations from the paper, as in Linux:
 * 1. rho follows the smallest smoothed RTT, in steps of 1/8; 2^rho is exact to 1/128 and rho^2 is exact.
 * 2. Growth is per ACK, not per packet: delayed ACKs halve it. It is rounded down to 1/128 packet: windows
 *    of more than 128 rho^2 packets grow like Reno's.
 * 3. A connection begins with a window of rho packets (whole ones).
 * 4. While a loss is being repaired the window grows like Reno's.
 * 5. The window never exceeds cwnd_max.
 */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* rtt0_ms: ms, the RTT whose growth all paths get, paper (25) */
const volatile __u32 rtt0_ms = 25;
/* cwnd_max: packets, largest window, Linux */
const volatile __u32 cwnd_max = 65535;

#define RHO_SHIFT 3               /* rho counts in 1/8 */
#define RHO_MIN (1U << RHO_SHIFT)
#define RHO_POWER_MAX 16U
#define GROWTH_SHIFT 7            /* growth counts in 1/128 packets */
#define PACKET (1U << GROWTH_SHIFT)

struct hybla {
	__u32 rho;                /* 1/8 */
	__u32 min_srtt;           /* 1/8 us, smallest smoothed RTT */
	__u32 fraction;           /* 1/128 packets, growth that is still to come */
	bool is_open;             /* TCP is in state Open */
};
STATE_FITS(struct hybla);

static __always_inline void set_rho(const struct tcp_sock *tp, struct hybla *ca)
{
	/* The smoothed RTT counts in 1/8 us already. */
	__u32 rho = tp->srtt_us / (rtt0_ms * USEC_PER_MSEC);

	ca->rho = max(rho, RHO_MIN);
	ca->min_srtt = tp->srtt_us;
}

SEC("struct_ops/init")
void BPF_PROG(hybla_init, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct hybla *ca = inet_csk_ca(sk);

	ca->fraction = 0;
	ca->is_open = true;
	set_rho(tp, ca);
	tp->snd_cwnd = ca->rho >> RHO_SHIFT;
}

SEC("struct_ops/set_state")
void BPF_PROG(hybla_set_state, struct sock *sk, __u8 new_state)
{
	struct hybla *ca = inet_csk_ca(sk);

	ca->is_open = new_state == TCP_CA_Open;
}

/* 2^(n/8) in 1/128. */
const __u8 eighths[8] = { 128, 139, 152, 165, 181, 197, 215, 234 };

/* 2^rho in 1/128: whole part by shifting, eighths by table. */
static __always_inline __u32 power_of_two(__u32 rho)
{
	__u32 whole = rho >> RHO_SHIFT;

	whole = min(whole, RHO_POWER_MAX);
	return eighths[rho & 7] << whole;
}

/* Adds this much to the window; whole packets now, the rest when it has become one. */
static __always_inline void grow(struct tcp_sock *tp, struct hybla *ca, __u32 growth)
{
	tp->snd_cwnd += growth >> GROWTH_SHIFT;
	ca->fraction += growth % PACKET;
	if (ca->fraction >= PACKET) {
		ca->fraction -= PACKET;
		tp->snd_cwnd++;
		tp->snd_cwnd_cnt = 0;
	}
	/* Too little for the fixed point: as Reno, by counting ACKs. */
	if (!growth && tp->snd_cwnd_cnt >= tp->snd_cwnd) {
		tp->snd_cwnd++;
		tp->snd_cwnd_cnt = 0;
	}
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(hybla_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct hybla *ca = inet_csk_ca(sk);
	__u32 growth, cwnd;

	if (tp->srtt_us < ca->min_srtt)
		set_rho(tp, ca);
	if (!tcp_is_cwnd_limited(sk))
		return;
	if (!ca->is_open) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}

	if (tcp_in_slow_start(tp)) {
		grow(tp, ca, power_of_two(ca->rho) - PACKET);
		tp->snd_cwnd = min(tp->snd_cwnd, tp->snd_ssthresh);
	} else {
		/* rho^2 from 1/64 to 1/128. */
		growth = 2 * ca->rho * ca->rho / tp->snd_cwnd;
		if (growth < PACKET)
			tp->snd_cwnd_cnt++;
		grow(tp, ca, growth);
	}
	cwnd = min(tp->snd_cwnd, tp->snd_cwnd_clamp);
	tp->snd_cwnd = min(cwnd, cwnd_max);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(hybla_ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(hybla_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops hybla = {
	.init       = (void *)hybla_init,
	.ssthresh   = (void *)hybla_ssthresh,
	.cong_avoid = (void *)hybla_cong_avoid,
	.set_state  = (void *)hybla_set_state,
	.undo_cwnd  = (void *)hybla_undo_cwnd,
	.name       = "fl_hybla",
};
