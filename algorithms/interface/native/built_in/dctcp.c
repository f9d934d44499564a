/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The functions of the kernel's DCTCP that its BPF programs may call, by the DCTCP of algorithms/dctcp.c.
 */
#include "private.h"
#include "../../../dctcp.c"

KERNEL_FUNCTION(void, dctcp_init, struct sock *sk)
{
	own_dctcp_init(sk);
}

KERNEL_FUNCTION(void, dctcp_update_alpha, struct sock *sk, __u32 flags)
{
	own_dctcp_in_ack_event(sk, flags);
}

KERNEL_FUNCTION(void, dctcp_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	own_dctcp_cwnd_event(sk, event);
}

KERNEL_FUNCTION(__u32, dctcp_ssthresh, struct sock *sk)
{
	return own_dctcp_ssthresh(sk);
}

KERNEL_FUNCTION(__u32, dctcp_cwnd_undo, struct sock *sk)
{
	return own_dctcp_undo_cwnd(sk);
}

KERNEL_FUNCTION(void, dctcp_state, struct sock *sk, __u8 new_state)
{
	own_dctcp_set_state(sk, new_state);
}
