/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The functions of the kernel's BBR that its BPF programs may call, by the BBR of algorithms/bbr.c.
 */
#include "private.h"
#include "../../../bbr.c"

KERNEL_FUNCTION(void, bbr_init, struct sock *sk)
{
	own_bbr_init(sk);
}

KERNEL_FUNCTION(void, bbr_main, struct sock *sk, __u32 ack, int flag, const struct rate_sample *sample)
{
	own_bbr_cong_control(sk, sample);
}

KERNEL_FUNCTION(__u32, bbr_sndbuf_expand, struct sock *sk)
{
	return own_bbr_sndbuf_expand(sk);
}

KERNEL_FUNCTION(__u32, bbr_undo_cwnd, struct sock *sk)
{
	return own_bbr_undo_cwnd(sk);
}

KERNEL_FUNCTION(void, bbr_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	own_bbr_cwnd_event(sk, event);
}

/* Since Linux 7.1. */
KERNEL_FUNCTION(void, bbr_cwnd_event_tx_start, struct sock *sk)
{
	own_bbr_cwnd_event(sk, CA_EVENT_TX_START);
}

KERNEL_FUNCTION(__u32, bbr_ssthresh, struct sock *sk)
{
	return own_bbr_ssthresh(sk);
}

KERNEL_FUNCTION(__u32, bbr_min_tso_segs, struct sock *sk)
{
	return own_bbr_min_tso_segs(sk);
}

KERNEL_FUNCTION(void, bbr_set_state, struct sock *sk, __u8 new_state)
{
	own_bbr_set_state(sk, new_state);
}
