/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The offsets and sizes of everything that both the simulator and a program touch. The host compares
 * this table with its own structures before it runs a program.
 */
#include "vmlinux.h"

struct fairlane_member {
	const char *name;
	__u32 offset;
	__u32 bytes;
};

#define MEMBER(type, path, name) \
	{ name, __builtin_offsetof(struct type, path), sizeof(((struct type *)0)->path) }
#define SK(field) MEMBER(sock, field, #field)
#define ICSK(field) MEMBER(inet_connection_sock, field, #field)
#define TP(field) MEMBER(tcp_sock, field, #field)
#define RS(field) MEMBER(rate_sample, field, "rate_sample." #field)
#define ACK(field) MEMBER(ack_sample, field, "ack_sample." #field)
#define OPS(field) MEMBER(tcp_congestion_ops, field, "ops." #field)

const struct fairlane_member fairlane_layout[] = {
	MEMBER(sock, __sk_common.skc_daddr, "skc_daddr"),
	MEMBER(sock, __sk_common.skc_rcv_saddr, "skc_rcv_saddr"),
	MEMBER(sock, __sk_common.skc_dport, "skc_dport"),
	MEMBER(sock, __sk_common.skc_num, "skc_num"),
	MEMBER(sock, __sk_common.skc_family, "skc_family"),
	MEMBER(sock, __sk_common.skc_state, "skc_state"),
	SK(sk_priority), SK(sk_pacing_status), SK(sk_pacing_rate), SK(sk_max_pacing_rate), SK(sk_sndbuf), SK(sk_rcvbuf),
	SK(sk_wmem_queued), SK(sk_gso_max_size), SK(sk_gso_max_segs), SK(sk_pacing_shift),
	SK(fairlane_flow), SK(fairlane_random), SK(fairlane_jiffy_ns),
	SK(fairlane_ack_seq), SK(fairlane_ack_asked), SK(fairlane_ack_ece),
	MEMBER(inet_sock, inet_saddr, "inet_saddr"), MEMBER(inet_sock, inet_sport, "inet_sport"),
	ICSK(icsk_ca_ops), ICSK(icsk_rto), ICSK(icsk_rto_min), ICSK(icsk_delack_max), ICSK(icsk_ca_state),
	ICSK(icsk_retransmits), ICSK(icsk_pending), ICSK(icsk_backoff), ICSK(icsk_ca_priv),
	MEMBER(inet_connection_sock, icsk_ack.pending, "icsk_ack_pending"),
	MEMBER(inet_connection_sock, icsk_ack.quick, "icsk_ack_quick"),
	MEMBER(inet_connection_sock, icsk_ack.pingpong, "icsk_ack_pingpong"),
	MEMBER(inet_connection_sock, icsk_ack.retry, "icsk_ack_retry"),
	MEMBER(inet_connection_sock, icsk_ack.ato, "icsk_ack_ato"),
	TP(tcp_mstamp), TP(tcp_clock_cache), TP(tcp_wstamp_ns), TP(first_tx_mstamp), TP(delivered_mstamp),
	TP(snd_una), TP(snd_nxt), TP(snd_wnd), TP(max_window), TP(write_seq), TP(pushed_seq), TP(high_seq),
	TP(undo_marker), TP(tlp_high_seq), TP(rcv_nxt), TP(rcv_wnd), TP(copied_seq), TP(mss_cache),
	TP(advmss), TP(gso_segs), TP(snd_cwnd), TP(snd_cwnd_cnt), TP(snd_cwnd_clamp), TP(snd_cwnd_used),
	TP(snd_cwnd_stamp), TP(snd_ssthresh), TP(prior_ssthresh), TP(prior_cwnd), TP(prr_delivered),
	TP(prr_out), TP(packets_out), TP(retrans_out), TP(sacked_out), TP(lost_out), TP(max_packets_out),
	TP(cwnd_usage_seq), TP(undo_retrans), TP(reordering), TP(reord_seen), TP(delivered),
	TP(delivered_ce), TP(lost), TP(app_limited), TP(rate_delivered), TP(rate_interval_us),
	TP(total_retrans), TP(dsack_dups), TP(segs_in), TP(segs_out), TP(data_segs_in), TP(data_segs_out),
	TP(bytes_sent), TP(bytes_acked), TP(bytes_received), TP(bytes_retrans), TP(srtt_us), TP(mdev_us),
	TP(mdev_max_us), TP(rttvar_us), TP(rtt_seq), TP(rtt_min),
	MEMBER(tcp_sock, rcv_rtt_est.rtt_us, "rcv_rtt_us"),
	TP(lsndtime), TP(retrans_stamp),
	MEMBER(tcp_sock, rack.mstamp, "rack_mstamp"),
	MEMBER(tcp_sock, rack.rtt_us, "rack_rtt_us"),
	MEMBER(tcp_sock, rack.end_seq, "rack_end_seq"),
	MEMBER(tcp_sock, rack.last_delivered, "rack_last_delivered"),
	MEMBER(tcp_sock, rack.reo_wnd_steps, "rack_reo_wnd_steps"),
	MEMBER(tcp_sock, rack.reo_wnd_persist, "rack_reo_wnd_persist"),
	MEMBER(tcp_sock, rack.dsack_seen, "rack_dsack_seen"),
	MEMBER(tcp_sock, rack.advanced, "rack_advanced"),
	TP(is_cwnd_limited), TP(rate_app_limited), TP(is_sack_reneg), TP(ecn_flags), TP(nonagle), TP(frto),
	TP(tcp_usec_ts), TP(tlp_retrans),
	{ "tcp_sock", 0, sizeof(struct tcp_sock) },
	RS(prior_mstamp), RS(prior_delivered), RS(prior_delivered_ce), RS(delivered), RS(delivered_ce),
	RS(interval_us), RS(snd_interval_us), RS(rcv_interval_us), RS(rtt_us), RS(losses),
	RS(acked_sacked), RS(prior_in_flight), RS(last_end_seq), RS(is_app_limited), RS(is_retrans),
	RS(is_ack_delayed),
	{ "rate_sample", 0, sizeof(struct rate_sample) },
	ACK(pkts_acked), ACK(rtt_us), ACK(in_flight),
	{ "ack_sample", 0, sizeof(struct ack_sample) },
	OPS(ssthresh), OPS(cong_avoid), OPS(set_state), OPS(cwnd_event), OPS(in_ack_event),
	OPS(pkts_acked), OPS(min_tso_segs), OPS(cong_control), OPS(undo_cwnd), OPS(sndbuf_expand),
	OPS(get_info), OPS(name), OPS(init), OPS(release), OPS(flags),
	{ "ops", 0, sizeof(struct tcp_congestion_ops) },
	{ NULL, 0, 0 },
};
