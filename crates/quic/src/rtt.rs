//! Estimating the round-trip time (RFC 9002 section 5).

/// The estimate of a connection's round-trip time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rtt {
    /// 0 before the first measurement.
    pub smoothed_ns: u64,
    pub variation_ns: u64,
    pub min_ns: u64,
}

impl Rtt {
    /// Updates the estimate with the time since the largest acknowledged packet was sent, and the peer's
    /// acknowledgement delay, already limited to its `max_ack_delay`. Returns the RTT without that delay.
    pub fn update(&mut self, latest_ns: u64, ack_delay_ns: u64) -> u64 {
        if self.smoothed_ns == 0 {
            *self = Self { smoothed_ns: latest_ns.max(1), variation_ns: latest_ns / 2, min_ns: latest_ns };
            return latest_ns;
        }
        self.min_ns = self.min_ns.min(latest_ns);
        let adjusted_ns = if latest_ns >= self.min_ns + ack_delay_ns { latest_ns - ack_delay_ns } else { latest_ns };
        self.variation_ns = (3 * self.variation_ns + self.smoothed_ns.abs_diff(adjusted_ns)) / 4;
        self.smoothed_ns = (7 * self.smoothed_ns + adjusted_ns) / 8;
        adjusted_ns
    }

    /// The probe timeout (RFC 9002 section 6.2.1).
    pub fn probe_timeout_ns(&self, max_ack_delay_ns: u64) -> u64 {
        self.smoothed_ns + (4 * self.variation_ns).max(GRANULARITY_NS) + max_ack_delay_ns
    }
}

/// kGranularity (RFC 9002 section 6.1.2).
const GRANULARITY_NS: u64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn the_first_measurement_is_the_estimate() {
        let mut rtt = Rtt::default();
        // RFC 9002 section 5.3: the first sample ignores the acknowledgement delay.
        assert_eq!(rtt.update(100 * MS, 20 * MS), 100 * MS);
        assert_eq!(rtt, Rtt { smoothed_ns: 100 * MS, variation_ns: 50 * MS, min_ns: 100 * MS });
        assert_eq!(rtt.probe_timeout_ns(25 * MS), 325 * MS);
    }

    #[test]
    fn the_pseudo_code_of_appendix_a7() {
        let mut rtt = Rtt::default();
        rtt.update(100 * MS, 0);
        // 140 ms with a delay of 20 ms: 120 ms. rttvar = 3/4 * 50 + 1/4 * 20, smoothed = 7/8 * 100 + 1/8 * 120.
        assert_eq!(rtt.update(140 * MS, 20 * MS), 120 * MS);
        assert_eq!(rtt, Rtt { smoothed_ns: 102_500_000, variation_ns: 42_500_000, min_ns: 100 * MS });
        // The delay would take it below the minimum: it is not subtracted.
        assert_eq!(rtt.update(110 * MS, 20 * MS), 110 * MS);
        assert_eq!(rtt.min_ns, 100 * MS);
        // A new minimum is taken without the delay.
        assert_eq!(rtt.update(90 * MS, 20 * MS), 90 * MS);
        assert_eq!(rtt.min_ns, 90 * MS);
    }

    #[test]
    fn the_granularity_is_the_minimum_variation() {
        let rtt = Rtt { smoothed_ns: 10 * MS, variation_ns: 1, min_ns: 10 * MS };
        assert_eq!(rtt.probe_timeout_ns(0), 11 * MS);
    }
}
