//! TCP as one of the simulator's transports.

use super::Connection;
use crate::segment::flags;
use crate::{Outgoing, Segment};
use fairlane_congestion_control::no_limit;
use fairlane_congestion_control::sock::INFINITE_SSTHRESH;
use fairlane_congestion_control::{AlgorithmFault, TcpSock};
use fairlane_engine::{prefetch, Histogram};
use fairlane_transport::{Acknowledgement, Datagram, EcnMark, Prefetch, Side, Transport, TransportSample, Wakeups};

impl Datagram for Segment {
    #[inline]
    fn ip_bytes(&self) -> u32 {
        Segment::ip_bytes(self)
    }

    #[inline]
    fn payload_bytes(&self) -> u32 {
        self.len
    }

    fn number(&self) -> u64 {
        if self.len > 0 {
            self.seq
        } else {
            self.ack
        }
    }

    fn acknowledgement(&self) -> Option<Acknowledgement> {
        let has_ack = self.flags & (flags::ACK | flags::SYN | flags::RST) == flags::ACK;
        let mut found = Acknowledgement {
            ack: self.ack,
            is_pure: self.len == 0
                && self.flags & !(flags::ACK | flags::ECE | flags::CWR) == 0
                && !self.has_accecn_option(),
            ecn_flags: self.flags & (flags::ECE | flags::CWR),
            sack: [(0, 0); 4],
        };
        self.sack_blocks().zip(&mut found.sack).for_each(|(block, place)| *place = block);
        has_ack.then_some(found)
    }
}

impl Transport for Connection {
    type Datagram = Segment;

    fn listen(&mut self) {
        Connection::listen(self);
    }

    fn connect(&mut self, now_ns: u64) {
        Connection::connect(self, now_ns);
    }

    fn is_established(&self) -> bool {
        Connection::is_established(self)
    }

    fn release(&mut self) {
        self.sender.release();
    }

    fn must_stay(&self) -> bool {
        self.sender.must_stay()
    }

    fn fault(&self) -> Option<AlgorithmFault> {
        self.sender.algorithm().fault()
    }

    fn warning(&self) -> Option<String> {
        self.sender.algorithm().warning()
    }

    #[inline]
    fn on_datagram(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark) {
        self.on_segment(now_ns, segment, mark);
    }

    #[inline]
    fn has_outgoing(&self) -> bool {
        Connection::has_outgoing(self)
    }

    #[inline]
    fn take_outgoing(&mut self) -> std::vec::Drain<'_, Outgoing> {
        Connection::take_outgoing(self)
    }

    #[inline]
    fn exchange_buffer(&mut self, buffer: &mut Vec<Outgoing>) {
        Connection::exchange_buffer(self, buffer);
    }

    #[inline]
    fn deadline_bound_ns(&self) -> u64 {
        self.wakeup_bound_ns()
    }

    fn deadline_ns(&self) -> u64 {
        Connection::deadline_ns(self)
    }

    #[inline]
    fn wakeups(&mut self) -> &mut Wakeups {
        &mut self.wakeups
    }

    fn on_timer(&mut self, now_ns: u64) {
        Connection::on_timer(self, now_ns);
    }

    #[inline]
    fn waits_for_host_queue(&self) -> bool {
        Connection::waits_for_host_queue(self)
    }

    fn on_host_queue_sent(&mut self, now_ns: u64, payload_bytes: u64) {
        Connection::on_host_queue_sent(self, now_ns, payload_bytes);
    }

    fn write(&mut self, now_ns: u64, bytes: u64) {
        Connection::write(self, now_ns, bytes);
    }

    fn close(&mut self, now_ns: u64) {
        Connection::close(self, now_ns);
    }

    fn start_algorithm(&mut self) {
        Connection::start_algorithm(self);
    }

    /// A socket takes data from the end of the handshake on.
    fn writable_bytes(&mut self, waits: bool) -> u64 {
        if self.is_established() {
            self.sender.writable_bytes(waits)
        } else {
            0
        }
    }

    /// Data that waits for the handshake does not count.
    fn unsent_bytes(&self) -> u64 {
        self.sender.unsent_bytes()
    }

    fn inflight_bytes(&self) -> u64 {
        self.sender.flight_bytes()
    }

    fn acknowledged_bytes(&self) -> u64 {
        self.sender.acknowledged_bytes()
    }

    fn delivered_bytes(&self) -> u64 {
        self.receiver.delivered_bytes() - self.misbehaving.as_ref().map_or(0, |it| it.skipped_bytes)
    }

    fn sample(&self) -> TransportSample {
        let sock = &self.sender.sock;
        let min_rtt_us = sock.rtt_min[0].v;
        TransportSample {
            cwnd_packets: sock.snd_cwnd,
            ssthresh_packets: (sock.snd_ssthresh < INFINITE_SSTHRESH).then_some(sock.snd_ssthresh),
            inflight_packets: sock.packets_in_flight(),
            pacing_rate_bytes_per_s: no_limit::pacing_rate(sock),
            receive_window_bytes: self.is_established().then_some(sock.snd_wnd.into()),
            // TCP keeps 8 times the smoothed RTT and 4 times its deviation.
            srtt_ns: u64::from(sock.srtt_us) * 1000 / 8,
            rttvar_ns: u64::from(sock.mdev_us) * 1000 / 4,
            min_rtt_ns: (min_rtt_us != u32::MAX).then_some(u64::from(min_rtt_us) * 1000),
            rtt_samples: self.sender.rtt_samples.count(),
            rtt_sum_us: self.sender.rtt_samples.sum(),
            delivered_packets: sock.delivered,
            marked_packets: sock.delivered_ce,
            packets_marked_lost: sock.lost,
            spurious_losses: sock.dsack_dups,
            retransmits: sock.total_retrans,
            retransmitted_bytes: sock.bytes_retrans,
            segments_retransmitted: Some(self.sender.segments_retransmitted()),
            timeouts: self.sender.timeouts(),
            limits: *self.sender.limit_times(),
        }
    }

    fn sock(&self) -> Option<&TcpSock> {
        Some(&self.sender.sock)
    }

    fn rtts(&self) -> &Histogram {
        &self.sender.rtt_samples
    }

    fn restart_rtts(&mut self) {
        self.sender.rtt_samples = Histogram::default();
    }

    fn trim(&mut self) {
        self.sender.trim();
        self.receiver.trim();
    }

    #[inline]
    fn prefetch(&self, side: Side, part: Prefetch) {
        if part == Prefetch::Endpoint {
            prefetch(&self.state);
            prefetch(&self.syn);
        }
        match (part, side) {
            (_, Side::Sender) => self.sender.prefetch(part),
            (Prefetch::Endpoint, Side::Receiver) => {
                prefetch(&self.sender);
                self.receiver.prefetch();
            }
            (Prefetch::Records, Side::Receiver) => {}
            (Prefetch::Sample, Side::Receiver) => {
                self.sender.algorithm().prefetch();
                prefetch(&self.receiver);
            }
        }
        if let Some(gro) = self.gro.as_ref().filter(|_| part == Prefetch::Records) {
            gro.prefetch();
        }
    }
}
