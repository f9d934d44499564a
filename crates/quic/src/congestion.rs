//! Runs a congestion control algorithm of Linux over QUIC.
//!
//! The algorithm sees the same state as over TCP: windows in packets, delivery-rate samples, the states of loss
//! recovery, in the order in which Linux calls it. Sequence numbers count every byte that was sent, retransmissions
//! included: QUIC numbers packets and not data, so `snd_una` is the start of the oldest packet in flight.

pub(crate) mod acknowledging;
mod recovery;

use crate::config::QuicConfig;
use crate::datagram::QuicDatagram;
use crate::in_flight::{InFlight, SentPacket};
use crate::rtt::Rtt;
use crate::streams::SentStreams;
use crate::tap::TappedPacket;
use fairlane_congestion_control::jiffies::us_to_jiffies;
use fairlane_congestion_control::sock::{CaState, MinmaxSample, TcpSock, ECN_OK, PACING_UNLIMITED, SK_PACING_NEEDED};
use fairlane_congestion_control::{proportional_rate_reduction, CaEvent, Callbacks, CongestionControl};
use fairlane_engine::Histogram;
use std::collections::VecDeque;

/// Window of Linux's minimum-RTT filter (`tcp_min_rtt_wlen`).
const MIN_RTT_WINDOW_US: u64 = 300_000_000;
/// Lost packets are remembered for twice the maximum segment lifetime (RFC 9293 section 3.4.2).
const LIFETIME_NS: u64 = 240_000_000_000;

/// The count of delivered packets starts as over TCP, where the SYN counts: 0 means "no sample".
const FIRST_DELIVERED: u32 = 1;

pub(crate) struct Congestion {
    /// State that the algorithm sees.
    pub sock: TcpSock,
    pub streams: SentStreams,
    pub rtts: Histogram,
    pub timeouts: u32,
    /// Packets that were declared lost and acknowledged afterwards.
    pub spurious_losses: u32,
    /// Numbers of packets that were declared lost, if they are logged.
    pub lost_for_log: Option<Vec<u64>>,
    algorithm: Box<dyn CongestionControl>,
    callbacks: Callbacks,
    /// The handshake is over and the algorithm has started.
    is_started: bool,
    config: QuicConfig,
    in_flight: InFlight,
    /// Packets that were declared lost, oldest first.
    lost: VecDeque<LostPacket>,
    rtt: Rtt,
    /// End of all bytes sent.
    snd_nxt: u64,
    /// A packet that was sent at or after this ends the recovery (RFC 9002 section 7.3.2).
    recovery_seq: u64,
    /// Packets that may be sent without pacing.
    unpaced_packets: u32,
    /// CE marks that the peer has reported.
    ce_packets: u64,
    jiffies: u32,
    min_rtt_window: u32,
}

#[derive(Clone, Copy, Debug)]
struct LostPacket {
    number: u64,
    /// Time from which its acknowledgement is ignored.
    settled_ns: u64,
    expires_ns: u64,
    is_settled: bool,
    datagram: QuicDatagram,
}

impl Congestion {
    pub fn new(config: QuicConfig, algorithm: Box<dyn CongestionControl>) -> Self {
        let callbacks = algorithm.callbacks();
        let mss = u32::from(config.udp_payload_bytes);
        let sock = TcpSock {
            mss_cache: mss,
            advmss: mss as u16,
            fairlane_jiffy_ns: config.jiffy_ns,
            snd_cwnd: config.initial_cwnd_packets,
            icsk_delack_max: us_to_jiffies(config.max_ack_delay_us.into(), config.jiffy_ns) as u32,
            rtt_min: [MinmaxSample { t: 0, v: u32::MAX }; 3],
            reordering: config.packet_threshold,
            sk_pacing_status: if config.pacing { SK_PACING_NEEDED } else { 0 },
            ecn_flags: if config.ecn || callbacks.needs_ecn() { ECN_OK } else { 0 },
            delivered: FIRST_DELIVERED,
            ..TcpSock::default()
        };
        Self {
            sock,
            streams: SentStreams::default(),
            rtts: Histogram::default(),
            timeouts: 0,
            spurious_losses: 0,
            lost_for_log: None,
            algorithm,
            callbacks,
            is_started: false,
            in_flight: InFlight::default(),
            lost: VecDeque::new(),
            rtt: Rtt::default(),
            snd_nxt: 1,
            recovery_seq: 0,
            unpaced_packets: config.burst_packets,
            ce_packets: 0,
            jiffies: 0,
            min_rtt_window: us_to_jiffies(MIN_RTT_WINDOW_US, config.jiffy_ns) as u32,
            config,
        }
    }

