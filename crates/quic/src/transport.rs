//! QUIC as one of the simulator's transports.

use crate::datagram::QuicDatagram;
use crate::endpoint::QuicEndpoint;
use fairlane_congestion_control::no_limit;
use fairlane_congestion_control::sock::INFINITE_SSTHRESH;
use fairlane_congestion_control::{AlgorithmFault, TcpSock};
use fairlane_engine::Histogram;
use fairlane_transport::{EcnMark, Outgoing, Transport, TransportSample, Wakeups};
use std::vec::Drain;

impl Transport for QuicEndpoint {
    type Datagram = QuicDatagram;

    fn listen(&mut self) {}

    fn connect(&mut self, now_ns: u64) {
        QuicEndpoint::connect(self, now_ns);
    }

    fn is_established(&self) -> bool {
        self.is_established
    }

    fn release(&mut self) {
        // An idle connection stays open, and both ends are ours, so a closed connection is a bug.
        assert!(self.failure.is_none(), "quinn-proto ended the connection: {:?}", self.failure);
        self.congestion.release();
    }

    fn fault(&self) -> Option<AlgorithmFault> {
        self.congestion.algorithm().fault()
    }

    fn warning(&self) -> Option<String> {
        self.congestion.algorithm().warning()
    }

    fn on_datagram(&mut self, now_ns: u64, datagram: &QuicDatagram, mark: EcnMark) {
        QuicEndpoint::on_datagram(self, now_ns, datagram, mark);
    }

    fn has_outgoing(&self) -> bool {
        !self.outgoing.is_empty()
    }

    fn take_outgoing(&mut self) -> Drain<'_, Outgoing<QuicDatagram>> {
        self.outgoing.drain(..)
    }

    fn exchange_buffer(&mut self, buffer: &mut Vec<Outgoing<QuicDatagram>>) {
        std::mem::swap(&mut self.outgoing, buffer);
    }

    fn deadline_bound_ns(&self) -> u64 {
        QuicEndpoint::deadline_ns(self)
    }

    fn deadline_ns(&self) -> u64 {
        QuicEndpoint::deadline_ns(self)
    }

    fn wakeups(&mut self) -> &mut Wakeups {
        &mut self.wakeups
    }

    fn on_timer(&mut self, now_ns: u64) {
        QuicEndpoint::on_timer(self, now_ns);
    }

    /// Departures are never later than now, so the host's queue is always empty.
    fn on_host_queue_sent(&mut self, _: u64, _: u64) {}

    fn write(&mut self, now_ns: u64, bytes: u64) {
        QuicEndpoint::write(self, now_ns, bytes);
    }

    fn close(&mut self, now_ns: u64) {
        QuicEndpoint::close(self, now_ns);
    }

    fn unsent_bytes(&self) -> u64 {
        QuicEndpoint::unsent_bytes(self)
    }

    fn inflight_bytes(&self) -> u64 {
        self.congestion.streams.in_flight_bytes()
    }

    fn acknowledged_bytes(&self) -> u64 {
        self.congestion.streams.acknowledged_bytes()
    }

    fn delivered_bytes(&self) -> u64 {
        QuicEndpoint::delivered_bytes(self)
    }

    fn sample(&self) -> TransportSample {
        let sock = &self.congestion.sock;
        let min_rtt_us = sock.min_rtt_us();
        TransportSample {
            cwnd_packets: sock.snd_cwnd,
            ssthresh_packets: (sock.snd_ssthresh < INFINITE_SSTHRESH).then_some(sock.snd_ssthresh),
            inflight_packets: sock.packets_in_flight(),
            pacing_rate_bytes_per_s: no_limit::pacing_rate(sock),
            receive_window_bytes: Some(self.receive_window_bytes()),
            srtt_ns: u64::from(sock.srtt_us) * 125,
            rttvar_ns: u64::from(sock.mdev_us) * 250,
            min_rtt_ns: (min_rtt_us != u32::MAX).then_some(u64::from(min_rtt_us) * 1000),
            rtt_samples: self.congestion.rtts.count(),
            rtt_sum_us: self.congestion.rtts.sum(),
            delivered_packets: sock.delivered,
            marked_packets: sock.delivered_ce,
            packets_marked_lost: sock.lost,
            spurious_losses: self.congestion.spurious_losses,
            retransmits: sock.total_retrans,
            retransmitted_bytes: sock.bytes_retrans,
            segments_retransmitted: None,
            timeouts: self.congestion.timeouts,
            limits: self.limits,
        }
    }

    fn sock(&self) -> Option<&TcpSock> {
        Some(&self.congestion.sock)
    }

    fn rtts(&self) -> &Histogram {
        &self.congestion.rtts
    }

    fn restart_rtts(&mut self) {
        self.congestion.rtts = Histogram::default();
    }
}
