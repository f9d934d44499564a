//! Time series of a flow, sampled at a fixed interval as by `ss -ti` or tcp_info.

use crate::statistics::{mean, quantile};
use crate::{mbps, FlowTally};
use fairlane_contract::{FlowSamples, FlowSummary};
use fairlane_engine::prefetch;
use fairlane_transport::TransportSample;

/// The time series. Events between two samples count for the later one.
///
/// One row per sample: a row is written at once, and rows take most of the memory of a long run. Columns are made when
/// the series is written.
#[derive(Clone, Debug, Default)]
pub struct FlowSeries {
    rows: Vec<Row>,
    /// Time of the first row, and the interval.
    first_ns: u64,
    step_ns: u64,
    /// The watched members of each row, one after the other.
    watched: Vec<Option<i64>>,
}

/// Rows allocated at first, and factor by which they grow, up to the number of rows to come.
const FIRST_ROWS: usize = 64;
const GROWTH: usize = 3;
/// A window that does not limit the sender; rows stay small without an `Option`.
const UNLIMITED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Row {
    mbps: f32,
    throughput_mbps: f32,
    sending_rate_mbps: f32,
    cwnd_packets: u32,
    /// Smoothed RTT in TCP's resolution; 0 before the first measurement.
    srtt_eighth_us: u32,
    rttvar_us: u32,
    /// NaN if no RTT was measured in the interval.
    packet_rtt_ms: f32,
    retransmits: u32,
    lost_packets: u32,
    /// NaN without a limit.
    pacing_mbps: f32,
    inflight_packets: u32,
    /// `UNLIMITED` without a limit, or beyond 4 GiB.
    receive_window_bytes: u32,
    marked_packets: u32,
}

impl Row {
    fn rtt_ms(&self) -> Option<f64> {
        self.has_rtt().then(|| f64::from(self.srtt_eighth_us) / 8000.0)
    }

    fn rttvar_us(&self) -> Option<u32> {
        self.has_rtt().then_some(self.rttvar_us)
    }

    fn has_rtt(&self) -> bool {
        self.srtt_eighth_us > 0
    }

    fn packet_rtt_ms(&self) -> Option<f32> {
        (!self.packet_rtt_ms.is_nan()).then_some(self.packet_rtt_ms)
    }

    fn pacing_mbps(&self) -> Option<f32> {
        (!self.pacing_mbps.is_nan()).then_some(self.pacing_mbps)
    }

    fn receive_window_bytes(&self) -> Option<u32> {
        (self.receive_window_bytes != UNLIMITED).then_some(self.receive_window_bytes)
    }
}

impl FlowSeries {
    /// A series without samples.
    pub const EMPTY: Self = Self { rows: Vec::new(), first_ns: 0, step_ns: 0, watched: Vec::new() };

    /// Prefetches the latest row, once the fields are in the cache.
    #[inline]
    pub fn prefetch_row(&self) {
        if let Some(row) = self.rows.last() {
            prefetch(row);
        }
    }

    /// Allocates memory for another sample, with at most `left` after it. Hundreds of series grow at the same time, and
    /// doubling them would dominate the memory of a run.
    #[inline]
    pub fn make_room(&mut self, left: u64) {
        let count = self.rows.len();
        if count == self.rows.capacity() {
            let most = FIRST_ROWS.max(GROWTH * count);
            self.rows.reserve_exact(1 + left.min(most as u64) as usize);
        }
    }

