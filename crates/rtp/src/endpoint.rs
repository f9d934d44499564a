//! One endpoint of a session.

use crate::datagram::RtpDatagram;
use crate::receiver::Receiver;
use crate::scream::ScreamConfig;
use crate::sender::Sender;
use fairlane_congestion_control::AlgorithmFault;
use fairlane_engine::Histogram;
use fairlane_transport::{EcnMark, Outgoing, Transport, TransportSample, Wakeups};
use std::vec::Drain;

/// First retransmission timeout of a connectivity check, which doubles (RFC 8445 section 14.3, RFC 8489 section 6.2.1).
const CHECK_TIMEOUT_NS: u64 = 500_000_000;
const MAX_CHECK_TIMEOUT_NS: u64 = 8_000_000_000;

/// One end of a session; both ends can send media.
#[derive(Debug)]
pub struct RtpEndpoint {
    is_established: bool,
    /// The last check that has no answer, and its timeout.
    check: Option<(u64, u64)>,
    sender: Sender,
    receiver: Receiver,
    ecn: bool,
    outgoing: Vec<Outgoing<RtpDatagram>>,
    wakeups: Wakeups,
}

impl RtpEndpoint {
    /// `payload_bytes`: of a full packet. `ecn`: media packets are sent as ECN-capable.
    pub fn new(config: ScreamConfig, payload_bytes: u32, ecn: bool) -> Self {
        Self {
            is_established: false,
            check: None,
            sender: Sender::new(config, payload_bytes),
            receiver: Receiver::new(),
            ecn,
            outgoing: Vec::new(),
            wakeups: Wakeups::NONE,
        }
    }

    fn put(&mut self, now_ns: u64, datagram: RtpDatagram) {
        let ect = self.ecn && matches!(datagram, RtpDatagram::Media(_));
        self.outgoing.push(Outgoing { datagram, departure_ns: now_ns, ect, continues_burst: false });
    }

    fn send(&mut self, now_ns: u64) {
        while let Some(packet) = self.sender.next_packet(now_ns) {
            self.put(now_ns, RtpDatagram::Media(packet));
        }
    }

    fn report(&mut self, now_ns: u64) {
        if let Some(report) = self.receiver.take_report(now_ns) {
            self.put(now_ns, RtpDatagram::Feedback(report));
        }
    }

    fn send_check(&mut self, now_ns: u64, timeout_ns: u64) {
        self.check = Some((now_ns, timeout_ns));
        self.put(now_ns, RtpDatagram::Check);
    }
}

impl Transport for RtpEndpoint {
    type Datagram = RtpDatagram;

    fn listen(&mut self) {}

    fn connect(&mut self, now_ns: u64) {
        self.send_check(now_ns, CHECK_TIMEOUT_NS);
    }

    fn is_established(&self) -> bool {
        self.is_established
    }

    fn release(&mut self) {}

    fn fault(&self) -> Option<AlgorithmFault> {
        None
    }

    fn on_datagram(&mut self, now_ns: u64, datagram: &RtpDatagram, mark: EcnMark) {
        match datagram {
            RtpDatagram::Check => {
                self.is_established = true;
                self.put(now_ns, RtpDatagram::CheckAnswer);
            }
            RtpDatagram::CheckAnswer => {
                if let Some((sent_ns, _)) = self.check.take() {
                    self.is_established = true;
                    self.sender.on_rtt((now_ns - sent_ns).max(1));
                    self.send(now_ns);
                }
            }
            RtpDatagram::Media(packet) => {
                self.receiver.on_media(now_ns, packet, mark == EcnMark::Ce);
                self.report(now_ns);
            }
            RtpDatagram::Feedback(report) => {
                self.sender.on_feedback(now_ns, report);
                self.send(now_ns);
            }
        }
    }

    fn has_outgoing(&self) -> bool {
        !self.outgoing.is_empty()
    }

    fn take_outgoing(&mut self) -> Drain<'_, Outgoing<RtpDatagram>> {
        self.outgoing.drain(..)
    }

    fn exchange_buffer(&mut self, buffer: &mut Vec<Outgoing<RtpDatagram>>) {
        std::mem::swap(&mut self.outgoing, buffer);
    }

    fn deadline_bound_ns(&self) -> u64 {
        self.deadline_ns()
    }

    fn deadline_ns(&self) -> u64 {
        let check_ns = self.check.map_or(u64::MAX, |(sent_ns, timeout_ns)| sent_ns + timeout_ns);
        let media_ns = if self.is_established { self.sender.deadline_ns() } else { u64::MAX };
        check_ns.min(media_ns).min(self.receiver.deadline_ns())
    }

    fn wakeups(&mut self) -> &mut Wakeups {
        &mut self.wakeups
    }

    fn on_timer(&mut self, now_ns: u64) {
        if let Some((_, timeout_ns)) = self.check.filter(|(sent_ns, timeout_ns)| sent_ns + timeout_ns <= now_ns) {
            self.send_check(now_ns, (2 * timeout_ns).min(MAX_CHECK_TIMEOUT_NS));
        }
        self.report(now_ns);
        if self.is_established {
            self.sender.on_timer(now_ns);
            self.send(now_ns);
        }
    }

    fn on_host_queue_sent(&mut self, _: u64, _: u64) {}

    fn write(&mut self, now_ns: u64, bytes: u64) {
        self.sender.write(bytes);
        if self.is_established {
            self.send(now_ns);
        }
    }

    fn close(&mut self, _: u64) {}

    fn unsent_bytes(&self) -> u64 {
        self.sender.queued_bytes()
    }

    fn inflight_bytes(&self) -> u64 {
        self.sender.in_flight_bytes()
    }

    fn acknowledged_bytes(&self) -> u64 {
        self.sender.acknowledged_bytes()
    }

    fn delivered_bytes(&self) -> u64 {
        self.receiver.delivered_bytes()
    }

    fn media_bps(&self) -> Option<u64> {
        Some(self.sender.scream.target_bps())
    }

    fn sample(&self) -> TransportSample {
        self.sender.sample()
    }

    fn rtts(&self) -> &Histogram {
        &self.sender.rtts
    }

    fn restart_rtts(&mut self) {
        self.sender.rtts = Histogram::default();
    }
}
