/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The kernel's structures as the BPF target sees them: member names and nesting are the kernel's,
 * offsets are found when the program is loaded. Include vmlinux.h, not this file.
 */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
};

struct sock {
	struct sock_common __sk_common;
	__u32 sk_priority;
	int sk_rcvbuf;
	int sk_sndbuf;
	int sk_wmem_queued;
	unsigned long sk_pacing_rate;
	unsigned long sk_max_pacing_rate;
	__u32 sk_pacing_status;
	__u8 sk_pacing_shift;
	__u16 sk_gso_max_segs;
	unsigned int sk_gso_max_size;
};

struct inet_sock {
	struct sock sk;
	__be32 inet_saddr;
	__be16 inet_sport;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u32 icsk_rto;
	__u32 icsk_rto_min;
	__u32 icsk_delack_max;
	__u8 icsk_ca_state : 5;
	__u8 icsk_ca_initialized : 1;
	__u8 icsk_retransmits;
	__u8 icsk_pending;
	__u8 icsk_backoff;
	struct {
		__u8 pending;
	} icsk_ack;
	__u64 icsk_ca_priv[13];
};

struct minmax_sample {
	__u32 t;
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_rack {
	__u64 mstamp;
	__u32 rtt_us;
	__u32 end_seq;
	__u32 last_delivered;
	__u8 reo_wnd_steps;
	__u8 reo_wnd_persist : 5;
	__u8 dsack_seen : 1;
	__u8 advanced : 1;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 tcp_mstamp;
	__u64 tcp_clock_cache;
	__u64 tcp_wstamp_ns;
	__u64 first_tx_mstamp;
	__u64 delivered_mstamp;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 snd_wnd;
	__u32 max_window;
	__u32 write_seq;
	__u32 pushed_seq;
	__u32 high_seq;
	__u32 undo_marker;
	__u32 tlp_high_seq;
	__u32 rcv_nxt;
	__u32 rcv_wnd;
	__u32 copied_seq;
	__u32 mss_cache;
	__u16 advmss;
	__u16 gso_segs;
	__u32 snd_cwnd;
	__u32 snd_cwnd_cnt;
	__u32 snd_cwnd_clamp;
	__u32 snd_cwnd_used;
	__u32 snd_cwnd_stamp;
	__u32 snd_ssthresh;
	__u32 prior_ssthresh;
	__u32 prior_cwnd;
	__u32 prr_delivered;
	__u32 prr_out;
	__u32 packets_out;
	__u32 retrans_out;
	__u32 sacked_out;
	__u32 lost_out;
	__u32 max_packets_out;
	__u32 cwnd_usage_seq;
	int undo_retrans;
	__u32 reordering;
	__u32 reord_seen;
	__u32 delivered;
	__u32 delivered_ce;
	__u32 lost;
	__u32 app_limited;
	__u32 rate_delivered;
	__u32 rate_interval_us;
	__u32 total_retrans;
	__u32 dsack_dups;
	__u32 segs_in;
	__u32 segs_out;
	__u32 data_segs_in;
	__u32 data_segs_out;
	__u64 bytes_sent;
	__u64 bytes_acked;
	__u64 bytes_received;
	__u64 bytes_retrans;
	__u32 srtt_us;
	__u32 mdev_us;
	__u32 mdev_max_us;
	__u32 rttvar_us;
	__u32 rtt_seq;
	struct minmax rtt_min;
	struct {
		__u32 rtt_us;
	} rcv_rtt_est;
	__u32 lsndtime;
	__u32 retrans_stamp;
	struct tcp_rack rack;
	__u8 is_cwnd_limited : 1;
	__u8 rate_app_limited : 1;
	__u8 is_sack_reneg : 1;
	__u8 ecn_flags;
	__u8 nonagle : 4;
	__u8 frto : 1;
	__u8 tcp_usec_ts : 1;
	__u8 tlp_retrans : 1;
};

struct rate_sample {
	__u64 prior_mstamp;
	__u32 prior_delivered;
	__u32 prior_delivered_ce;
	__s32 delivered;
	__s32 delivered_ce;
	long interval_us;
	__u32 snd_interval_us;
	__u32 rcv_interval_us;
	long rtt_us;
	int losses;
	__u32 acked_sacked;
	__u32 prior_in_flight;
	__u32 last_end_seq;
	bool is_app_limited;
	bool is_retrans;
	bool is_ack_delayed;
};

struct ack_sample {
	__u32 pkts_acked;
	__s32 rtt_us;
	__u32 in_flight;
};

struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*in_ack_event)(struct sock *sk, __u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	__u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, __u32 ack, int flag, const struct rate_sample *sample);
	__u32 (*undo_cwnd)(struct sock *sk);
	__u32 (*sndbuf_expand)(struct sock *sk);
	char name[16];
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	__u32 flags;
};

#pragma clang attribute pop
