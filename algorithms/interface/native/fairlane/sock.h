/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The simulator's layout of what a program sees. Repeats crates/tcp/src/sock.rs and
 * congestion_control.rs, whose order is by use; layout.c exports the offsets, and the host refuses to run on any
 * difference.
 *
 * READ_ONLY marks what the kernel's verifier does not let a program write: a program that compiles
 * here with FAIRLANE_CHECK_WRITES will not be refused there for writing the wrong member.
 */
#ifdef FAIRLANE_CHECK_WRITES
#define READ_ONLY const
#else
#define READ_ONLY
#endif

struct sock_common {
	READ_ONLY __be32 skc_daddr;             /* made up, like the ports: only to tell flows apart */
	READ_ONLY __be32 skc_rcv_saddr;
	READ_ONLY __be16 skc_dport;
	READ_ONLY __u16 skc_num;                /* local port, host byte order */
	READ_ONLY __u16 skc_family;
	READ_ONLY __u8 skc_state;
	__u8 fairlane_pad0;
};

struct sock {
	struct sock_common __sk_common;
	READ_ONLY __u32 sk_priority;
	READ_ONLY __s32 sk_sndbuf;              /* bytes */
	READ_ONLY __s32 sk_rcvbuf;              /* bytes */
	READ_ONLY __s32 sk_wmem_queued;         /* bytes */
	__u64 fairlane_random;                  /* state of the flow's random stream */
	__u32 fairlane_ack_seq;                 /* what bpf_tcp_send_ack asks for */
	__u8 fairlane_ack_asked;
	__u8 fairlane_ack_ece;
	__u16 fairlane_pad3;
	READ_ONLY __u32 fairlane_flow;          /* the flow's number in the run */
	__u32 fairlane_pad4;
	__u64 fairlane_pad5;
	__u64 sk_pacing_rate;                   /* bytes per second */
	READ_ONLY __u64 sk_max_pacing_rate;     /* bytes per second */
	READ_ONLY __u32 sk_gso_max_size;        /* bytes */
	READ_ONLY __u16 sk_gso_max_segs;
	READ_ONLY __u8 sk_pacing_shift;
	__u8 fairlane_pad1;
	__u32 sk_pacing_status;
	__u32 fairlane_pad6;
	READ_ONLY __u64 fairlane_jiffy_ns;
};

struct inet_sock {
	struct sock sk;
	READ_ONLY __be32 inet_saddr;
	READ_ONLY __be16 inet_sport;
	__u16 fairlane_pad2;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u64 icsk_ca_ops;                      /* the host's: list of the flow's sk_storage blocks */
	struct {
		__u8 pending;                   /* enum inet_csk_ack_state_t */
		READ_ONLY __u8 quick;
		READ_ONLY __u8 pingpong;
		READ_ONLY __u8 retry;
		READ_ONLY __u32 ato;            /* jiffies */
	} icsk_ack;
	__u64 icsk_ca_priv[13];
	READ_ONLY __u32 icsk_rto_min;           /* jiffies */
	READ_ONLY __u32 icsk_delack_max;        /* jiffies */
	READ_ONLY __u32 icsk_rto;               /* jiffies */
	READ_ONLY __u8 icsk_ca_state;           /* enum tcp_ca_state */
	READ_ONLY __u8 icsk_retransmits;
	READ_ONLY __u8 icsk_pending;
	READ_ONLY __u8 icsk_backoff;
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
	__u8 reo_wnd_persist;
	__u8 dsack_seen;
	__u8 advanced;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;

