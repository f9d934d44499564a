/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * A connection as native programs see it: the simulator's own layout.
 * Written by `make headers` from crates/congestion-control.
 *
 * READ_ONLY marks members that the kernel's verifier lets no program write. NOT_KEPT marks members of the kernel that
 * the simulator lacks: they overlap others, and a program that reads one is rejected with the member's name.
 */
#ifdef FAIRLANE_CHECK_WRITES
#define READ_ONLY const
#else
#define READ_ONLY
#endif
#define NOT_KEPT __attribute__((deprecated("not kept by the simulator"))) const

struct minmax_sample {
	__u32 t;
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct sock_common {
	READ_ONLY __be32 skc_daddr;
	READ_ONLY __be32 skc_rcv_saddr;
	READ_ONLY __be16 skc_dport;
	READ_ONLY __u16 skc_num;
	READ_ONLY __u16 skc_family;
	READ_ONLY __u8 skc_state;
	__u8 _pad0;
};

struct sock {
	union {
		struct sock_common __sk_common;
		struct {
			NOT_KEPT __s32 sk_sndbuf;               /* bytes */
			NOT_KEPT __s32 sk_rcvbuf;               /* bytes */
			NOT_KEPT __s32 sk_wmem_queued;          /* bytes */
		};
	};
	READ_ONLY __u32 sk_priority;
	READ_ONLY __u32 fairlane_flow;
	__u64 fairlane_random;
	__u32 fairlane_ack_seq;
	__u8 fairlane_ack_asked;
	__u8 fairlane_ack_ece;
	__u16 _pad1;
	__u64 _pad2[3];
	__u64 sk_pacing_rate;                                   /* bytes/s */
	READ_ONLY __u64 sk_max_pacing_rate;                     /* bytes/s */
	READ_ONLY __u32 sk_gso_max_size;                        /* bytes */
	READ_ONLY __u16 sk_gso_max_segs;                        /* packets */
	READ_ONLY __u8 sk_pacing_shift;
	__u8 _pad3;
	__u32 sk_pacing_status;                                 /* enum sk_pacing */
	__u32 _pad4;
	READ_ONLY __u64 fairlane_jiffy_ns;                      /* ns */
};

struct inet_sock {
	struct sock sk;
	READ_ONLY __be32 inet_saddr;
	READ_ONLY __be16 inet_sport;
	__u16 _pad5;
};

struct inet_connection_sock {
	union {
		struct inet_sock icsk_inet;
		struct {
			NOT_KEPT __u8 icsk_ca_initialized;
			NOT_KEPT __u8 icsk_pending;
		};
	};
	__u64 icsk_ca_ops;
	struct {
		__u8 pending;                                   /* enum inet_csk_ack_state_t */
		READ_ONLY __u8 quick;                           /* packets */
		NOT_KEPT __u8 pingpong;
		NOT_KEPT __u8 retry;
		NOT_KEPT __u32 ato;                             /* jiffies */
	} icsk_ack;
	__u64 icsk_ca_priv[13];
	READ_ONLY __u32 icsk_rto_min;                           /* jiffies */
	READ_ONLY __u32 icsk_delack_max;                        /* jiffies */
	READ_ONLY __u32 icsk_rto;                               /* jiffies */
	READ_ONLY __u8 icsk_ca_state;                           /* enum tcp_ca_state */
	READ_ONLY __u8 icsk_retransmits;
	__u8 _pad8;
	READ_ONLY __u8 icsk_backoff;
};

struct tcp_sock {
	union {
		struct inet_connection_sock inet_conn;
		struct {
			NOT_KEPT __u64 bytes_received;          /* bytes */
			NOT_KEPT __u32 pushed_seq;              /* sequence number */
			NOT_KEPT __u32 rcv_wnd;                 /* bytes */
			NOT_KEPT __u32 copied_seq;              /* sequence number */
			NOT_KEPT __u32 data_segs_in;            /* packets */
			struct {
				NOT_KEPT __u32 rtt_us;          /* us/8 */
			} rcv_rtt_est;
			NOT_KEPT __u16 gso_segs;                /* packets */
			NOT_KEPT __u8 nonagle;
		};
	};
	READ_ONLY __u64 tcp_mstamp;                             /* us */
	READ_ONLY __u64 tcp_clock_cache;                        /* ns */
	READ_ONLY __u64 tcp_wstamp_ns;                          /* ns */
	READ_ONLY __u64 first_tx_mstamp;                        /* us */
	READ_ONLY __u64 delivered_mstamp;                       /* us */
	__u32 snd_cwnd;                                         /* packets */
	READ_ONLY __u32 packets_out;                            /* packets */
	READ_ONLY __u32 retrans_out;                            /* packets */
	READ_ONLY __u32 sacked_out;                             /* packets */
	READ_ONLY __u32 lost_out;                               /* packets */
	READ_ONLY __u32 mss_cache;                              /* bytes */
	READ_ONLY __u32 srtt_us;                                /* us/8 */
	READ_ONLY __u32 delivered;                              /* packets */
	READ_ONLY __u32 delivered_ce;                           /* packets */
	__u32 app_limited;                                      /* packets */
	READ_ONLY __u32 snd_nxt;                                /* sequence number */
	READ_ONLY struct minmax rtt_min;
	READ_ONLY __u8 is_cwnd_limited;                         /* bool */
	READ_ONLY __u8 rate_app_limited;                        /* bool */
	READ_ONLY __u8 is_sack_reneg;                           /* bool */
	__u8 ecn_flags;                                         /* TCP_ECN_* */
	__u32 snd_cwnd_stamp;                                   /* jiffies */
	READ_ONLY __u32 snd_cwnd_used;                          /* packets */
	READ_ONLY __u32 max_packets_out;                        /* packets */
	READ_ONLY __u32 segs_out;                               /* packets */
	READ_ONLY __u32 data_segs_out;                          /* packets */
	READ_ONLY __u32 lsndtime;                               /* jiffies */
	READ_ONLY __u64 bytes_sent;                             /* bytes */
	READ_ONLY __u64 bytes_acked;                            /* bytes */
	READ_ONLY __u32 snd_una;                                /* sequence number */
	READ_ONLY __u32 snd_wnd;                                /* bytes */
	READ_ONLY __u32 max_window;                             /* bytes */
	READ_ONLY __u32 lost;                                   /* packets */
	READ_ONLY __u32 rate_delivered;                         /* packets */
	READ_ONLY __u32 rate_interval_us;                       /* us */
	READ_ONLY __u32 segs_in;                                /* packets */
	READ_ONLY __u32 mdev_us;                                /* us/4 */
	READ_ONLY __u32 mdev_max_us;                            /* us/4 */
	READ_ONLY __u32 rttvar_us;                              /* us/4 */
	READ_ONLY __u32 rtt_seq;                                /* sequence number */
	__u32 snd_ssthresh;                                     /* packets */
	READ_ONLY struct tcp_rack {
		__u64 mstamp;                                   /* us */
		__u32 rtt_us;                                   /* us */
		__u32 end_seq;                                  /* sequence number */
		__u32 last_delivered;                           /* packets */
		__u8 reo_wnd_steps;
		__u8 reo_wnd_persist;
		__u8 dsack_seen;                                /* bool */
		__u8 advanced;                                  /* bool */
	} rack;
	READ_ONLY __u32 cwnd_usage_seq;                         /* sequence number */
	READ_ONLY __u32 reordering;                             /* packets */
	READ_ONLY __u32 reord_seen;
	READ_ONLY __u32 prr_delivered;                          /* packets */
	READ_ONLY __u32 prr_out;                                /* packets */
	READ_ONLY __u32 prior_cwnd;                             /* packets */
	READ_ONLY __u32 snd_cwnd_clamp;                         /* packets */
	__u32 snd_cwnd_cnt;                                     /* packets */
	READ_ONLY __u32 retrans_stamp;                          /* ms */
	__u8 _pad9;
	READ_ONLY __u8 frto;                                    /* bool */
	READ_ONLY __u8 tcp_usec_ts;                             /* bool */
	READ_ONLY __u8 tlp_retrans;                             /* bool */
	READ_ONLY __u64 bytes_retrans;                          /* bytes */
	READ_ONLY __u32 write_seq;                              /* sequence number */
	READ_ONLY __u32 high_seq;                               /* sequence number */
	READ_ONLY __u32 undo_marker;                            /* sequence number */
	READ_ONLY __u32 tlp_high_seq;                           /* sequence number */
	READ_ONLY __u32 rcv_nxt;                                /* sequence number */
	READ_ONLY __u16 advmss;                                 /* bytes */
	__u16 _pad10;
	READ_ONLY __u32 prior_ssthresh;                         /* packets */
	READ_ONLY __s32 undo_retrans;                           /* packets */
	READ_ONLY __u32 total_retrans;                          /* packets */
	READ_ONLY __u32 dsack_dups;                             /* packets */
	struct tcp_options_received {
		READ_ONLY __u32 rcv_tsval;                      /* ms */
		READ_ONLY __u32 rcv_tsecr;                      /* ms */
		READ_ONLY __u8 saw_tstamp;                      /* bool */
		READ_ONLY __u8 tstamp_ok;                       /* bool */
		READ_ONLY __u8 sack_ok;                         /* bool */
		READ_ONLY __u16 mss_clamp;                      /* bytes */
		NOT_KEPT __s32 ts_recent_stamp;                 /* s */
		NOT_KEPT __u32 ts_recent;                       /* ms */
		NOT_KEPT __u8 dsack;                            /* bool */
		NOT_KEPT __u8 wscale_ok;                        /* bool */
		NOT_KEPT __u8 snd_wscale;
		NOT_KEPT __u8 rcv_wscale;
		NOT_KEPT __u8 num_sacks;
		NOT_KEPT __u16 user_mss;                        /* bytes */
	} rx_opt;
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
	__u8 _pad;
};

struct ack_sample {
	__u32 pkts_acked;                                       /* packets */
	__s32 rtt_us;                                           /* us */
	__u32 in_flight;                                        /* packets */
};

/* Does the text of an expression end in a member that is not kept? */
#define FAIRLANE_NOT_KEPT(text) (__builtin_strstr(text, "sk_sndbuf") != 0 || \
	__builtin_strstr(text, "sk_rcvbuf") != 0 || \
	__builtin_strstr(text, "sk_wmem_queued") != 0 || \
	__builtin_strstr(text, "icsk_ca_initialized") != 0 || \
	__builtin_strstr(text, "icsk_pending") != 0 || \
	__builtin_strstr(text, "icsk_ack.pingpong") != 0 || \
	__builtin_strstr(text, "icsk_ack.retry") != 0 || \
	__builtin_strstr(text, "icsk_ack.ato") != 0 || \
	__builtin_strstr(text, "bytes_received") != 0 || \
	__builtin_strstr(text, "pushed_seq") != 0 || \
	__builtin_strstr(text, "rcv_wnd") != 0 || \
	__builtin_strstr(text, "copied_seq") != 0 || \
	__builtin_strstr(text, "data_segs_in") != 0 || \
	__builtin_strstr(text, "rcv_rtt_est.rtt_us") != 0 || \
	__builtin_strstr(text, "gso_segs") != 0 || \
	__builtin_strstr(text, "nonagle") != 0 || \
	__builtin_strstr(text, "rx_opt.ts_recent_stamp") != 0 || \
	__builtin_strstr(text, "rx_opt.ts_recent") != 0 || \
	__builtin_strstr(text, "rx_opt.dsack") != 0 || \
	__builtin_strstr(text, "rx_opt.wscale_ok") != 0 || \
	__builtin_strstr(text, "rx_opt.snd_wscale") != 0 || \
	__builtin_strstr(text, "rx_opt.rcv_wscale") != 0 || \
	__builtin_strstr(text, "rx_opt.num_sacks") != 0 || \
	__builtin_strstr(text, "rx_opt.user_mss") != 0)

