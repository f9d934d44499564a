//! A link over time.

use serde::Serialize;

/// The series; all vectors have the same length.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LinkSeries {
    pub t_s: Vec<f64>,
    /// Bytes that wait in the queue at the moment of the sample.
    pub queue_bytes: Vec<u64>,
    /// Packets dropped by the queue in the interval.
    pub dropped_packets: Vec<u64>,
    #[serde(skip)]
    dropped_before: u64,
}

impl LinkSeries {
    /// `dropped_packets` counts from the start of the run.
    pub fn sample(&mut self, now_ns: u64, queue_bytes: u64, dropped_packets: u64) {
        self.t_s.push(now_ns as f64 / 1e9);
        self.queue_bytes.push(queue_bytes);
        self.dropped_packets.push(dropped_packets - self.dropped_before);
        self.dropped_before = dropped_packets;
    }
}
