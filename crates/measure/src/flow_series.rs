//! A flow over time, sampled at a fixed interval as `ss -ti` or tcp_info would show it.

use crate::mbps;
use fairlane_tcp::TcpSock;
use serde::Serialize;

/// One look at a flow.
#[derive(Clone, Copy, Debug)]
pub struct FlowSample<'a> {
    pub now_ns: u64,
    /// Bytes that the receiving application has got since the flow began.
    pub delivered_bytes: u64,
    pub sock: &'a TcpSock,
}

/// The series; all vectors have the same length.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlowSeries {
    /// Time since the start of the run, in seconds, at the end of each interval.
    pub t_s: Vec<f64>,
    /// Goodput of the interval in Mbit/s.
    pub mbps: Vec<f64>,
    pub cwnd_packets: Vec<u32>,
    /// Smoothed RTT in milliseconds; 0 before the first measurement.
    pub rtt_ms: Vec<f64>,
    /// Segments retransmitted in the interval.
    pub retransmits: Vec<u32>,
    /// Pacing rate in Mbit/s.
    pub pacing_mbps: Vec<f64>,
    pub inflight_packets: Vec<u32>,
    #[serde(skip)]
    last: LastSample,
}

#[derive(Clone, Copy, Debug, Default)]
struct LastSample {
    now_ns: u64,
    delivered_bytes: u64,
    retransmits: u32,
}

impl FlowSeries {
    /// A series of a flow that starts at `start_ns`.
    pub fn new(start_ns: u64) -> Self {
        Self { last: LastSample { now_ns: start_ns, ..LastSample::default() }, ..Self::default() }
    }

    pub fn sample(&mut self, sample: FlowSample) {
        let FlowSample { now_ns, delivered_bytes, sock } = sample;
        let last =
            std::mem::replace(&mut self.last, LastSample { now_ns, delivered_bytes, retransmits: sock.total_retrans });
        self.t_s.push(now_ns as f64 / 1e9);
        self.mbps.push(mbps(delivered_bytes - last.delivered_bytes, now_ns - last.now_ns));
        self.cwnd_packets.push(sock.snd_cwnd);
        self.rtt_ms.push(f64::from(sock.srtt_us) / 8000.0);
        self.retransmits.push(sock.total_retrans - last.retransmits);
        self.pacing_mbps.push(sock.sk_pacing_rate as f64 * 8e-6);
        self.inflight_packets.push(sock.packets_in_flight());
    }

    /// Mean of the sampled smoothed RTTs in milliseconds, over samples that have one.
    pub fn mean_rtt_ms(&self) -> Option<f64> {
        mean(self.rtt_ms.iter().copied().filter(|&rtt_ms| rtt_ms > 0.0))
    }

    pub fn max_rtt_ms(&self) -> Option<f64> {
        self.rtt_ms.iter().copied().filter(|&rtt_ms| rtt_ms > 0.0).reduce(f64::max)
    }

    pub fn mean_cwnd_packets(&self) -> Option<f64> {
        mean(self.cwnd_packets.iter().map(|&packets| f64::from(packets)))
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}
