//! Records the packets of chosen flows at one of their hosts, as tcpdump would.

use crate::components::Side;
use crate::error::SimulationError;
use crate::flow::Flow;
use fairlane_measure::{PcapngFile, WireConnection, WireEnd};
use fairlane_network::{Ecn, Packet};
use fairlane_tcp::receiver::Receiver;
use fairlane_tcp::Segment;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What to record.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureConfig {
    /// Numbers of the flows.
    pub flows: Vec<u32>,
    #[serde(default)]
    pub at: CapturePlace,
    /// So much of each packet's payload, which is zeros, is in the file.
    #[serde(default)]
    pub payload_bytes: u32,
}

/// At which host packets are seen: a packet that is lost on its way is seen by its sender only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapturePlace {
    #[default]
    Sender,
    Receiver,
}

pub(crate) struct Capture {
    file: PcapngFile<Box<dyn Write>>,
    place: Side,
    payload_bytes: u32,
    flow_count: u32,
    flows: BTreeMap<u32, Captured>,
    /// The packet in the making.
    frame: Vec<u8>,
    failure: Option<io::Error>,
}

struct Captured {
    ends: [WireEnd; 2],
    /// IP identification of the next packet of each end.
    identifications: [u16; 2],
}

impl Capture {
    pub fn new(config: &CaptureConfig, flows: &[Flow], sink: Box<dyn Write>) -> Result<Self, SimulationError> {
        let mut captured = BTreeMap::new();
        for &flow in &config.flows {
            let Some(slot) = flows.get(flow as usize) else {
                return Err(SimulationError::Scenario(format!(
                    "capture.flows: there is no flow {flow}; flows are 0 to {}",
                    flows.len().saturating_sub(1)
                )));
            };
            let ends = [0, 1].map(|side| {
                let receiver = Receiver::new(slot.setup.ends[side].receiver, 0);
                let mss = receiver.advertised_mss().min(u32::from(u16::MAX)) as u16;
                WireEnd { mss, window_scale: receiver.window_scale() }
            });
            captured.insert(flow, Captured { ends, identifications: [1; 2] });
        }
        let (place, interface) = match config.at {
            CapturePlace::Sender => (Side::Sender, "sender"),
            CapturePlace::Receiver => (Side::Receiver, "receiver"),
        };
        Ok(Self {
            file: PcapngFile::new(sink, interface)?,
            place,
            payload_bytes: config.payload_bytes,
            flow_count: flows.len() as u32,
            flows: captured,
            frame: Vec::new(),
            failure: None,
        })
    }

    /// A host puts a packet on the wire.
    pub fn sent(&mut self, now_ns: u64, packet: &Packet<Segment>) {
        self.record(now_ns, packet, self.place);
    }

    /// A packet reaches a host.
    pub fn arrived(&mut self, now_ns: u64, packet: &Packet<Segment>) {
        let other = if self.place == Side::Sender { Side::Receiver } else { Side::Sender };
        self.record(now_ns, packet, other);
    }

    /// Everything is recorded.
    pub fn finish(self) -> io::Result<()> {
        self.failure.map_or(Ok(()), Err)?;
        self.file.finish()
    }

    /// Records the packet if it comes from the end `from` of a chosen flow.
    fn record(&mut self, now_ns: u64, packet: &Packet<Segment>, from: Side) {
        let (flow, end) = (packet.path / 2, (packet.path % 2) as usize);
        if end != from as usize || self.failure.is_some() {
            return;
        }
        let Some(captured) = self.flows.get_mut(&flow) else { return };
        let generation = packet.flow / self.flow_count;
        let connection = WireConnection { flow, generation, ends: captured.ends };
        let identification = captured.identifications[end];
        captured.identifications[end] = identification.wrapping_add(1);
        let ecn = match packet.ecn {
            Ecn::NotEct => 0,
            Ecn::Ect1 => 1,
            Ecn::Ect0 => 2,
            Ecn::Ce => 3,
        };
        let segment = &packet.payload;
        let frame_bytes = connection.write_headers(end, segment, ecn, identification, &mut self.frame);
        let payload_bytes = self.payload_bytes.min(segment.len) as usize;
        self.frame.resize(self.frame.len() + payload_bytes, 0);
        self.failure = self.file.packet(now_ns, &self.frame, frame_bytes).err();
    }
}
