//! What a run gives back.

use crate::cross_traffic::CrossTraffic;
use crate::flow::Flow;
use fairlane_measure::{jain_index, mbps, FlowSeries, LinkSeries};
use fairlane_network::Network;
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
    pub series: Series,
}

#[derive(Clone, Debug, Serialize)]
pub struct Series {
    pub interval_s: f64,
    pub flows: Vec<FlowSeries>,
    pub links: Vec<LinkSeries>,
}

/// One flow. Rates are means over the flow's own running time.
#[derive(Clone, Debug, Serialize)]
pub struct FlowResult {
    pub flow: u32,
    /// Index of the scenario's entry that it comes from.
    pub group: u32,
    pub algorithm: String,
    pub start_s: f64,
    /// Payload that the application got.
    pub goodput_mbps: f64,
    /// Frames that reached the receiver.
    pub throughput_mbps: f64,
    /// Frames that the sender put on the wire.
    pub sending_rate_mbps: f64,
    /// Of the smoothed RTT, sampled at the series' interval.
    pub mean_rtt_ms: Option<f64>,
    pub max_rtt_ms: Option<f64>,
    /// Smallest measured RTT.
    pub min_rtt_ms: Option<f64>,
    pub mean_cwnd_packets: Option<f64>,
    pub retransmits: u32,
    pub timeouts: u32,
    pub data_packets_sent: u32,
    pub bytes_delivered: u64,
    /// From the start of the connection to the last byte, for flows of a given size.
    pub completion_s: Option<f64>,
    pub requests_completed: Option<u64>,
    pub wire_bytes_forward: u64,
    pub wire_bytes_reverse: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct LinkResult {
    pub name: String,
    pub utilisation: f64,
    pub delivered_packets: u64,
    pub dropped_packets: u64,
    pub marked_packets: u64,
    pub lost_packets: u64,
    pub mean_queue_bytes: f64,
    pub max_queue_bytes: u64,
    /// Time in the queue of the packets that were sent.
    pub mean_queue_delay_ms: f64,
    pub max_queue_delay_ms: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct CrossTrafficResult {
    pub sent_packets: u64,
    pub delivered_packets: u64,
}

/// What a run leaves behind when it ends.
pub(crate) struct Remains {
    pub end_ns: u64,
    pub event_count: u64,
    pub interval_ns: u64,
    pub flows: Vec<Flow>,
    pub cross_traffic: Vec<CrossTraffic>,
    pub network: Network<Segment>,
    pub link_names: Vec<String>,
    pub link_series: Vec<LinkSeries>,
}

impl RunResult {
    pub(crate) fn of(mut run: Remains) -> Self {
        let flows: Vec<_> =
            (0..).zip(&run.flows).map(|(index, flow)| FlowResult::of(index, flow, run.end_ns)).collect();
        let goodputs: Vec<f64> = flows.iter().map(|flow| flow.goodput_mbps).collect();
        let network = &mut run.network;
        let links =
            (0..).zip(run.link_names).map(|(link, name)| LinkResult::of(network, link, name, run.end_ns)).collect();
        let cross_traffic = run.cross_traffic.iter().map(|source| CrossTrafficResult {
            sent_packets: source.sent_packets,
            delivered_packets: source.delivered_packets,
        });
        Self {
            jain_index: jain_index(&goodputs),
            data_packets_delivered: run.flows.iter().map(|flow| flow.counts.data_packets_arrived).sum(),
            events: run.event_count,
            flows,
            links,
            cross_traffic: cross_traffic.collect(),
            series: Series {
                interval_s: run.interval_ns as f64 / 1e9,
                flows: run.flows.iter_mut().map(|flow| std::mem::take(&mut flow.series)).collect(),
                links: run.link_series,
            },
        }
    }
}

impl FlowResult {
    fn of(index: u32, flow: &Flow, end_ns: u64) -> Self {
        let time_ns = flow.running_time_ns(end_ns);
        let sock = flow.ends.as_ref().map(|ends| &ends[0].sender.sock);
        let bytes_delivered = flow.delivered_bytes();
        Self {
            flow: index,
            group: flow.setup.group,
            algorithm: flow.setup.algorithm.clone(),
            start_s: flow.start_ns as f64 / 1e9,
            goodput_mbps: mbps(bytes_delivered, time_ns),
            throughput_mbps: mbps(flow.counts.arrived[1].frame_bytes, time_ns),
            sending_rate_mbps: mbps(flow.counts.sent[0].frame_bytes, time_ns),
            mean_rtt_ms: flow.series.mean_rtt_ms(),
            max_rtt_ms: flow.series.max_rtt_ms(),
            min_rtt_ms: sock
                .filter(|sock| sock.rtt_min[0].v != u32::MAX)
                .map(|sock| f64::from(sock.rtt_min[0].v) / 1000.0),
            mean_cwnd_packets: flow.series.mean_cwnd_packets(),
            retransmits: sock.map_or(0, |sock| sock.total_retrans),
            timeouts: flow.ends.as_ref().map_or(0, |ends| ends[0].sender.timeouts()),
            data_packets_sent: sock.map_or(0, |sock| sock.data_segs_out),
            bytes_delivered,
            completion_s: flow.completion_ns.map(|at_ns| (at_ns - flow.start_ns) as f64 / 1e9),
            requests_completed: flow.application.completed_requests(),
            wire_bytes_forward: flow.counts.sent[0].frame_bytes,
            wire_bytes_reverse: flow.counts.sent[1].frame_bytes,
        }
    }
}

impl LinkResult {
    fn of(network: &mut Network<Segment>, link: u32, name: String, end_ns: u64) -> Self {
        let stats = network.link_stats(link, end_ns);
        Self {
            name,
            utilisation: stats.utilisation(),
            delivered_packets: stats.delivered_packets,
            dropped_packets: stats.dropped_packets,
            marked_packets: stats.marked_packets,
            lost_packets: stats.lost_randomly_packets,
            mean_queue_bytes: stats.mean_backlog_bytes,
            max_queue_bytes: stats.max_backlog_bytes,
            mean_queue_delay_ms: stats.mean_delay_ns as f64 / 1e6,
            max_queue_delay_ms: stats.max_delay_ns as f64 / 1e6,
        }
    }
}
