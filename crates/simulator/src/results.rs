//! What a run gives back.

use crate::cross_traffic::CrossTraffic;
use crate::flow::Flow;
use fairlane_engine::Histogram;
use fairlane_measure::{jain_index, mbps, FlowSeries, FlowSummary, LinkSeries, PacketRtt, RttDistribution};
use fairlane_network::{LinkStats, Network};
use fairlane_tcp::Segment;
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    pub flows: Vec<FlowResult>,
    pub links: Vec<LinkResult>,
    pub cross_traffic: Vec<CrossTrafficResult>,
    /// Jain's index over the flows' mean goodputs.
    pub jain_index: Option<f64>,
    /// Data packets that reached their receivers.
    pub data_packets_delivered: u64,
    pub events: u64,
    /// From here on figures count; series keep everything.
    pub warm_up_s: f64,
    pub series: Series,
    pub distributions: Distributions,
}

#[derive(Clone, Debug, Serialize)]
pub struct Series {
    pub interval_s: f64,
    pub flows: Vec<FlowSeries>,
    pub links: Vec<LinkSeries>,
}

/// How a run's packet RTTs are distributed, flow by flow.
#[derive(Clone, Debug, Serialize)]
pub struct Distributions {
    pub flows: Vec<RttDistribution>,
}

/// One flow. Everything counts from the flow's start or the end of the warm-up, whichever is later, to the flow's end.
#[derive(Clone, Debug, Serialize)]
pub struct FlowResult {
    pub flow: u32,
    /// Index of the scenario's entry that it comes from.
    pub group: u32,
    pub algorithm: String,
    pub start_s: f64,
    /// For how long it was measured.
    pub duration_s: f64,
    /// Payload of a full packet.
    pub mss_bytes: u32,
    /// Payload that the application got.
    pub goodput_mbps: f64,
    /// Frames that reached the receiver.
    pub throughput_mbps: f64,
    /// Frames that the sender put on the wire.
    pub sending_rate_mbps: f64,
    /// Of the samples, at the series' interval.
    #[serde(flatten)]
    pub summary: FlowSummary,
    /// Smallest RTT that the sender knows of, the handshake's included (Linux's tcpi_min_rtt).
    pub min_rtt_ms: Option<f64>,
    #[serde(flatten)]
    pub packet_rtt: PacketRtt,
    pub retransmits: u32,
    pub retransmitted_bytes: u64,
    pub timeouts: u32,
    pub data_packets_sent: u64,
    pub data_packets_arrived: u64,
    /// Packets towards the receiver that the network dropped or lost.
    pub lost_packets: u64,
    /// What the sender held lost, retransmissions included (Linux's tp->lost).
    pub held_lost_packets: u32,
    /// Packets whose acknowledgement told of congestion (ECN).
    pub marked_packets: u32,
    pub bytes_delivered: u64,
    /// From the start of the connection to the last byte, for flows of a given size.
    pub completion_s: Option<f64>,
    pub requests_completed: Option<u64>,
    pub wire_bytes_forward: u64,
    pub wire_bytes_reverse: u64,
}

