// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* DCTCP by the kernel's own functions. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

extern void dctcp_init(struct sock *sk) __ksym;
extern void dctcp_update_alpha(struct sock *sk, __u32 flags) __ksym;
extern void dctcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern __u32 dctcp_ssthresh(struct sock *sk) __ksym;
extern __u32 dctcp_cwnd_undo(struct sock *sk) __ksym;
extern void dctcp_state(struct sock *sk, __u8 new_state) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;

#define TCP_CONG_NEEDS_ECN 2

SEC("struct_ops")
void BPF_PROG(init, struct sock *sk)
{
	dctcp_init(sk);
}

SEC("struct_ops")
void BPF_PROG(in_ack_event, struct sock *sk, __u32 flags)
{
	dctcp_update_alpha(sk, flags);
}

SEC("struct_ops")
void BPF_PROG(cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	dctcp_cwnd_event(sk, event);
}

SEC("struct_ops")
__u32 BPF_PROG(ssthresh, struct sock *sk)
{
	return dctcp_ssthresh(sk);
}

SEC("struct_ops")
void BPF_PROG(cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
void BPF_PROG(set_state, struct sock *sk, __u8 new_state)
{
	dctcp_state(sk, new_state);
}

SEC("struct_ops")
__u32 BPF_PROG(undo_cwnd, struct sock *sk)
{
	return dctcp_cwnd_undo(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops wraps_dctcp = {
	.init         = (void *)init,
	.in_ack_event = (void *)in_ack_event,
	.cwnd_event   = (void *)cwnd_event,
	.ssthresh     = (void *)ssthresh,
	.cong_avoid   = (void *)cong_avoid,
	.set_state    = (void *)set_state,
	.undo_cwnd    = (void *)undo_cwnd,
	.flags        = TCP_CONG_NEEDS_ECN,
	.name         = "wraps_dctcp",
};
