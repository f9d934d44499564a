/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The structures of a native program: the simulator's own layout. Include vmlinux.h, not this file.
 */
#include "generated/native_structures.h"

struct rtattr;
struct module;
union tcp_cc_info;

/* Contexts of other program types, which may be in the same file; they are never called. */
struct bpf_sockopt {
	struct sock *sk;
	void *optval;
	void *optval_end;
	__s32 level;
	__s32 optname;
	__s32 optlen;
	__s32 retval;
};

struct bpf_sock_ops {
	__u32 op;
	__u32 family;
	__u32 remote_ip4;
	__u32 local_ip4;
	__u32 remote_port;
	__u32 local_port;
	struct sock *sk;
};

/* The table that makes a program an algorithm. A callback gets its arguments as an array of 64-bit
 * words, as every BPF program does; BPF_PROG gives them their types back. */
struct tcp_congestion_ops {
	void *ssthresh;
	void *cong_avoid;
	void *set_state;
	void *cwnd_event;
	void *in_ack_event;
	void *pkts_acked;
	void *min_tso_segs;
	void *cong_control;
	void *undo_cwnd;
	void *sndbuf_expand;
	void *get_info;
	char name[16];
	void *owner;
	void *init;
	void *release;
	__u32 key;
	__u32 flags;
	void *cwnd_event_tx_start;
};

_Static_assert(sizeof(struct tcp_congestion_ops) == 15 * sizeof(void *) + 24, "tcp_congestion_ops");