    pub fn algorithm(&self) -> &dyn CongestionControl {
        &*self.algorithm
    }

    pub fn is_ecn_capable(&self) -> bool {
        self.sock.ecn_flags & ECN_OK != 0
    }

    pub fn release(&mut self) {
        if self.callbacks.release && self.is_started {
            self.algorithm.release(&mut self.sock);
        }
    }

    /// The handshake is over, or data may leave before it is; `rtt_ns` is its RTT, if measured.
    pub fn establish(&mut self, now_ns: u64, rtt_ns: Option<u64>) {
        self.refresh_clock(now_ns);
        if let Some(rtt_ns) = rtt_ns.filter(|_| self.rtt.smoothed_ns == 0) {
            self.measure_rtt(rtt_ns, 0);
        }
        if self.is_started {
            if !self.callbacks.cong_control {
                self.update_pacing_rate();
            }
            return;
        }
        self.sock.snd_cwnd_stamp = self.jiffies;
        self.sock.lsndtime = self.jiffies;
        self.mirror_sequence_space();
        self.is_started = true;
        self.algorithm.init(&mut self.sock);
        if !self.callbacks.cong_control {
            self.update_pacing_rate();
        }
    }

    /// The peer has not acknowledged any 1-RTT packet.
    pub fn nothing_is_acknowledged(&self) -> bool {
        self.sock.delivered == FIRST_DELIVERED
    }

    /// With headers and tags.
    pub fn in_flight_bytes(&self) -> u64 {
        self.in_flight.bytes()
    }

    /// The window has room for a packet.
    pub fn window_has_room(&self) -> bool {
        self.sock.packets_in_flight() < self.sock.snd_cwnd
    }

    /// Time at which pacing releases the next packet.
    pub fn departure_ns(&self) -> u64 {
        let is_unpaced = self.unpaced_packets > 0 || self.sock.packets_in_flight() == 0;
        if is_unpaced {
            0
        } else {
            self.sock.tcp_wstamp_ns
        }
    }

    /// An ack-eliciting packet is sent. `sent_ns` identifies it: no other packet has the same.
    pub fn on_sent(&mut self, now_ns: u64, sent_ns: u64, packet: TappedPacket, datagram: QuicDatagram) {
        self.refresh_clock(now_ns);
        let sent_us = self.sock.tcp_mstamp;
        if self.sock.packets_in_flight() == 0 {
            self.cwnd_event(CaEvent::TxStart);
            self.unpaced_packets = self.config.burst_packets;
            // The idle time before is excluded (draft-cheng-iccrg-delivery-rate-estimation section 3.2).
            self.sock.first_tx_mstamp = sent_us;
            self.sock.delivered_mstamp = sent_us;
        }
        self.sock.lsndtime = self.jiffies;
        let bytes = u64::from(packet.bytes);
        let repeated_bytes = packet.ranges().map(|range| self.streams.on_sent(range)).sum::<u64>();
        self.streams.on_datagram_sent(packet.datagram_bytes);
        let is_retransmission = repeated_bytes > 0;
        self.snd_nxt += bytes;
        let sock = &mut self.sock;
        sock.total_retrans += u32::from(is_retransmission);
        sock.bytes_retrans += repeated_bytes;
        sock.segs_out += 1;
        sock.data_segs_out += 1;
        sock.bytes_sent += bytes;
        sock.packets_out += 1;
        proportional_rate_reduction::on_sent(sock, 1);
        self.in_flight.push(SentPacket {
            sent_ns,
            packet,
            datagram,
            end_seq: self.snd_nxt,
            is_retransmission,
            first_tx_us: sock.first_tx_mstamp,
            delivered_us: sock.delivered_mstamp,
            delivered: sock.delivered,
            delivered_ce: sock.delivered_ce,
            is_app_limited: sock.app_limited != 0,
            ..SentPacket::default()
        });
        self.mirror_sequence_space();
        self.pace_next(bytes);
    }