/* The compiler's layout must be that of the Rust structures. */
#define AT(type, member, at, bytes) \
	_Static_assert(__builtin_offsetof(struct type, member) == at && \
		       sizeof(((struct type *)0)->member) == bytes, #member)
AT(sock_common, skc_daddr, 0, 4);
AT(sock_common, skc_rcv_saddr, 4, 4);
AT(sock_common, skc_dport, 8, 2);
AT(sock_common, skc_num, 10, 2);
AT(sock_common, skc_family, 12, 2);
AT(sock_common, skc_state, 14, 1);
AT(sock, sk_priority, 16, 4);
AT(sock, fairlane_flow, 20, 4);
AT(sock, sk_pacing_rate, 64, 8);
AT(sock, sk_max_pacing_rate, 72, 8);
AT(sock, sk_gso_max_size, 80, 4);
AT(sock, sk_gso_max_segs, 84, 2);
AT(sock, sk_pacing_shift, 86, 1);
AT(sock, sk_pacing_status, 88, 4);
AT(sock, fairlane_jiffy_ns, 96, 8);
AT(inet_sock, inet_saddr, 104, 4);
AT(inet_sock, inet_sport, 108, 2);
AT(inet_connection_sock, icsk_ack.pending, 120, 1);
AT(inet_connection_sock, icsk_ack.quick, 121, 1);
AT(inet_connection_sock, icsk_ca_priv, 128, 104);
AT(inet_connection_sock, icsk_rto_min, 232, 4);
AT(inet_connection_sock, icsk_delack_max, 236, 4);
AT(inet_connection_sock, icsk_rto, 240, 4);
AT(inet_connection_sock, icsk_ca_state, 244, 1);
AT(inet_connection_sock, icsk_retransmits, 245, 1);
AT(inet_connection_sock, icsk_backoff, 247, 1);
AT(tcp_sock, tcp_mstamp, 248, 8);
AT(tcp_sock, tcp_clock_cache, 256, 8);
AT(tcp_sock, tcp_wstamp_ns, 264, 8);
AT(tcp_sock, first_tx_mstamp, 272, 8);
AT(tcp_sock, delivered_mstamp, 280, 8);
AT(tcp_sock, snd_cwnd, 288, 4);
AT(tcp_sock, packets_out, 292, 4);
AT(tcp_sock, retrans_out, 296, 4);
AT(tcp_sock, sacked_out, 300, 4);
AT(tcp_sock, lost_out, 304, 4);
AT(tcp_sock, mss_cache, 308, 4);
AT(tcp_sock, srtt_us, 312, 4);
AT(tcp_sock, delivered, 316, 4);
AT(tcp_sock, delivered_ce, 320, 4);
AT(tcp_sock, app_limited, 324, 4);
AT(tcp_sock, snd_nxt, 328, 4);
AT(tcp_sock, rtt_min, 332, 24);
AT(tcp_sock, is_cwnd_limited, 356, 1);
AT(tcp_sock, rate_app_limited, 357, 1);
AT(tcp_sock, is_sack_reneg, 358, 1);
AT(tcp_sock, ecn_flags, 359, 1);
AT(tcp_sock, snd_cwnd_stamp, 360, 4);
AT(tcp_sock, snd_cwnd_used, 364, 4);
AT(tcp_sock, max_packets_out, 368, 4);
AT(tcp_sock, segs_out, 372, 4);
AT(tcp_sock, data_segs_out, 376, 4);
AT(tcp_sock, lsndtime, 380, 4);
AT(tcp_sock, bytes_sent, 384, 8);
AT(tcp_sock, bytes_acked, 392, 8);
AT(tcp_sock, snd_una, 400, 4);
AT(tcp_sock, snd_wnd, 404, 4);
AT(tcp_sock, max_window, 408, 4);
AT(tcp_sock, lost, 412, 4);
AT(tcp_sock, rate_delivered, 416, 4);
AT(tcp_sock, rate_interval_us, 420, 4);
AT(tcp_sock, segs_in, 424, 4);
AT(tcp_sock, mdev_us, 428, 4);
AT(tcp_sock, mdev_max_us, 432, 4);
AT(tcp_sock, rttvar_us, 436, 4);
AT(tcp_sock, rtt_seq, 440, 4);
AT(tcp_sock, snd_ssthresh, 444, 4);
AT(tcp_sock, rack.mstamp, 448, 8);
AT(tcp_sock, rack.rtt_us, 456, 4);
AT(tcp_sock, rack.end_seq, 460, 4);
AT(tcp_sock, rack.last_delivered, 464, 4);
AT(tcp_sock, rack.reo_wnd_steps, 468, 1);
AT(tcp_sock, rack.reo_wnd_persist, 469, 1);
AT(tcp_sock, rack.dsack_seen, 470, 1);
AT(tcp_sock, rack.advanced, 471, 1);
AT(tcp_sock, cwnd_usage_seq, 472, 4);
AT(tcp_sock, reordering, 476, 4);
AT(tcp_sock, reord_seen, 480, 4);
AT(tcp_sock, prr_delivered, 484, 4);
AT(tcp_sock, prr_out, 488, 4);
AT(tcp_sock, prior_cwnd, 492, 4);
AT(tcp_sock, snd_cwnd_clamp, 496, 4);
AT(tcp_sock, snd_cwnd_cnt, 500, 4);
AT(tcp_sock, retrans_stamp, 504, 4);
AT(tcp_sock, frto, 509, 1);
AT(tcp_sock, tcp_usec_ts, 510, 1);
AT(tcp_sock, tlp_retrans, 511, 1);
AT(tcp_sock, bytes_retrans, 512, 8);
AT(tcp_sock, write_seq, 520, 4);
AT(tcp_sock, high_seq, 524, 4);
AT(tcp_sock, undo_marker, 528, 4);
AT(tcp_sock, tlp_high_seq, 532, 4);
AT(tcp_sock, rcv_nxt, 536, 4);
AT(tcp_sock, advmss, 540, 2);
AT(tcp_sock, prior_ssthresh, 544, 4);
AT(tcp_sock, undo_retrans, 548, 4);
AT(tcp_sock, total_retrans, 552, 4);
AT(tcp_sock, dsack_dups, 556, 4);
AT(tcp_sock, rx_opt.rcv_tsval, 560, 4);
AT(tcp_sock, rx_opt.rcv_tsecr, 564, 4);
AT(tcp_sock, rx_opt.saw_tstamp, 568, 1);
AT(tcp_sock, rx_opt.tstamp_ok, 569, 1);
AT(tcp_sock, rx_opt.sack_ok, 570, 1);
AT(tcp_sock, rx_opt.mss_clamp, 572, 2);
_Static_assert(sizeof(struct tcp_sock) == 592, "tcp_sock");
AT(rate_sample, prior_mstamp, 0, 8);
AT(rate_sample, prior_delivered, 8, 4);
AT(rate_sample, prior_delivered_ce, 12, 4);
AT(rate_sample, delivered, 16, 4);
AT(rate_sample, delivered_ce, 20, 4);
AT(rate_sample, interval_us, 24, 8);
AT(rate_sample, snd_interval_us, 32, 4);
AT(rate_sample, rcv_interval_us, 36, 4);
AT(rate_sample, rtt_us, 40, 8);
AT(rate_sample, losses, 48, 4);
AT(rate_sample, acked_sacked, 52, 4);
AT(rate_sample, prior_in_flight, 56, 4);
AT(rate_sample, last_end_seq, 60, 4);
AT(rate_sample, is_app_limited, 64, 1);
AT(rate_sample, is_retrans, 65, 1);
AT(rate_sample, is_ack_delayed, 66, 1);
_Static_assert(sizeof(struct rate_sample) == 72, "rate_sample");
AT(ack_sample, pkts_acked, 0, 4);
AT(ack_sample, rtt_us, 4, 4);
AT(ack_sample, in_flight, 8, 4);
_Static_assert(sizeof(struct ack_sample) == 12, "ack_sample");
#undef AT
