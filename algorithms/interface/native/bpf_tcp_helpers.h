/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Programs from before Linux 6.10 included this header instead of vmlinux.h and bpf_tracing_net.h,
 * and the very first ones wrote their callbacks with the BPF_TCP_OPS macros.
 */
#ifndef __BPF_TCP_HELPERS_H
#define __BPF_TCP_HELPERS_H

#include "bpf_tracing_net.h"
#include <bpf/bpf_tracing.h>

#define BPF_TCP_OPS_0(name, type) SEC("struct_ops/" #name) type BPF_PROG(name)
#define BPF_TCP_OPS_1(name, type, t1, a1) SEC("struct_ops/" #name) type BPF_PROG(name, t1 a1)
#define BPF_TCP_OPS_2(name, type, t1, a1, t2, a2) \
	SEC("struct_ops/" #name) type BPF_PROG(name, t1 a1, t2 a2)
#define BPF_TCP_OPS_3(name, type, t1, a1, t2, a2, t3, a3) \
	SEC("struct_ops/" #name) type BPF_PROG(name, t1 a1, t2 a2, t3 a3)

/* The next ones used this macro, with the callback's type before it. */
#ifndef BPF_STRUCT_OPS
#define BPF_STRUCT_OPS(name, args...) SEC("struct_ops/" #name) BPF_PROG(name, args)
#endif

/* Are the names of two algorithms equal? */
REPLACEABLE bool tcp_cc_eq(const char *one, const char *other)
{
	for (int i = 0; i < TCP_CA_NAME_MAX; i++) {
		if (one[i] != other[i])
			return false;
		if (!one[i])
			break;
	}
	return true;
}

extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 w, __u32 acked) __ksym;

#endif /* __BPF_TCP_HELPERS_H */
