/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The kernel's structures as the BPF target sees them: names and nesting are the kernel's, offsets are found when the
 * program is loaded. Written by `make headers` from crates/congestion-control.
 */
struct minmax_sample {
	__u32 t;
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	__u16 skc_family;
	__u8 skc_state;
};

struct sock {
	struct sock_common __sk_common;
	__u32 sk_priority;
	__u64 sk_pacing_rate;                                   /* bytes/s */
	__u64 sk_max_pacing_rate;                               /* bytes/s */
	__u32 sk_gso_max_size;                                  /* bytes */
	__u16 sk_gso_max_segs;                                  /* packets */
	__u8 sk_pacing_shift;
	__u32 sk_pacing_status;                                 /* enum sk_pacing */
	__s32 sk_sndbuf;                                        /* bytes */
	__s32 sk_rcvbuf;                                        /* bytes */
	__s32 sk_wmem_queued;                                   /* bytes */
};

struct inet_sock {
	struct sock sk;
	__be32 inet_saddr;
	__be16 inet_sport;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	struct {
		__u8 pending;                                   /* enum inet_csk_ack_state_t */
		__u8 quick;                                     /* packets */
		__u8 pingpong;
		__u8 retry;
		__u32 ato;                                      /* jiffies */
	} icsk_ack;
	__u64 icsk_ca_priv[13];
	__u32 icsk_rto_min;                                     /* jiffies */
	__u32 icsk_delack_max;                                  /* jiffies */
	__u32 icsk_rto;                                         /* jiffies */
	__u8 icsk_ca_state : 5;                                 /* enum tcp_ca_state */
	__u8 icsk_retransmits;
	__u8 icsk_backoff;
	__u8 icsk_ca_initialized : 1;
	__u8 icsk_pending;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 tcp_mstamp;                                       /* us */
	__u64 tcp_clock_cache;                                  /* ns */
	__u64 tcp_wstamp_ns;                                    /* ns */
	__u64 first_tx_mstamp;                                  /* us */
	__u64 delivered_mstamp;                                 /* us */
	__u32 snd_cwnd;                                         /* packets */
	__u32 packets_out;                                      /* packets */
	__u32 retrans_out;                                      /* packets */
	__u32 sacked_out;                                       /* packets */
	__u32 lost_out;                                         /* packets */
	__u32 mss_cache;                                        /* bytes */
	__u32 srtt_us;                                          /* us/8 */
	__u32 delivered;                                        /* packets */
	__u32 delivered_ce;                                     /* packets */
	__u32 app_limited;                                      /* packets */
	__u32 snd_nxt;                                          /* sequence number */
	struct minmax rtt_min;
	__u8 is_cwnd_limited : 1;                               /* bool */
	__u8 rate_app_limited : 1;                              /* bool */
	__u8 is_sack_reneg : 1;                                 /* bool */
	__u8 ecn_flags;                                         /* TCP_ECN_* */
	__u32 snd_cwnd_stamp;                                   /* jiffies */
	__u32 snd_cwnd_used;                                    /* packets */
	__u32 max_packets_out;                                  /* packets */
	__u32 segs_out;                                         /* packets */
	__u32 data_segs_out;                                    /* packets */
	__u32 lsndtime;                                         /* jiffies */
	__u64 bytes_sent;                                       /* bytes */
	__u64 bytes_acked;                                      /* bytes */
	__u32 snd_una;                                          /* sequence number */
	__u32 snd_wnd;                                          /* bytes */
	__u32 max_window;                                       /* bytes */
	__u32 lost;                                             /* packets */
	__u32 rate_delivered;                                   /* packets */
	__u32 rate_interval_us;                                 /* us */
	__u32 segs_in;                                          /* packets */
	__u32 mdev_us;                                          /* us/4 */
	__u32 mdev_max_us;                                      /* us/4 */
	__u32 rttvar_us;                                        /* us/4 */
	__u32 rtt_seq;                                          /* sequence number */
	__u32 snd_ssthresh;                                     /* packets */
	struct tcp_rack {
		__u64 mstamp;                                   /* us */
		__u32 rtt_us;                                   /* us */
		__u32 end_seq;                                  /* sequence number */
		__u32 last_delivered;                           /* packets */
		__u8 reo_wnd_steps;
		__u8 reo_wnd_persist : 5;
		__u8 dsack_seen : 1;                            /* bool */
		__u8 advanced : 1;                              /* bool */
	} rack;
	__u32 cwnd_usage_seq;                                   /* sequence number */
	__u32 reordering;                                       /* packets */
	__u32 reord_seen;
	__u32 prr_delivered;                                    /* packets */
	__u32 prr_out;                                          /* packets */
	__u32 prior_cwnd;                                       /* packets */
	__u32 snd_cwnd_clamp;                                   /* packets */
	__u32 snd_cwnd_cnt;                                     /* packets */
	__u32 retrans_stamp;                                    /* ms */
	__u8 frto : 1;                                          /* bool */
	__u8 tcp_usec_ts : 1;                                   /* bool */
	__u8 tlp_retrans : 1;                                   /* bool */
	__u64 bytes_retrans;                                    /* bytes */
	__u32 write_seq;                                        /* sequence number */
	__u32 high_seq;                                         /* sequence number */
	__u32 undo_marker;                                      /* sequence number */
	__u32 tlp_high_seq;                                     /* sequence number */
	__u32 rcv_nxt;                                          /* sequence number */
	__u16 advmss;                                           /* bytes */
	__u32 prior_ssthresh;                                   /* packets */
	__s32 undo_retrans;                                     /* packets */
	__u32 total_retrans;                                    /* packets */
	__u32 dsack_dups;                                       /* packets */
	struct tcp_options_received {
		__u32 rcv_tsval;                                /* ms */
		__u32 rcv_tsecr;                                /* ms */
		__u8 saw_tstamp : 1;                            /* bool */
		__u8 tstamp_ok : 1;                             /* bool */
		__u8 sack_ok : 3;                               /* bool */
		__u16 mss_clamp;                                /* bytes */
		__s32 ts_recent_stamp;                          /* s */
		__u32 ts_recent;                                /* ms */
		__u8 dsack : 1;                                 /* bool */
		__u8 wscale_ok : 1;                             /* bool */
		__u8 snd_wscale : 4;
		__u8 rcv_wscale : 4;
		__u8 num_sacks;
		__u16 user_mss;                                 /* bytes */
	} rx_opt;
	__u64 bytes_received;                                   /* bytes */
	__u32 pushed_seq;                                       /* sequence number */
	__u32 rcv_wnd;                                          /* bytes */
	__u32 copied_seq;                                       /* sequence number */
	__u32 data_segs_in;                                     /* packets */
	struct {
		__u32 rtt_us;                                   /* us/8 */
	} rcv_rtt_est;
	__u16 gso_segs;                                         /* packets */
	__u8 nonagle : 4;
};

struct rate_sample {
	__u64 prior_mstamp;                                     /* us */
	__u32 prior_delivered;                                  /* packets */
	__u32 prior_delivered_ce;                               /* packets */
	__s32 delivered;                                        /* packets */
	__s32 delivered_ce;                                     /* packets */
	kernel_long interval_us;                                /* us */
	__u32 snd_interval_us;                                  /* us */
	__u32 rcv_interval_us;                                  /* us */
	kernel_long rtt_us;                                     /* us */
	__s32 losses;                                           /* packets */
	__u32 acked_sacked;                                     /* packets */
	__u32 prior_in_flight;                                  /* packets */
	__u32 last_end_seq;                                     /* sequence number */
	bool is_app_limited;                                    /* bool */
	bool is_retrans;                                        /* bool */
	bool is_ack_delayed;                                    /* bool */
};

struct ack_sample {
	__u32 pkts_acked;                                       /* packets */
	__s32 rtt_us;                                           /* us */
	__u32 in_flight;                                        /* packets */
};