	READ_ONLY __u64 tcp_mstamp;             /* now, in microseconds */
	READ_ONLY __u64 tcp_clock_cache;        /* now, in nanoseconds */
	READ_ONLY __u64 tcp_wstamp_ns;          /* departure of the next paced packet */
	READ_ONLY __u64 first_tx_mstamp;
	READ_ONLY __u64 delivered_mstamp;
	__u32 snd_cwnd;                         /* packets */
	READ_ONLY __u32 packets_out;
	READ_ONLY __u32 retrans_out;
	READ_ONLY __u32 sacked_out;
	READ_ONLY __u32 lost_out;
	READ_ONLY __u32 mss_cache;              /* bytes */
	READ_ONLY __u32 srtt_us;                /* 8 times the smoothed RTT */
	READ_ONLY __u32 delivered;              /* packets */

	READ_ONLY __u32 delivered_ce;           /* packets */
	__u32 app_limited;
	READ_ONLY __u32 snd_nxt;
	READ_ONLY struct minmax rtt_min;
	READ_ONLY __u8 is_cwnd_limited;
	READ_ONLY __u8 rate_app_limited;
	READ_ONLY __u8 is_sack_reneg;
	__u8 ecn_flags;
	__u32 snd_cwnd_stamp;                   /* jiffies */
	READ_ONLY __u32 snd_cwnd_used;
	READ_ONLY __u32 max_packets_out;
	READ_ONLY __u32 segs_out;
	READ_ONLY __u32 data_segs_out;
	READ_ONLY __u32 lsndtime;               /* jiffies */

	READ_ONLY __u64 bytes_sent;
	READ_ONLY __u64 bytes_acked;
	READ_ONLY __u32 snd_una;
	READ_ONLY __u32 snd_wnd;
	READ_ONLY __u32 max_window;
	READ_ONLY __u32 lost;                   /* packets */
	READ_ONLY __u32 rate_delivered;
	READ_ONLY __u32 rate_interval_us;
	READ_ONLY __u32 segs_in;
	READ_ONLY __u32 mdev_us;                /* 4 times the deviation */
	READ_ONLY __u32 mdev_max_us;
	READ_ONLY __u32 rttvar_us;
	READ_ONLY __u32 rtt_seq;
	__u32 snd_ssthresh;                     /* packets */
	READ_ONLY struct tcp_rack rack;
	READ_ONLY __u32 cwnd_usage_seq;
	READ_ONLY __u32 reordering;
	READ_ONLY __u32 reord_seen;
	READ_ONLY __u32 prr_delivered;
	READ_ONLY __u32 prr_out;
	READ_ONLY __u32 prior_cwnd;
	READ_ONLY __u32 snd_cwnd_clamp;
	__u32 snd_cwnd_cnt;
	READ_ONLY __u32 retrans_stamp;
	READ_ONLY __u8 nonagle;
	READ_ONLY __u8 frto;
	READ_ONLY __u8 tcp_usec_ts;
	READ_ONLY __u8 tlp_retrans;

	READ_ONLY __u64 bytes_received;
	READ_ONLY __u64 bytes_retrans;
	READ_ONLY __u32 write_seq;
	READ_ONLY __u32 pushed_seq;
	READ_ONLY __u32 high_seq;
	READ_ONLY __u32 undo_marker;
	READ_ONLY __u32 tlp_high_seq;
	READ_ONLY __u32 rcv_nxt;
	READ_ONLY __u32 rcv_wnd;
	READ_ONLY __u32 copied_seq;
	READ_ONLY __u16 advmss;
	READ_ONLY __u16 gso_segs;
	READ_ONLY __u32 prior_ssthresh;
	READ_ONLY __s32 undo_retrans;
	READ_ONLY __u32 total_retrans;
	READ_ONLY __u32 dsack_dups;
	READ_ONLY __u32 data_segs_in;
	struct {
		READ_ONLY __u32 rtt_us;
	} rcv_rtt_est;
};

/* What cong_control() gets. */
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
	__u8 fairlane_pad;
};

/* What pkts_acked() gets. */
struct ack_sample {
	__u32 pkts_acked;
	__s32 rtt_us;
	__u32 in_flight;
};

struct rtattr;
struct module;
union tcp_cc_info;

/* What programs of other kinds get, that may stand in the same file; nothing here calls them. */
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
};
