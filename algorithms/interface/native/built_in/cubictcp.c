/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The functions of the kernel's CUBIC that its BPF programs may call, by the CUBIC of algorithms/cubic.c.
 */
#include "private.h"
#include "../../../cubic.c"

KERNEL_FUNCTION(void, cubictcp_init, struct sock *sk)
{
	own_cubic_init(sk);
}

KERNEL_FUNCTION(__u32, cubictcp_recalc_ssthresh, struct sock *sk)
{
	return own_cubic_ssthresh(sk);
}

KERNEL_FUNCTION(void, cubictcp_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	own_cubic_cong_avoid(sk, ack, acked);
}

KERNEL_FUNCTION(void, cubictcp_state, struct sock *sk, __u8 new_state)
{
	own_cubic_set_state(sk, new_state);
}

KERNEL_FUNCTION(void, cubictcp_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	own_cubic_cwnd_event(sk, event);
}

/* Since Linux 7.1. */
KERNEL_FUNCTION(void, cubictcp_cwnd_event_tx_start, struct sock *sk)
{
	own_cubic_cwnd_event(sk, CA_EVENT_TX_START);
}

KERNEL_FUNCTION(void, cubictcp_acked, struct sock *sk, const struct ack_sample *sample)
{
	own_cubic_pkts_acked(sk, sample);
}
