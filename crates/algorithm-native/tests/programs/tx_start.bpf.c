// SPDX-License-Identifier: GPL-2.0
/* Written for Linux 7.1, where the start of a transmission has a callback of its own: counts the calls of both. */
#include "vmlinux.h"
#include "bpf_tracing_net.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

SEC("struct_ops")
void BPF_PROG(count_event, struct sock *sk, enum tcp_ca_event event)
{
	tcp_sk(sk)->snd_cwnd_cnt += 1;
}

SEC("struct_ops")
void BPF_PROG(count_start, struct sock *sk)
{
	tcp_sk(sk)->snd_cwnd_cnt += 100;
}

SEC("struct_ops")
__u32 BPF_PROG(count_ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops")
void BPF_PROG(count_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
__u32 BPF_PROG(count_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops tx_start = {
	.cwnd_event = (void *)count_event,
	.cwnd_event_tx_start = (void *)count_start,
	.ssthresh = (void *)count_ssthresh,
	.cong_avoid = (void *)count_cong_avoid,
	.undo_cwnd = (void *)count_undo_cwnd,
	.name = "tx_start",
};
