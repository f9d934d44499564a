//! A minimal transport for tests: a constant window, an acknowledgement for every packet, one retransmission timer.
//!
//! It shares no code with TCP. If a run with it gives the right goodput, RTTs and results, no code outside the transports
//! depends on TCP.

use super::{Endpoints, Place, Transports};
use crate::error::SimulationError;
use fairlane_congestion_control::AlgorithmFault;
use fairlane_contract::FlowConfig;
use fairlane_engine::Histogram;
use fairlane_transport::{
    Datagram, EcnMark, Outgoing, Transport, TransportSample, Wakeups, WireConnection, WireFormat,
};
use fairlane_transport::{Side, Side::Sender};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::vec::Drain;

pub const PAYLOAD_BYTES: u32 = 1000;
/// Bytes of IPv4, UDP and the datagram's own header.
pub const HEADER_BYTES: u32 = 20 + 8 + 16;
const RETRANSMISSION_TIMEOUT_NS: u64 = 300_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Message {
    #[default]
    Hello,
    HelloBack,
    /// A packet with its number and payload.
    Data {
        number: u64,
        bytes: u32,
    },
    /// Acknowledges a packet, and echoes its congestion mark.
    Acknowledgement {
        number: u64,
        is_marked: bool,
    },
}

impl Datagram for Message {
    fn ip_bytes(&self) -> u32 {
        HEADER_BYTES + self.payload_bytes()
    }

    fn payload_bytes(&self) -> u32 {
        match self {
            Self::Data { bytes, .. } => *bytes,
            _ => 0,
        }
    }

    fn number(&self) -> u64 {
        0
    }
}

#[derive(Clone, Copy)]
struct Packet {
    bytes: u32,
    sent_ns: u64,
    is_retransmitted: bool,
}

pub struct ConstantWindow {
    window_packets: u32,
    is_established: bool,
    /// The last attempt of the handshake, at the end that opens the connection.
    hello_ns: Option<u64>,
    unsent_bytes: u64,
    next_number: u64,
    in_flight: BTreeMap<u64, Packet>,
    acknowledged_bytes: u64,
    /// Arrived packets: all below the first number, and these above it.
    expected_number: u64,
    out_of_order: BTreeMap<u64, u32>,
    delivered_bytes: u64,
    outgoing: Vec<Outgoing<Message>>,
    wakeups: Wakeups,
    rtts: Histogram,
    sample: TransportSample,
}

impl ConstantWindow {
    pub fn new(window_packets: u32) -> Self {
        Self {
            window_packets,
            is_established: false,
            hello_ns: None,
            unsent_bytes: 0,
            next_number: 0,
            in_flight: BTreeMap::new(),
            acknowledged_bytes: 0,
            expected_number: 0,
            out_of_order: BTreeMap::new(),
            delivered_bytes: 0,
            outgoing: Vec::new(),
            wakeups: Wakeups::NONE,
            rtts: Histogram::default(),
            sample: TransportSample::default(),
        }
    }

    fn put(&mut self, now_ns: u64, datagram: Message) {
        self.outgoing.push(Outgoing { datagram, departure_ns: now_ns, ect: true, continues_burst: false });
    }

    fn establish(&mut self, now_ns: u64) {
        self.is_established = true;
        self.hello_ns = None;
        self.fill_window(now_ns);
    }

    fn fill_window(&mut self, now_ns: u64) {
        while self.is_established && self.unsent_bytes > 0 && self.in_flight.len() < self.window_packets as usize {
            let bytes = self.unsent_bytes.min(PAYLOAD_BYTES.into()) as u32;
            let number = self.next_number;
            self.next_number += 1;
            self.unsent_bytes -= u64::from(bytes);
            self.in_flight.insert(number, Packet { bytes, sent_ns: now_ns, is_retransmitted: false });
            self.put(now_ns, Message::Data { number, bytes });
        }
    }

    fn on_acknowledgement(&mut self, now_ns: u64, number: u64, is_marked: bool) {
        let Some(packet) = self.in_flight.remove(&number) else { return };
        self.acknowledged_bytes += u64::from(packet.bytes);
        self.sample.delivered_packets += 1;
        self.sample.marked_packets += u32::from(is_marked);
        if !packet.is_retransmitted {
            let rtt_ns = now_ns - packet.sent_ns;
            self.rtts.record((rtt_ns / 1000) as u32);
            self.sample.srtt_ns =
                if self.sample.srtt_ns == 0 { rtt_ns } else { (7 * self.sample.srtt_ns + rtt_ns) / 8 };
            self.sample.min_rtt_ns = Some(self.sample.min_rtt_ns.map_or(rtt_ns, |min_ns| min_ns.min(rtt_ns)));
        }
        self.fill_window(now_ns);
    }

    fn on_data(&mut self, now_ns: u64, number: u64, bytes: u32, mark: EcnMark) {
        if number >= self.expected_number {
            self.out_of_order.insert(number, bytes);
        }
        while let Some(bytes) = self.out_of_order.remove(&self.expected_number) {
            self.expected_number += 1;
            self.delivered_bytes += u64::from(bytes);
        }
        self.put(now_ns, Message::Acknowledgement { number, is_marked: mark == EcnMark::Ce });
    }
}

impl Transport for ConstantWindow {
    type Datagram = Message;

    fn listen(&mut self) {}

    fn connect(&mut self, now_ns: u64) {
        self.hello_ns = Some(now_ns);
        self.put(now_ns, Message::Hello);
    }

