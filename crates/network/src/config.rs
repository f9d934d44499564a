//! What a scenario may say about a link, as read from its JSON, and the check that it makes sense.

use serde::Deserialize;

use crate::{ConfigError, QueueConfig};

/// One link of the network. Only `name` is required: the default is an infinitely fast link without delay.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    pub name: String,
    /// Bits per second; absent means infinitely fast, and then nothing ever queues.
    #[serde(default)]
    pub rate_bps: Option<u64>,
    /// Propagation delay.
    #[serde(default)]
    pub delay_ns: u64,
    /// What a frame carries beside the IP packet. Absent means [`ETHERNET_OVERHEAD_BYTES`], on a trace-driven
    /// link [`TUN_OVERHEAD_BYTES`].
    #[serde(default)]
    pub overhead_bytes: Option<u32>,
    /// The largest IP packet that is sent here, by which some queues set their defaults. Absent means 1500; a link of
    /// a scenario takes it from the flows.
    #[serde(default)]
    pub mtu_bytes: Option<u32>,
    #[serde(default)]
    pub queue: QueueConfig,
    /// Makes the transmitter a token bucket of this depth, as tc's tbf: a frame leaves at once when there are
    /// tokens for it, and takes no time to leave.
    #[serde(default)]
    pub burst_bytes: Option<u32>,
    #[serde(default)]
    pub jitter: Option<JitterConfig>,
    #[serde(default)]
    pub loss: Option<LossConfig>,
    /// Probability that a packet arrives twice.
    #[serde(default)]
    pub duplicate_probability: f64,
    /// Changes of rate and delay, in order of time.
    #[serde(default)]
    pub changes: Vec<ChangeConfig>,
    /// A packet-delivery trace in mahimahi's format in place of a rate: each entry is a time in milliseconds at
    /// which a packet of 1500 bytes may leave; see `transmitter/trace.rs`.
    #[serde(default)]
    pub trace_ms: Option<Vec<u64>>,
}

/// Added delay, uniform from 0 to `max_ns`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JitterConfig {
    pub max_ns: u64,
    /// Whether a packet may overtake another; if not, it waits for its predecessor.
    #[serde(default)]
    pub reorder: bool,
}

/// Random loss on the wire, after the queue and the transmitter.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LossConfig {
    Independent {
        probability: f64,
    },
    /// A chain of two states (Gilbert 1960, Elliott 1963) that makes one step per packet.
    GilbertElliott {
        good_to_bad: f64,
        bad_to_good: f64,
        /// Loss probability in the good state.
        #[serde(default)]
        loss_good: f64,
        /// Loss probability in the bad state.
        #[serde(default = "certain")]
        loss_bad: f64,
    },
    /// The first packet that arrives at or after each of these times: losses that were seen elsewhere, once more.
    Listed {
        at_ns: Vec<u64>,
    },
}

fn certain() -> f64 {
    1.0
}

/// From `at_ns` on, frames are transmitted at the new rate and propagate with the new delay; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeConfig {
    pub at_ns: u64,
    #[serde(default)]
    pub rate_bps: Option<u64>,
    #[serde(default)]
    pub delay_ns: Option<u64>,
}

/// What tc counts beside the IP packet: two addresses and the type, without preamble, checksum and gap.
pub const ETHERNET_OVERHEAD_BYTES: u32 = 14;
/// What mahimahi counts beside the IP packet: the header of its TUN device.
pub const TUN_OVERHEAD_BYTES: u32 = 4;
/// Largest overhead accepted; a frame stays far below the sizes where the arithmetic of rates would overflow.
const MAX_OVERHEAD_BYTES: u32 = 65_535;
/// Ethernet's.
const DEFAULT_MTU_BYTES: u32 = 1_500;
const MTU_RANGE: std::ops::RangeInclusive<u32> = 68..=65_535;
/// Largest rate accepted, 1 Pbit/s: the arithmetic of rates keeps a remainder below the rate in 64 bits.
const MAX_RATE_BPS: u64 = 1_000_000_000_000_000;
/// Deepest token bucket accepted: its bits times 10⁹ fit 64 bits.
const MAX_BURST_BYTES: u32 = 1_000_000_000;
/// Longest delay, jitter or trace, and latest change accepted (115 days): sums of a few of them fit 64 bits.
const MAX_TIME_NS: u64 = 10_000_000_000_000_000;

impl LinkConfig {
    /// A link with the given name and nothing else: infinitely fast, without delay.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// The overhead that counts, whether given or not.
    pub fn frame_overhead_bytes(&self) -> u32 {
        let default = if self.trace_ms.is_some() { TUN_OVERHEAD_BYTES } else { ETHERNET_OVERHEAD_BYTES };
        self.overhead_bytes.unwrap_or(default)
    }

    /// The largest frame that is usual here.
    pub(crate) fn mtu_frame_bytes(&self) -> u32 {
        self.mtu_bytes.unwrap_or(DEFAULT_MTU_BYTES) + self.frame_overhead_bytes()
    }

