//! Cross traffic: unacknowledged UDP packets.

use fairlane_contract::CrossTrafficConfig;
use fairlane_engine::{RandomStream, NS_PER_SEC};

/// A source at constant rate, all the time or in on periods.
#[derive(Debug)]
pub(crate) struct CrossTraffic {
    pub path: u32,
    pub packet_bytes: u32,
    rate_bps: u64,
    stop_ns: u64,
    on_ns: Option<u64>,
    off_ns: u64,
    exponential: bool,
    random: RandomStream,
    /// Start and end of the current on period, and the number of packets sent in it.
    period_start_ns: u64,
    period_end_ns: u64,
    sent_in_period: u64,
    pub sent_packets: u64,
    pub delivered_packets: u64,
}

impl CrossTraffic {
    pub fn new(config: &CrossTrafficConfig, path: u32, run_end_ns: u64, random: RandomStream) -> Self {
        let mut source = Self {
            path,
            packet_bytes: config.packet_bytes,
            rate_bps: config.rate_bps,
            stop_ns: config.stop_ns.unwrap_or(run_end_ns).min(run_end_ns),
            on_ns: config.on_ns,
            off_ns: config.off_ns.unwrap_or(0),
            exponential: config.exponential,
            random,
            period_start_ns: config.start_ns,
            period_end_ns: 0,
            sent_in_period: 0,
            sent_packets: 0,
            delivered_packets: 0,
        };
        source.period_end_ns = source.period_start_ns.saturating_add(source.draw_on_ns());
        source
    }

    pub fn first_ns(&self) -> u64 {
        self.period_start_ns
    }

    /// A packet was sent. Returns the time of the next one, if there is one. The n-th packet of a period is sent n
    /// packet times after its start, so that rounding errors do not add up.
    pub fn on_sent(&mut self) -> Option<u64> {
        self.sent_packets += 1;
        self.sent_in_period += 1;
        let bits = u128::from(self.sent_in_period) * u128::from(self.packet_bytes) * 8;
        let mut next_ns = self.period_start_ns + (bits * u128::from(NS_PER_SEC) / u128::from(self.rate_bps)) as u64;
        if next_ns >= self.period_end_ns {
            let off_ns = if self.exponential { self.random.exponential_ns(self.off_ns) } else { self.off_ns };
            self.period_start_ns = next_ns.max(self.period_end_ns.saturating_add(off_ns));
            self.period_end_ns = self.period_start_ns.saturating_add(self.draw_on_ns());
            self.sent_in_period = 0;
            next_ns = self.period_start_ns;
        }
        (next_ns < self.stop_ns).then_some(next_ns)
    }

    fn draw_on_ns(&mut self) -> u64 {
        match self.on_ns {
            None => u64::MAX,
            Some(mean_ns) if self.exponential => self.random.exponential_ns(mean_ns).max(1),
            Some(on_ns) => on_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_engine::Streams;

    fn source(on_ns: Option<u64>, off_ns: Option<u64>) -> CrossTraffic {
        let config = CrossTrafficConfig {
            path: vec![],
            rate_bps: 12_000_000,
            packet_bytes: 1500,
            start_ns: 0,
            stop_ns: None,
            on_ns,
            off_ns,
            exponential: false,
        };
        CrossTraffic::new(&config, 0, NS_PER_SEC, Streams::new(1).stream("cross traffic", 0))
    }

    fn times(mut source: CrossTraffic) -> Vec<u64> {
        let mut times = vec![source.first_ns()];
        while let Some(next_ns) = source.on_sent() {
            times.push(next_ns);
        }
        times
    }

    #[test]
    fn constant_rate_is_exact() {
        let times = times(source(None, None));
        assert_eq!(times.len(), 1000); // 12 Mbit/s of 12,000 bits each
        assert_eq!(times[999], 999_000_000);
    }

    #[test]
    fn on_and_off_share_the_time() {
        let times = times(source(Some(100_000_000), Some(100_000_000)));
        assert!((490..=510).contains(&times.len()), "{}", times.len());
        assert!(times.iter().all(|t| (t / 100_000_000) % 2 == 0));
    }
}
