//! Records the packets of chosen flows at one of their hosts, as tcpdump would.

use crate::address::AddressPlan;
use crate::error::SimulationError;
use crate::flow::Flow;
use fairlane_contract::Problem;
use fairlane_measure::PcapngFile;
use fairlane_network::{Ecn, Packet};
use fairlane_transport::{Datagram, Side, Transport, WireConnection, WireFormat};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The configuration of a capture.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureConfig {
    /// Numbers of the flows.
    pub flows: Vec<u32>,
    #[serde(default)]
    pub format: CaptureFormat,
    #[serde(default)]
    pub at: CapturePlace,
    /// The bytes of each packet's payload, which is zeros, in the file.
    #[serde(default)]
    pub payload_bytes: u32,
    /// Packets before this time are left out, except the first of each end: in TCP the SYN, which has the window scale.
    #[serde(default)]
    pub from_ns: u64,
}

/// The format of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptureFormat {
    /// Packets as tcpdump records them.
    #[default]
    Pcapng,
    /// The log of one QUIC endpoint.
    Qlog,
}

/// The host at which packets are recorded: a packet that is lost on its path is recorded only at its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapturePlace {
    #[default]
    Sender,
    Receiver,
}

pub(crate) struct Capture<D> {
    file: PcapngFile<Box<dyn Write>>,
    place: Side,
    payload_bytes: u32,
    from_ns: u64,
    addresses: AddressPlan,
    flows: BTreeMap<u32, Captured<D>>,
    /// The packet being written.
    frame: Vec<u8>,
    failure: Option<io::Error>,
}

struct Captured<D> {
    format: Box<dyn WireFormat<D>>,
    /// IP identification of the next packet of each end.
    identifications: [u16; 2],
    /// The ends that have sent a packet.
    is_known: [bool; 2],
}

impl<D: Datagram> Capture<D> {
    pub fn new<T: Transport<Datagram = D>>(
        config: &CaptureConfig,
        flows: &[Flow<T>],
        sink: Box<dyn Write>,
    ) -> Result<Self, SimulationError> {
        let mut captured = BTreeMap::new();
        for &flow in &config.flows {
            let Some(slot) = flows.get(flow as usize) else {
                let last = flows.len().saturating_sub(1);
                let what = format!("there is no flow {flow}");
                return Err(Problem::new("capture.flows", what, format!("flows are 0 to {last}")).into());
            };
            captured.insert(
                flow,
                Captured { format: slot.setup.endpoints.wire_format(), identifications: [1; 2], is_known: [false; 2] },
            );
        }
        let (place, interface) = match config.at {
            CapturePlace::Sender => (Side::Sender, "sender"),
            CapturePlace::Receiver => (Side::Receiver, "receiver"),
        };
        Ok(Self {
            file: PcapngFile::new(sink, interface)?,
            place,
            payload_bytes: config.payload_bytes,
            from_ns: config.from_ns,
            addresses: AddressPlan::new(flows.len() as u32),
            flows: captured,
            frame: Vec::new(),
            failure: None,
        })
    }

    /// A host transmits a packet.
    pub fn sent(&mut self, now_ns: u64, packet: &Packet<D>) {
        self.record(now_ns, packet, self.place);
    }

    /// A packet arrives at a host.
    pub fn arrived(&mut self, now_ns: u64, packet: &Packet<D>) {
        self.record(now_ns, packet, self.place.peer());
    }

    /// The capture is complete.
    pub fn finish(self) -> io::Result<()> {
        self.failure.map_or(Ok(()), Err)?;
        self.file.finish()
    }

    /// Records the packet if it comes from the end `from` of a chosen flow.
    fn record(&mut self, now_ns: u64, packet: &Packet<D>, from: Side) {
        let sender = self.addresses.sender_of(packet);
        if sender.side != from || self.failure.is_some() {
            return;
        }
        let Some(captured) = self.flows.get_mut(&sender.flow) else { return };
        let end = from as usize;
        let connection = WireConnection { flow: sender.flow, generation: sender.generation };
        let identification = captured.identifications[end];
        captured.identifications[end] = identification.wrapping_add(1);
        let is_first = !std::mem::replace(&mut captured.is_known[end], true);
        if now_ns < self.from_ns && !is_first {
            return;
        }
        let ecn = match packet.ecn {
            Ecn::NotEct => 0,
            Ecn::Ect1 => 1,
            Ecn::Ect0 => 2,
            Ecn::Ce => 3,
        };
        let format = &*captured.format;
        let frame_bytes = connection.write_frame(from, &packet.payload, format, (ecn, identification), &mut self.frame);
        let payload_bytes = self.payload_bytes.min(packet.payload.payload_bytes()) as usize;
        self.frame.resize(self.frame.len() + payload_bytes, 0);
        self.failure = self.file.packet(now_ns, &self.frame, frame_bytes).err();
    }
}
