// SPDX-License-Identifier: GPL-2.0
/* Asks for an acknowledgement when a congestion mark arrives, as the receiver's half of DCTCP does. */
#include "vmlinux.h"
#include "bpf_tracing_net.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

SEC("struct_ops/echo_cwnd_event")
void BPF_PROG(echo_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (event != CA_EVENT_ECN_IS_CE)
		return;
	if (inet_csk(sk)->icsk_ack.pending & ICSK_ACK_TIMER) {
		tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
		bpf_tcp_send_ack(tp, tp->rcv_nxt - tp->mss_cache);
		tp->ecn_flags &= ~TCP_ECN_DEMAND_CWR;
	}
	inet_csk(sk)->icsk_ack.pending |= ICSK_ACK_NOW;
}

SEC("struct_ops/echo_ssthresh")
__u32 BPF_PROG(echo_ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops/echo_cong_avoid")
void BPF_PROG(echo_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/echo_undo_cwnd")
__u32 BPF_PROG(echo_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops mark_echo = {
	.flags = TCP_CONG_NEEDS_ECN,
	.cwnd_event = (void *)echo_cwnd_event,
	.ssthresh = (void *)echo_ssthresh,
	.cong_avoid = (void *)echo_cong_avoid,
	.undo_cwnd = (void *)echo_undo_cwnd,
	.name = "mark_echo",
};
