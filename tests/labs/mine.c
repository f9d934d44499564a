// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* mine: a solution of the lab "design": Reno that gives up a quarter of its window when the queue exceeds 12 ms */
#include "congestion_control.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* target_us: us, queueing delay above which the window shrinks, own choice */
const volatile __u32 target_us = 12000;

struct mine {
	__u32 min_rtt_us; /* 0: none yet */
	__u32 rtt_us;     /* newest */
	__u32 round_end;  /* sequence number whose ACK ends the round trip */
};
STATE_FITS(struct mine);

SEC("struct_ops/init")
void BPF_PROG(mine_init, struct sock *sk)
{
	struct mine *mine = inet_csk_ca(sk);

	__builtin_memset(mine, 0, sizeof(*mine));
	mine->round_end = tcp_sk(sk)->snd_nxt;
}

SEC("struct_ops/pkts_acked")
void BPF_PROG(mine_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct mine *mine = inet_csk_ca(sk);

	if (sample->rtt_us <= 0)
		return;
	mine->rtt_us = sample->rtt_us;
	if (!mine->min_rtt_us || mine->rtt_us < mine->min_rtt_us)
		mine->min_rtt_us = mine->rtt_us;
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(mine_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct mine *mine = inet_csk_ca(sk);

	if (mine->rtt_us > mine->min_rtt_us + target_us) {
		if (before(ack, mine->round_end))
			return;
		mine->round_end = tp->snd_nxt;
		tp->snd_cwnd = max(tp->snd_cwnd - tp->snd_cwnd / 4, 2U);
		tp->snd_ssthresh = tp->snd_cwnd;
		return;
	}
	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(mine_ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(mine_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops mine = {
	.init       = (void *)mine_init,
	.pkts_acked = (void *)mine_pkts_acked,
	.cong_avoid = (void *)mine_cong_avoid,
	.ssthresh   = (void *)mine_ssthresh,
	.undo_cwnd  = (void *)mine_undo_cwnd,
	.name       = "mine",
};