    /// After an attempt to send: records whether the window or the application was the limit (RFC 9002 section 7.8).
    pub fn on_nothing_more(&mut self, is_data_ready: bool) {
        let in_flight = self.sock.packets_in_flight();
        let is_limited = in_flight >= self.sock.snd_cwnd;
        let sock = &mut self.sock;
        if !is_limited && !is_data_ready {
            sock.app_limited = sock.delivered.wrapping_add(in_flight).max(1);
        }
        // Once per window of data, or if the new value shows a fuller window.
        let is_new_window = sock.snd_una.wrapping_sub(sock.cwnd_usage_seq) as i32 >= 0;
        if is_limited || is_new_window || (sock.is_cwnd_limited == 0 && in_flight > sock.max_packets_out) {
            sock.is_cwnd_limited = u8::from(is_limited);
            sock.max_packets_out = in_flight;
            sock.cwnd_usage_seq = self.snd_nxt as u32;
        }
    }

    /// Takes datagrams that were lost more than two segment lifetimes ago, which the network cannot deliver any more.
    pub fn take_expired(&mut self, now_ns: u64) -> Option<QuicDatagram> {
        self.lost.front().filter(|packet| packet.expires_ns <= now_ns)?;
        self.lost.pop_front().map(|packet| packet.datagram)
    }

    fn pace_next(&mut self, bytes: u64) {
        let is_unpaced = self.unpaced_packets > 0;
        self.unpaced_packets = self.unpaced_packets.saturating_sub(1);
        let sock = &mut self.sock;
        let rate = sock.sk_pacing_rate;
        sock.tcp_wstamp_ns = sock.tcp_wstamp_ns.max(sock.tcp_clock_cache);
        if self.config.pacing && !is_unpaced && rate != 0 && rate != PACING_UNLIMITED {
            sock.tcp_wstamp_ns += bytes * 1_000_000_000 / rate;
        }
    }

    /// The pacing rate for algorithms that do not set it: N windows per RTT (RFC 9002 section 7.7).
    fn update_pacing_rate(&mut self) {
        let sock = &mut self.sock;
        let percent = if sock.in_slow_start() {
            self.config.slow_start_pacing_percent
        } else {
            self.config.avoidance_pacing_percent
        };
        if self.rtt.smoothed_ns > 0 {
            let window_bytes = u64::from(sock.mss_cache) * u64::from(sock.snd_cwnd.max(sock.packets_out));
            let rate = u128::from(window_bytes * percent) * 10_000_000 / u128::from(self.rtt.smoothed_ns);
            sock.sk_pacing_rate = (rate as u64).min(sock.sk_max_pacing_rate);
        }
    }

    fn refresh_clock(&mut self, now_ns: u64) {
        self.sock.tcp_clock_cache = now_ns;
        self.sock.tcp_mstamp = now_ns / 1000;
        self.jiffies = self.sock.jiffies();
    }

    /// Updates the sequence numbers that the algorithm sees.
    fn mirror_sequence_space(&mut self) {
        self.sock.snd_una = self.in_flight.first().map_or(self.snd_nxt, SentPacket::seq) as u32;
        self.sock.snd_nxt = self.snd_nxt as u32;
        self.sock.write_seq = self.snd_nxt as u32;
    }

    fn set_ca_state(&mut self, state: CaState) {
        if self.callbacks.set_state {
            self.algorithm.set_state(&mut self.sock, state as u8);
        }
        self.sock.icsk_ca_state = state as u8;
    }

    fn cwnd_event(&mut self, event: CaEvent) {
        if self.callbacks.cwnd_event && self.is_started {
            self.algorithm.cwnd_event(&mut self.sock, event);
        }
    }
}
