//! The result of a run.

use crate::address::AddressPlan;
use crate::cross_traffic::CrossTraffic;
use crate::flow::Flow;
use crate::link_meter::LinkMeter;
use crate::records::{EndedRecords, Records};
use crate::sender_trace::SenderTraces;
use fairlane_contract::{
    Accesses, CrossTrafficResult, Distributions, FlowResult, LinkAccesses, LinkAggregates, Reading, Rows, RunMetrics,
    RunResult, SenderTrace, Series, Watched,
};
use fairlane_measure::{jain_index, mbps, send_limits, FlowTally};
use fairlane_network::{AccessRecord, AccessStats, Network, StationId};
use fairlane_transport::{Side, Transport};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The state of a run at its end.
pub(crate) struct Remains<T: Transport> {
    pub warm_up_ns: u64,
    pub end_ns: u64,
    pub event_count: u64,
    pub interval_ns: u64,
    pub flows: Vec<Flow<T>>,
    pub cross_traffic: Vec<CrossTraffic>,
    pub network: Network<T::Datagram>,
    pub watched_names: Vec<String>,
    pub links: LinkMeter,
    pub traces: Option<SenderTraces>,
    /// About algorithms.
    pub warnings: BTreeSet<String>,
}

impl<T: Transport> Remains<T> {
    pub fn into_result(self) -> RunResult
    where
        T: 'static,
    {
        let mut run = self;
        let (mut goodputs, mut data_packets_delivered) = (Vec::new(), 0);
        for (index, flow) in (0..).zip(&mut run.flows) {
            let path = AddressPlan::path_from(index, Side::Sender);
            flow.end(run.end_ns, run.network.lost_packets(path, run.end_ns));
            goodputs.push(flow.records.ended().map_or(0.0, |ended| goodput_mbps(&ended.counted)));
            data_packets_delivered += flow.hosts.counts[1].arrived.data_packets;
        }
        let aggregates = run.aggregates();
        let accesses = Accesses { links: run.accesses() };
        let (links, link_series) = run.links.finish(&mut run.network, run.end_ns);
        drop(run.network);
        let cross_traffic = run.cross_traffic.iter().map(|source| CrossTrafficResult {
            sent_packets: source.sent_packets,
            delivered_packets: source.delivered_packets,
        });
        let flows = EndedFlows { flows: RefCell::new(run.flows), traces: run.traces, warm_up_ns: run.warm_up_ns };
        let flows = Rc::new(flows);
        let watched = run.watched_names.len();
        RunResult {
            metrics: RunMetrics {
                jain_index: jain_index(&goodputs),
                data_packets_delivered,
                events: run.event_count,
                warm_up_s: run.warm_up_ns as f64 / 1e9,
                warnings: (!run.warnings.is_empty()).then(|| Vec::from_iter(run.warnings).join("; ")),
            },
            links,
            cross_traffic: cross_traffic.collect(),
            series: Series {
                interval_s: run.interval_ns as f64 / 1e9,
                flows: flows.rows(|flows, index, reading| {
                    let samples = flows.of(index, |_, ended| ended.series.columns_from(0));
                    if reading == Reading::Last {
                        flows.forget_samples(index);
                    }
                    samples
                }),
                links: link_series,
                watched: Watched {
                    names: run.watched_names,
                    flows: flows
                        .rows(move |flows, index, _| flows.of(index, |_, ended| ended.series.watched_columns(watched))),
                },
            },
            distributions: Distributions {
                flows: flows.rows(|flows, index, _| flows.of(index, |_, ended| ended.rtt_distribution.clone())),
                links: aggregates,
            },
            flows: flows.rows(|flows, index, _| {
                flows.of(index, |flow, ended| flow_result(index as u32, flow, ended, &flows.traces, flows.warm_up_ns))
            }),
            accesses,
        }
    }

    /// The sizes of aggregates after the warm-up; empty without Wi-Fi.
    fn aggregates(&mut self) -> Vec<LinkAggregates> {
        let count = self.links.begins().len() as u32;
        let ends: Vec<Option<Box<AccessStats>>> =
            (0..count).map(|link| self.network.station_stats(StationId(link), self.end_ns).access).collect();
        if ends.iter().all(Option::is_none) {
            return Vec::new();
        }
        let links = ends.into_iter().zip(self.links.begins()).map(|(end, begin)| {
            let end = end.unwrap_or_default();
            let begin = begin.access.as_deref().cloned().unwrap_or_default();
            let counts = (0..).zip(end.ppdus_by_mpdus_since(&begin));
            let (mpdus, ppdus) = counts.filter(|&(_, count)| count > 0).unzip();
            LinkAggregates { mpdus, ppdus }
        });
        links.collect()
    }

