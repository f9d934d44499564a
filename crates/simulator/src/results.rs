//! What a run gives back.

use crate::address::AddressPlan;
use crate::cross_traffic::CrossTraffic;
use crate::flow::Flow;
use crate::sender_trace::SenderTraces;
use fairlane_contract::{
    Accesses, CrossTrafficResult, Distributions, FlowResult, LinkAccesses, LinkAggregates, LinkResult, RttDistribution,
    RunMetrics, RunResult, SenderTrace, Series, Watched,
};
use fairlane_engine::Histogram;
use fairlane_measure::{jain_index, mbps, packet_rtt, rtt_distribution, LinkSeries};
use fairlane_network::{AccessRecord, AccessStats, Network, StationId, StationStats};
use fairlane_transport::{Side, Transport};

/// What a run leaves behind when it ends.
pub(crate) struct Remains<T: Transport> {
    pub warm_up_ns: u64,
    pub end_ns: u64,
    pub event_count: u64,
    pub interval_ns: u64,
    pub flows: Vec<Flow<T>>,
    pub cross_traffic: Vec<CrossTraffic>,
    pub network: Network<T::Datagram>,
    pub link_names: Vec<String>,
    pub watched_names: Vec<String>,
    pub link_series: Vec<LinkSeries>,
    pub link_begins: Vec<StationStats>,
    pub traces: Option<SenderTraces>,
}

impl<T: Transport> Remains<T> {
    pub fn into_result(self) -> RunResult {
        let mut run = self;
        let flows: Vec<_> = (0..).zip(&run.flows).map(|(index, flow)| flow_result(index, flow, &run)).collect();
        let distributions = run.flows.iter().map(|flow| match &flow.ends {
            Some(ends) => rtt_distribution(ends[0].rtts()),
            None => RttDistribution::default(),
        });
        let distributions = Distributions { flows: distributions.collect(), links: run.aggregates() };
        let accesses = Accesses { links: run.accesses() };
        let goodputs: Vec<f64> = flows.iter().map(|flow| flow.goodput_mbps).collect();
        let links = (0..).zip(run.link_names.clone()).zip(&run.link_begins).map(|((link, name), begin)| {
            let end = run.network.station_stats(StationId(link), run.end_ns);
            let quantile_ms = |share| Some(run.network.queue_delay_quantile_ns(StationId(link), share)? / 1e6);
            link_result(name, (begin, run.warm_up_ns), (&end, run.end_ns), quantile_ms)
        });
        let links = links.collect();
        let cross_traffic = run.cross_traffic.iter().map(|source| CrossTrafficResult {
            sent_packets: source.sent_packets,
            delivered_packets: source.delivered_packets,
        });
        let watched = run.flows.iter_mut().map(|flow| flow.series.take_watched(run.watched_names.len())).collect();
        let watched = Watched { names: run.watched_names, flows: watched };
        RunResult {
            metrics: RunMetrics {
                jain_index: jain_index(&goodputs),
                data_packets_delivered: run.flows.iter().map(|flow| flow.counts[1].arrived.data_packets).sum(),
                events: run.event_count,
                warm_up_s: run.warm_up_ns as f64 / 1e9,
            },
            flows,
            links,
            cross_traffic: cross_traffic.collect(),
            series: Series {
                interval_s: run.interval_ns as f64 / 1e9,
                flows: run.flows.into_iter().map(|flow| flow.series.into_columns()).collect(),
                links: run.link_series.into_iter().map(LinkSeries::into_columns).collect(),
                watched,
            },
            distributions,
            accesses,
        }
    }

    /// The sizes of aggregates from the end of the warm-up on; nothing without Wi-Fi.
    fn aggregates(&mut self) -> Vec<LinkAggregates> {
        let count = self.link_begins.len() as u32;
        let ends: Vec<Option<Box<AccessStats>>> =
            (0..count).map(|link| self.network.station_stats(StationId(link), self.end_ns).access).collect();
        if ends.iter().all(Option::is_none) {
            return Vec::new();
        }
        let links = ends.into_iter().zip(&self.link_begins).map(|(end, begin)| {
            let end = end.unwrap_or_default();
            let begin = begin.access.as_ref().map_or(&[][..], |begin| &begin.ppdus_by_mpdus);
            let before = |mpdus: usize| begin.get(mpdus).copied().unwrap_or(0);
            let counts =
                end.ppdus_by_mpdus.iter().enumerate().map(|(mpdus, count)| (mpdus as u32, count - before(mpdus)));
            let (mpdus, ppdus) = counts.filter(|&(_, count)| count > 0).unzip();
            LinkAggregates { mpdus, ppdus }
        });
        links.collect()
    }

