//! The report of an emulator run.

use fairlane_contract::{LinkResult, LinkSamples};
use fairlane_engine::Histogram;
use serde::Serialize;

/// Results of the network, and lateness of the machine.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub duration_s: f64,
    pub links: Vec<LinkResult>,
    pub series: Vec<LinkSamples>,
    pub ports: Vec<PortReport>,
    pub lateness: Lateness,
    /// Packets that entered the network.
    pub entered: u64,
    /// Packets that were not IP, or larger than the MTU.
    pub refused: u64,
    /// Packets that the emulator lost because its packet memory was too small.
    pub missing: u64,
    /// Packets that left the network but were not accepted by the device at the far end.
    pub unwritten: u64,
}

/// Packets that left the network at a port, by the machine's clock.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PortReport {
    pub packets: u64,
    pub bytes: u64,
    /// Times at which the first and the last packet were written.
    pub first_ns: u64,
    pub last_ns: u64,
    /// Size of the first packet: the others took from the first time to the last.
    pub first_bytes: u64,
}

/// Delay of packets beyond the network's own; see [`Histogram`] for the accuracy.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Lateness {
    pub median_us: f64,
    pub p99_us: f64,
    pub max_us: f64,
}

impl Lateness {
    /// From times in ns.
    pub(crate) fn new(times: &Histogram) -> Self {
        let us = |time_ns: Option<f64>| time_ns.unwrap_or(0.0) / 1e3;
        Self {
            median_us: us(times.quantile(0.5)),
            p99_us: us(times.quantile(0.99)),
            max_us: us(times.max().map(f64::from)),
        }
    }
}

impl PortReport {
    pub(crate) fn count(&mut self, now_ns: u64, bytes: usize) {
        if self.packets == 0 {
            (self.first_ns, self.first_bytes) = (now_ns, bytes as u64);
        }
        self.packets += 1;
        self.bytes += bytes as u64;
        self.last_ns = now_ns;
    }
}
