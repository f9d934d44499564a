/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The header that every algorithm includes: types, helpers, the kernel functions that an algorithm may call, units, and
 * macros for callbacks that differ between kernels.
 */
#ifndef FAIRLANE_CONGESTION_CONTROL_H
#define FAIRLANE_CONGESTION_CONTROL_H

#include "vmlinux.h"
#include "bpf_tracing_net.h"
#include <bpf/bpf_tracing.h>

extern unsigned long CONFIG_HZ __kconfig;
extern int LINUX_KERNEL_VERSION __kconfig;

extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 w, __u32 acked) __ksym;
extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

#define HZ ((__u32)CONFIG_HZ)
#define USEC_PER_MSEC 1000U
#define USEC_PER_SEC 1000000U
#define NSEC_PER_USEC 1000U

/* Durations in jiffies, rounded up as the kernel does. */
static __always_inline __u32 usecs_to_jiffies(__u32 us)
{
	return ((__u64)us * HZ + USEC_PER_SEC - 1) / USEC_PER_SEC;
}

static __always_inline __u32 msecs_to_jiffies(__u32 ms)
{
	return ((__u64)ms * HZ + 999) / 1000;
}

/* Packets believed to be in the network. */
static __always_inline __u32 tcp_packets_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

static __always_inline __u8 ca_state(const struct sock *sk)
{
	return BPF_CORE_READ_BITFIELD(inet_csk(sk), icsk_ca_state);
}

/* Members that a program may write only in newer kernels: pacing rate and pacing status since Linux 6.0, app_limited
 * since 6.4. Behind these conditions the verifier of an older kernel does not see the write. */
#define MAY_WRITE_PACING (LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 0, 0))
#define MAY_WRITE_APP_LIMITED (LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 4, 0))

/* Fails to compile when an algorithm's state does not fit into the connection's private block. */
#define STATE_FITS(type) \
	_Static_assert(sizeof(type) <= 13 * sizeof(__u64), #type " is larger than icsk_ca_priv")

#ifndef FAIRLANE_NOTE_ARITY
#define FAIRLANE_NOTE_ARITY(name, count)
#endif

/* cong_control() got (sk, sample) up to Linux 6.9 and gets (sk, ack, flag, sample) since 6.10. Written
 * as CONG_CONTROL(name, sk, sample) a program fits both: the loader fixes LINUX_KERNEL_VERSION, so
 * that the verifier never sees the branch that is not this kernel's. */
#define CONG_CONTROL(name, sk, sample)                                                             \
	name(unsigned long long *ctx);                                                             \
	FAIRLANE_NOTE_ARITY(name, 4)                                                               \
	static __always_inline void name##_body(struct sock *sk, const struct rate_sample *sample);\
	void name(unsigned long long *ctx)                                                         \
	{                                                                                          \
		if (LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 10, 0))                              \
			name##_body((struct sock *)ctx[0], (const struct rate_sample *)ctx[3]);    \
		else                                                                               \
			name##_body((struct sock *)ctx[0], (const struct rate_sample *)ctx[1]);    \
	}                                                                                          \
	static __always_inline void name##_body(struct sock *sk, const struct rate_sample *sample)

/* CA_EVENT_TX_START came to cwnd_event() up to Linux 7.0 and has a callback of its own, cwnd_event_tx_start(),
 * since 7.1. Written as CWND_EVENT(name, sk, event) a program has both around one body: the callbacks `name` and
 * `name_tx_start`. Its table names both; the loader leaves out the member that the running kernel lacks. */
#define CWND_EVENT(name, sk, event)                                                                \
	name(unsigned long long *ctx);                                                             \
	void name##_tx_start(unsigned long long *ctx);                                             \
	FAIRLANE_NOTE_ARITY(name, 2)                                                               \
	FAIRLANE_NOTE_ARITY(name##_tx_start, 1)                                                    \
	static __always_inline void name##_body(struct sock *sk, enum tcp_ca_event event);         \
	void name(unsigned long long *ctx)                                                         \
	{                                                                                          \
		name##_body((struct sock *)ctx[0], (enum tcp_ca_event)ctx[1]);                     \
	}                                                                                          \
	SEC("struct_ops/cwnd_event_tx_start")                                                      \
	void name##_tx_start(unsigned long long *ctx)                                              \
	{                                                                                          \
		name##_body((struct sock *)ctx[0], CA_EVENT_TX_START);                             \
	}                                                                                          \
	static __always_inline void name##_body(struct sock *sk, enum tcp_ca_event event)

#endif /* FAIRLANE_CONGESTION_CONTROL_H */
