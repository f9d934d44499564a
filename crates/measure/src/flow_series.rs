//! A flow over time, sampled at a fixed interval as `ss -ti` or tcp_info would show it.

use crate::statistics::{mean, quantile};
use crate::{mbps, FlowTally};
use fairlane_tcp::TcpSock;
use serde::ser::{SerializeStruct, Serializer};
use serde::Serialize;

/// The series. What happens between samples stands at the later one.
///
/// One row per sample, because all of a row is written at once and most of a long run's memory is rows; the columns that
/// a reader wants are made when the series is written out.
#[derive(Clone, Debug, Default)]
pub struct FlowSeries {
    rows: Vec<Row>,
    /// Time of the first row, and from row to row.
    first_ns: u64,
    step_ns: u64,
    last: FlowTally,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    mbps: f32,
    throughput_mbps: f32,
    sending_rate_mbps: f32,
    cwnd_packets: u32,
    /// 8 times the smoothed RTT, as TCP keeps it.
    srtt_us: u32,
    rtt_deviation_us: u32,
    /// NaN when no RTT was measured in the interval.
    packet_rtt_ms: f32,
    retransmits: u32,
    lost_packets: u32,
    pacing_mbps: f32,
    inflight_packets: u32,
    receive_window_bytes: u32,
    marked_packets: u32,
}

impl Row {
    fn rtt_ms(&self) -> f64 {
        f64::from(self.srtt_us) / 8000.0
    }

    fn packet_rtt_ms(&self) -> Option<f32> {
        (!self.packet_rtt_ms.is_nan()).then_some(self.packet_rtt_ms)
    }
}

/// The columns; all have the same length.
impl Serialize for FlowSeries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = &self.rows[..];
        let mut columns = serializer.serialize_struct("FlowSeries", 14)?;
        // Time since the start of the run, in seconds, at the end of each interval.
        columns.serialize_field("t_s", &Times(self))?;
        // Goodput of the interval in Mbit/s.
        columns.serialize_field("mbps", &Column(rows, |row| row.mbps))?;
        // Frames that reached the receiver, and that the sender put on the wire, in Mbit/s.
        columns.serialize_field("throughput_mbps", &Column(rows, |row| row.throughput_mbps))?;
        columns.serialize_field("sending_rate_mbps", &Column(rows, |row| row.sending_rate_mbps))?;
        columns.serialize_field("cwnd_packets", &Column(rows, |row| row.cwnd_packets))?;
        // Smoothed RTT in milliseconds; 0 before the first measurement.
        columns.serialize_field("rtt_ms", &Column(rows, Row::rtt_ms))?;
        // Smoothed mean deviation of the RTT in microseconds (Linux's tcpi_rttvar).
        columns.serialize_field("rtt_deviation_us", &Column(rows, |row| row.rtt_deviation_us))?;
        // Mean of the RTTs that were measured in the interval.
        columns.serialize_field("packet_rtt_ms", &Column(rows, Row::packet_rtt_ms))?;
        // Segments retransmitted in the interval.
        columns.serialize_field("retransmits", &Column(rows, |row| row.retransmits))?;
        // Packets towards the receiver that the network dropped or lost in the interval.
        columns.serialize_field("lost_packets", &Column(rows, |row| row.lost_packets))?;
        columns.serialize_field("pacing_mbps", &Column(rows, |row| row.pacing_mbps))?;
        columns.serialize_field("inflight_packets", &Column(rows, |row| row.inflight_packets))?;
        // What the receiver allows beyond the first unacknowledged byte (Linux's tcpi_snd_wnd).
        columns.serialize_field("receive_window_bytes", &Column(rows, |row| row.receive_window_bytes))?;
        // Packets of the interval whose acknowledgement told of congestion (ECN).
        columns.serialize_field("marked_packets", &Column(rows, |row| row.marked_packets))?;
        columns.end()
    }
}

struct Times<'a>(&'a FlowSeries);

impl Serialize for Times<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.0.rows.len()).map(|at| self.0.t_s(at)))
    }
}

struct Column<'a, T>(&'a [Row], fn(&Row) -> T);

