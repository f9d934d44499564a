/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The types that a congestion control program uses, for the kernel and for the simulator.
 *
 * Compiled for BPF, the structures name only the members that programs use; the loader finds the
 * offsets in the running kernel (CO-RE). Compiled natively, they are the simulator's own layout. Both are
 * generated from the declarations in crates/congestion-control (`make headers`).
 *
 * The include guard is the one of a generated vmlinux.h on purpose: a program that brings a full one
 * of its own gets this one.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u8 u8;
typedef __s8 s8;
typedef __u16 u16;
typedef __s16 s16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;
typedef __u16 __le16;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u16 __sum16;
typedef __u32 __wsum;
typedef __u64 sockptr_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
#if defined(__bpf__) || __SIZEOF_LONG__ == 4
typedef unsigned long long uint64_t;
typedef long long int64_t;
#else
typedef unsigned long uint64_t;
typedef long int64_t;
#endif
/* The kernel's long, which has 64 bits; in WebAssembly the compiler's has 32. */
#if __SIZEOF_LONG__ == 8
typedef long kernel_long;
#else
typedef long long kernel_long;
#endif
typedef unsigned long size_t;
typedef long ssize_t;
typedef long ktime_t;
typedef _Bool bool;

#ifndef __cplusplus
enum {
	false = 0,
	true = 1,
};
#endif

#ifndef NULL
#define NULL ((void *)0)
#endif

/* Map kinds that a program may name; the simulator offers the ones listed in native/bpf/bpf_helpers.h. */
enum bpf_map_type {
	BPF_MAP_TYPE_UNSPEC = 0,
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_STRUCT_OPS = 26,
	BPF_MAP_TYPE_RINGBUF = 27,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_EXIST = 2,
	BPF_F_LOCK = 4,
};

enum {
	BPF_F_NO_PREALLOC = 1,
	BPF_F_LINK = 1 << 13,
};

enum {
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
	BPF_SK_STORAGE_GET_F_CREATE = 1,
};

enum {
	IPPROTO_IP = 0,
	IPPROTO_ICMP = 1,
	IPPROTO_TCP = 6,
	IPPROTO_UDP = 17,
	IPPROTO_IPV6 = 41,
};

/* States of a connection. */
enum {
	BPF_TCP_ESTABLISHED = 1,
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT = 2,
	TCP_SYN_RECV = 3,
	TCP_FIN_WAIT1 = 4,
	TCP_FIN_WAIT2 = 5,
	TCP_TIME_WAIT = 6,
	TCP_CLOSE = 7,
	TCP_CLOSE_WAIT = 8,
	TCP_LAST_ACK = 9,
	TCP_LISTEN = 10,
	TCP_CLOSING = 11,
	TCP_NEW_SYN_RECV = 12,
};

/* States of loss recovery (icsk_ca_state). */
enum tcp_ca_state {
	TCP_CA_Open = 0,
	TCP_CA_Disorder = 1,
	TCP_CA_CWR = 2,
	TCP_CA_Recovery = 3,
	TCP_CA_Loss = 4,
};

/* The events of cwnd_event(). */
enum tcp_ca_event {
	CA_EVENT_TX_START = 0,
	CA_EVENT_CWND_RESTART = 1,
	CA_EVENT_COMPLETE_CWR = 2,
	CA_EVENT_LOSS = 3,
	CA_EVENT_ECN_NO_CE = 4,
	CA_EVENT_ECN_IS_CE = 5,
};

/* Bits of the flags that in_ack_event() gets. */
enum tcp_ca_ack_event_flags {
	CA_ACK_SLOWPATH = 1,
	CA_ACK_WIN_UPDATE = 2,
	CA_ACK_ECE = 4,
};

enum inet_csk_ack_state_t {
	ICSK_ACK_SCHED = 1,
	ICSK_ACK_TIMER = 2,
	ICSK_ACK_PUSHED = 4,
	ICSK_ACK_PUSHED2 = 8,
	ICSK_ACK_NOW = 16,
	ICSK_ACK_NOMEM = 32,
};

/* Who paces (sk_pacing_status). */
enum sk_pacing {
	SK_PACING_NONE = 0,
	SK_PACING_NEEDED = 1,
	SK_PACING_FQ = 2,
};

enum {
	TCP_CA_NAME_LENGTH = 16,
};

struct bpf_map;

#ifdef __bpf__
#include "vmlinux_kernel.h"
#else
#include "native/fairlane/sock.h"
#endif

/* Types of the kernel that the program uses and that are not above: from the vmlinux.h beside it, or common_types.h. */
#if __has_include("fairlane_more_types.h")
#include "fairlane_more_types.h"
#endif

#endif /* __VMLINUX_H__ */
