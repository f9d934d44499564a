//! The result of a run.

use crate::address::AddressPlan;
use crate::cross_traffic::CrossTraffic;
use crate::flow::Flow;
use crate::link_meter::LinkMeter;
use crate::sender_trace::SenderTraces;
use fairlane_contract::{
    Accesses, CrossTrafficResult, Distributions, FlowResult, LinkAccesses, LinkAggregates, RttDistribution, RunMetrics,
    RunResult, SenderTrace, Series, Watched,
};
use fairlane_engine::Histogram;
use fairlane_measure::{jain_index, mbps, packet_rtt, rtt_distribution, send_limits};
use fairlane_network::{AccessRecord, AccessStats, Network, StationId};
use fairlane_transport::{Side, Transport};
use std::collections::BTreeSet;

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
    pub fn into_result(self) -> RunResult {
        let mut run = self;
        let paths = (0..run.flows.len() as u32).map(|flow| AddressPlan::path_from(flow, Side::Sender));
        let lost: Vec<u64> = paths.map(|path| run.network.lost_packets(path, run.end_ns)).collect();
        let flows = (0..).zip(&run.flows).zip(lost).map(|((index, flow), lost)| flow_result(index, flow, lost, &run));
        let flows: Vec<_> = flows.collect();
        let distributions = run.flows.iter_mut().map(|flow| match (&flow.hosts.ends, &mut flow.retired) {
            (Some(ends), _) => rtt_distribution(ends[0].rtts()),
            (None, Some(retired)) => std::mem::take(&mut retired.rtt_distribution),
            (None, None) => RttDistribution::default(),
        });
        let flow_distributions = distributions.collect();
        let distributions = Distributions { flows: flow_distributions, links: run.aggregates() };
        let accesses = Accesses { links: run.accesses() };
        let goodputs: Vec<f64> = flows.iter().map(|flow| flow.goodput_mbps).collect();
        let (links, link_series) = run.links.finish(&mut run.network, run.end_ns);
        let cross_traffic = run.cross_traffic.iter().map(|source| CrossTrafficResult {
            sent_packets: source.sent_packets,
            delivered_packets: source.delivered_packets,
        });
        let watched = run.flows.iter_mut().map(|flow| flow.series.take_watched(run.watched_names.len())).collect();
        let watched = Watched { names: run.watched_names, flows: watched };
        RunResult {
            metrics: RunMetrics {
                jain_index: jain_index(&goodputs),
                data_packets_delivered: run.flows.iter().map(|flow| flow.hosts.counts[1].arrived.data_packets).sum(),
                events: run.event_count,
                warm_up_s: run.warm_up_ns as f64 / 1e9,
                warnings: (!run.warnings.is_empty()).then(|| Vec::from_iter(run.warnings).join("; ")),
            },
            flows,
            links,
            cross_traffic: cross_traffic.collect(),
            series: Series {
                interval_s: run.interval_ns as f64 / 1e9,
                flows: run.flows.into_iter().map(|flow| flow.series.into_columns()).collect(),
                links: link_series,
                watched,
            },
            distributions,
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

fn flow_result<T: Transport>(index: u32, flow: &Flow<T>, lost_packets: u64, run: &Remains<T>) -> FlowResult {
    let counted = flow.end.unwrap_or_else(|| flow.tally(run.end_ns, lost_packets)).since(&flow.begin);
    let time_ns = counted.at_ns;
    let sender = flow.hosts.ends.as_ref().map(|ends| &ends[0]);
    let (min_rtt_ns, packet_rtt) = match (sender, &flow.retired) {
        (None, Some(retired)) => (retired.min_rtt_ns, retired.packet_rtt.clone()),
        _ => (
            sender.and_then(|sender| sender.sample().min_rtt_ns),
            packet_rtt(sender.map_or(&Histogram::default(), |sender| sender.rtts())),
        ),
    };
    FlowResult {
        flow: index,
        group: flow.setup.group,
        algorithm: flow.setup.algorithm.clone(),
        start_s: flow.start_ns as f64 / 1e9,
        duration_s: time_ns as f64 / 1e9,
        mss_bytes: flow.setup.endpoints.mss_bytes(),
        goodput_mbps: mbps(counted.delivered_bytes, time_ns),
        throughput_mbps: mbps(counted.arrived[1].frame_bytes, time_ns),
        sending_rate_mbps: mbps(counted.sent[0].frame_bytes, time_ns),
        summary: flow.series.summary(run.warm_up_ns),
        min_rtt_ms: min_rtt_ns.map(|rtt_ns| rtt_ns as f64 / 1e6),
        packet_rtt,
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
        completion_s: flow.completion_ns.map(|at_ns| (at_ns - flow.start_ns) as f64 / 1e9),
        ideal_completion_s: flow.setup.ideal_completion_ns.map(|time_ns| time_ns as f64 / 1e9),
        limits: send_limits(&counted),
        application: flow.application.metrics(flow.end.map_or(run.end_ns, |end| end.at_ns)),
        trace: run.traces.as_ref().map_or_else(SenderTrace::default, |traces| traces.of_flow(index)),
        wire_bytes_forward: counted.sent[0].frame_bytes,
        wire_bytes_reverse: counted.sent[1].frame_bytes,
    }
}
