/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The callbacks of BBR versions 2 and 3, and the table that names them.
 */
#ifndef FAIRLANE_BBR_V3_CALLBACKS_H
#define FAIRLANE_BBR_V3_CALLBACKS_H

#include "../bbr_v3.h"

SEC("struct_ops/cong_control")
void CONG_CONTROL(bbr_v3_cong_control, sk, rs)
{
	on_ack(sk, rs);
}

SEC("struct_ops/init")
void BPF_PROG(bbr_v3_init, struct sock *sk)
{
	on_init(sk);
}

SEC("struct_ops/cwnd_event")
void CWND_EVENT(bbr_v3_cwnd_event, sk, event)
{
	if (event == CA_EVENT_TX_START)
		on_restart(sk);
}

SEC("struct_ops/set_state")
void BPF_PROG(bbr_v3_set_state, struct sock *sk, __u8 new_state)
{
	if (new_state == TCP_CA_Loss)
		on_time_out(sk);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(bbr_v3_ssthresh, struct sock *sk)
{
	return on_reduction(sk);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(bbr_v3_undo_cwnd, struct sock *sk)
{
	return on_undo(sk);
}

SEC("struct_ops/min_tso_segs")
__u32 BPF_PROG(bbr_v3_min_tso_segs, struct sock *sk)
{
	return min_burst(sk);
}

/* With three times the window buffered, the application can keep the pipe full while recovery takes a round trip. */
SEC("struct_ops/sndbuf_expand")
__u32 BPF_PROG(bbr_v3_sndbuf_expand, struct sock *sk)
{
	return 3;
}

#define BBR_V3_TABLE(table) \
	SEC(".struct_ops") \
	struct tcp_congestion_ops table = { \
		.init                = (void *)bbr_v3_init, \
		.cong_control        = (void *)bbr_v3_cong_control, \
		.cwnd_event          = (void *)bbr_v3_cwnd_event, \
		.cwnd_event_tx_start = (void *)bbr_v3_cwnd_event_tx_start, \
		.set_state           = (void *)bbr_v3_set_state, \
		.ssthresh            = (void *)bbr_v3_ssthresh, \
		.undo_cwnd           = (void *)bbr_v3_undo_cwnd, \
		.min_tso_segs        = (void *)bbr_v3_min_tso_segs, \
		.sndbuf_expand       = (void *)bbr_v3_sndbuf_expand, \
		.name                = "fl_" #table, \
	}

#endif /* FAIRLANE_BBR_V3_CALLBACKS_H */
