//! The declaration of a connection as programs see it.
//!
//! The order is by use, not by topic: members that are used together share a cache line of 64 bytes, as far as the
//! kernel's nesting of structures allows. With thousands of flows, every line of a connection that an event uses comes
//! from memory again.
//!
//! Times end in `_us` or `mstamp` (microseconds) or `_ns`. Windows and the counts `*_out` are in packets (segments of
//! one MSS). Where Linux counts in jiffies, so do we.

use super::{
    CaState, MinmaxSample, CA_PRIV_BYTES, INFINITE_SSTHRESH, PACING_UNLIMITED, SK_PACING_NONE, TCP_ESTABLISHED,
};
use crate::table::{internal, own, read_only, writable};

/// `AF_INET`.
const IPV4: u16 = 2;

crate::kernel_struct! {
    /// A connection as programs see it, under the kernel's names.
    #[derive(Clone, Debug)]
    pub struct TcpSock (sample: false) {
        sock_common {
            /// Remote address. Addresses and ports are invented; they only distinguish flows.
            skc_daddr: u32 = 0 => read_only("").c("__be32");
            /// Local address.
            skc_rcv_saddr: u32 = 0 => read_only("").c("__be32");
            /// Remote port.
            skc_dport: u16 = 0 => read_only("").c("__be16");
            /// Local port, in host byte order.
            skc_num: u16 = 0 => read_only("");
            /// Always `AF_INET`.
            skc_family: u16 = IPV4 => read_only("");
            /// Always `TCP_ESTABLISHED`.
            skc_state: u8 = TCP_ESTABLISHED => read_only("");
            _pad0: u8 = 0 => internal();
        } lacks {}

        sock {
            /// Always 0, the default of `SO_PRIORITY`.
            sk_priority: u32 = 0 => read_only("");
            /// Number of the flow in the run.
            fairlane_flow: u32 = 0 => own("");
            /// State of the flow's random stream, which `bpf_get_prandom_u32` draws from.
            fairlane_random: u64 = 0 => internal();
            /// The acknowledgement that a callback requested through `bpf_tcp_send_ack`: of this, with ECE or without.
            fairlane_ack_seq: u32 = 0 => internal();
            fairlane_ack_asked: u8 = 0 => internal();
            fairlane_ack_ece: u8 = 0 => internal();
            _pad1: u16 = 0 => internal();
            _pad2: [u64; 3] = [0; 3] => internal().c("__u64[3]");

            // Read by every transmission (line 1).
            /// Pacing rate; all bits set: no limit.
            sk_pacing_rate: u64 = PACING_UNLIMITED => writable("bytes/s");
            /// Upper limit of the pacing rate (`SO_MAX_PACING_RATE`); all bits set: no limit.
            sk_max_pacing_rate: u64 = PACING_UNLIMITED => read_only("bytes/s");
            /// Largest burst that is handed to the network interface at once.
            sk_gso_max_size: u32 = 65_536 => read_only("bytes");
            /// The same in segments.
            sk_gso_max_segs: u16 = 65_535 => read_only("packets");
            /// A burst holds what the pacing rate sends in 1/2^this of a second.
            sk_pacing_shift: u8 = 10 => read_only("");
            _pad3: u8 = 0 => internal();
            /// Pacing: none, TCP's own timer, or the host's fq queue.
            sk_pacing_status: u32 = SK_PACING_NONE => writable("enum sk_pacing");
            _pad4: u32 = 0 => internal();
            /// Length of a jiffy.
            fairlane_jiffy_ns: u64 = 1_000_000 => own("ns");
        } lacks {
            /// Send buffer.
            sk_sndbuf: i32 => read_only("bytes");
            /// Receive buffer.
            sk_rcvbuf: i32 => read_only("bytes");
            /// Bytes in the send queue, with the kernel's own overhead.
            sk_wmem_queued: i32 => read_only("bytes");
        }

        inet_sock {
            /// Local address, as in `skc_rcv_saddr`.
            inet_saddr: u32 = 0 => read_only("").c("__be32");
            /// Local port.
            inet_sport: u16 = 0 => read_only("").c("__be16");
            _pad5: u16 = 0 => internal();
        } lacks {}

        inet_connection_sock {
            /// List of the connection's `bpf_sk_storage` blocks.
            icsk_ca_ops: u64 = 0 => internal();
            /// Which acknowledgement is due. Kept for algorithms with `TCP_CONG_NEEDS_ECN`.
            icsk_ack_pending: u8 = 0 => writable("enum inet_csk_ack_state_t").path("icsk_ack.pending");
            /// Quick acknowledgements left. Kept for algorithms with `TCP_CONG_NEEDS_ECN`.
            icsk_ack_quick: u8 = 0 => read_only("packets").path("icsk_ack.quick");
            // In C, the missing members of icsk_ack overlap here.
            _pad6: u16 = 0 => internal().c("");
            _pad7: u32 = 0 => internal().c("");
            // The algorithm's own memory begins line 2.
            /// The algorithm's own memory.
            icsk_ca_priv: [u64; CA_PRIV_BYTES / 8] = [0; CA_PRIV_BYTES / 8] => writable("").c("__u64[13]");
            /// Minimum of the retransmission timeout.
            icsk_rto_min: u32 = 0 => read_only("jiffies");
            /// Maximum delay of an acknowledgement.
            icsk_delack_max: u32 = 0 => read_only("jiffies");
            /// Retransmission timeout.
            icsk_rto: u32 = 0 => read_only("jiffies");
            /// State of loss recovery.
            icsk_ca_state: u8 = CaState::Open as u8 => read_only("enum tcp_ca_state").bits(5);
            /// Retransmission timeouts in a row.
            icsk_retransmits: u8 = 0 => read_only("");
            _pad8: u8 = 0 => internal();
            /// Doublings of the timeout, or of the interval between window probes.
            icsk_backoff: u8 = 0 => read_only("");
        } lacks {
            /// The algorithm's `init` was called.
            icsk_ca_initialized: u8 => read_only("").bits(1);
            /// Which timer is armed.
            icsk_pending: u8 => read_only("");
            /// Score of an interactive connection.
            icsk_ack_pingpong: u8 => read_only("").path("icsk_ack.pingpong");
            /// Attempts to send an acknowledgement.
            icsk_ack_retry: u8 => read_only("").path("icsk_ack.retry");
            /// Delayed-ACK timeout.
            icsk_ack_ato: u32 => read_only("jiffies").path("icsk_ack.ato");
        }

        tcp_sock {
            // Clocks, window, packets in flight (to line 4).
            /// Now.
            tcp_mstamp: u64 = 0 => read_only("us");
            /// Now.
            tcp_clock_cache: u64 = 0 => read_only("ns");
            /// Departure time of the next paced packet.
            tcp_wstamp_ns: u64 = 0 => read_only("ns");
            /// Start of the current send interval of rate samples.
            first_tx_mstamp: u64 = 0 => read_only("us");
            /// When `delivered` last grew.
            delivered_mstamp: u64 = 0 => read_only("us");
            /// Congestion window.
            snd_cwnd: u32 = 10 => writable("packets");
            /// Sent and not yet acknowledged cumulatively.
            packets_out: u32 = 0 => read_only("packets");
            /// Retransmissions in flight.
            retrans_out: u32 = 0 => read_only("packets");
            /// Of `packets_out`: SACKed. Without SACK, the count of duplicate ACKs.
            sacked_out: u32 = 0 => read_only("packets");
            /// Of `packets_out`: marked lost.
            lost_out: u32 = 0 => read_only("packets");
            /// Maximum segment size.
            mss_cache: u32 = 536 => read_only("bytes");
            /// Smoothed RTT, times 8.
            srtt_us: u32 = 0 => read_only("us/8");
            /// Delivered so far, retransmissions included.
            delivered: u32 = 0 => read_only("packets");

            // Transmission, and the algorithm (line 5).
            /// Delivered so far with an ECN mark.
            delivered_ce: u32 = 0 => read_only("packets");
            /// Rate samples are limited by the application until `delivered` exceeds this; 0: they are not.
            app_limited: u32 = 0 => writable("packets");
            /// Next sequence number to send.
            snd_nxt: u32 = 0 => read_only("sequence number");
            /// Windowed minimum of the RTT: `rtt_min.s[0].v` is the minimum, in microseconds.
            rtt_min: [MinmaxSample; 3] = [MinmaxSample::default(); 3] => read_only("").c("struct minmax");
            /// The window limited transmission recently.
            is_cwnd_limited: u8 = 0 => read_only("bool").bits(1);
            /// The last rate sample was limited by the application.
            rate_app_limited: u8 = 1 => read_only("bool").bits(1);
            /// The receiver dropped data that it had SACKed.
            is_sack_reneg: u8 = 0 => read_only("bool").bits(1);
            /// State of ECN.
            ecn_flags: u8 = 0 => writable("TCP_ECN_*");
            /// When the window was last changed or validated.
            snd_cwnd_stamp: u32 = 0 => writable("jiffies");
            /// Largest use of the window since `snd_cwnd_stamp`.
            snd_cwnd_used: u32 = 0 => read_only("packets");
            /// Largest `packets_out` in the current window of data.
            max_packets_out: u32 = 0 => read_only("packets");
            /// Segments sent so far.
            segs_out: u32 = 0 => read_only("packets");
            /// Segments with data sent so far.
            data_segs_out: u32 = 0 => read_only("packets");
            /// When data was last sent.
            lsndtime: u32 = 0 => read_only("jiffies");

            // Changed by acknowledgements (lines 6 and 7).
            /// Data bytes sent so far, retransmissions included.
            bytes_sent: u64 = 0 => read_only("bytes");
            /// Bytes acknowledged cumulatively so far.
            bytes_acked: u64 = 0 => read_only("bytes");
            /// Oldest unacknowledged sequence number.
            snd_una: u32 = 0 => read_only("sequence number");
            /// Window that the receiver offers.
            snd_wnd: u32 = 0 => read_only("bytes");
            /// Largest window that the receiver has offered.
            max_window: u32 = 0 => read_only("bytes");
            /// Marked lost so far.
            lost: u32 = 0 => read_only("packets");
            /// `delivered` of the last valid rate sample.
            rate_delivered: u32 = 0 => read_only("packets");
            /// `interval_us` of the last valid rate sample.
            rate_interval_us: u32 = 0 => read_only("us");
            /// Acknowledgements received so far.
            segs_in: u32 = 0 => read_only("packets");
            /// Mean deviation of the RTT, times 4.
            mdev_us: u32 = 0 => read_only("us/4");
            /// Largest `mdev_us` in the current round trip.
            mdev_max_us: u32 = 0 => read_only("us/4");
            /// Smoothed `mdev_max_us`.
            rttvar_us: u32 = 0 => read_only("us/4");
            /// Where the current round trip of the RTT estimator ends.
            rtt_seq: u32 = 0 => read_only("sequence number");
            /// Slow start threshold.
            snd_ssthresh: u32 = INFINITE_SSTHRESH => writable("packets");
            /// RACK: when the most recently delivered segment was sent.
            rack_mstamp: u64 = 0 => read_only("us").path("rack.mstamp");
            /// RACK: RTT of that segment.
            rack_rtt_us: u32 = 0 => read_only("us").path("rack.rtt_us");
            /// RACK: end of that segment.
            rack_end_seq: u32 = 0 => read_only("sequence number").path("rack.end_seq");
            /// RACK: `delivered` when the reordering window was last adjusted.
            rack_last_delivered: u32 = 0 => read_only("packets").path("rack.last_delivered");
            /// RACK: reordering window, in quarters of the minimum RTT.
            rack_reo_wnd_steps: u8 = 1 => read_only("").path("rack.reo_wnd_steps");
            /// RACK: recoveries for which the wider reordering window stays.
            rack_reo_wnd_persist: u8 = 0 => read_only("").path("rack.reo_wnd_persist").bits(5);
            /// RACK: a DSACK arrived since the reordering window was last adjusted.
            rack_dsack_seen: u8 = 0 => read_only("bool").path("rack.dsack_seen").bits(1);
            /// RACK: `rack.mstamp` advanced since the last detection of losses.
            rack_advanced: u8 = 0 => read_only("bool").path("rack.advanced").bits(1);
            /// Where the current window of data ends, for `max_packets_out`.
            cwnd_usage_seq: u32 = 0 => read_only("sequence number");
            /// Degree of reordering.
            reordering: u32 = 3 => read_only("packets");
            /// Reordering events so far.
            reord_seen: u32 = 0 => read_only("");
            /// PRR: delivered since recovery began.
            prr_delivered: u32 = 0 => read_only("packets");
            /// PRR: sent since recovery began.
            prr_out: u32 = 0 => read_only("packets");
            /// Window before the last reduction.
            prior_cwnd: u32 = 0 => read_only("packets");
            /// Upper limit of the window.
            snd_cwnd_clamp: u32 = u32::MAX => read_only("packets");
            /// Counter of `tcp_cong_avoid_ai`.
            snd_cwnd_cnt: u32 = 0 => writable("packets");
            /// Timestamp-option clock of the first retransmission of the episode.
            retrans_stamp: u32 = 0 => read_only("ms");
            _pad9: u8 = 0 => internal();
            /// F-RTO checks whether a timeout was spurious.
            frto: u8 = 0 => read_only("bool").bits(1);
            /// Always 0: the timestamp option counts milliseconds.
            tcp_usec_ts: u8 = 0 => read_only("bool").bits(1);
            /// The loss probe was a retransmission.
            tlp_retrans: u8 = 0 => read_only("bool").bits(1);

            // Rarely used.
            /// Bytes retransmitted so far.
            bytes_retrans: u64 = 0 => read_only("bytes");
            /// End of what the application has written.
            write_seq: u32 = 0 => read_only("sequence number");
            /// `snd_nxt` when the episode began.
            high_seq: u32 = 0 => read_only("sequence number");
            /// `snd_una` when the episode began; 0: nothing to undo.
            undo_marker: u32 = 0 => read_only("sequence number");
            /// `snd_nxt` when the loss probe was sent; 0: none is out.
            tlp_high_seq: u32 = 0 => read_only("sequence number");
            /// Next sequence number expected.
            rcv_nxt: u32 = 0 => read_only("sequence number");
            /// MSS that is announced to the peer.
            advmss: u16 = 536 => read_only("bytes");
            _pad10: u16 = 0 => internal();
            /// `snd_ssthresh` before the last reduction.
            prior_ssthresh: u32 = 0 => read_only("packets");
            /// Retransmissions of the episode that no DSACK has reported as spurious.
            undo_retrans: i32 = 0 => read_only("packets");
            /// Retransmissions so far.
            total_retrans: u32 = 0 => read_only("packets");
            /// Segments that DSACKs reported as duplicates.
            dsack_dups: u32 = 0 => read_only("packets");
            /// Timestamp of the peer's last segment.
            rx_opt_rcv_tsval: u32 = 0 => read_only("ms").path("rx_opt.rcv_tsval");
            /// Timestamp of this end that the peer's last segment echoed.
            rx_opt_rcv_tsecr: u32 = 0 => read_only("ms").path("rx_opt.rcv_tsecr");
            /// The peer's last segment had the timestamp option.
            rx_opt_saw_tstamp: u8 = 0 => read_only("bool").path("rx_opt.saw_tstamp").bits(1);
            /// Both ends send timestamps.
            rx_opt_tstamp_ok: u8 = 0 => read_only("bool").path("rx_opt.tstamp_ok").bits(1);
            /// Both ends send SACK blocks.
            rx_opt_sack_ok: u8 = 0 => read_only("bool").path("rx_opt.sack_ok").bits(3);
            _pad11: u8 = 0 => internal().c("");
            /// MSS that the peer announced.
            rx_opt_mss_clamp: u16 = 536 => read_only("bytes").path("rx_opt.mss_clamp");
            _pad12: u16 = 0 => internal().c("");
            // In C, the missing members of rx_opt overlap here.
            _pad13: [u64; 2] = [0; 2] => internal().c("");
        } lacks {
            /// Bytes received in order.
            bytes_received: u64 => read_only("bytes");
            /// End of the last segment with PSH.
            pushed_seq: u32 => read_only("sequence number");
            /// Window that this end offers.
            rcv_wnd: u32 => read_only("bytes");
            /// Next byte that the application will read.
            copied_seq: u32 => read_only("sequence number");
            /// Segments with data received so far.
            data_segs_in: u32 => read_only("packets");
            /// RTT as the receiving half estimates it.
            rcv_rtt_us: u32 => read_only("us/8").path("rcv_rtt_est.rtt_us");
            /// Largest burst that GSO makes.
            gso_segs: u16 => read_only("packets");
            /// Nagle's algorithm is off, or TCP_CORK is set.
            nonagle: u8 => read_only("").bits(4);
            /// When `rx_opt.ts_recent` was stored.
            rx_opt_ts_recent_stamp: i32 => read_only("s").path("rx_opt.ts_recent_stamp");
            /// Timestamp to echo next.
            rx_opt_ts_recent: u32 => read_only("ms").path("rx_opt.ts_recent");
            /// A DSACK is to be sent.
            rx_opt_dsack: u8 => read_only("bool").path("rx_opt.dsack").bits(1);
            /// Both ends scale windows.
            rx_opt_wscale_ok: u8 => read_only("bool").path("rx_opt.wscale_ok").bits(1);
            /// Window scale of the peer.
            rx_opt_snd_wscale: u8 => read_only("").path("rx_opt.snd_wscale").bits(4);
            /// Window scale of this end.
            rx_opt_rcv_wscale: u8 => read_only("").path("rx_opt.rcv_wscale").bits(4);
            /// SACK blocks to send.
            rx_opt_num_sacks: u8 => read_only("").path("rx_opt.num_sacks");
            /// MSS that the application asked for.
            rx_opt_user_mss: u16 => read_only("bytes").path("rx_opt.user_mss");
        }
    }
}
