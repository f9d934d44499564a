#include "hostile.h"

static void hostile(struct sock *sk)
{
}

SEC("struct_ops")
void BPF_PROG(hostile_cong_control, struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs)
{
	*(long *)&rs->delivered = 1;
}

SEC(".struct_ops")
struct tcp_congestion_ops controlling = {
	.ssthresh = (void *)hostile_ssthresh,
	.undo_cwnd = (void *)hostile_undo_cwnd,
	.cong_control = (void *)hostile_cong_control,
	.name = "controlling",
};

/* :controlling algorithm {path}:controlling wrote its rate_sample, which it may only read, in callback cong_control */
