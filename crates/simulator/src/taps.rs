//! Observers of packets at hosts, as they depart and arrive: captures and the traces of senders. A run without them
//! costs one branch per packet.

use crate::capture::Capture;
use crate::error::SimulationError;
use crate::sender_trace::SenderTraces;
use fairlane_network::{Packet, PacketEvent, PacketLog, PacketStep};
use fairlane_transport::Datagram;

pub(crate) struct Taps<D> {
    /// Records packets, if requested.
    pub capture: Option<Capture<D>>,
    pub traces: Option<SenderTraces>,
    /// Records the steps of packets, those at hosts included.
    pub log: Option<PacketLog<D>>,
}

impl<D> Default for Taps<D> {
    fn default() -> Self {
        Self { capture: None, traces: None, log: None }
    }
}

impl<D: Datagram> Taps<D> {
    pub fn sent(&mut self, now_ns: u64, packet: &Packet<D>) {
        if let Some(capture) = &mut self.capture {
            capture.sent(now_ns, packet);
        }
        if let Some(traces) = &mut self.traces {
            traces.sent(now_ns, packet);
        }
        self.note(now_ns, PacketStep::Send, packet);
    }

    pub fn arrived(&mut self, now_ns: u64, packet: &Packet<D>) {
        if let Some(capture) = &mut self.capture {
            capture.arrived(now_ns, packet);
        }
        if let Some(traces) = &mut self.traces {
            traces.arrived(now_ns, packet);
        }
        self.note(now_ns, PacketStep::Receive, packet);
    }

    fn note(&self, time_ns: u64, step: PacketStep, packet: &Packet<D>) {
        if let Some(log) = &self.log {
            log.add(PacketEvent { time_ns, until_ns: None, step, station: None, packet: *packet });
        }
    }

    /// Ends the capture and returns the traces.
    pub fn finish(self) -> Result<Option<SenderTraces>, SimulationError> {
        if let Some(capture) = self.capture {
            capture.finish()?;
        }
        Ok(self.traces)
    }
}