    /// Whether a packet leaves this link at the instant it enters, whatever happens.
    pub(crate) fn is_instant(&self) -> bool {
        let has_impairments = self.jitter.is_some() || self.loss.is_some() || self.duplicate_probability > 0.0;
        let has_rate = self.rate_bps.is_some() || self.trace_ms.is_some();
        let is_plain = matches!(self.queue, QueueConfig::Fifo { .. } | QueueConfig::Unlimited {});
        is_plain && !has_rate && self.delay_ns == 0 && self.changes.is_empty() && !has_impairments
    }

    /// Refuses what cannot work, with the first fault found.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let link = || self.name.clone();
        self.check_rate(self.rate_bps, "rate_bps")?;
        self.check_time(self.delay_ns, "delay_ns")?;
        if self.overhead_bytes.is_some_and(|bytes| bytes > MAX_OVERHEAD_BYTES) {
            return Err(ConfigError::OverheadTooLarge { link: link(), max: MAX_OVERHEAD_BYTES });
        }
        if self.mtu_bytes.is_some_and(|bytes| !MTU_RANGE.contains(&bytes)) {
            return Err(ConfigError::MtuOutOfRange { link: link(), min: *MTU_RANGE.start(), max: *MTU_RANGE.end() });
        }
        self.check_queue()?;
        if let Some(bytes) = self.burst_bytes {
            if self.rate_bps.is_none() {
                return Err(ConfigError::BurstWithoutRate { link: link() });
            }
            if bytes == 0 || bytes > MAX_BURST_BYTES {
                return Err(ConfigError::BurstOutOfRange { link: link(), bytes, max: MAX_BURST_BYTES });
            }
        }
        if let Some(jitter) = &self.jitter {
            self.check_time(jitter.max_ns, "jitter.max_ns")?;
        }
        self.check_probabilities()?;
        self.check_changes()?;
        self.check_trace()
    }

    fn check_queue(&self) -> Result<(), ConfigError> {
        match self.queue.fault() {
            Some((key, problem)) => Err(ConfigError::WrongQueue { link: self.name.clone(), key, problem }),
            None => Ok(()),
        }
    }

    fn check_probabilities(&self) -> Result<(), ConfigError> {
        let mut probabilities = vec![(self.duplicate_probability, "duplicate_probability")];
        match &self.loss {
            &Some(LossConfig::Independent { probability }) => probabilities.push((probability, "loss.probability")),
            &Some(LossConfig::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad }) => probabilities
                .extend([
                    (good_to_bad, "loss.good_to_bad"),
                    (bad_to_good, "loss.bad_to_good"),
                    (loss_good, "loss.loss_good"),
                    (loss_bad, "loss.loss_bad"),
                ]),
            Some(LossConfig::Listed { .. }) | None => {}
        }
        match probabilities.into_iter().find(|(value, _)| !(0.0..=1.0).contains(value)) {
            Some((value, key)) => Err(ConfigError::NotAProbability { link: self.name.clone(), key, value }),
            None => Ok(()),
        }
    }

    fn check_changes(&self) -> Result<(), ConfigError> {
        let link = || self.name.clone();
        for change in &self.changes {
            if change.rate_bps.is_none() && change.delay_ns.is_none() {
                return Err(ConfigError::EmptyChange { link: link(), at_ns: change.at_ns });
            }
            if change.rate_bps.is_some() && self.trace_ms.is_some() {
                return Err(ConfigError::TraceAndRate { link: link(), key: "changes.rate_bps" });
            }
            self.check_rate(change.rate_bps, "changes.rate_bps")?;
            self.check_time(change.delay_ns.unwrap_or(0), "changes.delay_ns")?;
            self.check_time(change.at_ns, "changes.at_ns")?;
        }
        match self.changes.windows(2).find(|pair| pair[0].at_ns >= pair[1].at_ns) {
            Some(pair) => Err(ConfigError::UnsortedChanges { link: link(), at_ns: pair[1].at_ns }),
            None => Ok(()),
        }
    }

    fn check_trace(&self) -> Result<(), ConfigError> {
        let link = || self.name.clone();
        let Some(trace_ms) = &self.trace_ms else { return Ok(()) };
        if self.rate_bps.is_some() {
            return Err(ConfigError::TraceAndRate { link: link(), key: "rate_bps" });
        }
        let Some(&last_ms) = trace_ms.last() else { return Err(ConfigError::EmptyTrace { link: link() }) };
        if let Some(at) = trace_ms.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(ConfigError::UnsortedTrace { link: link(), entry: at + 1 });
        }
        if last_ms == 0 {
            return Err(ConfigError::TraceWithoutDuration { link: link() });
        }
        self.check_time(last_ms.saturating_mul(fairlane_engine::NS_PER_MS), "trace_ms")
    }

    fn check_rate(&self, rate_bps: Option<u64>, key: &'static str) -> Result<(), ConfigError> {
        match rate_bps {
            Some(0) => Err(ConfigError::ZeroRate { link: self.name.clone(), key }),
            Some(rate) if rate > MAX_RATE_BPS => {
                Err(ConfigError::RateTooHigh { link: self.name.clone(), key, max: MAX_RATE_BPS })
            }
            _ => Ok(()),
        }
    }

    fn check_time(&self, time_ns: u64, key: &'static str) -> Result<(), ConfigError> {
        if time_ns > MAX_TIME_NS {
            return Err(ConfigError::TimeTooLong { link: self.name.clone(), key, max_ns: MAX_TIME_NS });
        }
        Ok(())
    }
}
