//! Time series of a link.

use crate::mbps;
use fairlane_contract::LinkSamples;

/// A link's counters at one time, from the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkTally {
    pub at_ns: u64,
    /// Queued now.
    pub queue_bytes: u64,
    /// Integral of the queued bytes over time.
    pub queue_byte_ns: f64,
    /// Packets that left the queue, and the sum of their delays.
    pub waited_packets: u64,
    pub waited_ns: u128,
    pub transmitted_bytes: u64,
    pub dropped_packets: u64,
    pub marked_packets: u64,
}

/// The time series of a link during a run.
#[derive(Clone, Debug, Default)]
pub struct LinkSeries {
    columns: LinkSamples,
    last: LinkTally,
}

impl LinkSeries {
    pub fn sample(&mut self, tally: LinkTally) {
        let last = std::mem::replace(&mut self.last, tally);
        let columns = &mut self.columns;
        let time_ns = tally.at_ns - last.at_ns;
        let byte_ns = (tally.queue_byte_ns - last.queue_byte_ns).max(0.0);
        let bytes = tally.transmitted_bytes - last.transmitted_bytes;
        columns.t_s.push(tally.at_ns as f64 / 1e9);
        columns.queue_bytes.push(tally.queue_bytes);
        columns.mean_queue_bytes.push((byte_ns / time_ns.max(1) as f64) as f32);
        let (packets, waited_ns) = (tally.waited_packets - last.waited_packets, tally.waited_ns - last.waited_ns);
        columns.queue_delay_ms.push((packets > 0).then(|| (waited_ns as f64 / packets as f64 / 1e6) as f32));
        columns.throughput_mbps.push(mbps(bytes, time_ns) as f32);
        columns.dropped_packets.push(tally.dropped_packets - last.dropped_packets);
        columns.marked_packets.push(tally.marked_packets - last.marked_packets);
    }

    /// The samples so far.
    pub fn columns(&self) -> &LinkSamples {
        &self.columns
    }

    /// The samples in the form of the result.
    pub fn into_columns(self) -> LinkSamples {
        self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_differences() {
        let mut series = LinkSeries::default();
        // 1250 bytes leave per millisecond (10 Mbit/s) and 5000 wait all the time, each for 4 ms.
        for n in 1..=3 {
            series.sample(LinkTally {
                at_ns: n * 100_000_000,
                queue_bytes: 5_000,
                queue_byte_ns: 5_000.0 * n as f64 * 1e8,
                waited_packets: n * 100,
                waited_ns: u128::from(n) * 400_000_000,
                transmitted_bytes: n * 125_000,
                dropped_packets: n,
                marked_packets: 0,
            });
        }
        let series = series.into_columns();
        assert_eq!(series.queue_delay_ms, [Some(4.0); 3]);
        assert_eq!(series.mean_queue_bytes, [5_000.0; 3]);
        assert_eq!(series.throughput_mbps, [10.0; 3]);
        assert_eq!(series.dropped_packets, [1; 3]);
    }
}