    /// The frames that media recorded; nothing if they recorded none.
    fn accesses(&self) -> Vec<LinkAccesses> {
        let links: Vec<LinkAccesses> = (0..self.link_names.len() as u32)
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

fn flow_result<T: Transport>(index: u32, flow: &Flow<T>, run: &Remains<T>) -> FlowResult {
    let lost_packets = || run.network.lost_packets(AddressPlan::path_from(index, Side::Sender));
    let counted = flow.end.unwrap_or_else(|| flow.tally(run.end_ns, lost_packets())).since(&flow.begin);
    let time_ns = counted.at_ns;
    let sender = flow.ends.as_ref().map(|ends| &ends[0]);
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
        min_rtt_ms: sender.and_then(|sender| sender.sample().min_rtt_ns).map(|rtt_ns| rtt_ns as f64 / 1e6),
        packet_rtt: packet_rtt(sender.map_or(&Histogram::default(), |sender| sender.rtts())),
        retransmits: counted.retransmits,
        retransmitted_bytes: counted.retransmitted_bytes,
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
        application: flow.application.metrics(flow.end.map_or(run.end_ns, |end| end.at_ns)),
        trace: run.traces.as_ref().map_or_else(SenderTrace::default, |traces| traces.of_flow(index)),
        wire_bytes_forward: counted.sent[0].frame_bytes,
        wire_bytes_reverse: counted.sent[1].frame_bytes,
    }
}

/// From the counters at two times, the second the end of the run.
fn link_result(
    name: String,
    (begin, begin_ns): (&StationStats, u64),
    (end, end_ns): (&StationStats, u64),
    queue_delay_quantile_ms: impl Fn(f64) -> Option<f64>,
) -> LinkResult {
    let transmitted_bytes = end.transmitted_bytes - begin.transmitted_bytes;
    let capacity_bytes = end.capacity_bytes.map(|bytes| bytes - begin.capacity_bytes.unwrap_or(0));
    let waited_packets = end.waited_packets - begin.waited_packets;
    let waited_ns = end.delay_sum_ns - begin.delay_sum_ns;
    let queue_byte_ns = end.mean_backlog_bytes * end_ns as f64 - begin.mean_backlog_bytes * begin_ns as f64;
    let accesses = end.access.as_ref().map(|end| (end, begin.access.as_deref().cloned().unwrap_or_default()));
    let of_accesses = |count: fn(&AccessStats) -> u64| accesses.as_ref().map(|(end, begin)| count(end) - count(begin));
    let per = |part: Option<u64>, whole: Option<u64>| Some(part? as f64 / whole.filter(|&whole| whole > 0)? as f64);
    let ppdus = of_accesses(|access| access.ppdus);
    LinkResult {
        name,
        utilisation: match capacity_bytes {
            Some(capacity_bytes) if capacity_bytes > 0 => transmitted_bytes as f64 / capacity_bytes as f64,
            _ => 0.0,
        },
        transmitted_bytes,
        delivered_packets: end.delivered_packets - begin.delivered_packets,
        dropped_packets: end.dropped_packets - begin.dropped_packets,
        marked_packets: end.marked_packets - begin.marked_packets,
        lost_packets: end.lost_randomly_packets - begin.lost_randomly_packets,
        mean_queue_bytes: queue_byte_ns.max(0.0) / (end_ns - begin_ns) as f64,
        max_queue_bytes: end.max_backlog_bytes,
        mean_queue_delay_ms: (waited_packets > 0).then(|| waited_ns as f64 / waited_packets as f64 / 1e6),
        median_queue_delay_ms: queue_delay_quantile_ms(0.5),
        p95_queue_delay_ms: queue_delay_quantile_ms(0.95),
        p99_queue_delay_ms: queue_delay_quantile_ms(0.99),
        max_queue_delay_ms: (waited_packets > 0).then_some(end.max_delay_ns as f64 / 1e6),
        airtime_share: per(of_accesses(|access| access.airtime_ns), Some(end_ns - begin_ns)),
        ppdus,
        mpdus_per_ppdu: per(of_accesses(|access| access.mpdus), ppdus),
        collided_ppdus: of_accesses(|access| access.collisions),
        retransmitted_mpdus: of_accesses(|access| access.retransmitted_mpdus),
        turns: of_accesses(|access| access.turns),
    }
}