impl<T: Serialize> Serialize for Column<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(self.1))
    }
}

impl FlowSeries {
    /// A series of a flow whose time begins with this tally.
    pub fn new(begin: FlowTally) -> Self {
        Self { last: begin, ..Self::default() }
    }

    /// Adds a sample; all are equally far apart.
    pub fn sample(&mut self, tally: FlowTally, sock: &TcpSock) {
        let step = tally.since(&self.last);
        match self.rows.len() {
            0 => self.first_ns = tally.at_ns,
            1 => self.step_ns = tally.at_ns - self.first_ns,
            count => debug_assert_eq!(tally.at_ns, self.first_ns + count as u64 * self.step_ns),
        }
        self.last = tally;
        let has_rtt = step.rtt_samples > 0;
        self.rows.push(Row {
            mbps: mbps(step.delivered_bytes, step.at_ns) as f32,
            throughput_mbps: mbps(step.arrived[1].frame_bytes, step.at_ns) as f32,
            sending_rate_mbps: mbps(step.sent[0].frame_bytes, step.at_ns) as f32,
            cwnd_packets: sock.snd_cwnd,
            srtt_us: sock.srtt_us,
            rtt_deviation_us: sock.mdev_us / 4,
            packet_rtt_ms: if has_rtt {
                (step.rtt_sum_us as f64 / step.rtt_samples as f64 / 1000.0) as f32
            } else {
                f32::NAN
            },
            retransmits: step.retransmits,
            lost_packets: step.lost_packets as u32,
            pacing_mbps: (sock.sk_pacing_rate as f64 * 8e-6) as f32,
            inflight_packets: sock.packets_in_flight(),
            receive_window_bytes: sock.snd_wnd,
            marked_packets: step.marked_packets,
        });
    }

    /// Time of a row in seconds.
    fn t_s(&self, at: usize) -> f64 {
        (self.first_ns + at as u64 * self.step_ns) as f64 / 1e9
    }

    /// The RTTs are counted anew from here.
    pub fn restart_rtt(&mut self) {
        (self.last.rtt_samples, self.last.rtt_sum_us) = (0, 0);
    }

    /// Means and quantiles of the samples later than `from_ns`.
    pub fn summary(&self, from_ns: u64) -> FlowSummary {
        let from_s = from_ns as f64 / 1e9;
        let first = (0..self.rows.len()).take_while(|&at| self.t_s(at) <= from_s).count();
        let rows = &self.rows[first..];
        let mut rtts_ms: Vec<f64> = rows.iter().map(Row::rtt_ms).filter(|&rtt_ms| rtt_ms > 0.0).collect();
        rtts_ms.sort_unstable_by(f64::total_cmp);
        FlowSummary {
            mean_rtt_ms: mean(rtts_ms.iter().copied()),
            median_rtt_ms: quantile(&rtts_ms, 0.5),
            p95_rtt_ms: quantile(&rtts_ms, 0.95),
            p99_rtt_ms: quantile(&rtts_ms, 0.99),
            max_rtt_ms: rtts_ms.last().copied(),
            mean_cwnd_packets: mean(rows.iter().map(|row| row.cwnd_packets)),
            mean_pacing_mbps: mean(rows.iter().map(|row| row.pacing_mbps)),
            mean_inflight_packets: mean(rows.iter().map(|row| row.inflight_packets)),
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
        let columns = serde_json::to_value(&series).unwrap();
        assert_eq!(columns["t_s"], serde_json::json!([1.1, 1.2, 1.3]));
        assert_eq!(columns["mbps"], serde_json::json!([1.0, 1.0, 1.0]));
        assert_eq!(columns["packet_rtt_ms"], serde_json::json!([null, 30.0, null]));
        let all = series.summary(0);
        assert_eq!((all.mean_rtt_ms, all.max_rtt_ms), (Some(40.0), Some(50.0)));
        assert_eq!(series.summary(1_100_000_000).mean_cwnd_packets, Some(30.0));
        assert_eq!(series.summary(1_300_000_000).mean_cwnd_packets, None);
    }
}
