//! A flow: two endpoints, their applications, and their counters.

use crate::address::endpoint_index;
use crate::applications::{Application, Next};
use crate::error::SimulationError;
use crate::host_queue::HostQueue;
use crate::ideal::IdealPath;
use crate::records::{EndedRecords, OpenRecords, Records};
use crate::transports::{Endpoints, Place};
use fairlane_engine::{prefetch, Histogram, Streams};
use fairlane_measure::{FlowSeries, FlowTally, Watch, WireCount};
use fairlane_network::Ecn;
use fairlane_transport::{Side, Transport, TransportSample};
use std::rc::Rc;

/// The phase of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Waiting,
    Running,
    /// Stopped, or completed at the time given in the records.
    Over,
}

/// Three cache lines: there may be many more flows than those that run.
#[repr(C)]
pub(crate) struct Flow<T: Transport> {
    pub hosts: Hosts<T>,
    pub application: Box<dyn Application<T>>,
    pub start_ns: u64,
    pub stop_ns: u64,
    pub records: Records,
    pub setup: Rc<FlowSetup<T>>,
    /// The entry of the scenario that the flow comes from.
    pub group: u32,
}

/// A flow's two ends at their hosts: all that a packet or a timer touches in a lookahead window, in two cache lines.
#[repr(C, align(64))]
pub(crate) struct Hosts<T> {
    pub phase: Phase,
    /// An fq queue on the hosts paces the flow.
    pub has_host_queue: bool,
    /// The ends that are notified of departures from their host's interface (TCP Small Queues).
    pub waits_for_device: [bool; 2],
    /// The codepoint of ECN-capable packets.
    pub ect: Ecn,
    /// The application acts on arrivals.
    pub follows_progress: bool,
    /// The group of flows that one thread runs; see `simulation/lookahead/shard.rs`.
    pub shard: u16,
    /// The number of connections before the current one; see [`Address`](crate::address::Address).
    pub generation: u32,
    pub host_queues: [HostQueue; 2],
    /// Data sender and data receiver, while the flow runs and after.
    pub ends: Option<Box<[T; 2]>>,
    pub counts: [Counts; 2],
}

/// The setup of flows, of an entry of the scenario or of several that differ in times and sizes only.
pub(crate) struct FlowSetup<T: Transport> {
    pub algorithm: String,
    /// Additional sampled members, in the order of the scenario's `watch`.
    pub watch: Rc<[Watch]>,
    pub endpoints: Rc<dyn Endpoints<T>>,
    /// The random numbers of the run.
    pub streams: Streams,
    /// None if no shortest time of a transfer is known.
    pub ideal: Option<IdealPath>,
    /// Headers of a full packet.
    pub header_bytes: u32,
}

impl<T: Transport> FlowSetup<T> {
    pub fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.endpoints, &other.endpoints)
            && self.algorithm == other.algorithm
            && self.watch.is_empty()
            && other.watch.is_empty()
            && self.ideal == other.ideal
            && self.header_bytes == other.header_bytes
    }
}

/// Packet counters of one end of a flow.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Counts {
    /// Transmitted.
    pub sent: WireCount,
    /// Received.
    pub arrived: WireCount,
}

impl<T> Hosts<T> {
    /// Prefetches the fields that every packet touches.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.phase);
        prefetch(&self.counts[1]);
    }
}

impl<T: Transport> Hosts<T> {
    /// Frees the endpoints' own buffers, which are empty: the first datagrams are sent from them, later ones mostly from
    /// the buffer that endpoints share.
    pub fn free_buffers(&mut self) {
        for end in self.ends.iter_mut().flat_map(|ends| ends.iter_mut()) {
            end.exchange_buffer(&mut Vec::new());
        }
    }

    /// Frees memory that the endpoints do not need now.
    pub fn trim(&mut self) {
        self.ends.iter_mut().flat_map(|ends| ends.iter_mut()).for_each(Transport::trim);
    }
}

