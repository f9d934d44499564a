//! A flow over time, sampled at a fixed interval as `ss -ti` or tcp_info would show it.

use crate::statistics::{mean, quantile};
use crate::{mbps, FlowTally};
use fairlane_tcp::TcpSock;
use serde::Serialize;

/// The series; all vectors have the same length. What happens between samples stands at the later one.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlowSeries {
    /// Time since the start of the run, in seconds, at the end of each interval.
    pub t_s: Vec<f64>,
    /// Goodput of the interval in Mbit/s.
    pub mbps: Vec<f32>,
    /// Frames that reached the receiver, in Mbit/s.
    pub throughput_mbps: Vec<f32>,
    /// Frames that the sender put on the wire, in Mbit/s.
    pub sending_rate_mbps: Vec<f32>,
    pub cwnd_packets: Vec<u32>,
    /// Smoothed RTT in milliseconds; 0 before the first measurement.
    pub rtt_ms: Vec<f64>,
    /// Smoothed mean deviation of the RTT in microseconds (Linux's tcpi_rttvar).
    pub rtt_deviation_us: Vec<u32>,
    /// Mean of the RTTs that were measured in the interval.
    pub packet_rtt_ms: Vec<Option<f32>>,
    /// Segments retransmitted in the interval.
    pub retransmits: Vec<u32>,
    /// Packets towards the receiver that the network dropped or lost in the interval.
    pub lost_packets: Vec<u32>,
    /// Pacing rate in Mbit/s.
    pub pacing_mbps: Vec<f32>,
    pub inflight_packets: Vec<u32>,
    /// What the receiver allows beyond the first unacknowledged byte (Linux's tcpi_snd_wnd).
    pub receive_window_bytes: Vec<u32>,
    /// Packets of the interval whose acknowledgement told of congestion (ECN).
    pub marked_packets: Vec<u32>,
    #[serde(skip)]
    last: FlowTally,
}

impl FlowSeries {
    /// A series of a flow whose time begins with this tally.
    pub fn new(begin: FlowTally) -> Self {
        Self { last: begin, ..Self::default() }
    }

    pub fn sample(&mut self, tally: FlowTally, sock: &TcpSock) {
        let step = tally.since(&self.last);
        self.last = tally;
        self.t_s.push(tally.at_ns as f64 / 1e9);
        self.mbps.push(mbps(step.delivered_bytes, step.at_ns) as f32);
        self.throughput_mbps.push(mbps(step.arrived[1].frame_bytes, step.at_ns) as f32);
        self.sending_rate_mbps.push(mbps(step.sent[0].frame_bytes, step.at_ns) as f32);
        self.cwnd_packets.push(sock.snd_cwnd);
        self.rtt_ms.push(f64::from(sock.srtt_us) / 8000.0);
        self.rtt_deviation_us.push(sock.mdev_us / 4);
        let has_rtt = step.rtt_samples > 0;
        self.packet_rtt_ms.push(has_rtt.then(|| (step.rtt_sum_us as f64 / step.rtt_samples as f64 / 1000.0) as f32));
        self.retransmits.push(step.retransmits);
        self.lost_packets.push(step.lost_packets as u32);
        self.pacing_mbps.push((sock.sk_pacing_rate as f64 * 8e-6) as f32);
        self.inflight_packets.push(sock.packets_in_flight());
        self.receive_window_bytes.push(sock.snd_wnd);
        self.marked_packets.push(step.marked_packets);
    }

    /// The RTTs are counted anew from here.
    pub fn restart_rtt(&mut self) {
        (self.last.rtt_samples, self.last.rtt_sum_us) = (0, 0);
    }

    /// Means and quantiles of the samples later than `from_ns`.
    pub fn summary(&self, from_ns: u64) -> FlowSummary {
        let from_s = from_ns as f64 / 1e9;
        let first = self.t_s.partition_point(|&t_s| t_s <= from_s);
        let mut rtts_ms: Vec<f64> = self.rtt_ms[first..].iter().copied().filter(|&rtt_ms| rtt_ms > 0.0).collect();
        rtts_ms.sort_unstable_by(f64::total_cmp);
        FlowSummary {
            mean_rtt_ms: mean(rtts_ms.iter().copied()),
            median_rtt_ms: quantile(&rtts_ms, 0.5),
            p95_rtt_ms: quantile(&rtts_ms, 0.95),
            p99_rtt_ms: quantile(&rtts_ms, 0.99),
            max_rtt_ms: rtts_ms.last().copied(),
            mean_cwnd_packets: mean(self.cwnd_packets[first..].iter().copied()),
            mean_pacing_mbps: mean(self.pacing_mbps[first..].iter().copied()),
            mean_inflight_packets: mean(self.inflight_packets[first..].iter().copied()),
        }
    }
}

/// Figures of the samples, which are looks at moments; none without samples.
#[derive(Clone, Debug, Serialize)]
pub struct FlowSummary {
    /// Of the smoothed RTT.
    pub mean_rtt_ms: Option<f64>,
    pub median_rtt_ms: Option<f64>,
    pub p95_rtt_ms: Option<f64>,
    pub p99_rtt_ms: Option<f64>,
    pub max_rtt_ms: Option<f64>,
    pub mean_cwnd_packets: Option<f64>,
    pub mean_pacing_mbps: Option<f64>,
    pub mean_inflight_packets: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(at_ms: u64, delivered_bytes: u64, rtt_samples: u64) -> FlowTally {
        FlowTally {
            at_ns: at_ms * 1_000_000,
            delivered_bytes,
            rtt_samples,
            rtt_sum_us: 30_000 * rtt_samples,
            ..Default::default()
        }
    }

    #[test]
    fn samples_are_differences_and_the_summary_leaves_the_beginning_out() {
        let mut series = FlowSeries::new(tally(1_000, 500, 0));
        let sock = |snd_cwnd, rtt_us: u32| TcpSock { snd_cwnd, srtt_us: rtt_us * 8, ..TcpSock::default() };
        series.sample(tally(1_100, 13_000, 0), &sock(10, 0));
        series.sample(tally(1_200, 25_500, 4), &sock(20, 30_000));
        series.sample(tally(1_300, 38_000, 4), &sock(40, 50_000));
        assert_eq!(series.mbps, [1.0, 1.0, 1.0]);
        assert_eq!(series.packet_rtt_ms, [None, Some(30.0), None]);
        let all = series.summary(0);
        assert_eq!((all.mean_rtt_ms, all.max_rtt_ms), (Some(40.0), Some(50.0)));
        assert_eq!(series.summary(1_100_000_000).mean_cwnd_packets, Some(30.0));
        assert_eq!(series.summary(1_300_000_000).mean_cwnd_packets, None);
    }
}