    fn is_established(&self) -> bool {
        self.is_established
    }

    fn release(&mut self) {}

    fn must_stay(&self) -> bool {
        false
    }

    fn fault(&self) -> Option<AlgorithmFault> {
        None
    }

    fn on_datagram(&mut self, now_ns: u64, datagram: &Message, mark: EcnMark) {
        match *datagram {
            Message::Hello => {
                self.put(now_ns, Message::HelloBack);
                self.establish(now_ns);
            }
            Message::HelloBack => self.establish(now_ns),
            Message::Data { number, bytes } => self.on_data(now_ns, number, bytes, mark),
            Message::Acknowledgement { number, is_marked } => self.on_acknowledgement(now_ns, number, is_marked),
        }
    }

    fn has_outgoing(&self) -> bool {
        !self.outgoing.is_empty()
    }

    fn take_outgoing(&mut self) -> Drain<'_, Outgoing<Message>> {
        self.outgoing.drain(..)
    }

    fn exchange_buffer(&mut self, buffer: &mut Vec<Outgoing<Message>>) {
        std::mem::swap(&mut self.outgoing, buffer);
    }

    fn deadline_bound_ns(&self) -> u64 {
        self.deadline_ns()
    }

    fn deadline_ns(&self) -> u64 {
        let sent_ns = self.in_flight.values().map(|packet| packet.sent_ns).chain(self.hello_ns).min();
        sent_ns.map_or(u64::MAX, |sent_ns| sent_ns + RETRANSMISSION_TIMEOUT_NS)
    }

    fn wakeups(&mut self) -> &mut Wakeups {
        &mut self.wakeups
    }

    fn on_timer(&mut self, now_ns: u64) {
        let is_due = |sent_ns: u64| sent_ns + RETRANSMISSION_TIMEOUT_NS <= now_ns;
        if self.hello_ns.is_some_and(is_due) {
            self.connect(now_ns);
        }
        let overdue = self.in_flight.iter().filter(|(_, packet)| is_due(packet.sent_ns)).map(|(&number, _)| number);
        let overdue: Vec<u64> = overdue.collect();
        self.sample.timeouts += u32::from(!overdue.is_empty());
        for number in overdue {
            let packet = self.in_flight.get_mut(&number).expect("it is in flight");
            (packet.sent_ns, packet.is_retransmitted) = (now_ns, true);
            let bytes = packet.bytes;
            self.sample.retransmits += 1;
            self.sample.packets_marked_lost += 1;
            self.sample.retransmitted_bytes += u64::from(bytes);
            self.put(now_ns, Message::Data { number, bytes });
        }
    }

    fn on_host_queue_sent(&mut self, _: u64, _: u64) {}

    fn write(&mut self, now_ns: u64, bytes: u64) {
        self.unsent_bytes += bytes;
        self.fill_window(now_ns);
    }

    fn close(&mut self, _: u64) {}

    fn unsent_bytes(&self) -> u64 {
        self.unsent_bytes
    }

    fn inflight_bytes(&self) -> u64 {
        self.in_flight.values().map(|packet| u64::from(packet.bytes)).sum()
    }

    fn acknowledged_bytes(&self) -> u64 {
        self.acknowledged_bytes
    }

    fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    fn sample(&self) -> TransportSample {
        TransportSample {
            cwnd_packets: self.window_packets,
            inflight_packets: self.in_flight.len() as u32,
            rtt_samples: self.rtts.count(),
            rtt_sum_us: self.rtts.sum(),
            ..self.sample
        }
    }

    fn rtts(&self) -> &Histogram {
        &self.rtts
    }

    fn restart_rtts(&mut self) {
        self.rtts = Histogram::default();
    }
}

/// The window of every flow.
pub struct ConstantWindows(pub u32);

impl Transports<ConstantWindow> for ConstantWindows {
    fn endpoints(&mut self, _: &FlowConfig) -> Result<Rc<dyn Endpoints<ConstantWindow>>, SimulationError> {
        Ok(Rc::new(Self(self.0)))
    }

    fn share_memory(&self) -> bool {
        false
    }
}

impl Endpoints<ConstantWindow> for ConstantWindows {
    fn endpoint(&self, _: Place, _: u64) -> ConstantWindow {
        ConstantWindow::new(self.0)
    }

    fn mss_bytes(&self) -> u32 {
        PAYLOAD_BYTES
    }

    fn wire_format(&self) -> Box<dyn WireFormat<Message>> {
        Box::new(Udp)
    }
}

/// A UDP header without checksum, and the number of the packet.
struct Udp;

impl WireFormat<Message> for Udp {
    fn ip_protocol(&self) -> u8 {
        17
    }

    fn write_headers(&self, connection: &WireConnection, from: Side, message: &Message, packet: &mut Vec<u8>) -> u32 {
        packet.extend(connection.port(from).to_be_bytes());
        packet.extend(connection.port(from.peer()).to_be_bytes());
        packet.extend(((message.ip_bytes() - 20) as u16).to_be_bytes());
        packet.extend([0; 2]);
        packet.extend([u8::from(from == Sender); 8]);
        let number = match *message {
            Message::Data { number, .. } | Message::Acknowledgement { number, .. } => number,
            Message::Hello | Message::HelloBack => 0,
        };
        packet.extend(number.to_be_bytes());
        message.payload_bytes()
    }
}