    /// Adds a sample, at a constant interval after the last one. `last` is the tally of that sample, at first that with
    /// which the series starts.
    ///
    /// A sample at the time at which the flow starts has an interval without length, in which no rate can be told:
    /// packets that were sent at that time count for the next one.
    pub fn sample(&mut self, last: &mut FlowTally, tally: FlowTally, sender: &TransportSample) {
        let has_length = tally.at_ns > last.at_ns;
        let step = tally.since(if has_length { last } else { &tally });
        match self.rows.len() {
            0 => self.first_ns = tally.at_ns,
            1 => self.step_ns = tally.at_ns - self.first_ns,
            count => debug_assert_eq!(tally.at_ns, self.first_ns + count as u64 * self.step_ns),
        }
        if has_length {
            *last = tally;
        }
        let has_rtt = step.rtt_samples > 0;
        self.rows.push(Row {
            mbps: mbps(step.delivered_bytes, step.at_ns) as f32,
            throughput_mbps: mbps(step.arrived[1].frame_bytes, step.at_ns) as f32,
            sending_rate_mbps: mbps(step.sent[0].frame_bytes, step.at_ns) as f32,
            cwnd_packets: sender.cwnd_packets,
            srtt_eighth_us: (sender.srtt_ns / 125) as u32,
            rttvar_us: (sender.rttvar_ns / 1000) as u32,
            packet_rtt_ms: if has_rtt {
                (step.rtt_sum_us as f64 / step.rtt_samples as f64 / 1000.0) as f32
            } else {
                f32::NAN
            },
            retransmits: step.retransmits,
            lost_packets: step.lost_packets as u32,
            pacing_mbps: sender.pacing_rate_bytes_per_s.map_or(f32::NAN, |rate| (rate as f64 * 8e-6) as f32),
            inflight_packets: sender.inflight_packets,
            receive_window_bytes: sender
                .receive_window_bytes
                .and_then(|bytes| bytes.try_into().ok())
                .unwrap_or(UNLIMITED),
            marked_packets: step.marked_packets,
        });
    }

    /// Frees the memory of rows that do not come.
    pub fn end(&mut self) {
        self.rows.shrink_to_fit();
        self.watched.shrink_to_fit();
    }

    /// Frees the samples, except for their watched members.
    pub fn forget(&mut self) {
        self.rows = Vec::new();
    }

    /// Adds the values of the watched members to the last sample.
    pub fn watch(&mut self, values: impl Iterator<Item = Option<i64>>) {
        self.watched.extend(values);
    }

    /// The `count` watched members, as columns.
    pub fn watched_columns(&self, count: usize) -> Vec<Vec<Option<i64>>> {
        (0..count).map(|at| self.watched.iter().skip(at).step_by(count).copied().collect()).collect()
    }

    /// The number of samples so far; a flow that begins again starts at 0.
    pub fn sample_count(&self) -> usize {
        self.rows.len()
    }

    /// The watched members of the samples from number `from` on, `count` in each.
    pub fn watched_from(&self, from: usize, count: usize) -> &[Option<i64>] {
        self.watched.get(from * count..).unwrap_or(&[])
    }

    /// The samples from number `from` on.
    pub fn columns_from(&self, from: usize) -> FlowSamples {
        let rows = &self.rows[from..];
        FlowSamples {
            t_s: (from..self.rows.len()).map(|at| self.t_s(at)).collect(),
            mbps: rows.iter().map(|row| row.mbps).collect(),
            throughput_mbps: rows.iter().map(|row| row.throughput_mbps).collect(),
            sending_rate_mbps: rows.iter().map(|row| row.sending_rate_mbps).collect(),
            cwnd_packets: rows.iter().map(|row| row.cwnd_packets).collect(),
            rtt_ms: rows.iter().map(Row::rtt_ms).collect(),
            rttvar_us: rows.iter().map(Row::rttvar_us).collect(),
            packet_rtt_ms: rows.iter().map(Row::packet_rtt_ms).collect(),
            retransmits: rows.iter().map(|row| row.retransmits).collect(),
            lost_packets: rows.iter().map(|row| row.lost_packets).collect(),
            pacing_mbps: rows.iter().map(Row::pacing_mbps).collect(),
            inflight_packets: rows.iter().map(|row| row.inflight_packets).collect(),
            receive_window_bytes: rows.iter().map(Row::receive_window_bytes).collect(),
            marked_packets: rows.iter().map(|row| row.marked_packets).collect(),
        }
    }

    /// Time of a row in seconds.
    fn t_s(&self, at: usize) -> f64 {
        (self.first_ns + at as u64 * self.step_ns) as f64 / 1e9
    }