impl<T: Transport> Flow<T> {
    /// Makes the two endpoints.
    fn open(&mut self, flow: u32, now_ns: u64) {
        self.remember(); // a connection that this one replaces
        let setup = &self.setup;
        let end = |side: Side| {
            // Seed of the random numbers that the endpoint's algorithm may draw.
            let algorithm_seed = setup.streams.stream("algorithm", endpoint_index(flow, side).into()).next_u64();
            let shard = u32::from(self.hosts.shard);
            setup.endpoints.endpoint(Place { flow, side, shard, algorithm_seed }, now_ns)
        };
        self.hosts.ends = Some(Box::new(Side::BOTH.map(end)));
        self.hosts.phase = Phase::Running;
    }

    /// Makes the endpoints, begins the handshake and lets the application do its first step.
    pub fn connect(&mut self, flow: u32, now_ns: u64) -> Next {
        if self.application.waits_for_others() {
            self.start_ns = now_ns;
        }
        if let Records::Waiting { .. } = self.records {
            self.records = Records::Open(Box::new(OpenRecords::new(self.nothing_yet())));
        }
        self.open(flow, now_ns);
        let opener = self.application.opener();
        let Some(ends) = &mut self.hosts.ends else { return Next::Wait };
        ends[1 - opener as usize].listen();
        ends[opener as usize].connect(now_ns);
        let next = self.application.start(now_ns, ends);
        self.hosts.follows_progress = self.application.follows_progress();
        next
    }

    /// Data arrived at one of the ends. Returns the application's next step, if it acts on arrivals.
    #[inline]
    pub fn on_progress(&mut self, now_ns: u64) -> Option<Next> {
        if !self.hosts.follows_progress {
            return None;
        }
        let next = self.application.on_progress(now_ns, self.hosts.ends.as_mut()?);
        self.hosts.follows_progress = self.application.follows_progress();
        Some(next)
    }

    /// The tally before the first packet.
    fn nothing_yet(&self) -> FlowTally {
        FlowTally { at_ns: self.start_ns, ..FlowTally::default() }
    }

    /// Starts the flow's time: earlier packets do not count.
    pub fn begin(&mut self, now_ns: u64, lost_packets: u64) {
        let planned_ns = self.stop_ns - self.start_ns;
        self.start_ns = now_ns;
        self.stop_ns = now_ns + planned_ns;
        self.measure_from(now_ns, lost_packets);
        if let Some(records) = self.records.open_mut() {
            (records.series, records.last) = (FlowSeries::EMPTY, records.begin);
        }
    }

    /// The flow's metrics count from now on.
    pub fn measure_from(&mut self, now_ns: u64, lost_packets: u64) {
        if let Some(ends) = &mut self.hosts.ends {
            ends[0].restart_rtts();
        }
        self.application.measure_from(now_ns);
        let begin = self.tally(now_ns, lost_packets);
        if let Some(records) = self.records.open_mut() {
            records.last.restart_rtts();
            records.begin = begin;
            // Flows that ended during the warm-up report no metrics.
            records.end = records.end.take().map(|_| Box::new(begin));
        }
    }

    /// Ends the flow and stores its final counters.
    pub fn finish(&mut self, now_ns: u64, lost_packets: u64) {
        self.hosts.phase = Phase::Over;
        self.remember();
        let end = self.tally(now_ns, lost_packets);
        if let Some(records) = self.records.open_mut() {
            records.end = Some(Box::new(end));
        }
    }

    /// Frees the memory of a flow that is over and has sent its last datagrams. It keeps measurements alone, unless its
    /// endpoints must stay. Thousands of short flows then need the memory of those that are running.
    #[inline(never)]
    pub fn retire(&mut self) {
        let is_open = self.records.open().is_some_and(|records| records.end.is_some());
        let Some(ends) = self.hosts.ends.as_mut().filter(|_| is_open) else { return };
        if ends.iter().any(Transport::must_stay) {
            return;
        }
        for end in self.end(0, 0).iter_mut().flat_map(|ends| ends.iter_mut()) {
            end.release();
        }
    }

