//! A flow: two endpoints, their applications, and what is counted about them.

use crate::application::{Application, Next};
use crate::components::Side;
use crate::host_queue::HostQueue;
use fairlane_algorithm_host::Program;
use fairlane_measure::FlowSeries;
use fairlane_tcp::{Connection, ConnectionConfig};
use std::rc::Rc;

/// Where a flow stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Waiting,
    Running,
    /// Stopped, or completed at the time given in `Flow::completion_ns`.
    Over,
}

/// What every packet touches comes first and together; the rest is behind a pointer, out of the cache's way.
#[repr(C)]
pub(crate) struct Flow {
    pub phase: Phase,
    /// An fq queue on the hosts paces the flow.
    pub has_host_queue: bool,
    /// Names the connection that runs now, as addresses and ports do: what an earlier one left in the network must
    /// not reach it.
    pub connection: u32,
    /// Data sender and data receiver, while the flow runs and after.
    pub ends: Option<Box<[Connection; 2]>>,
    pub counts: Counts,
    pub application: Application,
    pub host_queues: [HostQueue; 2],
    pub start_ns: u64,
    pub stop_ns: u64,
    pub completion_ns: Option<u64>,
    /// Delivered before the flow's own time began.
    pub preliminary_bytes: u64,
    pub series: FlowSeries,
    pub setup: Box<FlowSetup>,
}

/// How a flow was set up.
pub(crate) struct FlowSetup {
    /// The entry of the scenario it comes from.
    pub group: u32,
    pub algorithm: String,
    pub program: Rc<Program>,
    pub ends: [ConnectionConfig; 2],
    /// Seeds of the random numbers that the algorithm may draw, one for each end.
    pub algorithm_seeds: [u64; 2],
}

/// What is counted about a flow, packet by packet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Packets and frame bytes that each end put on the wire.
    pub sent: [WireCount; 2],
    /// Packets and frame bytes that reached each end.
    pub arrived: [WireCount; 2],
    /// Data packets that reached the receiver.
    pub data_packets_arrived: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WireCount {
    pub packets: u64,
    pub frame_bytes: u64,
}

impl WireCount {
    #[inline]
    pub fn add(&mut self, frame_bytes: u32) {
        self.packets += 1;
        self.frame_bytes += u64::from(frame_bytes);
    }
}

impl Flow {
    /// Makes the two endpoints.
    fn open(&mut self, flow: u32, now_ns: u64) {
        let end = |side: Side| {
            let mut end =
                Connection::new(self.setup.ends[side as usize].clone(), self.setup.program.instantiate(), now_ns);
            end.sender.sock.fairlane_flow = flow;
            end.sender.sock.fairlane_random = self.setup.algorithm_seeds[side as usize];
            end
        };
        self.ends = Some(Box::new([end(Side::Sender), end(Side::Receiver)]));
        self.phase = Phase::Running;
    }

    /// Makes the endpoints, begins the handshake and lets the application do its first step.
    pub fn connect(&mut self, flow: u32, now_ns: u64) -> Next {
        self.open(flow, now_ns);
        let opener = self.application.opener();
        let Some(ends) = &mut self.ends else { return Next::Wait };
        ends[1 - opener as usize].listen();
        ends[opener as usize].connect(now_ns);
        self.application.start(now_ns, ends)
    }

    /// The flow's own time begins: what came before does not count.
    pub fn begin(&mut self, now_ns: u64) {
        let planned_ns = self.stop_ns - self.start_ns;
        self.start_ns = now_ns;
        self.stop_ns = now_ns + planned_ns;
        self.preliminary_bytes = self.delivered_bytes();
        self.counts.sent = Default::default();
        self.counts.arrived = Default::default();
        self.series = FlowSeries::new(now_ns);
    }

    /// Bytes that the receiving application has got.
    pub fn delivered_bytes(&self) -> u64 {
        self.ends.as_ref().map_or(0, |ends| ends[1].receiver.delivered_bytes().saturating_sub(self.preliminary_bytes))
    }

    /// How long the flow ran by `now_ns`.
    pub fn running_time_ns(&self, now_ns: u64) -> u64 {
        let end_ns = self.completion_ns.unwrap_or(self.stop_ns).min(now_ns);
        end_ns.saturating_sub(self.start_ns)
    }
}
