// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* BBR by the kernel's own functions; it also reads the peer's TCP options. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "bpf_tracing_net.h"

char _license[] SEC("license") = "GPL";

extern void bbr_init(struct sock *sk) __ksym;
extern void bbr_main(struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs) __ksym;
extern __u32 bbr_sndbuf_expand(struct sock *sk) __ksym;
extern __u32 bbr_undo_cwnd(struct sock *sk) __ksym;
extern void bbr_cwnd_event_tx_start(struct sock *sk) __ksym;
extern __u32 bbr_ssthresh(struct sock *sk) __ksym;
extern __u32 bbr_min_tso_segs(struct sock *sk) __ksym;
extern void bbr_set_state(struct sock *sk, __u8 new_state) __ksym;

SEC("struct_ops")
void BPF_PROG(init, struct sock *sk)
{
	bbr_init(sk);
	bpf_printk("peer: MSS %u, timestamps %d, SACK %d", tcp_sk(sk)->rx_opt.mss_clamp,
		   tcp_sk(sk)->rx_opt.tstamp_ok, tcp_sk(sk)->rx_opt.sack_ok);
}

SEC("struct_ops")
void BPF_PROG(cong_control, struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs)
{
	bbr_main(sk, ack, flag, rs);
}

SEC("struct_ops")
__u32 BPF_PROG(sndbuf_expand, struct sock *sk)
{
	return bbr_sndbuf_expand(sk);
}

SEC("struct_ops")
__u32 BPF_PROG(undo_cwnd, struct sock *sk)
{
	return bbr_undo_cwnd(sk);
}

/* Linux 7.1 and later. */
SEC("struct_ops")
void BPF_PROG(cwnd_event_tx_start, struct sock *sk)
{
	bbr_cwnd_event_tx_start(sk);
}

SEC("struct_ops")
__u32 BPF_PROG(ssthresh, struct sock *sk)
{
	return bbr_ssthresh(sk);
}

SEC("struct_ops")
__u32 BPF_PROG(min_tso_segs, struct sock *sk)
{
	return bbr_min_tso_segs(sk);
}

SEC("struct_ops")
void BPF_PROG(set_state, struct sock *sk, __u8 new_state)
{
	bbr_set_state(sk, new_state);
}

SEC(".struct_ops")
struct tcp_congestion_ops wraps_bbr = {
	.init                = (void *)init,
	.cong_control        = (void *)cong_control,
	.sndbuf_expand       = (void *)sndbuf_expand,
	.undo_cwnd           = (void *)undo_cwnd,
	.cwnd_event_tx_start = (void *)cwnd_event_tx_start,
	.ssthresh            = (void *)ssthresh,
	.min_tso_segs        = (void *)min_tso_segs,
	.set_state           = (void *)set_state,
	.name                = "wraps_bbr",
};