    /// Ends the records, with the flow or at `now_ns` if that goes on, and gives up the endpoints.
    pub fn end(&mut self, now_ns: u64, lost_packets: u64) -> Option<Box<[T; 2]>> {
        let tally = self.tally(now_ns, lost_packets);
        let open = match std::mem::replace(&mut self.records, Records::Waiting { arp_ns: 0 }) {
            Records::Waiting { .. } => OpenRecords::new(self.nothing_yet()),
            Records::Open(open) => *open,
            ended @ Records::Ended(_) => {
                self.records = ended;
                return None;
            }
        };
        let (min_rtt_ns, none) = (self.sender_sample().min_rtt_ns, Histogram::default());
        let ends = self.hosts.ends.take();
        let rtts = ends.as_ref().map_or(&none, |ends| ends[0].rtts());
        self.records = Records::Ended(Box::new(EndedRecords::new(open, now_ns, &tally, min_rtt_ns, rtts)));
        ends
    }

    /// Adds the watched members to the last sample.
    #[cold]
    pub fn sample_watched(&mut self) {
        let sock = self.hosts.ends.as_ref().and_then(|ends| ends[0].sock());
        if let Some(records) = self.records.open_mut() {
            records.series.watch(self.setup.watch.iter().map(|member| member.read(sock?)));
        }
    }

    /// Stores the metrics that the host caches from the ended connection.
    fn remember(&self) {
        if let Some(ends) = &self.hosts.ends {
            self.setup.endpoints.remember(&ends[Side::Sender as usize]);
        }
    }

    /// Fails if an algorithm has failed, which ends the run.
    pub fn check_algorithm(&self, flow: u32, now_ns: u64) -> Result<(), SimulationError> {
        match self.hosts.ends.iter().flat_map(|ends| ends.iter()).find_map(Transport::fault) {
            Some(fault) => Err(SimulationError::fault(&fault, flow, now_ns)),
            None => Ok(()),
        }
    }

    /// The sender's sample; zeros before it exists.
    pub fn sender_sample(&self) -> TransportSample {
        self.hosts.ends.as_ref().map(|ends| ends[0].sample()).unwrap_or_default()
    }

    /// The shortest time that the transfer of the flow's application can take on the idle path, if it has a given size.
    pub fn ideal_completion_ns(&self) -> Option<u64> {
        let setup = &self.setup;
        let packet_bytes = (setup.endpoints.mss_bytes(), setup.header_bytes);
        Some(setup.ideal.as_ref()?.time_ns(self.application.transfer_bytes()?, packet_bytes))
    }

    /// All counters now; `lost_packets` are the flow's data packets that the network has lost so far.
    pub fn tally(&self, now_ns: u64, lost_packets: u64) -> FlowTally {
        self.tally_with(&self.sender_sample(), now_ns, lost_packets)
    }

    /// [`tally`](Self::tally) for callers that have the sender's sample.
    pub fn tally_with(&self, sender: &TransportSample, now_ns: u64, lost_packets: u64) -> FlowTally {
        let at_ns = now_ns.max(self.start_ns);
        FlowTally {
            at_ns,
            sent: self.hosts.counts.map(|end| end.sent),
            arrived: self.hosts.counts.map(|end| end.arrived),
            lost_packets,
            delivered_bytes: self.hosts.ends.as_ref().map_or(0, |ends| ends[1].delivered_bytes()),
            retransmits: sender.retransmits,
            retransmitted_bytes: sender.retransmitted_bytes,
            segments_retransmitted: sender.segments_retransmitted,
            timeouts: sender.timeouts,
            packets_marked_lost: sender.packets_marked_lost,
            spurious_losses: sender.spurious_losses,
            marked_packets: sender.marked_packets,
            rtt_samples: sender.rtt_samples,
            rtt_sum_us: sender.rtt_sum_us,
            limits_ns: sender.limits.until(at_ns),
        }
    }
}
