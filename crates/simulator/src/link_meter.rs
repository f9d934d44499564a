//! Measurements at the links of a run: the samples of their time series, and their results.

use fairlane_contract::{LinkResult, LinkSamples};
use fairlane_measure::{LinkSeries, LinkTally};
use fairlane_network::{AccessStats, Network, StationId, StationStats};

/// Measures all links and stations of a network.
pub struct LinkMeter {
    names: Vec<String>,
    series: Vec<LinkSeries>,
    /// The counters when the measurement began.
    begins: Vec<StationStats>,
    begin_ns: u64,
}

impl LinkMeter {
    /// For the stations of a network, by their numbers.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let names: Vec<_> = names.map(str::to_owned).collect();
        let (series, begins) = (vec![LinkSeries::default(); names.len()], vec![StationStats::default(); names.len()]);
        Self { names, series, begins, begin_ns: 0 }
    }

    /// The time series so far, by name.
    pub fn series(&self) -> impl Iterator<Item = (&str, &LinkSamples)> {
        self.names.iter().map(String::as_str).zip(self.series.iter().map(LinkSeries::columns))
    }

    /// The counters of each station when the measurement began.
    pub fn begins(&self) -> &[StationStats] {
        &self.begins
    }

    /// Adds a row to each time series.
    pub fn sample<P: Copy>(&mut self, network: &mut Network<P>, now_ns: u64) {
        for (link, series) in (0..).zip(&mut self.series) {
            let stats = network.station_stats(StationId(link), now_ns);
            series.sample(LinkTally {
                at_ns: now_ns,
                queue_bytes: stats.backlog_bytes,
                queue_byte_ns: stats.mean_backlog_bytes * now_ns as f64,
                waited_packets: stats.waited_packets,
                waited_ns: stats.delay_sum_ns,
                transmitted_bytes: stats.transmitted_bytes,
                dropped_packets: stats.dropped_packets,
                marked_packets: stats.marked_packets,
            });
        }
    }

    /// Results count from now on.
    pub fn begin<P: Copy>(&mut self, network: &mut Network<P>, now_ns: u64) {
        self.begin_ns = now_ns;
        for (link, begin) in (0..).zip(&mut self.begins) {
            *begin = network.station_stats(StationId(link), now_ns);
            network.restart_maxima(StationId(link));
        }
    }

    /// Results and time series of each link.
    pub fn finish<P: Copy>(self, network: &mut Network<P>, end_ns: u64) -> (Vec<LinkResult>, Vec<LinkSamples>) {
        let links = (0..).zip(self.names).zip(&self.begins).map(|((link, name), begin)| {
            let end = network.station_stats(StationId(link), end_ns);
            let quantile_ms = |share| Some(network.queue_delay_quantile_ns(StationId(link), share)? / 1e6);
            link_result(name, (begin, self.begin_ns), (&end, end_ns), quantile_ms)
        });
        (links.collect(), self.series.into_iter().map(LinkSeries::into_columns).collect())
    }
}

/// A percentile of a histogram: the smallest value that at least this share does not exceed; none without samples.
fn quantile(counts: &[u64], share: f64) -> Option<u64> {
    let total: u64 = counts.iter().sum();
    let mut seen = 0;
    let reached = |&count: &u64| {
        seen += count;
        count > 0 && seen as f64 >= share * total as f64
    };
    counts.iter().position(reached).map(|value| value as u64)
}

/// The difference of counters at two times, the second at the end of the run.
fn link_result(
    name: String,
    (begin, begin_ns): (&StationStats, u64),
    (end, end_ns): (&StationStats, u64),
    queue_delay_quantile_ms: impl Fn(f64) -> Option<f64>,
) -> LinkResult {
    let waited_packets = end.waited_packets - begin.waited_packets;
    let waited_ns = end.delay_sum_ns - begin.delay_sum_ns;
    let queue_byte_ns = end.mean_backlog_bytes * end_ns as f64 - begin.mean_backlog_bytes * begin_ns as f64;
    let accesses = end.access.as_ref().map(|end| (end, begin.access.as_deref().cloned().unwrap_or_default()));
    let of_accesses = |count: fn(&AccessStats) -> u64| accesses.as_ref().map(|(end, begin)| count(end) - count(begin));
    let per = |part: Option<u64>, whole: Option<u64>| Some(part? as f64 / whole.filter(|&whole| whole > 0)? as f64);
    let ppdus = of_accesses(|access| access.ppdus);
    let sizes = accesses.as_ref().map(|(end, begin)| end.ppdus_by_mpdus_since(begin));
    let mpdus = |share| quantile(sizes.as_deref()?, share);
    LinkResult {
        name,
        utilisation: end.utilisation_since(begin),
        transmitted_bytes: end.transmitted_bytes - begin.transmitted_bytes,
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
        p5_mpdus_per_ppdu: mpdus(0.05),
        median_mpdus_per_ppdu: mpdus(0.5),
        p95_mpdus_per_ppdu: mpdus(0.95),
        collided_ppdus: of_accesses(|access| access.collisions),
        retransmitted_mpdus: of_accesses(|access| access.retransmitted_mpdus),
        turns: of_accesses(|access| access.turns),
    }
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_of_counted_values() {
        let counts = [0, 10, 0, 80, 10];
        assert_eq!(
            [0.05, 0.1, 0.11, 0.5, 0.9, 0.95].map(|share| quantile(&counts, share)),
            [1, 1, 3, 3, 3, 4].map(Some)
        );
        assert_eq!(quantile(&[0, 0], 0.5), None);
    }
}