/// One link, from the end of the warm-up on.
#[derive(Clone, Debug, Serialize)]
pub struct LinkResult {
    pub name: String,
    pub utilisation: f64,
    pub transmitted_bytes: u64,
    pub delivered_packets: u64,
    pub dropped_packets: u64,
    pub marked_packets: u64,
    pub lost_packets: u64,
    pub mean_queue_bytes: f64,
    pub max_queue_bytes: u64,
    /// Time in the queue of the packets that were sent; none when nothing passed.
    pub mean_queue_delay_ms: Option<f64>,
    /// Packet by packet, to within 0.8 %.
    pub median_queue_delay_ms: Option<f64>,
    pub p95_queue_delay_ms: Option<f64>,
    pub p99_queue_delay_ms: Option<f64>,
    pub max_queue_delay_ms: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct CrossTrafficResult {
    pub sent_packets: u64,
    pub delivered_packets: u64,
}

/// What a run leaves behind when it ends.
pub(crate) struct Remains {
    pub warm_up_ns: u64,
    pub end_ns: u64,
    pub event_count: u64,
    pub interval_ns: u64,
    pub flows: Vec<Flow>,
    pub cross_traffic: Vec<CrossTraffic>,
    pub network: Network<Segment>,
    pub link_names: Vec<String>,
    pub link_series: Vec<LinkSeries>,
    pub link_begins: Vec<LinkStats>,
}

impl RunResult {
    pub(crate) fn of(mut run: Remains) -> Self {
        let flows: Vec<_> = (0..).zip(&run.flows).map(|(index, flow)| FlowResult::of(index, flow, &run)).collect();
        let distributions = run.flows.iter().map(|flow| match &flow.ends {
            Some(ends) => RttDistribution::of(&ends[0].sender.rtt_samples),
            None => RttDistribution::default(),
        });
        let distributions = Distributions { flows: distributions.collect() };
        let goodputs: Vec<f64> = flows.iter().map(|flow| flow.goodput_mbps).collect();
        let links = (0..).zip(run.link_names).zip(&run.link_begins).map(|((link, name), begin)| {
            let end = run.network.link_stats(link, run.end_ns);
            let quantile_ms = |share| Some(run.network.queue_delay_quantile_ns(link, share)? / 1e6);
            LinkResult::of(name, (begin, run.warm_up_ns), (&end, run.end_ns), quantile_ms)
        });
        let links = links.collect();
        let cross_traffic = run.cross_traffic.iter().map(|source| CrossTrafficResult {
            sent_packets: source.sent_packets,
            delivered_packets: source.delivered_packets,
        });
        Self {
            jain_index: jain_index(&goodputs),
            data_packets_delivered: run.flows.iter().map(|flow| flow.counts[1].arrived.data_packets).sum(),
            events: run.event_count,
            warm_up_s: run.warm_up_ns as f64 / 1e9,
            flows,
            links,
            cross_traffic: cross_traffic.collect(),
            series: Series {
                interval_s: run.interval_ns as f64 / 1e9,
                flows: run.flows.iter_mut().map(|flow| std::mem::take(&mut flow.series)).collect(),
                links: run.link_series,
            },
            distributions,
        }
    }
}

impl FlowResult {
    fn of(index: u32, flow: &Flow, run: &Remains) -> Self {
        let counted =
            flow.end.unwrap_or_else(|| flow.tally(run.end_ns, run.network.lost_packets(2 * index))).since(&flow.begin);
        let time_ns = counted.at_ns;
        let sender = flow.ends.as_ref().map(|ends| &ends[0].sender);
        let min_rtt_us = sender.map(|sender| sender.sock.rtt_min[0].v).filter(|&rtt_us| rtt_us != u32::MAX);
        Self {
            flow: index,
            group: flow.setup.group,
            algorithm: flow.setup.algorithm.clone(),
            start_s: flow.start_ns as f64 / 1e9,
            duration_s: time_ns as f64 / 1e9,
            mss_bytes: flow.setup.ends[0].sender.mss_bytes,
            goodput_mbps: mbps(counted.delivered_bytes, time_ns),
            throughput_mbps: mbps(counted.arrived[1].frame_bytes, time_ns),
            sending_rate_mbps: mbps(counted.sent[0].frame_bytes, time_ns),
            summary: flow.series.summary(run.warm_up_ns),
            min_rtt_ms: min_rtt_us.map(|rtt_us| f64::from(rtt_us) / 1000.0),
            packet_rtt: PacketRtt::of(sender.map_or(&Histogram::default(), |sender| &sender.rtt_samples)),
            retransmits: counted.retransmits,
            retransmitted_bytes: counted.retransmitted_bytes,
            timeouts: counted.timeouts,
            data_packets_sent: counted.sent[0].data_packets,
            data_packets_arrived: counted.arrived[1].data_packets,
            lost_packets: counted.lost_packets,
            held_lost_packets: counted.held_lost_packets,
            marked_packets: counted.marked_packets,
            bytes_delivered: counted.delivered_bytes,
            completion_s: flow.completion_ns.map(|at_ns| (at_ns - flow.start_ns) as f64 / 1e9),
            requests_completed: flow.application.completed_requests(),
            wire_bytes_forward: counted.sent[0].frame_bytes,
            wire_bytes_reverse: counted.sent[1].frame_bytes,
        }
    }
}

impl LinkResult {
    /// From the counters at two times, the second the end of the run.
    fn of(
        name: String,
        (begin, begin_ns): (&LinkStats, u64),
        (end, end_ns): (&LinkStats, u64),
        queue_delay_quantile_ms: impl Fn(f64) -> Option<f64>,
    ) -> Self {
        let transmitted_bytes = end.transmitted_bytes - begin.transmitted_bytes;
        let capacity_bytes = end.capacity_bytes.map(|bytes| bytes - begin.capacity_bytes.unwrap_or(0));
        let waited_packets = end.waited_packets - begin.waited_packets;
        let waited_ns = end.delay_sum_ns - begin.delay_sum_ns;
        let queue_byte_ns = end.mean_backlog_bytes * end_ns as f64 - begin.mean_backlog_bytes * begin_ns as f64;
        Self {
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
        }
    }
}