    /// The frames that media recorded; empty if they recorded none.
    fn accesses(&self) -> Vec<LinkAccesses> {
        let links: Vec<LinkAccesses> = (0..self.links.begins().len() as u32)
            .map(|link| accesses_of(&self.network.accesses(StationId(link))))
            .collect();
        if links.iter().all(|link| link.start_ms.is_empty()) {
            return Vec::new();
        }
        links
    }
}

fn accesses_of(records: &[AccessRecord]) -> LinkAccesses {
    let ms = |time: fn(&AccessRecord) -> u64| records.iter().map(|one| time(one) as f64 / 1e6).collect();
    LinkAccesses {
        start_ms: ms(|one| one.start_ns),
        end_ms: ms(|one| one.end_ns),
        until_ms: ms(|one| one.until_ns),
        mpdus: records.iter().map(|one| one.mpdus).collect(),
        confirmed: records.iter().map(|one| one.confirmed).collect(),
        collided: records.iter().map(|one| one.has_collided.into()).collect(),
    }
}

/// The flows of a run that is over, from which rows of its result are made.
struct EndedFlows<T: Transport> {
    flows: RefCell<Vec<Flow<T>>>,
    traces: Option<SenderTraces>,
    warm_up_ns: u64,
}

impl<T: Transport + 'static> EndedFlows<T> {
    /// A row for each flow.
    fn rows<R>(self: &Rc<Self>, make: impl Fn(&Self, usize, Reading) -> R + 'static) -> Rows<R> {
        let this = self.clone();
        Rows::new(self.flows.borrow().len(), move |index, reading| make(&this, index, reading))
    }

    fn of<R>(&self, index: usize, make: impl Fn(&Flow<T>, &EndedRecords) -> R) -> R {
        let flow = &self.flows.borrow()[index];
        make(flow, flow.records.ended().expect("the run is over"))
    }

    fn forget_samples(&self, index: usize) {
        if let Records::Ended(ended) = &mut self.flows.borrow_mut()[index].records {
            ended.series.forget();
        }
    }
}

fn goodput_mbps(counted: &FlowTally) -> f64 {
    mbps(counted.delivered_bytes, counted.at_ns)
}

fn flow_result<T: Transport>(
    index: u32,
    flow: &Flow<T>,
    ended: &EndedRecords,
    traces: &Option<SenderTraces>,
    warm_up_ns: u64,
) -> FlowResult {
    let counted = &ended.counted;
    let time_ns = counted.at_ns;
    FlowResult {
        flow: index,
        group: flow.group,
        algorithm: flow.setup.algorithm.clone(),
        start_s: flow.start_ns as f64 / 1e9,
        duration_s: time_ns as f64 / 1e9,
        mss_bytes: flow.setup.endpoints.mss_bytes(),
        goodput_mbps: goodput_mbps(counted),
        throughput_mbps: mbps(counted.arrived[1].frame_bytes, time_ns),
        sending_rate_mbps: mbps(counted.sent[0].frame_bytes, time_ns),
        summary: ended.series.summary(warm_up_ns),
        min_rtt_ms: ended.min_rtt_ns.map(|rtt_ns| rtt_ns as f64 / 1e6),
        packet_rtt: ended.packet_rtt.clone(),
        retransmits: counted.retransmits,
        retransmitted_bytes: counted.retransmitted_bytes,
        segments_retransmitted: counted.segments_retransmitted,
        timeouts: counted.timeouts,
        data_packets_sent: counted.sent[0].data_packets,
        data_packets_received: counted.arrived[1].data_packets,
        lost_packets: counted.lost_packets,
        packets_marked_lost: counted.packets_marked_lost,
        spurious_losses: counted.spurious_losses,
        marked_packets: counted.marked_packets,
        bytes_delivered: counted.delivered_bytes,
        transfer_bytes: flow.application.transfer_bytes(),
        completion_s: ended.completion_ns.map(|at_ns| (at_ns - flow.start_ns) as f64 / 1e9),
        ideal_completion_s: flow.ideal_completion_ns().map(|time_ns| time_ns as f64 / 1e9),
        limits: send_limits(counted),
        application: flow.application.metrics(ended.end_ns),
        trace: traces.as_ref().map_or_else(SenderTrace::default, |traces| traces.of_flow(index)),
        wire_bytes_forward: counted.sent[0].frame_bytes,
        wire_bytes_reverse: counted.sent[1].frame_bytes,
    }
}
