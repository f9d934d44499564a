//! The scheduled changes of a link's rate and delay, and the resulting capacity.

use fairlane_engine::NS_PER_SEC;

use fairlane_contract::{ChangeConfig, LinkConfig};

pub(super) struct Schedule {
    changes: Vec<ChangeConfig>,
    applied: usize,
    burst_bytes: Option<u32>,
    /// Capacity offered before `since_ns`, in bits × 10⁹; none while the link was infinitely fast.
    earlier_bit_ns: Option<u128>,
    since_ns: u64,
}

impl Schedule {
    pub fn new(config: &LinkConfig) -> Self {
        Self {
            changes: config.changes.clone(),
            applied: 0,
            burst_bytes: config.burst_bytes,
            earlier_bit_ns: None,
            since_ns: 0,
        }
    }

    pub fn burst_bytes(&self) -> Option<u32> {
        self.burst_bytes
    }

    pub fn next_ns(&self) -> Option<u64> {
        self.changes.get(self.applied).map(|change| change.at_ns)
    }

    /// The shortest delay from now on; the present one is `delay_ns`.
    pub fn min_delay_ns(&self, delay_ns: u64) -> u64 {
        let coming = self.changes[self.applied..].iter().filter_map(|change| change.delay_ns);
        coming.fold(delay_ns, u64::min)
    }

    /// The next change if it is due; until then the link had the rate `rate_bps`.
    pub fn take_due(&mut self, now_ns: u64, rate_bps: Option<u64>) -> Option<ChangeConfig> {
        let change = self.changes.get(self.applied).filter(|change| change.at_ns <= now_ns)?.clone();
        self.applied += 1;
        self.earlier_bit_ns = self.capacity_bit_ns(change.at_ns, rate_bps);
        self.since_ns = change.at_ns;
        Some(change)
    }

    /// Bytes that the transmitter could have sent until `now_ns`, at the present rate and those before.
    pub fn capacity_bytes(&self, now_ns: u64, rate_bps: Option<u64>) -> Option<u64> {
        self.capacity_bit_ns(now_ns, rate_bps).map(|bit_ns| (bit_ns / u128::from(8 * NS_PER_SEC)) as u64)
    }

    fn capacity_bit_ns(&self, now_ns: u64, rate_bps: Option<u64>) -> Option<u128> {
        let present = rate_bps.map(|rate| u128::from(rate) * u128::from(now_ns - self.since_ns));
        match (self.earlier_bit_ns, present) {
            (None, None) => None,
            (earlier, present) => Some(earlier.unwrap_or(0) + present.unwrap_or(0)),
        }
    }
}
