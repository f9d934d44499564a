//! A flow: two endpoints, their applications, and their counters.

use crate::applications::{Application, Next};
use crate::error::SimulationError;
use crate::host_queue::HostQueue;
use crate::transports::{Endpoints, Place};
use fairlane_contract::{PacketRtt, RttDistribution};
use fairlane_engine::prefetch;
use fairlane_measure::{packet_rtt, rtt_distribution, FlowSeries, FlowTally, Watch, WireCount};
use fairlane_network::Ecn;
use fairlane_transport::{Side, Transport, TransportSample};
use std::rc::Rc;

/// The phase of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Waiting,
    Running,
    /// Stopped, or completed at the time given in `Flow::completion_ns`.
    Over,
}

#[repr(C)]
pub(crate) struct Flow<T: Transport> {
    pub hosts: Hosts<T>,
    pub application: Box<dyn Application<T>>,
    pub start_ns: u64,
    pub stop_ns: u64,
    pub completion_ns: Option<u64>,
    /// The counters at the start of the measurement, and at the end of the flow.
    pub begin: FlowTally,
    pub end: Option<FlowTally>,
    pub series: FlowSeries,
    pub setup: Box<FlowSetup<T>>,
    /// Figures of the ends, which are gone, for results.
    pub retired: Option<Box<Retired>>,
}

/// Measurements of an ended flow.
pub(crate) struct Retired {
    pub min_rtt_ns: Option<u64>,
    pub packet_rtt: PacketRtt,
    pub rtt_distribution: RttDistribution,
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

/// The setup of a flow.
pub(crate) struct FlowSetup<T: Transport> {
    /// The entry of the scenario it comes from.
    pub group: u32,
    pub algorithm: String,
    /// Additional sampled members, in the order of the scenario's `watch`.
    pub watch: Rc<[Watch]>,
    pub endpoints: Rc<dyn Endpoints<T>>,
    /// Seeds of the random numbers that the algorithm may draw, one for each end.
    pub algorithm_seeds: [u64; 2],
    /// The wait for the peer's hardware address before the first packet; 0 when it is over.
    pub arp_ns: u64,
    /// The shortest time that a transfer of the application's size can take on the idle path.
    pub ideal_completion_ns: Option<u64>,
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

impl<T: Transport> Flow<T> {
    /// Makes the two endpoints.
    fn open(&mut self, flow: u32, now_ns: u64) {
        self.remember(); // a connection that this one replaces
        let setup = &self.setup;
        let end = |side: Side| {
            setup.endpoints.endpoint(
                Place {
                    flow,
                    side,
                    shard: u32::from(self.hosts.shard),
                    algorithm_seed: setup.algorithm_seeds[side as usize],
                },
                now_ns,
            )
        };
        self.hosts.ends = Some(Box::new(Side::BOTH.map(end)));
        self.hosts.phase = Phase::Running;
    }

    /// Makes the endpoints, begins the handshake and lets the application do its first step.
    pub fn connect(&mut self, flow: u32, now_ns: u64) -> Next {
        if self.application.waits_for_others() {
            self.start_ns = now_ns;
            self.begin.at_ns = now_ns;
            self.series = FlowSeries::new(self.begin);
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

    /// Starts the flow's time: earlier packets do not count.
    pub fn begin(&mut self, now_ns: u64, lost_packets: u64) {
        let planned_ns = self.stop_ns - self.start_ns;
        self.start_ns = now_ns;
        self.stop_ns = now_ns + planned_ns;
        self.measure_from(now_ns, lost_packets);
        self.series = FlowSeries::new(self.begin);
    }

    /// The flow's metrics count from now on.
    pub fn measure_from(&mut self, now_ns: u64, lost_packets: u64) {
        if let Some(ends) = &mut self.hosts.ends {
            ends[0].restart_rtts();
            self.series.restart_rtt();
        }
        self.application.measure_from(now_ns);
        self.begin = self.tally(now_ns, lost_packets);
    }

    /// Ends the flow and stores its final counters.
    pub fn finish(&mut self, now_ns: u64, lost_packets: u64) {
        self.hosts.phase = Phase::Over;
        self.remember();
        self.end = Some(self.tally(now_ns, lost_packets));
    }

    /// Frees the memory of a flow that is over and has sent its last datagrams. It keeps measurements alone, unless its
    /// endpoints must stay. Thousands of short flows then need the memory of those that are running.
    #[inline(never)]
    pub fn retire(&mut self) {
        let Some(ends) = &mut self.hosts.ends else { return };
        if ends.iter().any(Transport::must_stay) {
            return;
        }
        self.retired = Some(Box::new(Retired {
            min_rtt_ns: ends[0].sample().min_rtt_ns,
            packet_rtt: packet_rtt(ends[0].rtts()),
            rtt_distribution: rtt_distribution(ends[0].rtts()),
        }));
        ends.iter_mut().for_each(Transport::release);
        self.hosts.ends = None;
        self.series.end();
    }

    /// Adds the watched members to the last sample.
    #[cold]
    pub fn sample_watched(&mut self) {
        let sock = self.hosts.ends.as_ref().and_then(|ends| ends[0].sock());
        self.series.watch(self.setup.watch.iter().map(|member| member.read(sock?)));
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
