/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Definitions that programs expect in this header: constants that BTF does not contain, casts between the types of a
 * socket, comparisons of sequence numbers.
 */
#ifndef __BPF_TRACING_NET_H__
#define __BPF_TRACING_NET_H__

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define AF_INET 2
#define AF_INET6 10
#define SOL_SOCKET 1
#define SO_SNDBUF 7
#define SO_RCVBUF 8
#define SO_PRIORITY 12
#define SO_MARK 36
#define SO_MAX_PACING_RATE 47
#define SOL_TCP 6
#define TCP_NODELAY 1
#define TCP_MAXSEG 2
#define TCP_WINDOW_CLAMP 10
#define TCP_CONGESTION 13
#define TCP_NOTSENT_LOWAT 25

#define TCP_CA_NAME_MAX 16

/* Flags of struct tcp_congestion_ops. */
#define TCP_CONG_NON_RESTRICTED 0x1
#define TCP_CONG_NEEDS_ECN 0x2
/* Since Linux 7.0; the loader clears them where the running kernel does not know them. */
#define TCP_CONG_NEEDS_ACCECN 0x4
#define TCP_CONG_ECT_1_NEGOTIATION 0x8

/* Bits of tcp_sock.ecn_flags. */
#define TCP_ECN_OK 1
#define TCP_ECN_QUEUE_CWR 2
#define TCP_ECN_DEMAND_CWR 4
#define TCP_ECN_SEEN 8
/* Since Linux 6.18: accurate ECN feedback (RFC 9768) instead of TCP_ECN_OK. */
#define TCP_ECN_MODE_ACCECN 16

#define ICSK_TIME_RETRANS 1
#define ICSK_TIME_PROBE0 3
#define ICSK_TIME_LOSS_PROBE 5
#define ICSK_TIME_REO_TIMEOUT 6

/* "No loss seen yet". */
#define TCP_INFINITE_SSTHRESH 0x7fffffff
/* RFC 6928. */
#define TCP_INIT_CWND 10
#define TCP_PINGPONG_THRESH 1

/* Bits of the flag that cong_control() gets: the effects of the ACK. */
#define FLAG_DATA 0x01
#define FLAG_WIN_UPDATE 0x02
#define FLAG_DATA_ACKED 0x04
#define FLAG_RETRANS_DATA_ACKED 0x08
#define FLAG_SYN_ACKED 0x10
#define FLAG_DATA_SACKED 0x20
#define FLAG_ECE 0x40
#define FLAG_LOST_RETRANS 0x80
#define FLAG_SLOWPATH 0x100
#define FLAG_ORIG_SACK_ACKED 0x200
#define FLAG_SND_UNA_ADVANCED 0x400
#define FLAG_DSACKING_ACK 0x800
#define FLAG_ACKED (FLAG_DATA_ACKED | FLAG_SYN_ACKED)
#define FLAG_FORWARD_PROGRESS (FLAG_ACKED | FLAG_DATA_SACKED)

#define inet_daddr sk.__sk_common.skc_daddr
#define inet_rcv_saddr sk.__sk_common.skc_rcv_saddr
#define inet_dport sk.__sk_common.skc_dport
#define sk_num __sk_common.skc_num
#define sk_dport __sk_common.skc_dport
#define sk_daddr __sk_common.skc_daddr
#define sk_rcv_saddr __sk_common.skc_rcv_saddr
#define sk_family __sk_common.skc_family
#define sk_state __sk_common.skc_state

#define tcp_jiffies32 ((__u32)bpf_jiffies64())

#ifndef min
#define min(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef max
#define max(a, b) ((a) > (b) ? (a) : (b))
#endif
/* The smaller of the two that are not zero. */
#ifndef min_not_zero
#define min_not_zero(a, b) ((a) == 0 ? (b) : (b) == 0 ? (a) : min(a, b))
#endif

/* A program may define any of these itself, and its own definition then wins. */
#define REPLACEABLE extern inline __attribute__((gnu_inline, always_inline, unused))

REPLACEABLE struct inet_connection_sock *inet_csk(const struct sock *sk)
{
	return (struct inet_connection_sock *)sk;
}

REPLACEABLE void *inet_csk_ca(const struct sock *sk)
{
	return (void *)inet_csk(sk)->icsk_ca_priv;
}

REPLACEABLE struct tcp_sock *tcp_sk(const struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

/* Order of sequence numbers and clock values, which wrap. */
REPLACEABLE bool before(__u32 first, __u32 second)
{
	return (__s32)(first - second) < 0;
}

REPLACEABLE bool after(__u32 second, __u32 first)
{
	return (__s32)(first - second) < 0;
}

REPLACEABLE bool tcp_in_slow_start(const struct tcp_sock *tp)
{
	return tp->snd_cwnd < tp->snd_ssthresh;
}

/* Was the window the limit? In slow start it may grow to twice the packets that were in flight. */
REPLACEABLE bool tcp_is_cwnd_limited(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return true;
	return tcp_in_slow_start(tp) && tp->snd_cwnd < 2 * tp->max_packets_out;
}

#endif /* __BPF_TRACING_NET_H__ */