    /// Means and quantiles of the samples after `from_ns`.
    pub fn summary(&self, from_ns: u64) -> FlowSummary {
        let from_s = from_ns as f64 / 1e9;
        let first = (0..self.rows.len()).take_while(|&at| self.t_s(at) <= from_s).count();
        let rows = &self.rows[first..];
        let mut rtts_ms: Vec<f64> = rows.iter().filter_map(Row::rtt_ms).collect();
        rtts_ms.sort_unstable_by(f64::total_cmp);
        FlowSummary {
            mean_rtt_ms: mean(rtts_ms.iter().copied()),
            median_rtt_ms: quantile(&rtts_ms, 0.5),
            p95_rtt_ms: quantile(&rtts_ms, 0.95),
            p99_rtt_ms: quantile(&rtts_ms, 0.99),
            max_rtt_ms: rtts_ms.last().copied(),
            mean_cwnd_packets: mean(rows.iter().map(|row| row.cwnd_packets)),
            mean_pacing_mbps: mean(rows.iter().filter_map(Row::pacing_mbps)),
            mean_inflight_packets: mean(rows.iter().map(|row| row.inflight_packets)),
        }
    }
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
        let mut series = FlowSeries::EMPTY;
        let mut last = tally(1_000, 500, 0);
        let sender =
            |cwnd_packets, rtt_us: u64| TransportSample { cwnd_packets, srtt_ns: rtt_us * 1000, ..Default::default() };
        series.sample(&mut last, tally(1_100, 13_000, 0), &sender(10, 0));
        series.sample(&mut last, tally(1_200, 25_500, 4), &sender(20, 30_000));
        series.sample(&mut last, tally(1_300, 38_000, 4), &sender(40, 50_000));
        let all = series.summary(0);
        assert_eq!((all.mean_rtt_ms, all.max_rtt_ms), (Some(40.0), Some(50.0)));
        assert_eq!(series.summary(1_100_000_000).mean_cwnd_packets, Some(30.0));
        assert_eq!(series.summary(1_300_000_000).mean_cwnd_packets, None);
        let columns = series.columns_from(0);
        assert_eq!(columns.t_s, [1.1, 1.2, 1.3]);
        assert_eq!(columns.mbps, [1.0, 1.0, 1.0]);
        assert_eq!(columns.packet_rtt_ms, [None, Some(30.0), None]);
        assert_eq!(columns.rtt_ms, [None, Some(30.0), Some(50.0)]);
        assert_eq!(columns.rttvar_us, [None, Some(0), Some(0)]);
    }

    #[test]
    fn a_missing_limit_is_no_number_and_no_part_of_a_mean() {
        let mut series = FlowSeries::EMPTY;
        let mut last = FlowTally::default();
        let samples = [(None, None), (Some(1_250_000), Some(u64::MAX)), (Some(2_500_000), Some(1000))];
        for (at_ms, (pacing_rate_bytes_per_s, receive_window_bytes)) in (1..).zip(samples) {
            let sender = TransportSample { pacing_rate_bytes_per_s, receive_window_bytes, ..Default::default() };
            series.sample(&mut last, tally(100 * at_ms, 0, 0), &sender);
        }
        assert_eq!(series.summary(0).mean_pacing_mbps, Some(15.0));
        let columns = series.columns_from(0);
        assert_eq!(columns.pacing_mbps, [None, Some(10.0), Some(20.0)]);
        assert_eq!(columns.receive_window_bytes, [None, None, Some(1000)]);
    }

    #[test]
    fn what_is_sent_at_the_time_of_the_first_sample_counts_for_the_second() {
        let sent = |at_ms, frame_bytes| {
            let mut tally = tally(at_ms, 0, 0);
            tally.sent[0].frame_bytes = frame_bytes;
            tally
        };
        let mut series = FlowSeries::EMPTY;
        let mut last = sent(1_000, 0);
        for (at_ms, frame_bytes) in [(1_000, 74), (1_100, 74), (1_200, 1_324)] {
            series.sample(&mut last, sent(at_ms, frame_bytes), &TransportSample::default());
        }
        assert_eq!(series.columns_from(0).sending_rate_mbps, [0.0, 0.00592, 0.1]);
    }
}
