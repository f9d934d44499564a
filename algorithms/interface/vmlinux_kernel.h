/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The kernel's structures as the BPF target sees them. Include vmlinux.h, not this file.
 */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#include "generated/kernel_structures.h"

/* The members of all kernels. The loader removes those that the running kernel lacks, and relies on `name` being the
 * eleventh member. */
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*in_ack_event)(struct sock *sk, __u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	__u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, __u32 ack, int flag, const struct rate_sample *sample);
	__u32 (*undo_cwnd)(struct sock *sk);
	__u32 (*sndbuf_expand)(struct sock *sk);
	char name[16];
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	__u32 flags;
	void (*cwnd_event_tx_start)(struct sock *sk);
};

#pragma clang attribute pop
