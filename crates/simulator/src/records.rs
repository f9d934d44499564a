//! The measurements of a flow, in as little memory as its state allows: a run may have many more flows that wait or have
//! ended than flows that send.

use fairlane_contract::{PacketRtt, RttDistribution};
use fairlane_engine::{prefetch, Histogram};
use fairlane_measure::{packet_rtt, rtt_distribution, FlowSeries, FlowTally};

pub(crate) enum Records {
    Waiting {
        /// The wait for the peer's hardware address before the first packet; 0 when it is over.
        arp_ns: u64,
    },
    Open(Box<OpenRecords>),
    /// The endpoints are gone.
    Ended(Box<EndedRecords>),
}

/// Measurements of a flow that has endpoints.
#[repr(C)]
pub(crate) struct OpenRecords {
    pub series: FlowSeries,
    /// The counters at the last sample.
    pub last: FlowTally,
    /// The counters at the start of the measurement, and at the end of the flow.
    pub begin: FlowTally,
    pub end: Option<Box<FlowTally>>,
    pub completion_ns: Option<u64>,
}

/// Measurements of an ended flow.
pub(crate) struct EndedRecords {
    pub series: FlowSeries,
    /// From the start of the measurement to the end of the flow.
    pub counted: FlowTally,
    pub end_ns: u64,
    pub completion_ns: Option<u64>,
    pub min_rtt_ns: Option<u64>,
    pub packet_rtt: PacketRtt,
    pub rtt_distribution: RttDistribution,
}

impl OpenRecords {
    /// The measurement and the time series start with this tally.
    pub fn new(begin: FlowTally) -> Self {
        Self { series: FlowSeries::EMPTY, last: begin, begin, end: None, completion_ns: None }
    }

    /// Prefetches the fields that a sample touches.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.series);
        self.last.prefetch();
    }
}

impl EndedRecords {
    /// Keeps what results need of records that end with the flow, or with the tally `now` if that goes on. `rtts` are those
    /// of the data sender.
    pub fn new(open: OpenRecords, now_ns: u64, now: &FlowTally, min_rtt_ns: Option<u64>, rtts: &Histogram) -> Self {
        let mut series = open.series;
        series.end();
        Self {
            series,
            counted: open.end.as_deref().unwrap_or(now).since(&open.begin),
            end_ns: open.end.as_ref().map_or(now_ns, |end| end.at_ns),
            completion_ns: open.completion_ns,
            min_rtt_ns,
            packet_rtt: packet_rtt(rtts),
            rtt_distribution: rtt_distribution(rtts),
        }
    }
}

impl Records {
    pub fn open(&self) -> Option<&OpenRecords> {
        match self {
            Self::Open(open) => Some(open),
            _ => None,
        }
    }

    pub fn open_mut(&mut self) -> Option<&mut OpenRecords> {
        match self {
            Self::Open(open) => Some(open),
            _ => None,
        }
    }

    pub fn ended(&self) -> Option<&EndedRecords> {
        match self {
            Self::Ended(ended) => Some(ended),
            _ => None,
        }
    }

    /// The time series so far.
    pub fn series(&self) -> &FlowSeries {
        const NONE: &FlowSeries = &FlowSeries::EMPTY;
        match self {
            Self::Waiting { .. } => NONE,
            Self::Open(open) => &open.series,
            Self::Ended(ended) => &ended.series,
        }
    }
}
